package gbdt

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
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
	if len(good) != 3 {
		t.Fatalf("trees from %v", good)
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
		m.forest.roots = roots
		fixture.Misfits(t, name, m, DecodeRegressor)
	}
}
