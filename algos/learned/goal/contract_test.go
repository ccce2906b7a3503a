package goal

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name string
		kind algotest.Kind
		c    Config
		gold string
	}{
		{"goal-nys", algotest.Classification, Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 6, MaxIter: gram.Set(4), Steps: 5}, "goal-nys.v1.gram"},
		{"goal-rff", algotest.Classification, Config{Kernel: kernel.Laplacian{Gamma: .3}, Features: Fourier, M: 4, MaxIter: gram.Set(4), Steps: 5, Loss: Logistic, Holdout: gram.Set(0.)}, ""},
		{"goal-nys values", algotest.Regression, Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 6, MaxIter: gram.Set(4), Steps: 5, Landmarks: landmark.Uniform{}}, ""},
		{"goal-rff values", algotest.Regression, Config{Kernel: kernel.Gaussian{Gamma: .3}, Features: Fourier, M: 4, MaxIter: gram.Set(4), Steps: 5}, "goal-rff.v1.gram"},
	} {
		t.Run(s.name, func(t *testing.T) {
			if testing.Short() && s.gold == "" {
				t.Skip("the others are enough")
			}
			at := func(n int, run gram.Run) Config {
				c := s.c
				c.Run = run
				if n > 1000 {
					c.M, c.MaxIter, c.Steps, c.Landmarks = 200, gram.Set(1), 1, landmark.Uniform{}
				}
				if c.Features == Nystrom {
					c.M = min(c.M, max(1, n))
				}
				return c
			}
			subject := algotest.Subject{
				Kind: s.kind,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					if s.kind == algotest.Regression {
						return algotest.Fitted(at(n, run).FitValues(ctx, d.X, d.Value, d.Weights))
					}
					return algotest.Fitted(at(n, run).Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := at(90, run)
					c.Holdout, c.Given.Points = gram.Set(0.), algotest.Problem(4, c.M, 4, 3).X.(*mat.Dense)
					if s.kind == algotest.Regression {
						return algotest.Fitted(c.FitValues(ctx, d.X, d.Value, d.Weights))
					}
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				WeightTol: 1e-6,
				Golden:    s.gold,
				Random:    []string{"held out", "points"},
			}
			if s.c.Holdout.Given() {
				subject.Random = []string{"points"}
			}
			if s.gold != "" {
				subject.Plan = func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) }
				subject.Memory = gram.Shape{N: 10_000, D: 40, Outputs: 2}
			}
			algotest.Check(t, subject)
		})
	}
}
