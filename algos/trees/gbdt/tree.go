package gbdt

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"gonum.org/v1/gonum/mat"
)

// programNode of a tree: a row goes to left if its feature is at most threshold, else
// to left+1. A leaf's left is the leaf itself and its threshold +Inf, so that a
// row that has arrived stays.
type programNode[F gram.Float] struct {
	threshold F
	feature   int32
	left      int32
}

func (n programNode[F]) leaf(at int32) bool { return n.left == at }

// tree is a tree that is being grown; the root is node 0.
type tree struct {
	nodes []programNode[float64]
	value []float64 // of the leaves
	gain  []float64 // of the splits
	bin   []int32   // of the splits: codes of at most bin go left
	goes  [][]bool  // of the splits of which other codes do: which ones
}

// leaf adds a leaf of value 0 and returns its index.
func (t *tree) leaf() int {
	at := len(t.nodes)
	t.nodes = append(t.nodes, programNode[float64]{threshold: math.Inf(1), left: int32(at)})
	t.value, t.gain, t.bin, t.goes = append(t.value, 0), append(t.gain, 0), append(t.bin, 0), append(t.goes, nil)
	return at
}

// split gives the leaf with index at two leaves as children and returns their indices.
func (t *tree) split(at, feature, bin int, threshold, gain float64) (left, right int) {
	left, right = t.leaf(), t.leaf()
	t.nodes[at] = programNode[float64]{threshold, int32(feature), int32(left)}
	t.value[at], t.gain[at], t.bin[at] = 0, gain, int32(bin)
	return left, right
}

// forest holds trees one after another. left is an index into all nodes.
type forest[F gram.Float] struct {
	nodes []programNode[F]
	value []F
	roots []int32
	depth []int32 // of each tree: splits on the longest way to a leaf

	// Of trees that split categories or send missing cells to the right.
	kinds  []int32 // of the nodes; nil: all are plain
	starts []int32 // of the sets of levels in sets
	sets   []int32 // bits of these
}

func (m *model) add(t *tree) {
	f := &m.forest
	base := int32(len(f.nodes))
	f.roots = append(f.roots, base)
	for _, n := range t.nodes {
		n.left += base
		f.nodes = append(f.nodes, n)
	}
	f.value = append(f.value, t.value...)
	m.gain = append(m.gain, t.gain...)
	m.addKinds(t)
	f.depth = append(f.depth, f.height(base, int32(len(f.nodes))))
}

// height is the number of splits on the longest way from root to a leaf of the
// tree in nodes root…end−1, where children come after their parents.
func (f *forest[F]) height(root, end int32) int32 {
	level := make([]int32, end-root)
	var h int32
	for i := root; i < end; i++ {
		if n := f.nodes[i]; !n.leaf(i) {
			l := level[i-root] + 1
			level[n.left-root], level[n.left+1-root] = l, l
			h = max(h, l)
		}
	}
	return h
}

// Node describes one node of a tree, for those who look into a model.
type Node struct {
	Left, Right int     // its children in the tree; 0 and 0: it is a leaf
	Feature     int     // of a split: a row goes to Left if its number in this column is at most Threshold
	Threshold   float64 // of a split
	Levels      []int   // of a split of a category, whose levels of this list go to Left; nil: a split of numbers
	Missing     bool    // of a split: rows whose cell is missing, or no level that is known, go to Left
	Gain        float64 // of a split: what it takes off the summed loss, with SecondOrder by the expansion; NaN in a model of a file without gains
	Value       float64 // of a leaf, times the shrinkage
}

// Tree returns tree t of Stats().Trees, in the order in which they were grown, for k classes
// k of them a round. The root is node 0, and children come after their parents.
func (m *model) Tree(t int) []Node {
	f := &m.forest
	root, end := f.roots[t], int32(len(f.nodes))
	if t+1 < len(f.roots) {
		end = f.roots[t+1]
	}
	nodes := make([]Node, end-root)
	for i := root; i < end; i++ {
		n := f.nodes[i]
		if n.leaf(i) {
			nodes[i-root] = Node{Value: f.value[i]}
			continue
		}
		gain := math.NaN()
		if m.gain != nil {
			gain = m.gain[i]
		}
		left := int(n.left - root)
		nodes[i-root] = Node{Left: left, Right: left + 1, Feature: int(n.feature), Threshold: n.threshold, Gain: gain, Missing: true}
		if f.kinds == nil || f.kinds[i] == plainNode {
			continue
		}
		to := &nodes[i-root]
		if to.Missing = false; f.kinds[i] >= levelNode {
			set := f.set(f.kinds[i] - levelNode)
			to.Levels, to.Missing = []int{}, inSet(set, -1.0)
			for level := range min(m.mixed[n.feature].Levels, 32*len(set)-1) {
				if set[(level+1)/32]>>((level+1)%32)&1 != 0 {
					to.Levels = append(to.Levels, level)
				}
			}
		}
	}
	return nodes
}

// Leaves returns for every row of x the leaf that it reaches in each tree, as a number of a node of Tree,
// and −1 for each tree in a row that has a NaN where no cell may be missing. It takes the time of predictions
// row by row.
func (m *model) Leaves(x mat.Matrix) [][]int {
	n, d := x.Dims()
	if d != m.d {
		panic("gbdt: rows of the wrong length")
	}
	f := &m.forest
	leaves := make([][]int, n)
	par.Compute(context.Background(), m.cfg.Workers, n, 256, func(lo, hi int) {
		s, row := gram.Of(x), make([]float64, d)
		for i := lo; i < hi; i++ {
			s.CopyRow(row, i)
			lost := program.HasNaN(row) && (m.mixed == nil || m.program.lost(row))
			leaves[i] = make([]int, len(f.roots))
			for t, root := range f.roots {
				at := root
				for next := f.next(at, row); next != at; next = f.next(at, row) {
					at = next
				}
				if leaves[i][t] = int(at - root); lost {
					leaves[i][t] = -1
				}
			}
		}
	})
	return leaves
}
