package kmeans

import (
	"testing"

	"github.com/gramworks/gram/internal/program"
	"gonum.org/v1/gonum/mat"
)

// A router costs the inner products on the way to a leaf, the mean over the leaves; it
// holds the centers and where they lead, and works on 48 rows with their products and
// three numbers for each of the rows that it routes together.
func TestRouterCost(t *testing.T) {
	flat := &Model{centers: mat.NewDense(4, 5, nil)}
	// Three ways from the root; the last one goes on in two.
	root, below := &Model{centers: mat.NewDense(3, 5, nil)}, &Model{centers: mat.NewDense(2, 5, nil)}
	tree := &TreeModel{d: 5, nodes: []node{{split: root, first: 1}, {leaf: 0}, {leaf: 1}, {split: below, first: 4}, {leaf: 2}, {leaf: 3}}}
	for name, c := range map[string]struct {
		m      Centered
		to     []int
		branch int64
		flops  float64
		nodes  int64 // centers with their offsets
	}{
		"four clusters":    {flat, nil, 4, 2 * 4 * 5, 4},
		"of two parts":     {flat, []int{0, 1, 1, 0}, 4, 2 * 4 * 5, 4},
		"a tree of leaves": {tree, nil, 3, (2*30 + 2*(30+20)) / 4., 5},
	} {
		r := NewRouter[float32](c.m, c.to)
		got := r.Cost()
		var held int64
		for _, n := range r.nodes {
			if n.block != nil {
				held += n.block.Bytes() + 4*int64(len(n.offset))
			}
		}
		if held += 8 * int64(len(c.to)); held < 4*5*c.nodes {
			t.Fatalf("%s: %d bytes are held", name, held)
		}
		if got.Flops != c.flops || got.PeakBytes != 4*48*(5+c.branch)+12*program.RoutedRows || got.ModelBytes != held || got.Description != "4 clusters" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
