package dckrr

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	local := krr.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, NoBias: true}
	for name, c := range map[string]Config{
		"one part":       {Local: local, Parts: 3, Starts: 2},
		"kernel k-means": {Local: local, Partition: KernelKMeans, Parts: 4, Soft: 2},
		"Voronoi":        {Local: krr.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Solver: krr.CG, Lambda: gram.Set(.2), NoBias: true}, Partition: Voronoi, Radius: 0.4},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.Regression,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
	}
}
