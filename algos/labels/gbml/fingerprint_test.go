package gbml

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"sampled": {Trees: 5, MinRows: 4, Keep: 2, ColumnSample: .5, Shrinkage: .5},
		"bins":    {Trees: 3, MinRows: 4, Bins: 6, Depth: 3, Lambda: gram.Set(0.)},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.MultiLabel,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Projection, c.Run = leml.Config{Rank: 2, Rounds: 3}, run
					return algotest.Ranking[*Model](0)(c.Fit(ctx, d.X, d.Tags))
				},
			}.Fingerprint(t)
		})
	}
}

// Without labels the trees are leaves that name none.
func TestCorrupted(t *testing.T) {
	d := algotest.Problem(24, 20, 4, 3)
	algotest.AtGeneric(t, func() {
		m := must.Have(Config{Trees: 2, Depth: 1, MinRows: 5, Projection: leml.Config{Rank: 1}}.Fit(t.Context(), d.X, &sparse.CSR{N: 20, D: 5, Ptr: make([]int, 21)}))(t)
		algotest.Corrupted(t, m, func(f *modelfile.File) (*algotest.Model, error) { return algotest.Ranking[*Model](0)(Decode(f)) }, d.X)
	})
}
