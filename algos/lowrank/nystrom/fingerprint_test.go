package nystrom

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Weighted: true}, map[string]Config{
		"column norm": {Kernel: gauss, M: 12, Landmarks: landmark.ColumnNorm{Sample: 50}},
		"leverage":    {Kernel: kernel.Matern{Nu: 2.5, Length: 2}, M: 12, Landmarks: landmark.Leverage{}},
		"farthest":    {Kernel: kernel.Linear{}, M: 12, Landmarks: landmark.Farthest{}},
		"fixed":       {Kernel: kernel.Sigmoid{Scale: 0.1}, M: 3, Landmarks: landmark.Fixed{Index: []int{2, 30, 31}}},
		"rank, cut":   {Kernel: kernel.Homogeneous{Degree: 2}, M: 20, Rank: 9, Cut: 1e-3},
		"no power":    {Kernel: kernel.Matern{Nu: 0.5, Length: 1}, M: 30, Rank: 8, Core: Randomized, Power: gram.Set(0), Oversample: gram.Set(4)},
		"two powers":  {Kernel: gauss, M: 30, Rank: 8, Core: Randomized, Power: gram.Set(2)},
	}, algotest.Weighted(Config.FitWeighted))
}

func TestEnsembleFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Weighted: true}, map[string]Ensemble{
		"uniform":    {Config: Config{Kernel: gauss, M: 8}, Experts: 3},
		"k-means":    {Config: Config{Kernel: gauss, M: 8, Landmarks: landmark.KMeans{}, Certificate: 30}, Experts: 3},
		"randomised": {Config: Config{Kernel: gauss, M: 20, Rank: 5, Core: Randomized, Oversample: gram.Set(3)}, Experts: 2},
	}, algotest.Weighted(Ensemble.FitWeighted))
}
