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

// definite returns XXᵀ/n + I for a random X, n×n, with NaN below the diagonal,
// and the whole matrix.
func definite(n int) (half, whole *mat.Dense) {
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
			if j < i {
				half.Set(i, j, math.NaN())
			}
		}
	}
	return half, whole
}

// Orders around the borders of the tiles, with one and several right-hand
// sides: the solution by its residual, and the phase to its end.
func TestTiles(t *testing.T) {
	for _, n := range []int{1, 2, tile - 1, tile, tile + 1, 2*tile - 1, 2 * tile, 2*tile + 3} {
		a, whole := definite(n)
		var events []gram.Event
		run := gram.Run{Progress: func(e gram.Event) { events = append(events, e) }}
		if err := Cholesky(context.Background(), a, run.Meter()); err != nil {
			t.Fatalf("n=%d: %v", n, err)
		}
		if e := events[len(events)-1]; e.Phase != "Cholesky factor" || e.Done != 1000 || e.Total != 1000 {
			t.Errorf("n=%d: the last event is %+v", n, e)
		}
		for _, s := range []int{1, 3} {
			b := mat.NewDense(n, s, nil)
			for i := range n {
				for j := range s {
					b.Set(i, j, float64((7*i+3*j)%11)-5)
				}
			}
			x := mat.DenseCopyOf(b)
			must.Do(t, CholeskySolve(context.Background(), a, x))
			var left mat.Dense
			left.Mul(whole, x)
			left.Sub(&left, b)
			if d := mat.Norm(&left, math.Inf(1)); !(d <= 1e-9) {
				t.Errorf("n=%d, %d columns: residual %g", n, s, d)
			}
		}
	}
}

// A pivot that is not positive is named by its row, in the first tile and in a
// later one.
func TestPivot(t *testing.T) {
	for pivot, values := range map[int][]float64{0: {0, -1}, 3: {0, -1}, tile: {0, -1, 0.1}, tile + 9: {0, -1, 0.1}} {
		for _, v := range values {
			a, _ := definite(tile + 20)
			a.Set(pivot, pivot, v) // 0.1 is less than what the rows before explain
			var pd *gram.NotPDError
			if err := Cholesky(context.Background(), a, gram.Run{}.Meter()); !errors.As(err, &pd) || pd.Pivot != pivot || !(pd.Margin <= 0) {
				t.Errorf("%g at pivot %d: error %v", v, pivot, err)
			}
		}
	}
}
