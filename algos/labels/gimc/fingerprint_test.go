package gimc

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/lowrank/landmark"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"fixed":     {M: 6, Fixed: true, Gamma: .2, Lambda: gram.Set(.3)},
		"held out":  {M: 5, Steps: 6, Validation: .3},
		"landmarks": {Map: completion.Nystrom, M: 6, Steps: 4, Landmarks: landmark.KMeans{}, NoConstant: true, Validation: .2},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.MultiLabel,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					return algotest.Ranking[*Model](math.NaN())(c.Fit(ctx, d.X, d.Tags))
				},
			}.Fingerprint(t)
		})
	}
}
