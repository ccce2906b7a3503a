package dckrr

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	local := krr.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, NoBias: true}
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.Regression, Weighted: true}, map[string]Config{
		"one part":       {Local: local, Parts: 3, Starts: 2},
		"kernel k-means": {Local: local, Partition: KernelKMeans, Parts: 4, Soft: 2},
		"Voronoi":        {Local: krr.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Solver: krr.CG, Lambda: gram.Set(.2), NoBias: true}, Partition: Voronoi, Radius: 0.4},
	}, algotest.Values(Config.Fit))
}
