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
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.MultiLabel}, map[string]Config{
		"sampled": {Trees: 5, MinRows: 4, Keep: 2, ColumnSample: .5, Shrinkage: .5},
		"bins":    {Trees: 3, MinRows: 4, Bins: 6, Depth: 3, Lambda: gram.Set(0.)},
	}, func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		c.Projection = leml.Config{Rank: 2, Rounds: 3}
		return algotest.Ranking[*Model](0)(c.Fit(ctx, d.X, d.Tags))
	})
}

// Without labels the trees are leaves that name none.
func TestCorrupted(t *testing.T) {
	d := algotest.Problem(24, 20, 4, 3)
	algotest.AtGeneric(t, func() {
		m := must.Have(Config{Trees: 2, Depth: 1, MinRows: 5, Projection: leml.Config{Rank: 1}}.Fit(t.Context(), d.X, &sparse.CSR{N: 20, D: 5, Ptr: make([]int, 21)}))(t)
		algotest.Corrupted(t, m, func(f *modelfile.File) (*algotest.Model, error) { return algotest.Ranking[*Model](0)(Decode(f)) }, d.X)
	})
}
