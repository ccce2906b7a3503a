package basis

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var rbf = kernel.Gaussian{Gamma: 0.2}

func problem(n, d int) *mat.Dense { return algotest.Problem(3, n, d, 3).X.(*mat.Dense) }

// columns returns m landmarks among the rows of x with p pseudo-landmarks.
func columns(k kernel.Kernel, kind PseudoKind, x *mat.Dense, m, p int) *Pseudo {
	u := mat.DenseCopyOf(x.Slice(0, m, 0, x.RawMatrix().Cols))
	r := rng.New(2, 0)
	if kind == Products {
		var all []int32
		for i := range int32(m) {
			for j := i; j < int32(m); j++ {
				all = append(all, i, j)
			}
		}
		var pairs []int32
		for _, t := range r.Perm(len(all) / 2)[:p] {
			pairs = append(pairs, all[2*t], all[2*t+1])
		}
		return NewProducts(k, u, pairs, 0)
	}
	far := mat.NewDense(p, m, nil)
	for t := range p {
		for j := range m {
			far.Set(t, j, Distance(x.RawRowView(m+t), u.RawRowView(j)))
		}
	}
	return NewTriangle(k, kind, u, far, 0)
}

// The columns are what the definitions say, for dense and sparse rows and in
// float32.
func TestPseudo(t *testing.T) {
	x := problem(80, 5)
	for _, k := range []kernel.Kernel{rbf, kernel.Matern{Nu: 1.5, Length: 2}, kernel.Polynomial{Degree: 2, Offset: 1}} {
		for kind := Products; kind <= Mid; kind++ {
			if kind.Fits(k) != nil {
				continue
			}
			c := columns(k, kind, x, 7, 11)
			got := c.Map(nil, x)
			want := mat.NewDense(80, 18, nil)
			want.Slice(0, 80, 0, 7).(*mat.Dense).Copy(fixture.KernelMatrix(k, x, c.u))
			for i := range 80 {
				for p := range 11 {
					if kind == Products {
						want.Set(i, 7+p, want.At(i, int(c.pairs[2*p]))*want.At(i, int(c.pairs[2*p+1])))
						continue
					}
					lo, hi := 0.0, math.Inf(1)
					for j := range 7 {
						near := Distance(x.RawRowView(i), c.u.RawRowView(j))
						lo = math.Max(lo, math.Abs(near-c.far.At(p, j)))
						hi = math.Min(hi, near+c.far.At(p, j))
					}
					r := map[PseudoKind]float64{Lower: lo, Upper: hi, Mid: (lo + hi) / 2}[kind]
					s := []float64{r * r}
					k.(kernel.Radial).Radial(s)
					want.Set(i, 7+p, s[0])
				}
			}
			what := fmt.Sprintf("%s, %s", k.Spec().Name, kind)
			if e := algotest.Relative(want, got); !(e <= 1e-13) {
				t.Errorf("%s: relative error %g", what, e)
			}
			if e := algotest.Relative(want, c.Map(nil, sparse.FromDense(x))); !(e <= 1e-13) {
				t.Errorf("%s: relative error %g for sparse rows", what, e)
			}
			x32, dst := gram.MakeRows[float32](80, 5), gram.MakeRows[float32](80, 18)
			for i, v := range x.RawMatrix().Data {
				x32.Data[i] = float32(v)
			}
			newPseudoBlock[float32](c).Fill(dst, gram.Dense(x32))
			for i, v := range dst.Data {
				got.RawMatrix().Data[i] = float64(v)
			}
			if e := algotest.Relative(want, got); !(e <= 1e-6) {
				t.Errorf("%s: relative error %g in float32", what, e)
			}
		}
	}
}

func TestPseudoAllocatesNothing(t *testing.T) {
	for kind := Products; kind <= Mid; kind++ {
		b := newPseudoBlock[float64](columns(rbf, kind, problem(60, 12), 9, 18))
		x, dst := gram.MakeRows[float64](50, 12), gram.MakeRows[float64](50, 27)
		for _, n := range []int{1, 50} {
			if a := testing.AllocsPerRun(20, func() { b.Fill(dst.Slice(0, n), gram.Dense(x.Slice(0, n))) }); a >= 1 && !race.Enabled {
				t.Errorf("%s: %g allocations for %d rows", kind, a, n)
			}
		}
	}
}

