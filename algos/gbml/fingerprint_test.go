package gbml

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/internal/algotest"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"sampled": {Trees: 5, MinRows: 4, Keep: 2, ColumnSample: .5, Shrinkage: .5},
		"bins":    {Trees: 3, MinRows: 4, Bins: 6, Depth: 3, NoPenalty: true},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.MultiLabel,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Projection, c.Run = multilabel.LEML{Rank: 2, Rounds: 3}, run
					m, err := c.Fit(ctx, d.X, d.Tags)
					if m == nil {
						return nil, err
					}
					return algotest.Ranked(m, 0), err
				},
			}.Fingerprint(t)
		})
	}
}
