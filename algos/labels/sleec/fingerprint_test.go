package sleec

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"one cluster":  {Learners: 2, Cluster: 200, Rank: 3, Neighbors: 12, K: 4},
		"many, lambda": {Learners: 3, Cluster: 25, Rank: 2, Neighbors: 5, Lambda: gram.Set(10.), Steps: 6, K: 3},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.MultiLabel,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					return algotest.Ranking[*Model](0)(c.Fit(ctx, d.X, d.Tags))
				},
			}.Fingerprint(t)
		})
	}
}
