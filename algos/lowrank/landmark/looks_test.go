package landmark

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"gonum.org/v1/gonum/mat"
)

// Every selector that computes returns the error of its context at whichever look it ends, or
// the landmarks that it would have chosen.
func TestSelectionEveryLook(t *testing.T) {
	const n = 300
	x := algotest.Problem(3, n, 3, 3).X
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i % 3)
	}
	for name, s := range selectors {
		for _, workers := range []int{1, 2} {
			for _, weights := range [][]float64{nil, w} {
				t.Run(name, func(t *testing.T) {
					looktest.Every(t, func(ctx context.Context) (any, error) {
						return s.Select(ctx, gauss, x, weights, 15, gram.Run{Workers: workers})
					})
				})
			}
		}
	}
}

// Fixed landmarks end with the error of their context, too, though they compute nothing.
func TestFixedEveryLook(t *testing.T) {
	x := algotest.Problem(3, 30, 3, 3).X
	for _, s := range []Fixed{{Index: []int{2, 5, 29}}, {U: mat.NewDense(3, 3, nil)}} {
		looktest.Every(t, func(ctx context.Context) (any, error) { return s.Select(ctx, gauss, x, nil, 3, gram.Run{}) })
	}
}
