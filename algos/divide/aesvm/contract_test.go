package aesvm

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	with := func(run gram.Run) Config {
		return Config{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Run: run}, Part: 20, Epsilon: gram.Set(.1)}
	}
	fit := func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		m, _, err := c.Fit(ctx, d.X, d.Labels, d.Weights)
		return algotest.Fitted(m, err)
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Classification,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return fit(with(run), ctx, d)
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return with(run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(svm.Decode(f)) },
		Share:    0.5, // the cache is cleared memory
		Weighted: true,
		Unequal:  "parts have so many rows, and copies of a row are each represented",
		Halved: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := with(run)
			c.Machine.C = .5
			return fit(c, ctx, d)
		},
		WeightTol: 1e-6,
		Memory:    gram.Shape{N: 4000, D: 8, Outputs: 3},
	})
}
