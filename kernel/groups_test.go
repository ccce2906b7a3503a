package kernel

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// TestGroups checks that a product with groups equals that with the whole V up to
// rounding, has the same bits for all rows, a single row, sparse rows, blocks and
// several goroutines, and allocates nothing.
func TestGroups(t *testing.T) {
	t.Run("float64", testGroups[float64])
	t.Run("float32", testGroups[float32])
}

func testGroups[F gram.Float](t *testing.T) {
	const n, d, m, s, wide = 35, 5, 700, 9, 4
	// There are groups shorter than a vector, longer than a strip, and empty ones at
	// both ends.
	groups := []Group{{Rows: 0, Columns: []int{3}}, {Rows: 3, Columns: []int{8, 0, 2, 5}}, {Rows: 1, Columns: nil}, {Rows: 0},
		{Rows: 420, Columns: []int{1, 2}}, {Rows: 37, Columns: []int{0, 1, 5, 7}}, {Rows: 239, Columns: []int{4, 8, 2}}, {Rows: 0}}
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		r := rng.New(3, 1)
		x, z, v := gram.MakeRows[F](n, d), mat.NewDense(m, d, nil), gram.Rows[F]{Data: make([]F, m*(wide+2)), N: m, D: wide, Stride: wide + 2}
		copied := mat.NewDense(n, d, nil)
		for i := range x.Data {
			x.Data[i] = F(r.NormFloat64())
			copied.RawMatrix().Data[i] = float64(x.Data[i])
		}
		csr := gram.Sparse[F](sparse.FromDense(copied))
		for i := range m * d {
			z.RawMatrix().Data[i] = r.NormFloat64()
		}
		for i := range v.Data {
			v.Data[i] = F(r.NormFloat64())
		}
		whole := gram.MakeRows[F](m, s)
		i := 0
		for _, g := range groups {
			for range g.Rows {
				for k, c := range g.Columns {
					whole.Row(i)[c] = v.Row(i)[k]
				}
				i++
			}
		}
		u := math.Ldexp(1, -52)
		if sizeof[F]() == 4 {
			u = math.Ldexp(1, -23)
		}
		for _, k := range every {
			b := Against[F](k, z)
			p := b.Times(whole)
			want, got := gram.MakeRows[F](n, s), gram.MakeRows[F](n, s)
			p.Rows(want, gram.Dense(x))
			p = b.TimesGroups(v, s, groups)
			p.Rows(got, gram.Dense(x))
			values := gram.MakeRows[F](n, m)
			b.Fill(values, gram.Dense(x))
			for i := range n {
				for c := range s {
					var size float64
					for j, w := range values.Row(i) {
						size += math.Abs(float64(w * whole.Row(j)[c]))
					}
					if diff := math.Abs(float64(got.Row(i)[c] - want.Row(i)[c])); !(diff <= 2*m*u*size) {
						t.Fatalf("%s: row %d, column %d is %v, with all of V %v", k.Spec().Name, i, c, got.Row(i)[c], want.Row(i)[c])
					}
				}
			}
			want, got = got, want
			for i := range n {
				p.Row(got.Row(i), x.Row(i))
			}
			same(t, "row", got, want)
			clear(got.Data)
			p.Rows(got, csr)
			same(t, "sparse rows", got, want)
			for _, workers := range []int{1, 3} {
				p := b.Limit(workers).TimesGroups(v, s, groups)
				clear(got.Data)
				p.Mul(got, gram.Dense(x))
				same(t, "on several goroutines", got, want)
				clear(got.Data)
				p.Mul(got, csr)
				same(t, "sparse rows on several goroutines", got, want)
				clear(got.Data)
				use := func(lo int, values gram.Rows[F]) {
					for i := range values.N {
						copy(got.Row(lo+i), values.Row(i))
					}
				}
				p.Each(gram.Dense(x), use)
				same(t, "block by block", got, want)
				clear(got.Data)
				p.Each(csr, use)
				same(t, "sparse rows block by block", got, want)
			}
			if raceDetector {
				continue // sync.Pool drops values then
			}
			if a := testing.AllocsPerRun(20, func() { p.Rows(got, gram.Dense(x)) }); a != 0 {
				t.Errorf("%s: Rows allocates %g times", k.Spec().Name, a)
			}
		}
	})
}

