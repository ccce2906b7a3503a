package pseudo

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"lower":                {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 6, P: 5, Kind: Lower},
		"upper":                {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 6, P: 5, Kind: Upper},
		"mid":                  {Kernel: kernel.Matern{Nu: 0.5, Length: 1}, M: 6, P: 12, Kind: Mid, Sample: 50},
		"all products, radial": {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 5, All: true},
		"drawn products":       {Kernel: kernel.Gaussian{Gamma: 0.3}, M: 8, P: 7, Landmarks: landmark.Uniform{}},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					return algotest.Fitted(c.FitWeighted(ctx, d.X, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
	}
}
