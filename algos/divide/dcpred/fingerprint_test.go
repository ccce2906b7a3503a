package dcpred

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/structured"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"all":              {Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Leaf: 40, M: 4, All: true, Lambda: gram.Set(.2)},
		"upper, deep":      {Kernel: kernel.Gaussian{Gamma: 0.3}, Leaf: 20, Branch: 2, Depth: 3, M: 5, P: 3, Kind: pseudo.Upper, C: 5, Penalty: solve.PerRow, Lambda: gram.Set(.01)},
		"structured, rows": {Kernel: kernel.Gaussian{Gamma: 0.3}, Leaf: 50, M: 8, Structured: true, Matrix: structured.Hadamard, Rows: 2},
	} {
		t.Run(name+"/classes", func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
		t.Run(name+"/values", func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.Regression,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					return algotest.Fitted(c.FitValues(ctx, d.X, d.Value, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
	}
}
