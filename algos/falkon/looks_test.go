package falkon

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Fits of several targets and several λ, and the choice of λ, end with the error of their context at whichever look it ends.
func TestLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	y := mat.NewDense(60, 1, d.Value)
	open := Config{Kernel: kernel.Gaussian{Gamma: .5}, M: 10, Run: gram.Run{Workers: 2}}
	c := open
	c.Lambda = gram.Set(.1)
	lambda := []float64{.1, 1}
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"FitAll": func(ctx context.Context) (any, error) {
			m, err := c.FitAll(ctx, d.X, y, d.Weights)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
		"FitEach": func(ctx context.Context) (any, error) {
			m, err := open.FitEach(ctx, d.X, y, d.Weights, lambda)
			return looktest.Unless(err, func() any { return [][]float64{m[0].Predict(nil, d.X), m[1].Predict(nil, d.X)} })
		},
		"FitClassesEach": func(ctx context.Context) (any, error) {
			m, err := open.FitClassesEach(ctx, d.X, d.Labels, d.Weights, lambda)
			return looktest.Unless(err, func() any { return []*mat.Dense{m[0].Scores(nil, d.X), m[1].Scores(nil, d.X)} })
		},
		"ChooseLambda": func(ctx context.Context) (any, error) {
			return open.ChooseLambda(ctx, d.X, y, d.Weights)
		},
		"ChooseLambdaClasses": func(ctx context.Context) (any, error) {
			return open.ChooseLambdaClasses(ctx, d.X, d.Labels, d.Weights)
		},
	})
}

// A fit that its context ends within a pass returns the function after the last whole pass.
func TestEndWithinPass(t *testing.T) {
	d := algotest.Problem(5, 1500, 3, 3)
	largest := floats.Norm(d.Value, math.Inf(1))
	for _, single := range []bool{false, true} {
		c := Config{Kernel: kernel.Gaussian{Gamma: .5}, M: 60, Lambda: gram.Set(1e-6), Single: single, Run: gram.Run{Workers: 1}}
		models := 0
		for looks := 10; looks < 90; looks += 4 {
			m, err := c.Fit(looktest.After(t.Context(), looks), d.X, d.Value, nil)
			if m == nil || err == nil {
				continue
			}
			models++
			if got := floats.Norm(m.Predict(nil, d.X), math.Inf(1)); !(got <= 10*largest) {
				t.Errorf("single %t, ended after %d looks: predictions up to %.3g of targets up to %.3g", single, looks, got, largest)
			}
		}
		if models < 3 {
			t.Errorf("single %t: %d models", single, models)
		}
	}
}
