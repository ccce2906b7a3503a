package fastxml

import (
	"bytes"
	"errors"
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

// A file whose nodes do not make trees is refused.
func TestForged(t *testing.T) {
	x, y := generated(100, 10, 8, 6)
	for name, change := range map[string]func(f *forest){
		"":                           func(*forest) {},
		"a leaf that is not there":   func(f *forest) { f.child[len(f.child)-1] = ^int32(len(f.ptr) - 1) },
		"its own child":              func(f *forest) { f.child[0] = 0 },
		"a child in the next tree":   func(f *forest) { f.child[0] = f.roots[1] },
		"half of the children":       func(f *forest) { f.child[0] = f.roots[1] - 1 },
		"a child that is not there":  func(f *forest) { f.child[f.roots[1]] = int32(len(f.child)) },
		"a root that is not there":   func(f *forest) { f.roots[1] = int32(len(f.child)) },
		"a root before another root": func(f *forest) { f.roots[0] = f.roots[1] },
	} {
		m := must.Have(Config{Trees: 2}.Fit(t.Context(), x, y))(t)
		change(&m.forest)
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, m))
		_, err := Decode(must.Have(modelfile.Read(&b))(t))
		var format *modelfile.FormatError
		if name == "" && err != nil || name != "" && !errors.As(err, &format) {
			t.Errorf("%s: error %v, want a *modelfile.FormatError", name, err)
		}
	}
}

// Without labels the trees are leaves that name none.
func TestCorrupted(t *testing.T) {
	d := algotest.Problem(24, 20, 4, 3)
	algotest.AtGeneric(t, func() {
		m := must.Have(Config{Trees: 2, Leaf: 100}.Fit(t.Context(), d.X, &sparse.CSR{N: 20, D: 5, Ptr: make([]int, 21)}))(t)
		algotest.Corrupted(t, m, func(f *modelfile.File) (*algotest.Model, error) { return algotest.Ranking[*Model](0)(Decode(f)) }, d.X)
	})
}
