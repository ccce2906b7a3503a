package gbml

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// projection is z = Wᵀx + b in single precision, in the fit as well as later, so
// that a row always meets the thresholds with the same numbers.
type projection struct {
	d, k int
	w    []float32 // d×k
	bias []float32
}

func newProjection(w *mat.Dense, bias []float64) projection {
	d, k := w.Dims()
	p := projection{d: d, k: k, w: make([]float32, 0, d*k), bias: make([]float32, k)}
	for i := range d {
		for _, v := range w.RawRowView(i) {
			p.w = append(p.w, float32(v))
		}
	}
	for j, v := range bias {
		p.bias[j] = float32(v)
	}
	return p
}

// project sets z to the projection of row i of x.
func project[F gram.Float](p *projection, z []float32, x gram.Samples[F], i int) {
	copy(z, p.bias)
	y := blas32.Vector{N: p.k, Data: z, Inc: 1}
	x.Each(i, func(j int, v float64) {
		blas32.Axpy(float32(v), blas32.Vector{N: p.k, Data: p.w[j*p.k : (j+1)*p.k], Inc: 1}, y)
	})
}

// table returns the bins of the projected rows.
func (p *projection) table(ctx context.Context, c Config, x gram.Samples[float64]) (*bins.Table, error) {
	n := x.N()
	z := gram.MakeRows[float64](n, p.k)
	err := par.For(ctx, c.Workers, n, 256, func(lo, hi int) {
		row := make([]float32, p.k)
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
	return bins.Make(ctx, c.Workers, gram.Dense(z), c.Bins, rng.Derive(c.Seed, "gbml bins"))
}

// forest holds the trees one after another in flat arrays, which a mapped model
// file can lend.
type forest struct {
	// Nodes: a row goes to child if z[feature] ≤ threshold, else to child+1. A
	// leaf has a negative child, ^child is its number.
	feature   []int32
	threshold []float32
	child     []int32
	roots     []int32
	// Leaves: the labels of leaf e, ascending, are label[ptr[e]:ptr[e+1]].
	ptr   []int32
	label []int32
	value []float32
}

// mark is where a tree begins.
type mark struct{ nodes, leaves int }

func (m mark) root() int32 { return int32(m.nodes) }

// begin starts a tree with its root.
func (f *forest) begin() mark {
	if f.ptr == nil {
		f.ptr = []int32{0}
	}
	m := mark{len(f.child), len(f.ptr) - 1}
	f.roots = append(f.roots, m.root())
	f.node()
	return m
}

// undo removes the tree that began at m.
func (f *forest) undo(m mark) {
	f.roots = f.roots[:len(f.roots)-1]
	f.feature, f.threshold, f.child = f.feature[:m.nodes], f.threshold[:m.nodes], f.child[:m.nodes]
	f.ptr = f.ptr[:m.leaves+1]
	f.label, f.value = f.label[:f.ptr[m.leaves]], f.value[:f.ptr[m.leaves]]
}

func (f *forest) node() {
	f.feature, f.threshold, f.child = append(f.feature, 0), append(f.threshold, 0), append(f.child, 0)
}

// split gives node at two children and returns the left one; cut lies in [a, b)
// between two neighboring float32 values of the column, and so does the
// threshold.
func (f *forest) split(at int32, column int, cut float64) int32 {
	t := program.Floor[float32](cut)
	left := int32(len(f.child))
	f.feature[at], f.threshold[at], f.child[at] = int32(column), t, left
	f.node()
	f.node()
	return left
}

// finish makes node at a leaf and returns its number.
func (f *forest) finish(at int32, list []entry) int32 {
	leaf := int32(len(f.ptr) - 1)
	f.child[at] = ^leaf
	for _, e := range list {
		f.label, f.value = append(f.label, e.label), append(f.value, e.value)
	}
	f.ptr = append(f.ptr, int32(len(f.label)))
	return leaf
}

// leaf returns the labels and values of leaf e.
func (f *forest) leaf(e int32) ([]int32, []float32) {
	lo, hi := f.ptr[e], f.ptr[e+1]
	return f.label[lo:hi], f.value[lo:hi]
}

// walk returns the leaf of z in the tree with that root.
func (f *forest) walk(at int32, z []float32) int32 {
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

// cut returns the forest of the first trees, without the nodes and leaves that only
// the others have.
func (f *forest) cut(trees int) forest {
	nodes, leaves := program.Extent(f.child, f.roots[:trees])
	n := f.ptr[leaves]
	return forest{
		feature: f.feature[:nodes], threshold: f.threshold[:nodes], child: f.child[:nodes], roots: f.roots[:trees],
		ptr: f.ptr[:leaves+1], label: f.label[:n], value: f.value[:n],
	}
}

// Config returns the settings, with defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats says how the fit went; a model read from a file has only the sizes.
func (m *Model) Stats() Stats { return m.stats }

// Dim is the number of columns of the rows.
func (m *Model) Dim() int { return m.p.d }

// NumLabels is L.
func (m *Model) NumLabels() int { return m.labels }

// First returns the model of the first trees, which shares the memory of m.
func (m *Model) First(trees int) *Model {
	if trees < 0 || trees > len(m.forest.roots) {
		panic("gbml: the model does not have so many trees")
	}
	out := &Model{cfg: m.cfg, labels: m.labels, p: m.p, forest: m.forest.cut(trees), stats: m.stats}
	out.stats.Trees, out.stats.Leaves = trees, len(out.forest.ptr)-1
	return out.ranked()
}

// Top returns for each row the k labels of largest F(x) among those that the
// leaves of x name, best first: fewer than k if they name fewer, and none for a
// row with NaN. A row costs its projection, O(nnz·d̄), and O(trees·(depth+Keep)),
// whatever the number of labels.
func (m *Model) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	return m.rank.Top(m.cfg.Workers, dst, x, k)
}

// collect adds up F of row i of x for the labels that its leaves name. It reports whether
// the row is without NaN.
func collect[F gram.Float](f *scorer, s *program.Room, x gram.Samples[F], i int) bool {
	project(&f.p, s.Z, x, i)
	for _, v := range s.Z {
		if v != v {
			return false
		}
	}
	for _, root := range f.roots {
		s.Sums.Add(f.leaf(f.walk(root, s.Z)))
	}
	return true
}
