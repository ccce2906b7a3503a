package routed

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/looktest"
	"gonum.org/v1/gonum/mat"
)

// A tree ends with the error of its context at whichever look it ends.
func TestTreeLooks(t *testing.T) {
	d := algotest.Problem(3, 300, 3, 3)
	looktest.Every(t, func(ctx context.Context) (any, error) {
		tree, err := Tree(ctx, d.X, 300, 60, gram.Run{})
		return looktest.Unless(err, func() any { return tree.Assign(nil, d.X) })
	})
}

// The model of a part, here with several local models, ends with the error of its context at whichever look of the tree or of a fit it ends.
func TestPartLooks(t *testing.T) {
	for _, s := range []*dataset.Set{grid(), dataset.Friedman1(300, 5, .5, 1)} {
		_, d := s.Dims()
		looktest.Every(t, func(ctx context.Context) (any, error) {
			p, err := FitPart(ctx, s.X, s.Labels, d, 60, gram.Run{Workers: 2}, fitLinear(s))
			if err != nil {
				return nil, err
			}
			values := mat.NewDense(300, max(1, len(s.Labels.Names)), nil)
			p.Values(values, gram.Of(s.X))
			return values, nil
		})
	}
}
