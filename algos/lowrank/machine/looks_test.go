package machine

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
)

// Machines on features, their maps and the choices of their settings end with the error of their context at whichever look it ends.
func TestLooks(t *testing.T) {
	d := algotest.Problem(3, 120, 3, 2)
	c := On(nystrom.Config{Kernel: kernel.Gaussian{Gamma: .5}, M: 8}, nystrom.Config.Fit, linear.Config{})
	m := must.Have(c.FitMap(t.Context(), d.X))(t)
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"Config.FitMap": func(ctx context.Context) (any, error) {
			m, err := c.FitMap(ctx, d.X)
			return looktest.Unless(err, func() any { return m.Map(nil, d.X) })
		},
		"Config.Fit": func(ctx context.Context) (any, error) {
			m, err := c.Fit(ctx, d.X, d.Labels, d.Weights)
			return looktest.Unless(err, func() any { return m.Scores(nil, d.X) })
		},
		"Config.FitValues": func(ctx context.Context) (any, error) {
			m, err := c.FitValues(ctx, d.X, d.Value, d.Weights)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
		"Fit": func(ctx context.Context) (any, error) {
			m, err := Fit(ctx, linear.Config{}, m, d.X, d.Labels, d.Weights)
			return looktest.Unless(err, func() any { return m.Scores(nil, d.X) })
		},
		"FitValues": func(ctx context.Context) (any, error) {
			m, err := FitValues(ctx, linear.Config{}, m, d.X, d.Value, d.Weights)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
		"ChooseC": func(ctx context.Context) (any, error) {
			return ChooseC(ctx, linear.Config{}, m, d.X, d.Labels, d.Weights)
		},
		"ChooseLambda": func(ctx context.Context) (any, error) {
			return ChooseLambda(ctx, linear.Config{}, m, d.X, d.Value, d.Weights, 120)
		},
	})
}
