package fastxml

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.MultiLabel}, map[string]Config{
		"deep":    {Trees: 3, Leaf: 2, Depth: 7},
		"shallow": {Trees: 3, Leaf: 2, Depth: 2, Keep: 2},
	}, algotest.Tags(0, Config.Fit))
}

// Without labels the trees are leaves that name none.
func TestCorrupted(t *testing.T) {
	d := algotest.Problem(24, 20, 4, 3)
	algotest.AtGeneric(t, func() {
		m := must.Have(Config{Trees: 2, Leaf: 100}.Fit(t.Context(), d.X, &sparse.CSR{N: 20, D: 5, Ptr: make([]int, 21)}))(t)
		algotest.Corrupted(t, m, func(f *modelfile.File) (*algotest.Model, error) { return algotest.Ranking[*Model](0)(Decode(f)) }, d.X)
	})
}
