package gbml

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/pun"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// part is a projection with the trees on it, all of whose numbers are in F.
type part[F gram.Float] struct {
	p projection[F]
	forest[F]
}

// trees is a part[float32] or a part[float64], so that Model needs no type parameter.
type trees interface {
	Tree(t int) []Node
	columns() int
	size() (trees, leaves int)
	cut(count int) trees
	projection() (w *mat.Dense, bias []float64)
	ranking(labels int) ranking
	exchange(x *modelfile.Exchange, labels int)
}

// projection is z = Wᵀx + b in F, in the fit as well as later, so that a row always meets
// the thresholds with the same numbers.
type projection[F gram.Float] struct {
	d, k int
	w    []F // d×k; nil: z is x
	bias []F // k
}

func newProjection[F gram.Float](d int, w *mat.Dense, bias []float64) projection[F] {
	if w == nil {
		return projection[F]{d: d, k: d}
	}
	_, k := w.Dims()
	p := projection[F]{d: d, k: k, w: make([]F, 0, d*k), bias: make([]F, k)}
	for i := range d {
		for _, v := range w.RawRowView(i) {
			p.w = append(p.w, F(v))
		}
	}
	for j, v := range bias {
		p.bias[j] = F(v)
	}
	return p
}

// project sets z to the projection of row i of x.
func project[F, G gram.Float](p *projection[F], z []F, x gram.Samples[G], i int) {
	if p.w == nil {
		clear(z)
		x.Each(i, func(j int, v float64) { z[j] = F(v) })
		return
	}
	copy(z, p.bias)
	x.Each(i, func(j int, v float64) { axpy(F(v), p.w[j*p.k:(j+1)*p.k], z) })
}

// axpy adds a·x to y.
func axpy[F gram.Float](a F, x, y []F) {
	switch any(*new(F)).(type) {
	case float64:
		blas64.Axpy(float64(a), blas64.Vector{N: len(x), Data: pun.Slice[float64](x), Inc: 1}, blas64.Vector{N: len(x), Data: pun.Slice[float64](y), Inc: 1})
	default:
		blas32.Axpy(float32(a), blas32.Vector{N: len(x), Data: pun.Slice[float32](x), Inc: 1}, blas32.Vector{N: len(x), Data: pun.Slice[float32](y), Inc: 1})
	}
}

