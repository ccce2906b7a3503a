package descent

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The gradient by the points ends with the error of its context at whichever look it ends.
func TestPullLooks(t *testing.T) {
	const n = 5000 // several blocks of rows
	x := gram.Of(algotest.Problem(3, n, 3, 2).X)
	f := basis.NewValues(kernel.Gaussian{Gamma: .5}, mat.DenseCopyOf(algotest.Problem(4, 7, 3, 2).X), 1)
	phi := f.Map(nil, x)
	for _, workers := range []int{1, 2} {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			return Pull(ctx, workers, f, mat.DenseCopyOf(phi), phi, rows.NewProducts(x, workers))
		})
	}
}
