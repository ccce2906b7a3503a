package dcpred

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The choice of λ ends with the error of its context at whichever look it ends.
func TestLambdaLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	y := mat.NewDense(60, 1, d.Value)
	looktest.Every(t, func(ctx context.Context) (any, error) {
		return Config{Kernel: kernel.Gaussian{Gamma: .5}, Leaf: 20}.ChooseLambda(ctx, d.X, y, d.Weights)
	})
}