// TestManySums checks that the memory of a product at work does not grow with the
// rows, and hardly with the columns of V.
func TestManySums(t *testing.T) {
	const m, s = 3, 20_000
	b := Against[float64](Gaussian{Gamma: 1}, mat.NewDense(m, 2, []float64{0, 1, 2, 3, 4, 5}))
	v := gram.MakeRows[float64](m, s)
	for i := range v.Data {
		v.Data[i] = float64(i%7) - 3
	}
	p := b.Times(v)
	one := gram.MakeRows[float64](1, s)
	x := gram.MakeRows[float64](600, 2)
	for i := range x.Data {
		x.Data[i] = float64(i % 11)
	}
	var seen atomic.Int64
	p.Each(gram.Dense(x), func(lo int, values gram.Rows[float64]) {
		if values.N > 12 {
			t.Errorf("%d rows of %d sums together", values.N, s)
		}
		seen.Add(int64(values.N))
	})
	if seen.Load() != int64(x.N) {
		t.Errorf("%d of %d rows", seen.Load(), x.N)
	}
	p.Row(one.Row(0), x.Row(5))
	if want := p.Cost(); want.PeakBytes > 12*8*(s+4)+stripBytes || want.Flops != m*(Flops(b.kernel, 2)+2*s) {
		t.Errorf("%+v", want)
	}
}

// TestProductCost checks the operations and bytes of products with and without groups.
func TestProductCost(t *testing.T) {
	b := Against[float64](Gaussian{Gamma: 1}, mat.NewDense(32, 20, make([]float64, 640)))
	v := gram.MakeRows[float64](32, 2)
	all, some := b.Times(v).Cost(), b.TimesGroups(v, 7, []Group{{12, []int{0, 6}}, {20, []int{1}}}).Cost()
	values := 32 * Flops(Gaussian{}, 20)
	if all.Flops != values+2*64 || some.Flops != values+2*(24+20) {
		t.Errorf("%v and %v flops", all.Flops, some.Flops)
	}
	if held := int64(8 * (32*20 + 32 + 64)); all.ModelBytes != held || some.ModelBytes != held {
		t.Errorf("%d and %d bytes, want %d", all.ModelBytes, some.ModelBytes, held)
	}
}

// TestBadGroups checks that groups that do not fit panic.
func TestBadGroups(t *testing.T) {
	b := Against[float64](Linear{}, mat.NewDense(5, 1, make([]float64, 5)))
	v := gram.MakeRows[float64](5, 2)
	for name, groups := range map[string][]Group{
		"too few rows":     {{4, []int{0}}},
		"too many rows":    {{4, []int{0}}, {2, []int{1}}},
		"negative":         {{6, []int{0}}, {-1, []int{1}}},
		"too many columns": {{5, []int{0, 1, 2}}},
		"no such column":   {{5, []int{3}}},
		"column below 0":   {{5, []int{-1}}},
	} {
		if must.Recovered(func() { b.TimesGroups(v, 3, groups) }) != panicGroups {
			t.Errorf("%s: no panic", name)
		}
	}
}

// A kernel by Columns uses groups with the zeros that they stand for.
func TestGroupsOfColumns(t *testing.T) {
	k := Columns(func(dst []float64, j int) {
		for i := range dst {
			dst[i] = float64(i*10 + j + 1)
		}
	}, 6)
	b := Against[float64](k, Indices(5))
	v := gram.Rows[float64]{Data: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, N: 5, D: 2, Stride: 2}
	groups := []Group{{Rows: 0, Columns: []int{1}}, {Rows: 2, Columns: []int{2, 0}}, {Rows: 1}, {Rows: 2, Columns: []int{1}}}
	whole := gram.Rows[float64]{Data: []float64{2, 0, 1, 4, 0, 3, 0, 0, 0, 0, 7, 0, 0, 9, 0}, N: 5, D: 3, Stride: 3}
	got, want := gram.MakeRows[float64](6, 3), gram.MakeRows[float64](6, 3)
	b.TimesGroups(v, 3, groups).Rows(got, gram.Of(Indices(6)))
	b.Times(whole).Rows(want, gram.Of(Indices(6)))
	if !slices.Equal(got.Data, want.Data) {
		t.Errorf("%v, want %v", got.Data, want.Data)
	}
}
