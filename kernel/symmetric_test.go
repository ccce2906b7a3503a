package kernel

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// MulSelf has the values of Mul, within the rounding of sums, and the same bits for any
// number of goroutines.
func TestMulSelf(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testMulSelf[float64](t, 1e-12) })
	t.Run("float32", func(t *testing.T) { testMulSelf[float32](t, 1e-4) })
}

func testMulSelf[F gram.Float](t *testing.T, tol float64) {
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		for _, m := range []int{1, 193, 1001} {
			const d, s = 9, 2
			r := rng.New(4, uint64(m))
			z, x := mat.NewDense(m, d, nil), gram.MakeRows[F](m, d)
			for i := range m {
				for k := range d {
					z.Set(i, k, float64(F(r.NormFloat64()+2)))
					x.Row(i)[k] = F(z.At(i, k))
				}
			}
			v, narrow := gram.MakeRows[float64](m, s), gram.MakeRows[F](m, s)
			for i := range v.Data {
				narrow.Data[i] = F(r.NormFloat64())
				v.Data[i] = float64(narrow.Data[i])
			}
			kernels := []Kernel{Gaussian{0.3}}
			if m < 200 {
				kernels = append(kernels, Laplacian{0.3}, Polynomial{2, 1}, Matern{1.5, 2}, Sigmoid{0.1, 0}, evalOnly{})
			}
			for _, k := range kernels {
				b := Against[F](k, z)
				want := gram.MakeRows[F](m, s)
				b.Mul(want, gram.Dense(x), narrow)
				var first []float64
				for _, workers := range []int{1, 3} {
					got := gram.MakeRows[float64](m, s)
					must.Do(t, b.Limit(workers).MulSelf(t.Context(), got, v))
					var worst, scale float64
					for i, u := range want.Data {
						scale = max(scale, math.Abs(float64(u)))
						worst = max(worst, math.Abs(got.Data[i]-float64(u)))
					}
					if !(worst <= tol*scale) {
						t.Errorf("%T, m %d: error %g of %g", k, m, worst, scale)
					}
					if first == nil {
						first = got.Data
					} else if !slices.Equal(got.Data, first) {
						t.Errorf("%T, m %d: other bits with %d goroutines", k, m, workers)
					}
				}
			}
		}
	})
}

// MulSelf returns the error of its context at whichever look the context ends, and then does
// not change the destination. There are several parts of rows, and looks within each.
func TestMulSelfLooks(t *testing.T) {
	const m, s = selfPart + selfRows + 5, 2
	z, v := mat.NewDense(m, 3, nil), gram.MakeRows[float64](m, s)
	r := rng.New(5, 0)
	for i := range m {
		for k := range 3 {
			z.Set(i, k, r.NormFloat64())
		}
		for c := range s {
			v.Row(i)[c] = r.NormFloat64()
		}
	}
	for _, k := range []Kernel{Gaussian{1}, evalOnly{}} {
		for _, workers := range []int{1, 2} {
			b := Against[float64](k, z).Limit(workers)
			t.Run(fmt.Sprintf("%T, %d goroutines", k, workers), func(t *testing.T) {
				looktest.Every(t, func(ctx context.Context) (any, error) {
					dst := gram.MakeRows[float64](m, s)
					dst.Data[1] = 7
					before := slices.Clone(dst.Data)
					err := b.MulSelf(ctx, dst, v)
					if err != nil && !slices.Equal(dst.Data, before) {
						t.Error("the destination is changed though there is an error")
					}
					return dst.Data, err
				})
			})
		}
	}
}

// evalOnly is a kernel without fast code.
type evalOnly struct{}

func (evalOnly) Eval(x, y []float64) float64 { return x[0] * y[0] }
func (evalOnly) Spec() Spec                  { return Spec{Name: "test"} }
