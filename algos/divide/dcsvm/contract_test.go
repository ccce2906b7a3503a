package dcsvm

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

// exact is algotest.Fitted without the figures.
func exact(m *svm.Model, _ Stats, err error) (*algotest.Model, error) {
	return algotest.Fitted(m, err)
}

func TestContract(t *testing.T) {
	with := func(run gram.Run) Config {
		return Config{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Run: run}, Branch: 3, Levels: gram.Set(2)}
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Classification,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return exact(with(run).Fit(ctx, d.X, d.Labels, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return with(run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(svm.Decode(f)) },
		Share:    0.5, // the cache is cleared memory
		Weighted: true,
		Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := with(run)
			c.Machine.Tol = 1e-9
			return exact(c.Fit(ctx, d.X, d.Labels, d.Weights))
		},
		WeightTol: 1e-6,
		Random:    []string{"partition/node #"},
		Memory:    gram.Shape{N: 4000, D: 8, Outputs: 3},
	})
}
