package goal

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.Classification, Weighted: true}, map[string]Config{
		"no learning": {Kernel: kernel.Gaussian{Gamma: .3}, M: 6, MaxIter: gram.Set(0), Loss: Logistic},
		"folds":       {Kernel: kernel.Gaussian{Gamma: .3}, M: 4, MaxIter: gram.Set(4), Steps: 3, Folds: 2, NoBias: true},
		"squared":     {Kernel: kernel.Gaussian{Gamma: .3}, Features: Fourier, M: 4, MaxIter: gram.Set(3), Loss: Squared, Holdout: gram.Set(0.)},
	}, algotest.Classes(Config.Fit))
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.Regression, Weighted: true}, map[string]Config{
		"Laplacian": {Kernel: kernel.Laplacian{Gamma: .3}, Features: Fourier, M: 4, MaxIter: gram.Set(3), Folds: 2},
		"turns":     {Kernel: kernel.Gaussian{Gamma: .3}, M: 6, MaxIter: gram.Set(12), Steps: 2, Lambda: gram.Set(.1), Landmarks: landmark.Uniform{}, Holdout: gram.Set(0.)},
	}, algotest.Values(Config.FitValues))
}
