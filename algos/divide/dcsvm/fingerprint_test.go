package dcsvm

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"rest":   {Machine: svm.Config{Kernel: kernel.Laplacian{Gamma: 0.3}, Multi: svm.OneVsRest, C: 3}, Branch: 4, Levels: gram.Set(1)},
		"levels": {Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, NoBias: true}, Branch: 2, Levels: gram.Set(3), LevelTol: .5},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := c
					c.Machine.Run = run
					return exact(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
	}
}
