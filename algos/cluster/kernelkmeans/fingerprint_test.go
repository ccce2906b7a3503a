package kernelkmeans

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"all rows":      {Kernel: kernel.Laplacian{Gamma: 0.2}, K: 5, Starts: 2},
		"one iteration": {Kernel: kernel.Gaussian{Gamma: 0.2}, K: 5, Sample: 50, MaxIter: 1},
		"inner":         {Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, K: 4},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := c
					c.Run = run
					return algotest.Fitted(c.FitWeighted(ctx, d.X, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
	}
}
