package falkon

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestContract(t *testing.T) {
	at := func(n int, run gram.Run) Config {
		c := Config{Kernel: kernel.Laplacian{Gamma: 0.5}, Lambda: gram.Set(0.1), M: min(n, 20), Run: run}
		if n > 1000 {
			c.M = 400
		}
		return c
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Regression,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Fitted(at(len(d.Value), run).Fit(ctx, d.X, d.Value, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
		Weighted: true,
		Random:   []string{"landmarks", "preconditioner"},
		Golden:   "falkon.v1.gram",
		Memory:   gram.Shape{N: 20_000, D: 8, Outputs: 1},
		Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := at(8, run)
			c.Tol, c.Landmarks = 1e-12, landmark.Fixed{U: mat.DenseCopyOf(algotest.Problem(9, 8, 4, 3).X)}
			return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
		},
	})
}

func TestClassifierContract(t *testing.T) {
	at := func(n int, run gram.Run) Config {
		return Config{Kernel: kernel.Laplacian{Gamma: 0.3}, Penalty: solve.PerRow, Lambda: gram.Set(1e-4), Landmarks: landmark.RPCholesky{}, M: min(n, 20), Run: run, NoBias: true}
	}
	algotest.Check(t, algotest.Subject{
		RowBytes: 16,
		Kind:     algotest.Classification,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Fitted(at(len(d.Value), run).FitClasses(ctx, d.X, d.Labels, d.Weights))
		},
		Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).PlanClasses(s) },
		Decode: func(f *modelfile.File) (*algotest.Model, error) {
			m, err := DecodeAny(f)
			c, ok := m.(*krr.Classifier)
			if err == nil && !ok {
				err = f.Errorf("classes", "a model of values")
			}
			return algotest.Fitted(c, err)
		},
		Weighted: true,
		Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := at(8, run)
			c.Tol, c.Landmarks = 1e-12, landmark.Fixed{U: mat.DenseCopyOf(algotest.Problem(9, 8, 4, 3).X)}
			return algotest.Fitted(c.FitClasses(ctx, d.X, d.Labels, d.Weights))
		},
		Random: []string{"landmarks", "preconditioner"},
		Memory: gram.Shape{N: 20_000, D: 8, Outputs: 3},
	})
}
