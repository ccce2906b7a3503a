package fastxml

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"gonum.org/v1/gonum/mat"
)

// forest holds the trees one after another in flat arrays.
type forest struct {
	// Nodes: a row goes to child+1 if w·x + bias > 0, else to child; w is
	// column[at:end], value[at:end] with at, end = first[node], first[node+1]. A
	// leaf has a negative child, ^child is its number, and no w.
	child  []int32
	bias   []float32
	first  []int32
	column []int32
	value  []float32
	roots  []int32
	// Leaves: the labels of leaf e, ascending, are label[ptr[e]:ptr[e+1]].
	ptr   []int32
	label []int32
	share []float32

	w [][]weight // while a tree grows: of each node
}

// begin starts the tree of an empty forest and returns its root, node 0.
func (f *forest) begin() int32 {
	f.ptr = []int32{0}
	f.roots = []int32{0}
	f.node()
	return 0
}

func (f *forest) node() {
	f.child, f.bias, f.w = append(f.child, 0), append(f.bias, 0), append(f.w, nil)
}

// split gives node at two children and returns the left one.
func (f *forest) split(at int32, w []weight, bias float32) int32 {
	left := int32(len(f.child))
	f.child[at], f.bias[at], f.w[at] = left, bias, w
	f.node()
	f.node()
	return left
}

// finish makes node at a leaf with the labels of list, which are in ascending order, and their shares.
func (f *forest) finish(at int32, list []share) {
	f.child[at] = ^int32(len(f.ptr) - 1)
	for _, s := range list {
		f.label, f.share = append(f.label, s.label), append(f.share, s.value)
	}
	f.ptr = append(f.ptr, int32(len(f.label)))
}

// append adds the tree that t has grown. Its nodes and leaves are numbered after those of f.
func (f *forest) append(t *forest) {
	if f.ptr == nil {
		f.ptr, f.first = []int32{0}, []int32{0}
	}
	nodes, leaves := int32(len(f.child)), int32(len(f.ptr)-1)
	f.roots = append(f.roots, nodes)
	for _, c := range t.child {
		if c < 0 {
			c -= leaves
		} else {
			c += nodes
		}
		f.child = append(f.child, c)
	}
	f.bias = append(f.bias, t.bias...)
	for _, w := range t.w {
		for _, v := range w {
			f.column, f.value = append(f.column, v.column), append(f.value, v.value)
		}
		f.first = append(f.first, int32(len(f.column)))
	}
	base := f.ptr[leaves]
	for _, p := range t.ptr[1:] {
		f.ptr = append(f.ptr, base+p)
	}
	f.label, f.share = append(f.label, t.label...), append(f.share, t.share...)
}

func (f *forest) stats() Stats {
	return Stats{Trees: len(f.roots), Leaves: max(0, len(f.ptr)-1), Weights: len(f.column)}
}

// dot returns the score w·z + bias of a row at a node; z is dense, w has its nonzeros only.
func dot(w []weight, bias float32, z []float32) float32 {
	s := bias
	for _, v := range w {
		s += v.value * z[v.column]
	}
	return s
}

// walk returns the node of the leaf of z in the tree with that root.
func (f *forest) walk(at int32, z []float32) int32 {
	for {
		c := f.child[at]
		if c < 0 {
			return at
		}
		lo, hi := f.first[at], f.first[at+1]
		column, value := f.column[lo:hi], f.value[lo:hi]
		value = value[:len(column)]
		s := f.bias[at]
		for q, j := range column {
			s += value[q] * z[j]
		}
		if s > 0 {
			c++
		}
		at = c
	}
}

// end is the node after the last one of a tree.
func (f *forest) end(tree int) int32 {
	if tree+1 < len(f.roots) {
		return f.roots[tree+1]
	}
	return int32(len(f.child))
}

// Node describes one node of a tree, for those who look into a model.
type Node struct {
	Left, Right int           // its children in the tree; 0 and 0: it is a leaf
	Weights     []gram.Scored // w of a split, by column: a row goes to Right if w·x + Bias is above 0
	Bias        float64       // of a split
	Shares      []gram.Scored // of a leaf: the part of its rows that have a label, labels ascending
}

// Tree returns tree t of Stats().Trees: its nodes, the root first, children after their parents. It
// copies them.
func (m *Model) Tree(t int) []Node {
	f := &m.forest
	root, end := f.roots[t], f.end(t)
	nodes := make([]Node, end-root)
	for i := root; i < end; i++ {
		n, c := &nodes[i-root], f.child[i]
		if c < 0 {
			lo, hi := f.ptr[^c], f.ptr[^c+1]
			n.Shares = listed(f.label[lo:hi], f.share[lo:hi])
			continue
		}
		lo, hi := f.first[i], f.first[i+1]
		*n = Node{Left: int(c - root), Right: int(c-root) + 1, Weights: listed(f.column[lo:hi], f.value[lo:hi]), Bias: float64(f.bias[i])}
	}
	return nodes
}

