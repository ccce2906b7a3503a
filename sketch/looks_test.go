package sketch

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
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
