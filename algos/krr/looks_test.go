package krr

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The choice of λ, its path, solutions and classifiers end with the error of their context at whichever
// look it ends.
func TestLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	y := mat.NewDense(60, 1, d.Value)
	phi := &solve.LowRank{Phi: mat.DenseCopyOf(d.X)}
	for _, workers := range []int{1, 2} {
		c := Config{Kernel: kernel.Gaussian{Gamma: .5}, Run: gram.Run{Workers: workers}, NoBias: true}
		looktest.Each(t, map[string]func(ctx context.Context) (any, error){
			"ChooseLambda":        func(ctx context.Context) (any, error) { return c.ChooseLambda(ctx, d.X, y, d.Weights) },
			"ChooseLambdaClasses": func(ctx context.Context) (any, error) { return c.ChooseLambdaClasses(ctx, d.X, d.Labels, nil) },
			"Path": func(ctx context.Context) (any, error) {
				p, err := c.Path(ctx, d.X, y, nil)
				return looktest.Unless(err, func() any { return p.mu })
			},
			"FitEach": func(ctx context.Context) (any, error) {
				m, err := c.FitEach(ctx, d.X, y, nil, []float64{.1, 1})
				return looktest.Unless(err, func() any { return m[1].Predict(nil, d.X) })
			},
			"FitClassesEach": func(ctx context.Context) (any, error) {
				m, err := c.FitClassesEach(ctx, d.X, d.Labels, nil, []float64{.1, 1})
				return looktest.Unless(err, func() any { return m[1].Scores(nil, d.X) })
			},
			"FitClassesEach of a method": func(ctx context.Context) (any, error) {
				m, err := FitClassesEach(ctx, "krr", d.X, d.Labels, nil, []float64{.1, 1}, c.FitEach)
				return looktest.Unless(err, func() any { return m[0].Scores(nil, d.X) })
			},
			"Goodness": func(ctx context.Context) (any, error) {
				return Goodness(ctx, c.Kernel, d.X, d.Labels.Class, []float64{.1, 1}, c.Run)
			},
			"FitClasses": func(ctx context.Context) (any, error) {
				c := c
				c.Solver = CG
				m, err := c.FitClasses(ctx, d.X, d.Labels, nil)
				return looktest.Unless(err, func() any { return m.Scores(nil, d.X) })
			},
			"Solve": func(ctx context.Context) (any, error) {
				alpha, _, err := Solve(ctx, phi, y, SolveOptions{Lambda: .1})
				return alpha, err
			},
		})
	}
}
