package leml

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.MultiLabel}, map[string]Config{
		"defaults":    {Rank: 3},
		"no constant": {Rank: 2, Lambda: gram.Set(.1), NoConstant: true, Rounds: 4, Products: 3},
	}, algotest.Tags(math.NaN(), Config.Fit))
}
