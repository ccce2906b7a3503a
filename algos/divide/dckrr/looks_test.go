package dckrr

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Fits of several targets and the choice of λ end with the error of their context at whichever look it ends.
func TestLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	y := mat.NewDense(60, 1, d.Value)
	local := krr.Config{Kernel: kernel.Gaussian{Gamma: .5}}
	open := Config{Local: local, Parts: 3, Run: gram.Run{Workers: 1}}
	c, r := open, Random{Local: local, Parts: 3}
	c.Local.Lambda, r.Local.Lambda = gram.Set(.1), gram.Set(.1)
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"FitAll": func(ctx context.Context) (any, error) {
			m, err := c.FitAll(ctx, d.X, y, d.Weights)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
		"Random.FitAll": func(ctx context.Context) (any, error) {
			m, err := r.FitAll(ctx, d.X, y, d.Weights)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
		"ChooseLambda": func(ctx context.Context) (any, error) {
			return open.ChooseLambda(ctx, d.X, y, d.Weights)
		},
		"ChooseLambdaClasses": func(ctx context.Context) (any, error) {
			return open.ChooseLambdaClasses(ctx, d.X, d.Labels, d.Weights)
		},
	})
}
