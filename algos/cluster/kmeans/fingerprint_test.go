package kmeans

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"defaults":          {K: 7},
		"one iteration":     {K: 7, MaxIter: 1},
		"all rows":          {K: 30, AllRows: true, Starts: 3, Tol: 1e-12},
		"batches, balanced": {K: 6, Batch: 30, Balance: 1.1},
		"many":              {K: 110},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := c
					c.Run = run
					n, _ := d.X.Dims()
					c.K = min(c.K, n)
					return algotest.Fitted(c.FitWeighted(ctx, d.X, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
	}
}

func TestKernelFingerprints(t *testing.T) {
	for name, c := range map[string]Kernel{
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

func TestRandomFingerprint(t *testing.T) {
	algotest.Fingerprint(t, "part", Random(50, 7, 5))
}
