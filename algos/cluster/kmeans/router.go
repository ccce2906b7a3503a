package kmeans

import (
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Router assigns clusters to rows as Assign does, in float64 or float32. It runs in the
// goroutine of the caller and allocates nothing after the first calls. It is safe for
// concurrent use. The cluster of a row does not depend on other rows.
type Router[F gram.Float] struct {
	d      int
	nodes  []junction[F]
	depth  int // levels of nodes that have children
	branch int // largest number of children of a node
	to     []int
	parts  int
	pool   sync.Pool // *walk[F]
}

// junction is a node of the tree. The child with the nearest center is the child b with the
// least offset_b − 2⟨x,e_b⟩, where e_b is the center minus the mean of the centers of all
// children. In a leaf block is nil.
type junction[F gram.Float] struct {
	block  *kernel.Block[F] // inner products with the e_b
	offset []F
	first  int
	leaf   int
}

// routing is the memory that one call of a Router needs to send rows down the tree.
type routing[F gram.Float] struct {
	batch  program.Batch[F]
	scores []F // products with the children
	index  []int32
	other  []int32
	child  []int32
	bounds []int // of the parts of a node, one set for each level

	routes *program.Routes[F] // receives rows that reach a leaf; nil: label receives their leaves
	label  []int32
}

// gatherRows is the number of rows of a node that are processed together.
const gatherRows = 48

// tree returns the model as a tree with one level.
func (m *Model) tree() (nodes []node, d int) {
	k, d := m.centers.Dims()
	nodes = []node{{split: m, first: 1}}
	for c := range k {
		nodes = append(nodes, node{leaf: c})
	}
	return nodes, d
}

func (t *TreeModel) tree() (nodes []node, d int) { return t.nodes, t.d }

// NewRouter returns the router to the clusters of m. If to is not nil, rows of cluster c go to
// to[c].
func NewRouter[F gram.Float](m Centered, to []int) *Router[F] {
	nodes, d := m.tree()
	r := &Router[F]{d: d, nodes: make([]junction[F], len(nodes)), to: to}
	r.pool.New = func() any { return new(routing[F]) }
	level := make([]int, len(nodes))
	leaves := 0
	for i, n := range nodes {
		if n.split == nil {
			r.nodes[i] = junction[F]{leaf: n.leaf}
			leaves++
			continue
		}
		children, _ := n.split.centers.Dims()
		r.depth, r.branch = max(r.depth, level[i]+1), max(r.branch, children)
		r.nodes[i] = newJunction[F](n.split.centers, n.first)
		for b := range children {
			level[n.first+b] = level[i] + 1
		}
	}
	r.parts = leaves
	for _, p := range to {
		r.parts = max(r.parts, p+1)
	}
	return r
}

func newJunction[F gram.Float](centers *mat.Dense, first int) junction[F] {
	k, d := centers.Dims()
	e, mean := mat.DenseCopyOf(centers), make([]float64, d)
	for b := range k {
		for j, v := range centers.RawRowView(b) {
			mean[j] += v / float64(k)
		}
	}
	offset := make([]float64, k)
	for b := range k {
		row := e.RawRowView(b)
		for j, v := range centers.RawRowView(b) {
			row[j] = v - mean[j]
			offset[b] += row[j] * (row[j] + 2*mean[j])
		}
	}
	return junction[F]{block: kernel.Against[F](kernel.Linear{}, e), offset: program.Convert[F](offset), first: first}
}

// Dims returns the number of columns and of parts.
func (r *Router[F]) Dims() (d, parts int) { return r.d, r.parts }

// Cost returns the cost of one row; for a tree it is the mean over the paths to the leaves.
func (r *Router[F]) Cost() gram.Plan {
	p := gram.Plan{ModelBytes: 8 * int64(len(r.to)), PeakBytes: program.Size[F](gatherRows*(r.d+r.branch)) + 12*program.RoutedRows}
	way := make([]float64, len(r.nodes)) // flops on the path to a node
	leaves := 0
	for i, n := range r.nodes {
		if n.block == nil {
			p.Flops += way[i]
			leaves++
			continue
		}
		p.ModelBytes += n.block.Bytes() + program.Size[F](len(n.offset))
		for b := range n.offset {
			way[n.first+b] = way[i] + 2*float64(len(n.offset)*r.d)
		}
	}
	p.Flops /= float64(leaves)
	p.Description = fmt.Sprintf("%d clusters", leaves)
	return p
}

// Route sends the rows of every cluster to the cluster's receiver.
func (r *Router[F]) Route(to *program.Routes[F], x gram.Samples[F]) {
	w := r.pool.Get().(*routing[F])
	w.routes = to
	r.start(w, x)
	w.routes = nil
	r.pool.Put(w)
}

// Assign sets dst to the clusters of the rows of x, −1 for a row with NaN.
func (r *Router[F]) Assign(dst []int32, x gram.Samples[F]) {
	w := r.pool.Get().(*routing[F])
	for lo := 0; lo < x.N(); lo += program.RoutedRows {
		hi := min(lo+program.RoutedRows, x.N())
		w.label = dst[lo:hi]
		r.start(w, x.Slice(lo, hi))
	}
	w.label = nil
	r.pool.Put(w)
}

// start sends the rows of x down the tree.
func (r *Router[F]) start(w *routing[F], x gram.Samples[F]) {
	n := x.N()
	if n == 0 {
		return
	}
	w.index, w.scores = program.Grow(w.index, n), program.Grow(w.scores, gatherRows*r.branch)
	for i := range w.index {
		w.index[i] = int32(i)
	}
	if n > 1 {
		w.other, w.child, w.bounds = program.Grow(w.other, n), program.Grow(w.child, n), program.Grow(w.bounds, r.depth*(r.branch+1))
		r.walk(w, x, 0, 0, 0, n)
		return
	}
	// A single row needs no sorting.
	at := 0
	for r.nodes[at].block != nil {
		node := &r.nodes[at]
		branch := len(node.offset)
		node.block.FillSerial(gram.Rows[F]{Data: w.scores, N: 1, D: branch, Stride: branch}, x)
		b := nearestOf(w.scores[:branch], node.offset)
		if b == branch {
			r.arrive(w, -1, w.index)
			return
		}
		at = node.first + b
	}
	r.arrive(w, r.nodes[at].leaf, w.index)
}

// arrive ends the walk of rows in a leaf; leaf is −1 for rows with NaN.
func (r *Router[F]) arrive(w *routing[F], leaf int, index []int32) {
	switch {
	case w.routes == nil:
		for _, i := range index {
			w.label[i] = int32(leaf)
		}
	case leaf < 0:
		w.routes.None(index)
	case r.to != nil:
		w.routes.Part(r.to[leaf], index, nil)
	default:
		w.routes.Part(leaf, index, nil)
	}
}

// walk sends the rows index[lo:hi], which have reached node at on the given level, to their
// leaves.
func (r *Router[F]) walk(w *routing[F], x gram.Samples[F], at, level, lo, hi int) {
	if lo == hi {
		return
	}
	n := &r.nodes[at]
	if n.block == nil {
		r.arrive(w, n.leaf, w.index[lo:hi])
		return
	}
	branch := len(n.offset)
	for from := lo; from < hi; from += gatherRows {
		index := w.index[from:min(from+gatherRows, hi)]
		scores := gram.Rows[F]{Data: w.scores, N: len(index), D: branch, Stride: branch}
		n.block.FillSerial(scores, w.batch.Gather(x, index))
		for i := range index {
			w.child[from+i] = int32(nearestOf(scores.Row(i), n.offset))
		}
	}
	// Sort the rows by child; rows with NaN come last, as child number branch. next[b] is the
	// beginning of part b and, when its rows are in place, its end.
	next := w.bounds[level*(r.branch+1):][:branch+1]
	clear(next)
	for _, b := range w.child[lo:hi] {
		if int(b) < branch {
			next[b+1]++
		}
	}
	next[0] = lo
	for b := range branch {
		next[b+1] += next[b]
	}
	for i, b := range w.child[lo:hi] {
		w.other[next[b]] = w.index[lo+i]
		next[b]++
	}
	copy(w.index[lo:hi], w.other[lo:hi])
	for b := range branch {
		r.walk(w, x, n.first+b, level+1, lo, next[b])
		lo = next[b]
	}
	if lo < hi {
		r.arrive(w, -1, w.index[lo:hi])
	}
}

// nearestOf returns the child with the least offset − 2·product, the first of equals. For NaN
// it returns the number of children.
func nearestOf[F gram.Float](products, offset []F) int {
	at := 0
	best := offset[0] - 2*products[0]
	for b, v := range products[1:] {
		if t := offset[b+1] - 2*v; t < best {
			best, at = t, b+1
		}
	}
	if best != best {
		return len(offset)
	}
	return at
}
