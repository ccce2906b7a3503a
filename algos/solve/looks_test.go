package solve

import (
	"context"
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// CG ends with the error of its context at whichever look it ends, and dst then holds the
// last iterate: that which as many iterations give.
func TestCGEveryLook(t *testing.T) {
	const n = 60
	a, b := symmetric(3, decades(n, -2)), random(4, n, 2)
	for name, warm := range map[string]bool{"from zero": false, "warm": true} {
		t.Run(name, func(t *testing.T) {
			run := func(ctx context.Context, most int) (*mat.Dense, Stats, error) {
				x := random(5, n, 2)
				st, err := CG(ctx, x, &dense{a: a}, 0.1, b, Options{Tol: 1e-8, Warm: warm, MaxIter: most})
				st.Seconds = 0
				return x, st, err
			}
			looktest.Every(t, func(ctx context.Context) (any, error) {
				x, st, err := run(ctx, 0)
				if err == nil {
					return []any{x, st}, nil
				}
				want := random(5, n, 2)
				var ce *gram.ConvergenceError
				if st.Iter > 0 {
					if want, _, err = run(context.Background(), st.Iter); err != nil && !errors.As(err, &ce) {
						t.Fatal(err)
					}
				} else if !warm {
					want.Zero()
				}
				if !mat.Equal(x, want) {
					t.Errorf("after %d iterations dst is another iterate", st.Iter)
				}
				return nil, context.Canceled
			})
		})
	}
	t.Run("rough", func(t *testing.T) {
		narrow := mat.DenseCopyOf(a)
		for i := range n {
			for j := range n {
				narrow.Set(i, j, float64(float32(a.At(i, j))))
			}
		}
		looktest.Every(t, func(ctx context.Context) (any, error) {
			x := mat.NewDense(n, 2, nil)
			st, err := CG(ctx, x, &dense{a: a}, 0.1, b, Options{Tol: 1e-8, Rough: &Rough{Operator: &dense{a: narrow}, Rows: someRows(a, []int{1, 5, 9}), Index: []int{1, 5, 9}}})
			st.Seconds = 0
			return []any{x, st}, err
		})
	})
}

// The factorization, the solution with it and the inverse root end at every look.
func TestFactorLooks(t *testing.T) {
	const n = 700 // several tiles
	half, whole := definite(n, false)
	factor := mat.DenseCopyOf(half)
	must.Do(t, Cholesky(t.Context(), factor, gram.Run{}.Meter()))
	looktest.Every(t, func(ctx context.Context) (any, error) {
		a := mat.DenseCopyOf(half)
		err := Cholesky(ctx, a, gram.Run{}.Meter())
		return a, err
	})
	looktest.Every(t, func(ctx context.Context) (any, error) {
		b := random(6, n, 2)
		err := CholeskySolve(ctx, factor, b)
		return b, err
	})
	below, _ := definite(n, true)
	lower := mat.DenseCopyOf(below)
	must.Do(t, CholeskyLower(t.Context(), lower, gram.Run{}.Meter()))
	looktest.Every(t, func(ctx context.Context) (any, error) {
		a := mat.DenseCopyOf(below)
		err := CholeskyLower(ctx, a, gram.Run{}.Meter())
		return a, err
	})
	looktest.Every(t, func(ctx context.Context) (any, error) {
		b := random(6, n, 2)
		err := CholeskyLowerSolve(ctx, lower, b)
		return b, err
	})
	w := upper(whole.Slice(0, 150, 0, 150).(*mat.Dense))
	looktest.Every(t, func(ctx context.Context) (any, error) {
		b, values, err := InvSqrt(ctx, w, 20, 0)
		return []any{b, values}, err
	})
}

// Features and the estimates of errors end at every look.
func TestErrorLooks(t *testing.T) {
	const n = 2500 // several blocks of rows
	x, k, f, _ := problem(n)
	for _, workers := range []int{1, 2} {
		run := gram.Run{Workers: workers}
		approximate := func(x mat.Matrix) *LowRank { return &LowRank{Phi: f.Map(nil, x)} }
		looktest.Each(t, map[string]func(ctx context.Context) (any, error){
			"Features":      func(ctx context.Context) (any, error) { return Features(ctx, f, x) },
			"Approximate":   func(ctx context.Context) (any, error) { return Approximate(ctx, f, x) },
			"Certificate":   func(ctx context.Context) (any, error) { return Certificate(ctx, k, f, x, 100, run) },
			"CertificateOf": func(ctx context.Context) (any, error) { return CertificateOf(ctx, k, approximate, x, 100, run) },
			"CertificateFor": func(ctx context.Context) (any, error) {
				return CertificateFor(ctx, 5*n, k, approximate, x.Slice(0, 100, 0, 3), run)
			},
			"RelativeError": func(ctx context.Context) (any, error) {
				return RelativeError(ctx, k, x, approximate(x), ErrorOptions{Run: run})
			},
		})
	}
}
