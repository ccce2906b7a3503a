package solve

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// triangles are the factorizations of the upper and of the lower triangle.
var triangles = []struct {
	name   string
	lower  bool
	factor func(ctx context.Context, a *mat.Dense, meter *gram.Meter) error
	solve  func(ctx context.Context, a, b *mat.Dense) error
}{{"upper", false, Cholesky, CholeskySolve}, {"lower", true, CholeskyLower, CholeskyLowerSolve}}

// definite returns XXᵀ/n + I for a random X, n×n, with NaN in the triangle that is not read,
// and the whole matrix.
func definite(n int, lower bool) (half, whole *mat.Dense) {
	r := rng.New(uint64(n), 0)
	x := mat.NewDense(n, 8, nil)
	for i := range n {
		for j := range 8 {
			x.Set(i, j, r.NormFloat64())
		}
	}
	whole = mat.NewDense(n, n, nil)
	whole.Mul(x, x.T())
	half = mat.NewDense(n, n, nil)
	for i := range n {
		whole.Set(i, i, whole.At(i, i)+1)
		for j := range n {
			half.Set(i, j, whole.At(i, j))
			if j != i && (j < i) != lower {
				half.Set(i, j, math.NaN())
			}
		}
	}
	return half, whole
}

// Orders around the borders of the tiles, with one and several right-hand
// sides: the solution by its residual, and the phase to its end.
func TestTiles(t *testing.T) {
	for _, tri := range triangles {
		for _, n := range []int{1, 2, tile - 1, tile, tile + 1, 2*tile - 1, 2 * tile, 2*tile + 3, 3*tile + 1} {
			a, whole := definite(n, tri.lower)
			var events []gram.Event
			run := gram.Run{Progress: func(e gram.Event) { events = append(events, e) }}
			if err := tri.factor(context.Background(), a, run.Meter()); err != nil {
				t.Fatalf("%s, n=%d: %v", tri.name, n, err)
			}
			if e := events[len(events)-1]; e.Phase != "Cholesky factor" || e.Done != 1000 || e.Total != 1000 {
				t.Errorf("%s, n=%d: the last event is %+v", tri.name, n, e)
			}
			for i := range n {
				for j := range n {
					if outside := j != i && (j < i) != tri.lower; math.IsNaN(a.At(i, j)) != outside {
						t.Fatalf("%s, n=%d: element %d, %d is %g", tri.name, n, i, j, a.At(i, j))
					}
				}
			}
			for _, s := range []int{1, 3} {
				b := mat.NewDense(n, s, nil)
				for i := range n {
					for j := range s {
						b.Set(i, j, float64((7*i+3*j)%11)-5)
					}
				}
				x := mat.DenseCopyOf(b)
				must.Do(t, tri.solve(context.Background(), a, x))
				var left mat.Dense
				left.Mul(whole, x)
				left.Sub(&left, b)
				if d := mat.Norm(&left, math.Inf(1)); !(d <= 1e-9) {
					t.Errorf("%s, n=%d, %d columns: residual %g", tri.name, n, s, d)
				}
			}
		}
	}
}

// A pivot that is not positive is named by its row, in the first tile and in a
// later one.
func TestPivot(t *testing.T) {
	for _, tri := range triangles {
		for pivot, values := range map[int][]float64{0: {0, -1}, 3: {0, -1}, tile: {0, -1, 0.1}, tile + 9: {0, -1, 0.1}} {
			for _, v := range values {
				a, _ := definite(tile+20, tri.lower)
				a.Set(pivot, pivot, v) // 0.1 is less than what the rows before explain
				var pd *gram.NotPDError
				if err := tri.factor(context.Background(), a, gram.Run{}.Meter()); !errors.As(err, &pd) || pd.Pivot != pivot || !(pd.Margin <= 0) {
					t.Errorf("%s, %g at pivot %d: error %v", tri.name, v, pivot, err)
				}
			}
		}
	}
}
