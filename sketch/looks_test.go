package sketch

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"gonum.org/v1/gonum/mat"
)

// Least squares end with the error of their context at whichever look it ends.
func TestLeastSquaresLooks(t *testing.T) {
	a, b := problem(300, 9)
	for _, workers := range []int{1, 2} {
		l := LeastSquares{Run: gram.Run{Workers: workers}}
		looktest.Every(t, func(ctx context.Context) (any, error) { return l.Approximate(ctx, a, b) })
		looktest.Every(t, func(ctx context.Context) (any, error) {
			s, err := l.Solve(ctx, a, b)
			if err != nil && s.X != nil && len(s.X) != 9 {
				t.Errorf("the solution so far has %d numbers", len(s.X))
			}
			return s, err
		})
	}
}

// Where the context ends while the sketch is made, the columns of the sketch are not judged.
func TestLeastSquaresLookAtSketch(t *testing.T) {
	a := mat.NewDense(50, 2, nil) // of which no column is independent
	for _, solve := range []func(context.Context, *mat.Dense, []float64) (Solution, error){LeastSquares{}.Solve, LeastSquares{}.Approximate} {
		if s, err := solve(looktest.After(t.Context(), 1), a, make([]float64, 50)); err != context.Canceled || s.X != nil {
			t.Errorf("%+v, %v, want %v", s, err, context.Canceled)
		}
	}
}
