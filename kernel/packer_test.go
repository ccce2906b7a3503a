package kernel_test

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// strict is a kernel whose tile panics if a Block breaks the promises of Tile.
type strict struct{ trend }

func (k strict) Pack64(z gram.Samples[float64]) kernel.Tile[float64] {
	return strictTile[float64]{k.trend.Pack64(z)}
}
func (k strict) Pack32(z gram.Samples[float64]) kernel.Tile[float32] {
	return strictTile[float32]{k.trend.Pack32(z)}
}

type strictTile[F gram.Float] struct{ kernel.Tile[F] }

func (t strictTile[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	if n := x.N(); n < 1 || n > 240 || dst.N != n || dst.D < 1 || !dst.Valid() || !x.Valid() {
		panic("a tile gets shapes that it was not promised")
	}
	t.Tile.Fill(dst, x)
}

// slow hides the tile of a kernel.
type slow struct{ kernel.Kernel }

// A Packer gives in blocks what it gives by Eval, for dense and sparse rows, for
// all methods, any division of X and any number of workers, with the same bits and
// without allocations.
func TestPacker(t *testing.T) {
	t.Run("float64", testPacker[float64])
	t.Run("float32", testPacker[float32])
}

func testPacker[F gram.Float](t *testing.T) {
	tol := 1e-12
	if _, single := any(F(0)).(float32); single {
		tol = 2e-5
	}
	const s = 3
	for _, c := range []struct{ n, m, d int }{{1, 1, 1}, {300, 70, 5}, {130, 3000, 12}, {3, 0, 2}, {0, 4, 2}} {
		r := rng.New(5, uint64(c.n))
		thin := &sparse.CSR{N: c.n, D: c.d, Ptr: []int{0}, Val: []float64{}}
		for range c.n {
			for j := range c.d {
				if r.IntN(3) == 0 {
					thin.Col, thin.Val = append(thin.Col, int32(j)), append(thin.Val, float64(float32(r.NormFloat64())))
				}
			}
			thin.Ptr = append(thin.Ptr, len(thin.Col))
		}
		x := map[string]gram.Samples[F]{"sparse": gram.Sparse[F](thin), "dense": gram.As[F](gram.Of(thin.Dense()), nil)}
		if c.n == 0 {
			x["dense"] = gram.Dense(gram.MakeRows[F](0, c.d))
		}
		z64 := gram.MakeRows[float64](c.m, c.d)
		for i := range z64.Data {
			z64.Data[i] = float64(float32(r.NormFloat64()))
		}
		v, u := gram.MakeRows[F](c.m, s), gram.MakeRows[F](c.n, s)
		for _, to := range [][]F{v.Data, u.Data} {
			for i := range to {
				to[i] = F(r.NormFloat64())
			}
		}
		for _, z := range []gram.Samples[float64]{gram.Dense(z64), gram.Of(sparse.FromDense(gram.Dense(z64)))} {
			k := strict{trend{0.1, 0.3}}
			b := kernel.Against[F](k, z)
			same := func(what string, got, want gram.Rows[F], tol float64) {
				t.Helper()
				for i := range want.N {
					for j, w := range want.Row(i) {
						if g := got.Row(i)[j]; !(math.Abs(float64(g-w)) <= tol*math.Max(1, math.Abs(float64(w)))) {
							t.Fatalf("%d×%d against %d, %s: element %d,%d is %v, want %v", c.n, c.d, c.m, what, i, j, g, w)
						}
					}
				}
			}
			fill, mul, mulT := gram.MakeRows[F](c.n, c.m), gram.MakeRows[F](c.n, s), gram.MakeRows[F](c.m, s)
			other := [3]gram.Rows[F]{gram.MakeRows[F](c.n, c.m), gram.MakeRows[F](c.n, s), gram.MakeRows[F](c.m, s)}
			b.Fill(fill, x["dense"])
			b.Mul(mul, x["dense"], v)
			b.MulT(mulT, x["dense"], u)
			want, wantT := mat.NewDense(c.n+1, s, nil), mat.NewDense(c.m+1, s, nil)
			row := make([]float64, c.d)
			for i := range c.n {
				thin.DenseRow(row, i)
				for j := range c.m {
					value := k.Eval(row, z64.Row(j))
					other[0].Row(i)[j] = F(value)
					for e := range s {
						want.Set(i, e, want.At(i, e)+value*float64(v.Row(j)[e]))
						wantT.Set(j, e, wantT.At(j, e)+value*float64(u.Row(i)[e]))
					}
				}
				copy(other[1].Row(i), gram.As[F](gram.Of(want.Slice(i, i+1, 0, s)), nil).Row(nil, 0))
			}
			for j := range c.m {
				copy(other[2].Row(j), gram.As[F](gram.Of(wantT.Slice(j, j+1, 0, s)), nil).Row(nil, 0))
			}
			same("Fill and Eval", fill, other[0], tol)
			same("Mul and Eval", mul, other[1], 4*tol*math.Sqrt(float64(1+c.m)))
			same("MulT and Eval", mulT, other[2], 4*tol*math.Sqrt(float64(1+c.n)))
			p := b.Times(v)
			for kind, x := range x {
				for _, workers := range []int{1, 2, 7} {
					l := b.Limit(workers)
					for _, to := range other {
						clear(to.Data)
					}
					l.Fill(other[0], x)
					l.Mul(other[1], x, v)
					l.MulT(other[2], x, u)
					same(kind+" Fill", other[0], fill, 0)
					same(kind+" Mul", other[1], mul, 0)
					same(kind+" MulT", other[2], mulT, 0)
				}
				for i, to := range other {
					if i < 2 {
						clear(to.Data)
					}
				}
				b.FillSerial(other[0], x)
				p.Rows(other[1], x)
				same(kind+" FillSerial", other[0], fill, 0)
				same(kind+" Rows", other[1], mul, 0)
				each := make([][]F, c.n)
				for i := range each {
					each[i] = make([]F, c.m)
				}
				b.FillEach(each, x)
				for i, row := range each {
					same(kind+" FillEach", gram.Rows[F]{Data: row, N: 1, D: c.m, Stride: max(1, c.m)}, fill.Slice(i, i+1), 0)
				}
				if c.n > 0 {
					b.Fill(other[0].Slice(0, 1), x.Slice(c.n-1, c.n))
					same(kind+" Fill of one row", other[0].Slice(0, 1), fill.Slice(c.n-1, c.n), 0)
					if r, dense := x.Dense(); dense {
						p.Row(other[1].Row(0), r.Row(c.n-1))
						same(kind+" Row", other[1].Slice(0, 1), mul.Slice(c.n-1, c.n), 0)
					}
				}
				if race.Enabled {
					continue // sync.Pool drops values then
				}
				if a := testing.AllocsPerRun(5, func() { b.FillSerial(other[0], x); p.Rows(other[1], x) }); a != 0 {
					t.Errorf("%d×%d against %d: %g allocations for %s rows", c.n, c.d, c.m, a, kind)
				}
			}
			if c.m > 3 {
				index := []int{c.m - 1, 0, 2}
				some := gram.MakeRows[F](c.n, 3)
				b.Select(index).Select([]int{0, 1, 2}).Fill(some, x["sparse"])
				for i := range c.n {
					for j, from := range index {
						if g, w := some.Row(i)[j], fill.Row(i)[from]; c.d <= 8 && g != w || !(math.Abs(float64(g-w)) <= tol*math.Max(1, math.Abs(float64(w)))) {
							t.Fatalf("selected row %d: %v, want %v", from, g, w)
						}
					}
				}
			}
		}
	}
}

// Methods compute the same from a Packer and from its Eval alone.
func TestPackerInMethods(t *testing.T) {
	const n, d = 240, 4
	r := rng.New(6, 0)
	x, y, labels := mat.NewDense(n, d, nil), make([]float64, n), gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
		if y[i] > 0.1*r.NormFloat64() {
			labels.Class[i] = 1
		}
	}
	k, test := trend{0.2, 0.5}, gram.Of(x).Slice(0, 50)
	results := func(k kernel.Kernel, x mat.Matrix) (out [][]float64) {
		t.Helper()
		ridge := must.Have(krr.Config{Kernel: k, Lambda: gram.Set(1e-2), NoBias: true}.Fit(t.Context(), x, y, nil))(t)
		features := must.Have(nystrom.Config{Kernel: k, M: 30, Landmarks: landmark.Uniform{}}.Fit(t.Context(), x))(t)
		phi := features.Map(nil, test)
		var g mat.Dense
		g.Mul(phi, phi.T())
		machine := must.Have(svm.Config{Kernel: k, C: 10, Tol: 1e-6}.Fit(t.Context(), x, labels, nil))(t)
		return [][]float64{ridge.Predict(nil, test), g.RawMatrix().Data, machine.Values(nil, test).RawMatrix().Data}
	}
	want := results(slow{k}, x)
	for kind, x := range map[string]mat.Matrix{"dense": x, "sparse": sparse.FromDense(x)} {
		for method, got := range results(k, x) {
			for i, v := range got {
				if w := want[method][i]; !(math.Abs(v-w) <= []float64{1e-9, 1e-7, 1e-4}[method]*(1+math.Abs(w))) {
					t.Fatalf("%s rows, method %d: value %d is %v, by Eval %v", kind, method, i, v, w)
				}
			}
		}
	}
}
