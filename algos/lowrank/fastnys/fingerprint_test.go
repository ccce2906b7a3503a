package fastnys

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/structured"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Weighted: true}, map[string]Config{
		"Hadamard, learned": {Kernel: kernel.Gaussian{Gamma: 0.2}, Matrix: structured.Hadamard, M: 16, Rows: 4},
		"inner, learned":    {Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, M: 12, Rows: 2},
		"no centre":         {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 8, Rows: 1, NoCenter: true, Seeds: landmark.Uniform{}},
		"Haar, not learned": {Kernel: kernel.Matern{Nu: 2.5, Length: 2}, M: 16, Rows: 4, NoLearning: true, Sample: 50},
		"sampled":           {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 16, Rows: 2, Sample: 40, Rank: 10},
		"no power":          {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 32, Rows: 2, Rank: 8, Core: Randomized, Power: gram.Set(0)},
	}, algotest.Weighted(Config.FitWeighted))
}
