package sleec

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.MultiLabel}, map[string]Config{
		"one cluster":  {Learners: 2, Cluster: 200, Rank: 3, Neighbors: 12, K: 4},
		"many, lambda": {Learners: 3, Cluster: 25, Rank: 2, Neighbors: 5, Lambda: gram.Set(10.), Steps: 6, K: 3},
	}, algotest.Tags(0, Config.Fit))
}