// Linear functions of the columns are those of the filled columns, whether the
// products are computed one by one or as forms, with the same bits in any batch.
func TestPseudoProduct(t *testing.T) {
	x := problem(120, 12)
	for _, c := range []struct {
		kind PseudoKind
		m, p int
	}{{Products, 9, 18}, {Products, 9, 45}, {Products, 20, 10}, {Lower, 9, 18}} {
		columns := columns(rbf, c.kind, x, c.m, c.p)
		_, width := columns.Dims()
		for _, k := range []int{1, 3} {
			r := rng.New(5, 0)
			v := mat.NewDense(width, k, nil)
			for i := range v.RawMatrix().Data {
				v.RawMatrix().Data[i] = r.NormFloat64()
			}
			var want mat.Dense
			want.Mul(columns.Map(nil, x), v)
			p := newPseudoBlock[float64](columns).times(gram.View(v))
			if (p.forms != nil) != (c.m == 9 && c.kind == Products) {
				t.Errorf("%+v: forms %v", c, p.forms != nil)
			}
			got := mat.NewDense(120, k, nil)
			p.Rows(gram.View(got), gram.Of(x))
			if e := algotest.Relative(&want, got); !(e <= 1e-13) {
				t.Errorf("m %d, p %d, k %d: relative error %g", c.m, width-c.m, k, e)
			}
			thin := mat.NewDense(120, k, nil)
			p.Rows(gram.View(thin), gram.Of(sparse.FromDense(x)))
			if e := algotest.Relative(&want, thin); !(e <= 1e-13) {
				t.Errorf("m %d, p %d, k %d: relative error %g for sparse rows", c.m, width-c.m, k, e)
			}
			one := make([]float64, k)
			dst := gram.Rows[float64]{Data: one, N: 1, D: k, Stride: k}
			for i := range 120 {
				p.Rows(dst, gram.Dense(gram.View(x).Slice(i, i+1)))
				if !slices.Equal(one, got.RawRowView(i)) {
					t.Fatalf("row %d alone is %v, among others %v", i, one, got.RawRowView(i))
				}
			}
			if a := testing.AllocsPerRun(20, func() { p.Rows(dst, gram.Dense(gram.View(x).Slice(0, 1))) }); a >= 1 && !race.Enabled {
				t.Errorf("%g allocations for a row", a)
			}
			narrow := newPseudoBlock[float32](columns).times(gram.View(v))
			x32, d32 := gram.MakeRows[float32](120, 12), gram.MakeRows[float32](120, k)
			for i, u := range x.RawMatrix().Data {
				x32.Data[i] = float32(u)
			}
			narrow.Rows(d32, gram.Dense(x32))
			for i, u := range d32.Data {
				got.RawMatrix().Data[i] = float64(u)
			}
			if e := algotest.Relative(&want, got); !(e <= 1e-5) {
				t.Errorf("m %d, p %d, k %d: relative error %g in float32", c.m, width-c.m, k, e)
			}
		}
	}
}

func TestForgedPseudo(t *testing.T) {
	u := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	for name, c := range map[string]*Pseudo{
		"odd pairs":       {kernel: rbf, u: u, pairs: []int32{0, 1, 2}},
		"no such pair":    {kernel: rbf, u: u, pairs: []int32{0, 3}},
		"negative pair":   {kernel: rbf, u: u, pairs: []int32{-1, 1}},
		"unknown kind":    {kernel: rbf, u: u, kind: 9, far: mat.NewDense(2, 3, nil)},
		"short distances": {kernel: rbf, u: u, kind: Mid, far: mat.NewDense(2, 2, nil)},
		"wrong kernel":    {kernel: kernel.Linear{}, u: u, kind: Mid, far: mat.NewDense(2, 3, nil)},
	} {
		fixture.Misfits(t, name, c, DecodePseudo)
	}
}

// A destination of another width or length panics, whichever of them is wrong.
func TestPseudoDestination(t *testing.T) {
	c := columns(rbf, Upper, problem(40, 3), 5, 10)
	b := newPseudoBlock[float64](c)
	_, width := c.Dims()
	x := gram.Of(problem(6, 3))
	for _, d := range [][2]int{{6, width - 1}, {6, width + 1}, {5, width}, {7, width}, {5, width + 1}} {
		if must.Recovered(func() { b.Fill(gram.MakeRows[float64](d[0], d[1]), x) }) == nil {
			t.Errorf("no panic for a destination %d×%d of 6×%d", d[0], d[1], width)
		}
	}
	b.Fill(gram.MakeRows[float64](6, width), x)
}
