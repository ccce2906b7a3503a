package kernelkmeans

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Weighted: true}, map[string]Config{
		"all rows":      {Kernel: kernel.Laplacian{Gamma: 0.2}, K: 5, Starts: 2},
		"one iteration": {Kernel: kernel.Gaussian{Gamma: 0.2}, K: 5, Sample: 50, MaxIter: 1},
		"inner":         {Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, K: 4},
	}, algotest.Weighted(Config.FitWeighted))
}
