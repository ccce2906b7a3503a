package kernel

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// TestProductBound compares products in float32 with those in float64: for rows at the origin
// and far from it, of mixed sizes, equal and with zeros, and coefficients of mixed signs and
// sizes.
func TestProductBound(t *testing.T) {
	if race.Enabled && testing.Short() {
		t.Skip("arithmetic: runs without the race detector")
	}
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		r := rng.New(5, 5)
		for _, d := range []int{1, 3, 8, 9, 22, 130} {
			for _, offset := range []float64{0, 1, 3000} {
				for _, gamma := range []float64{1e-3, .3, 20} {
					const n, m = 40, 700
					draw := func(n int) *mat.Dense {
						a := mat.NewDense(n, d, nil)
						for i := range n {
							size := math.Exp2(float64(r.IntN(6) - 3))
							for j := range d {
								if r.IntN(4) > 0 {
									a.Set(i, j, offset+size*r.NormFloat64()/math.Sqrt(float64(d)))
								}
							}
						}
						return a
					}
					x, z := draw(n), draw(m)
					for i := range n / 4 {
						x.SetRow(i, z.RawRowView(i))
					}
					v := mat.NewDense(m, 2, nil)
					var total float64
					for j := range m {
						c := r.NormFloat64() * math.Exp2(float64(r.IntN(20)))
						v.SetRow(j, []float64{c, math.Abs(c)})
						total += math.Abs(c)
					}
					narrow := gram.MakeRows[float32](m, 2)
					for i, c := range v.RawMatrix().Data {
						narrow.Data[i] = float32(c)
					}
					p := Against[float32](Gaussian{gamma}, z).Times(narrow)
					b, ok := ProductBound(p, gram.Of(z))
					if !ok {
						t.Fatal("no bound")
					}
					got, want := gram.MakeRows[float32](n, 2), gram.MakeRows[float64](n, 2)
					p.Mul(got, gram.As[float32](gram.Of(x), nil))
					Against[float64](Gaussian{gamma}, z).Mul(want, gram.Of(x), gram.View(v))
					for i := range n {
						eta := b.Row(x.RawRowView(i))
						limit := eta*float64(got.Row(i)[1]) + 0x1p-124*total
						if offset == 3000 && math.IsInf(eta, 1) {
							continue
						}
						if e := math.Abs(float64(got.Row(i)[0]) - want.Row(i)[0]); !(e <= limit) {
							t.Fatalf("d %d, offset %g, gamma %g: row %d has an error of %g, the bound is %g", d, offset, gamma, i, e, limit)
						}
						if offset == 0 && gamma < 1 && !(eta < 1e-3) {
							t.Errorf("d %d, gamma %g: a bound of %g is of no use", d, gamma, eta)
						}
					}
				}
			}
		}
	})
	if p := Against[float32](Laplacian{1}, mat.NewDense(1, 1, nil)).Times(gram.MakeRows[float32](1, 1)); p != nil {
		if _, ok := ProductBound(p, gram.Of(mat.NewDense(1, 1, nil))); ok {
			t.Error("a bound for a Laplacian kernel")
		}
	}
	// Rows far from the origin have a center, which every row has the length of.
	z := mat.NewDense(3, 9, nil)
	for i := range 27 {
		z.Set(i/9, i%9, float64(100+i%2))
	}
	p := Against[float32](Gaussian{1}, z).Times(gram.MakeRows[float32](3, 1))
	b, _ := ProductBound(p, gram.Of(z))
	if b.center == nil {
		t.Fatal("no center")
	}
	for want, f := range map[string]func(){
		"kernel: x has the wrong number of columns":     func() { b.Row(make([]float64, 8)) },
		"kernel: the rows are not those of the product": func() { ProductBound(p, gram.Of(z.Slice(0, 2, 0, 9))) },
	} {
		if got := must.Recovered(f); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}
}
