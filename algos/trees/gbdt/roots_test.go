package gbdt

import (
	"bytes"
	"errors"
	"testing"

	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/modelfile"
)

// Trees whose nodes are not one after the other are refused, as are those that leave the
// nodes of the file.
func TestRoots(t *testing.T) {
	d := algotest.Problem(1, 90, 4, 3)
	m, err := Config{Rounds: 3}.FitValues(t.Context(), d.X, d.Value, nil)
	if m == nil {
		t.Fatal(err)
	}
	good := m.forest.roots
	nodes := int32(len(m.forest.nodes))
	read := func(roots []int32) error {
		m.forest.roots = roots
		var b bytes.Buffer
		if err := modelfile.Write(&b, m); err != nil {
			t.Fatal(err)
		}
		f, err := modelfile.Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		_, err = DecodeRegressor(f)
		return err
	}
	if err := read(good); err != nil || len(good) != 3 {
		t.Fatalf("%v, trees from %v", err, good)
	}
	for name, roots := range map[string][]int32{
		"the first is not the first": {1, good[1], good[2]},
		"one of no nodes":            {0, good[1], good[1]},
		"a last one of no nodes":     {0, good[1], nodes},
		"in another order":           {0, good[2], good[1]},
		"beyond the nodes":           {0, good[1], nodes + 1},
		"one ends beyond the nodes":  {0, nodes + 1, nodes + 2},
		"before the first":           {0, good[1], -1},
		"negative":                   {-1, good[1], good[2]},
		"within another":             {0, good[1], good[2] + 1},
	} {
		var fe *modelfile.FormatError
		if err := read(roots); !errors.As(err, &fe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
