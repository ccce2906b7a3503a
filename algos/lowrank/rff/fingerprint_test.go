package rff

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
)

// Numbers of frequencies that are not a whole number of blocks.
func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{}, map[string]Config{
		"independent": {Kernel: kernel.Gaussian{Gamma: 0.7}, M: 13},
		"Laplacian":   {Kernel: kernel.Laplacian{Gamma: 0.7}, M: 70},
		"orthogonal":  {Kernel: kernel.Gaussian{Gamma: 0.7}, M: 13, Frequencies: Orthogonal},
		"halton":      {Kernel: kernel.Laplacian{Gamma: 0.7}, M: 13, Frequencies: Halton},
		"fastfood":    {Kernel: kernel.Gaussian{Gamma: 0.7}, M: 13, Frequencies: Fastfood},
	}, algotest.Rows(Config.Fit))
}
