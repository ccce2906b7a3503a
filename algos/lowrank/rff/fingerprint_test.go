package rff

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
)

// Numbers of frequencies that are not a whole number of blocks.
func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"independent": {Kernel: kernel.Gaussian{Gamma: 0.7}, M: 13},
		"Laplacian":   {Kernel: kernel.Laplacian{Gamma: 0.7}, M: 70},
		"orthogonal":  {Kernel: kernel.Gaussian{Gamma: 0.7}, M: 13, Frequencies: Orthogonal},
		"halton":      {Kernel: kernel.Laplacian{Gamma: 0.7}, M: 13, Frequencies: Halton},
		"fastfood":    {Kernel: kernel.Gaussian{Gamma: 0.7}, M: 13, Frequencies: Fastfood},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					return algotest.Fitted(c.Fit(ctx, d.X))
				},
			}.Fingerprint(t)
		})
	}
}
