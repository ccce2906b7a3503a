package constraint

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Percentiles of distances and constraints of a matrix end with the error of their context at whichever look it ends.
func TestLooks(t *testing.T) {
	x := algotest.Problem(3, 60, 3, 3).X
	a := mat.NewSymDense(40, nil)
	a.SymOuterK(1, x.(*mat.Dense).Slice(0, 40, 0, 3))
	t.Run("Percentiles", func(t *testing.T) {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			return Percentiles(ctx, kernel.Gaussian{Gamma: .5}, x, 5, 95, 1)
		})
	})
	t.Run("General", func(t *testing.T) {
		looktest.Every(t, func(ctx context.Context) (any, error) { return General(ctx, a, 0, 1) })
	})
	d := algotest.Problem(3, 60, 3, 3)
	t.Run("FromLabels", func(t *testing.T) {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			return Pairs{Count: 30}.FromLabels(ctx, kernel.Gaussian{Gamma: .5}, d.X, d.Labels, 1)
		})
	})
	t.Run("FromStatements", func(t *testing.T) {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			return Pairs{}.FromStatements(ctx, kernel.Gaussian{Gamma: .5}, d.X, []Statement{{Pair: Pair{I: 0, J: 1}}, {Pair: Pair{I: 2, J: 5, Same: true}}}, 1)
		})
	})
}