// Leaves returns for every row of x the leaf that it reaches in each tree, as a number of a node of Tree, and
// −1 for each tree in a row with NaN. It takes the time of predictions row by row.
func (m *Model) Leaves(x mat.Matrix) [][]int {
	n, d := x.Dims()
	if d != m.d {
		panic("fastxml: rows of the wrong length")
	}
	f := &m.forest
	leaves := make([][]int, n)
	par.Compute(context.Background(), m.cfg.Workers, n, 64, func(lo, hi int) {
		s, row, z := gram.Of(x), make([]float64, d), make([]float32, d)
		for i := lo; i < hi; i++ {
			s.CopyRow(row, i)
			for j, v := range row {
				z[j] = float32(v)
			}
			leaves[i] = make([]int, len(f.roots))
			for t, root := range f.roots {
				if leaves[i][t] = -1; !program.HasNaN(row) {
					leaves[i][t] = int(f.walk(root, z) - root)
				}
			}
		}
	})
	return leaves
}

// listed pairs columns or labels with their numbers, as Node reports them.
func listed(at []int32, value []float32) []gram.Scored {
	list := make([]gram.Scored, len(at))
	for q, k := range at {
		list[q] = gram.Scored{Label: int(k), Score: float64(value[q])}
	}
	return list
}

// cut returns the forest of the first trees, without the nodes and leaves that only
// the others have.
func (f *forest) cut(trees int) forest {
	nodes, leaves := program.Extent(f.child, f.roots[:trees])
	weights, labels := f.first[nodes], f.ptr[leaves]
	return forest{
		child: f.child[:nodes], bias: f.bias[:nodes], first: f.first[:nodes+1], column: f.column[:weights], value: f.value[:weights],
		roots: f.roots[:trees], ptr: f.ptr[:leaves+1], label: f.label[:labels], share: f.share[:labels],
	}
}

// Config returns the settings, with defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model read from a file has only the sizes.
func (m *Model) Stats() Stats { return m.stats }

// Dim is the number of columns of the rows.
func (m *Model) Dim() int { return m.d }

// NumLabels returns the number L of labels that the model ranks.
func (m *Model) NumLabels() int { return m.labels }

// First returns the model of the first trees, which shares the memory of m.
func (m *Model) First(trees int) *Model {
	if trees < 0 || trees > len(m.forest.roots) {
		panic("fastxml: the model does not have so many trees")
	}
	out := &Model{cfg: m.cfg, d: m.d, labels: m.labels, forest: m.forest.cut(trees), stats: m.stats}
	sizes := out.forest.stats()
	out.stats.Trees, out.stats.Leaves, out.stats.Weights = sizes.Trees, sizes.Leaves, sizes.Weights
	return out.ranked()
}

// Top returns for each row the k labels of largest mean share among those that
// its leaves name, best first: fewer than k if they name fewer, and none for a row
// with NaN.
func (m *Model) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	return m.rank.Top(m.cfg.Workers, dst, x, k)
}

// Scores returns the mean shares of all labels, n×L: −Inf for the labels that the leaves of a row
// do not name, NaN for a row with NaN.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return m.rank.Scores(m.cfg.Workers, dst, x)
}

// collect adds up the shares of the labels that the leaves of row i of x name. It reports
// whether the row is without NaN.
func collect[F gram.Float](f *forest, s *program.Room[float32], x gram.Samples[F], i int) bool {
	if rows, dense := x.Dense(); dense {
		row := rows.Row(i)
		if program.HasNaN(row) {
			return false
		}
		for j, v := range row {
			s.Z[j] = float32(v)
		}
	} else {
		col, val := x.Nonzeros(i)
		if program.HasNaN(val) {
			return false
		}
		for q, j := range col {
			s.Z[j] = entry(val, q)
		}
	}
	for _, root := range f.roots {
		e := ^f.child[f.walk(root, s.Z)]
		lo, hi := f.ptr[e], f.ptr[e+1]
		s.Sums.Add(f.label[lo:hi], f.share[lo:hi])
	}
	if !x.IsSparse() {
		clear(s.Z)
		return true
	}
	col, _ := x.Nonzeros(i)
	for _, j := range col {
		s.Z[j] = 0
	}
	return true
}
