package dcpred

import (
	"math"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Program computes the outputs of a model in float64 or float32, in the
// goroutine of the caller and without allocating anything after the first calls.
// It may be used from any number of goroutines. A row gets the same bits in any
// batch. It is a gram.Program.
type Program[F gram.Float] struct {
	d, k   int
	nodes  []router[F]
	leaves []evaluator[F]
	branch int
	depth  int // levels of nodes that have children
	width  int // of the widest leaf
	cost   gram.Plan
	pool   sync.Pool // *workspace[F]
}

// router is a node of the tree: the child b with the least offset_b − 2⟨x,e_b⟩ is
// that with the nearest centre, e_b being the centre less the mean of the
// children's. In a leaf block is nil.
type router[F gram.Float] struct {
	block  *kernel.Block[F] // inner products with the e_b
	offset []F
	first  int
	leaf   int
}

// evaluator is a leaf: a linear function of its columns, and a constant.
type evaluator[F gram.Float] struct {
	columns *pseudo.Product[F] // one of the two, or
	marks   *fastnys.Block[F]  // none for a constant
	width   int                // of marks
	coef    []F                // of marks: k×width
	bias    []F
}

// workspace is what one call needs.
type workspace[F gram.Float] struct {
	y, c   []F // gathered rows; kernel values, outputs, or scores of a node's children
	index  []int
	other  []int
	child  []int
	bounds []int // of the parts of a node, one set a level
}

const (
	callRows   = 1024 // rows that go down the tree together
	gatherRows = 48   // rows of a node that are computed together
)

// NewProgram prepares the model for prediction in F. It is part of what a
// Classifier or Regressor holds: NewProgram[float32](m.Machine()).
func NewProgram[F gram.Float](m *Machine) *Program[F] {
	p := &Program[F]{d: m.d, k: m.k, branch: 1}
	p.pool.New = func() any { return new(workspace[F]) }
	for _, l := range m.leaves {
		e := evaluator[F]{bias: convert[F](l.bias)}
		switch {
		case l.columns != nil:
			e.columns = pseudo.NewBlock[F](l.columns).Times(gram.View(l.coef))
		case l.marks != nil:
			e.marks = fastnys.NewBlock[F](l.marks).Limit(1)
			e.width, _ = e.marks.Dims()
			e.coef = convert[F](mat.DenseCopyOf(l.coef.T()).RawMatrix().Data)
		}
		p.width = max(p.width, e.width)
		p.leaves = append(p.leaves, e)
	}
	p.route(m)
	p.cost = p.plan(m)
	return p
}

// route prepares the nodes of the tree.
func (p *Program[F]) route(m *Machine) {
	if m.tree == nil {
		p.nodes = []router[F]{{leaf: 0}}
		return
	}
	p.branch = m.tree.Config().Branch
	first, centres := m.tree.Nodes()
	level := make([]int, len(first))
	leaves := 0
	for i, c := range first {
		if c == 0 {
			p.nodes = append(p.nodes, router[F]{leaf: leaves})
			leaves++
			continue
		}
		p.depth = max(p.depth, level[i]+1)
		e := mat.NewDense(p.branch, m.d, nil)
		mean := make([]float64, m.d)
		for b := range p.branch {
			level[c+b] = level[i] + 1
			for j, v := range centres.RawRowView(c + b) {
				mean[j] += v / float64(p.branch)
			}
		}
		offset := make([]float64, p.branch)
		for b := range p.branch {
			row := e.RawRowView(b)
			for j, v := range centres.RawRowView(c + b) {
				row[j] = v - mean[j]
				offset[b] += row[j] * (row[j] + 2*mean[j])
			}
		}
		p.nodes = append(p.nodes, router[F]{block: kernel.Against[F](kernel.Linear{}, e), offset: convert[F](offset), first: c})
	}
}

// plan is the cost of a row: the mean over the leaves of the way to them and
// their own.
func (p *Program[F]) plan(m *Machine) gram.Plan {
	one := int64(4)
	if _, double := any(*new(F)).(float64); double {
		one = 8
	}
	var flops float64
	size := int64(0)
	up := make([]int, len(p.nodes)) // levels above a node
	for i, n := range p.nodes {
		if n.block != nil {
			size += one * int64(p.branch) * int64(p.d+1)
			for b := range p.branch {
				up[n.first+b] = up[i] + 1
			}
			continue
		}
		l := m.leaves[n.leaf]
		flops += 2 * float64(up[i]*p.branch*p.d)
		if l.coef != nil {
			width, _ := l.coef.Dims()
			flops += l.flops(p.d) + 2*float64(width*p.k)
			size += l.numbers()*one + one*int64(width*p.k)
		}
	}
	work := one*gatherRows*int64(p.d+max(p.width, p.branch, p.k)) + 8*callRows*3
	return gram.Plan{
		Flops: flops / float64(len(p.leaves)), ModelBytes: size, PeakBytes: work,
		Description: "a tree of local models with few landmarks",
	}
}

// Dims returns the number of columns and of outputs: 1 for two classes or values,
// else one for each class.
func (p *Program[F]) Dims() (d, outputs int) { return p.d, p.k }

// Cost is that of one row: flops, a kernel value beyond its inner product not
// counted; the bytes of the program and those of the workspace of one call.
func (p *Program[F]) Cost() gram.Plan { return p.cost }

// Row sets dst to the outputs of x.
func (p *Program[F]) Row(dst, x []F) {
	p.Rows(gram.Rows[F]{Data: dst, N: 1, D: len(dst), Stride: max(1, len(dst))},
		gram.Dense(gram.Rows[F]{Data: x, N: 1, D: len(x), Stride: max(1, len(x))}))
}

// Rows sets dst, n×outputs, to the outputs of the rows of x, n×d; they may not
// overlap.
func (p *Program[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	all, d := x.Dims()
	if d != p.d || dst.D != p.k || dst.N != all || !x.Valid() || !dst.Valid() {
		panic("dcpred: the shapes of the rows and their destination do not fit the program")
	}
	w := p.pool.Get().(*workspace[F])
	n := min(all, callRows)
	w.index, w.other, w.child = grow(w.index, n), grow(w.other, n), grow(w.child, n)
	w.bounds = grow(w.bounds, p.depth*(p.branch+1))
	w.y, w.c = grow(w.y, gatherRows*p.d), grow(w.c, gatherRows*max(p.width, p.branch, p.k))
	for lo := 0; lo < all; lo += callRows {
		hi := min(lo+callRows, all)
		for i := range hi - lo {
			w.index[i] = i
		}
		p.walk(dst.Slice(lo, hi), x.Slice(lo, hi), w, 0, 0, 0, hi-lo)
	}
	p.pool.Put(w)
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// walk computes the rows index[lo:hi], which have reached a node at some level.
func (p *Program[F]) walk(dst gram.Rows[F], x gram.Samples[F], w *workspace[F], node, level, lo, hi int) {
	if lo == hi {
		return
	}
	n := &p.nodes[node]
	if n.block == nil {
		p.evaluate(dst, x, w, &p.leaves[n.leaf], lo, hi)
		return
	}
	for at := lo; at < hi; at += gatherRows {
		index := w.index[at:min(at+gatherRows, hi)]
		scores := gram.Rows[F]{Data: w.c, N: len(index), D: p.branch, Stride: p.branch}
		n.block.FillSerial(scores, p.gather(x, w, index))
		for i := range index {
			w.child[at+i] = nearest(scores.Row(i), n.offset)
		}
	}
	// Rows sorted by child, those with NaN last; bounds[b] is where part b starts.
	bounds := w.bounds[level*(p.branch+1):][:p.branch+1]
	to := lo
	for b := range p.branch {
		bounds[b] = to
		for i := lo; i < hi; i++ {
			if w.child[i] == b {
				w.other[to] = w.index[i]
				to++
			}
		}
	}
	bounds[p.branch] = to
	for i := lo; i < hi; i++ {
		if w.child[i] < 0 {
			w.other[to] = w.index[i]
			to++
			row := dst.Row(w.index[i])
			for f := range row {
				row[f] = F(math.NaN())
			}
		}
	}
	copy(w.index[lo:hi], w.other[lo:hi])
	for b := range p.branch {
		p.walk(dst, x, w, n.first+b, level+1, bounds[b], bounds[b+1])
	}
}

// nearest returns the child with the least offset − 2·product, the first of
// equals, −1 for NaN.
func nearest[F gram.Float](products, offset []F) int {
	at := 0
	best := offset[0] - 2*products[0]
	for b, v := range products[1:] {
		if t := offset[b+1] - 2*v; t < best {
			best, at = t, b+1
		}
	}
	if best != best {
		return -1
	}
	return at
}

// gather returns the given rows of x one after the other; those that are so in x as
// they are.
func (p *Program[F]) gather(x gram.Samples[F], w *workspace[F], index []int) gram.Samples[F] {
	first := index[0]
	if index[len(index)-1] == first+len(index)-1 { // the order within a part is ascending
		return x.Slice(first, first+len(index))
	}
	y := gram.Rows[F]{Data: w.y, N: len(index), D: p.d, Stride: p.d}
	for i, r := range index {
		copy(y.Row(i), x.Row(y.Row(i), r))
	}
	return gram.Dense(y)
}

// evaluate computes the rows index[lo:hi] in leaf e.
func (p *Program[F]) evaluate(dst gram.Rows[F], x gram.Samples[F], w *workspace[F], e *evaluator[F], lo, hi int) {
	for at := lo; at < hi; at += gatherRows {
		index := w.index[at:min(at+gatherRows, hi)]
		for _, r := range index {
			copy(dst.Row(r), e.bias)
		}
		switch {
		case e.columns != nil:
			c := gram.Rows[F]{Data: w.c, N: len(index), D: p.k, Stride: p.k}
			e.columns.Rows(c, p.gather(x, w, index))
			for i, r := range index {
				row := dst.Row(r)
				for f, v := range c.Row(i) {
					row[f] += v
				}
			}
		case e.marks != nil:
			c := gram.Rows[F]{Data: w.c, N: len(index), D: e.width, Stride: e.width}
			e.marks.Fill(c, p.gather(x, w, index))
			for i, r := range index {
				level2.GemvN(dst.Row(r), e.coef, e.width, c.Row(i), 1)
			}
		}
	}
}

func convert[F gram.Float](x []float64) []F {
	y := make([]F, len(x))
	for i, v := range x {
		y[i] = F(v)
	}
	return y
}
