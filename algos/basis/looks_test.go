package basis

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Fill returns the error of its context at whichever look it ends, or fills all rows.
func TestFillLooks(t *testing.T) {
	const n = 3*fillRows + 1
	x := normal(1, n, 4)
	for name, b := range map[string]Learnable{
		"values":  NewValues(kernel.Gaussian{Gamma: .3}, normal(3, 5, 4), 0),
		"fourier": NewFourier(normal(4, 4, 5), 0),
	} {
		for _, workers := range []int{1, 2} {
			t.Run(name, func(t *testing.T) {
				looktest.Every(t, func(ctx context.Context) (any, error) {
					_, m := b.Dims()
					dst := mat.NewDense(n, m, nil)
					err := b.Fill(ctx, workers, dst, gram.Of(x))
					return dst, err
				})
			})
		}
	}
}
