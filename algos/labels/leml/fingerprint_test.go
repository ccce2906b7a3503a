package leml

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"defaults":    {Rank: 3},
		"no constant": {Rank: 2, Lambda: gram.Set(.1), NoConstant: true, Rounds: 4, Products: 3},
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
