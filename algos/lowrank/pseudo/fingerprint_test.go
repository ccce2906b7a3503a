package pseudo

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Weighted: true}, map[string]Config{
		"lower":                {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 6, P: 5, Kind: Lower},
		"upper":                {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 6, P: 5, Kind: Upper},
		"mid":                  {Kernel: kernel.Matern{Nu: 0.5, Length: 1}, M: 6, P: 12, Kind: Mid, Sample: 50},
		"all products, radial": {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 5, All: true},
		"drawn products":       {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 8, P: 7, Landmarks: landmark.Uniform{}},
	}, algotest.Weighted(Config.FitWeighted))
}
