package svm

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Solutions, machines of some rows and of parts, and machines that begin from a start end with the error of their context at whichever look it
// ends, also where they return what they have so far.
func TestLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	for _, workers := range []int{1, 2} {
		run := gram.Run{Workers: workers}
		c, r := Config{Kernel: kernel.Gaussian{Gamma: .5}, Run: run}, Regression{Kernel: kernel.Gaussian{Gamma: .5}, Run: run}
		looktest.Each(t, map[string]func(ctx context.Context) (any, error){
			"Train": func(ctx context.Context) (any, error) {
				coef, _, _, err := c.Train(ctx, d.X, d.Labels, nil, nil)
				return coef, err
			},
			"FitRows": func(ctx context.Context) (any, error) {
				m, err := c.FitRows(ctx, d.X, d.Labels, nil, []int{3, 4, 5, 9, 20, 21, 22, 30, 31, 50})
				return looktest.Unless(err, func() any { return m.Values(nil, d.X) })
			},
			"TrainParts": func(ctx context.Context) (any, error) {
				parts, err := c.TrainParts(ctx, "parts", gram.Of(d.X), d.Labels, nil, [][]int{{0, 1, 2, 3, 4, 5, 6}, {10, 11, 12, 13}, {}, {20, 21, 22}}, nil)
				var coef []*mat.Dense
				for _, p := range parts {
					coef = append(coef, p.Coef)
				}
				return coef, err
			},
			"Solve": func(ctx context.Context) (any, error) {
				n := len(d.Value)
				upper := make([]float64, n)
				for i := range upper {
					upper[i] = 2
				}
				s, err := Solve(ctx, Problem{X: d.X, Kernel: c.Kernel, Target: d.Value, Lower: make([]float64, n), Upper: upper, NoBias: true, Run: run})
				return looktest.Unless(err, func() any { return s.Coef })
			},
			"FitFrom": func(ctx context.Context) (any, error) {
				m, err := c.FitFrom(ctx, d.X, d.Labels, nil, nil)
				return looktest.Unless(err, func() any { return m.Values(nil, d.X) })
			},
			"NuSVC": func(ctx context.Context) (any, error) {
				m, err := NuSVC{Kernel: c.Kernel, Nu: .1, Run: run}.Fit(ctx, d.X, d.Labels, nil)
				return looktest.Unless(err, func() any { return m.Values(nil, d.X) })
			},
			"NuSVR": func(ctx context.Context) (any, error) {
				m, err := NuSVR{Kernel: c.Kernel, Run: run}.Fit(ctx, d.X, d.Value, nil)
				return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
			},
			"OneClass": func(ctx context.Context) (any, error) {
				m, err := OneClass{Kernel: c.Kernel, Run: run}.Fit(ctx, d.X, d.Weights)
				return looktest.Unless(err, func() any { return m.Values(nil, d.X) })
			},
			"Regression.FitFrom": func(ctx context.Context) (any, error) {
				m, err := r.FitFrom(ctx, d.X, d.Value, nil, nil)
				return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
			},
		})
	}
}