// table returns the bins of the projected rows.
func (p *projection[F]) table(ctx context.Context, c Config, x gram.Samples[float64]) (*bins.Table, error) {
	seed := rng.Derive(c.Seed, "gbml bins")
	if _, double := any(p.bias).([]float64); double && p.w == nil {
		return bins.Make(ctx, c.Workers, x, c.Bins, seed, nil)
	}
	n := x.N()
	z := gram.MakeRows[float64](n, p.k)
	err := par.For(ctx, c.Workers, n, 256, func(lo, hi int) {
		row := make([]F, p.k)
		for i := lo; i < hi; i++ {
			project(p, row, x, i)
			to := z.Row(i)
			for j, v := range row {
				to[j] = float64(v)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return bins.Make(ctx, c.Workers, gram.Dense(z), c.Bins, seed, nil)
}

// forest holds the trees one after another in flat arrays, which a mapped model
// file can lend.
type forest[F gram.Float] struct {
	// Nodes: a row goes to child if z[feature] ≤ threshold, else to child+1. A
	// leaf has a negative child, ^child is its number.
	feature   []int32
	threshold []F
	gain      []F // nil: not known
	child     []int32
	roots     []int32
	// Leaves: the labels of leaf e, ascending, are label[ptr[e]:ptr[e+1]].
	ptr   []int32
	label []int32
	value []F
}

// mark is a place in the arrays of a forest: the first node and leaf of a tree.
type mark struct{ nodes, leaves int }

func (m mark) root() int32 { return int32(m.nodes) }

// begin appends a tree that has only a root, and returns the numbers of its first node and leaf.
func (f *forest[F]) begin() mark {
	if f.ptr == nil {
		f.ptr = []int32{0}
	}
	m := mark{len(f.child), len(f.ptr) - 1}
	f.roots = append(f.roots, m.root())
	f.node()
	return m
}

// undo removes the tree that began at m.
func (f *forest[F]) undo(m mark) {
	f.roots = f.roots[:len(f.roots)-1]
	f.feature, f.threshold, f.gain, f.child = f.feature[:m.nodes], f.threshold[:m.nodes], f.gain[:m.nodes], f.child[:m.nodes]
	f.ptr = f.ptr[:m.leaves+1]
	f.label, f.value = f.label[:f.ptr[m.leaves]], f.value[:f.ptr[m.leaves]]
}

func (f *forest[F]) node() {
	f.feature, f.threshold, f.gain, f.child = append(f.feature, 0), append(f.threshold, 0), append(f.gain, 0), append(f.child, 0)
}

// split gives node at two children and returns the left one; cut lies in [a, b)
// between two neighboring values of the column, which are in F, and so does the
// threshold.
func (f *forest[F]) split(at int32, column int, cut, gain float64) int32 {
	left := int32(len(f.child))
	f.feature[at], f.threshold[at], f.gain[at], f.child[at] = int32(column), program.Floor[F](cut), F(gain), left
	f.node()
	f.node()
	return left
}

// finish makes node at a leaf and returns its number.
func (f *forest[F]) finish(at int32, list []entry) int32 {
	leaf := int32(len(f.ptr) - 1)
	f.child[at] = ^leaf
	for _, e := range list {
		f.label, f.value = append(f.label, e.label), append(f.value, F(e.value))
	}
	f.ptr = append(f.ptr, int32(len(f.label)))
	return leaf
}

// leaf returns the labels and values of leaf e.
func (f *forest[F]) leaf(e int32) ([]int32, []F) {
	lo, hi := f.ptr[e], f.ptr[e+1]
	return f.label[lo:hi], f.value[lo:hi]
}

// walk returns the leaf of z in the tree with that root.
func (f *forest[F]) walk(at int32, z []F) int32 {
	for {
		c := f.child[at]
		if c < 0 {
			return ^c
		}
		if z[f.feature[at]] > f.threshold[at] {
			c++
		}
		at = c
	}
}

// size is the number of trees and of their leaves.
func (t *part[F]) size() (trees, leaves int) { return len(t.roots), max(0, len(t.ptr)-1) }

// projection returns copies of W and b in float64; they are nil where there is no projection.
func (t *part[F]) projection() (w *mat.Dense, bias []float64) {
	if t.p.w == nil {
		return nil, nil
	}
	w = mat.NewDense(t.p.d, t.p.k, nil)
	for i, v := range t.p.w {
		w.Set(i/t.p.k, i%t.p.k, float64(v))
	}
	for _, v := range t.p.bias {
		bias = append(bias, float64(v))
	}
	return w, bias
}

// columns is the number of columns of the rows.
func (t *part[F]) columns() int { return t.p.d }

// cut returns the part with the first trees, without the nodes and leaves that only
// the others have.
func (t *part[F]) cut(count int) trees {
	nodes, leaves := program.Extent(t.child, t.roots[:count])
	n := t.ptr[leaves]
	out := &part[F]{p: t.p, forest: forest[F]{
		feature: t.feature[:nodes], threshold: t.threshold[:nodes], child: t.child[:nodes], roots: t.roots[:count],
		ptr: t.ptr[:leaves+1], label: t.label[:n], value: t.value[:n],
	}}
	if t.gain != nil {
		out.gain = t.gain[:nodes]
	}
	return out
}

// end is the node after the last one of a tree.
func (f *forest[F]) end(tree int) int32 {
	if tree+1 < len(f.roots) {
		return f.roots[tree+1]
	}
	return int32(len(f.child))
}

// Node describes one node of a tree, for those who look into a model.
type Node struct {
	Left, Right int           // its children in the tree; 0 and 0: it is a leaf
	Feature     int           // of a split: a row goes to Left if its projection's number in this column is at most Threshold
	Threshold   float64       // of a split
	Gain        float64       // of a split: what it adds to Σ‖Σc‖²/(λ+|V|) over the leaves; NaN in a model of a file without gains
	Values      []gram.Scored // of a leaf: what it adds to F, labels ascending
}

// Tree returns the nodes of tree t, children after their parents.
func (t *part[F]) Tree(number int) []Node {
	root, end := t.roots[number], t.end(number)
	nodes := make([]Node, end-root)
	for i := root; i < end; i++ {
		n, c := &nodes[i-root], t.child[i]
		if c < 0 {
			label, value := t.leaf(^c)
			for q, l := range label {
				n.Values = append(n.Values, gram.Scored{Label: int(l), Score: float64(value[q])})
			}
			continue
		}
		*n = Node{Left: int(c - root), Right: int(c-root) + 1, Feature: int(t.feature[i]), Threshold: float64(t.threshold[i]), Gain: math.NaN()}
		if t.gain != nil {
			n.Gain = float64(t.gain[i])
		}
	}
	return nodes
}

// Config returns the settings, with defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model read from a file has only the sizes.
func (m *Model) Stats() Stats { return m.stats }

// Dim is the number of columns of the rows.
func (m *Model) Dim() int { return m.trees.columns() }

// NumLabels returns the number L of labels that the model ranks.
func (m *Model) NumLabels() int { return m.labels }

// Tree returns tree t of Stats().Trees: its nodes, the root first, children after their
// parents. It copies them.
func (m *Model) Tree(t int) []Node { return m.trees.Tree(t) }

// Projection returns copies of W, d×d̄, and of the constants b, with which a row becomes z = Wᵀx + b. They are nil where the
// trees divide the columns of the rows themselves.
func (m *Model) Projection() (w *mat.Dense, bias []float64) { return m.trees.projection() }

// First returns the model of the first trees, which shares the memory of m.
func (m *Model) First(trees int) *Model {
	if trees < 0 || trees > m.stats.Trees {
		panic("gbml: the model does not have so many trees")
	}
	out := &Model{cfg: m.cfg, labels: m.labels, trees: m.trees.cut(trees), stats: m.stats}
	out.stats.Trees, out.stats.Leaves = out.trees.size()
	return out.ranked()
}

// Top returns for each row the k labels of largest F(x) among those that the
// leaves of x name, best first: fewer than k if they name fewer, and none for a
// row with NaN. A row costs its projection, O(nnz·d̄), and O(trees·(depth+Keep)),
// whatever the number of labels.
func (m *Model) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	return m.rank.Top(m.cfg.Workers, dst, x, k)
}

// Scores returns F(x), n×L: −Inf for the labels that the leaves of a row do not name, NaN for
// a row with NaN.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return m.rank.Scores(m.cfg.Workers, dst, x)
}

// collect adds up F of row i of x for the labels that its leaves name. It reports whether
// the row is without NaN.
func collect[F, G gram.Float](t *part[F], s *program.Room[F], x gram.Samples[G], i int) bool {
	project(&t.p, s.Z, x, i)
	for _, v := range s.Z {
		if v != v {
			return false
		}
	}
	for _, root := range t.roots {
		s.Sums.Add(t.leaf(t.walk(root, s.Z)))
	}
	return true
}
