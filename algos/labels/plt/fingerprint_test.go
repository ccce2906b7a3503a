package plt

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.MultiLabel}, map[string]Config{
		"two trees": {Trees: 2, Leaf: 1, Branch: 2},
		"all kept":  {Leaf: 2, Beam: 1, C: 3, Cut: gram.Set(0.), Passes: 3},
	}, algotest.Tags(0, Config.Fit))
}

// Without labels the tree is a node without children.
func TestCorrupted(t *testing.T) {
	d := algotest.Problem(24, 20, 4, 3)
	algotest.AtGeneric(t, func() {
		m := must.Have(Config{}.Fit(t.Context(), d.X, &sparse.CSR{N: 20, D: 5, Ptr: make([]int, 21)}))(t)
		algotest.Corrupted(t, m, func(f *modelfile.File) (*algotest.Model, error) { return algotest.Ranking[*Model](0)(Decode(f)) }, d.X)
	})
}
