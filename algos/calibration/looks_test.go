package calibration

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/internal/looktest"
	"gonum.org/v1/gonum/mat"
)

// Cross-fitting ends with the error of its context at whichever look it ends.
func TestCrossFitLooks(t *testing.T) {
	x := mat.NewDense(60, 2, nil)
	class := make([]int, 60)
	for i := range class {
		class[i] = i % 2
		x.Set(i, (i+i/5)%2, 1)
	}
	for kind := Platt; kind <= Temperature; kind++ {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			return CrossFit(ctx, kind, labels(class, 2), nil, crossval.Folds(60, 3, class, 1),
				func(context.Context, crossval.Split) (gram.Classifier, error) {
					return sums{k: 2, scale: 1, odds: kind != Temperature}, nil
				},
				func(index []int) mat.Matrix { return gram.Of(x).Select(index) })
		})
	}
}
