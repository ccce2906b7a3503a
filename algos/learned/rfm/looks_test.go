package rfm

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"gonum.org/v1/gonum/mat"
)

// Fits of several targets and of classes end with the error of their context at whichever look it ends.
func TestLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	y := mat.NewDense(60, 1, d.Value)
	c := Config{Rounds: gram.Set(2), Lambda: gram.Set(.1), Run: gram.Run{Workers: 1}}
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"FitAll": func(ctx context.Context) (any, error) {
			m, err := c.FitAll(ctx, d.X, y, d.Weights)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
		"FitClasses": func(ctx context.Context) (any, error) {
			m, err := c.FitClasses(ctx, d.X, d.Labels, d.Weights)
			return looktest.Unless(err, func() any { return m.Scores(nil, d.X) })
		},
		"FitAll with a tree": func(ctx context.Context) (any, error) {
			divided := c
			divided.Leaf, divided.Length, divided.Metric, divided.Rounds = gram.Set(25), gram.Set(2.), Full, gram.Set(1)
			m, err := divided.FitAll(ctx, d.X, y, nil)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
	})
}
