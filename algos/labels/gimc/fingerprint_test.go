package gimc

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/lowrank/landmark"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.MultiLabel}, map[string]Config{
		"fixed":     {M: 6, Fixed: true, Gamma: .2, Lambda: gram.Set(.3)},
		"held out":  {M: 5, Steps: 6, Validation: .3},
		"landmarks": {Map: completion.Nystrom, M: 6, Steps: 4, Landmarks: landmark.KMeans{}, NoConstant: true, Validation: .2},
	}, algotest.Tags(math.NaN(), Config.Fit))
}
