package gbdt

import (
	"context"

	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/par"
)

// sum is the sum of the gradients of some rows, and their number.
type sum struct {
	g, c float64
	n    int
}

func (a *sum) add(b sum) { a.g, a.c, a.n = a.g+b.g, a.c+b.c, a.n+b.n }

func (a *sum) put(v gradient) {
	a.g += v.g
	a.c += v.c
	a.n++
}

func (a sum) minus(b sum) sum { return sum{a.g - b.g, a.c - b.c, a.n - b.n} }

// candidate is a split: rows with a bin of at most bin go left.
type candidate struct {
	column int32
	bin    int32
	gain   float64
	left   sum
	order  []int32    // of a category: the bins in the order in which the first bin+1 go left; else nil
	lost   bool       // missing cells go left
	worth  [2]float64 // least losses of the children, with DirectLoss
	value  [2]float64 // their leaf values
}

// leaf is a leaf of the tree that is being grown. Its rows are rows[lo:hi].
type leaf struct {
	node, depth, lo, hi int   // node of the tree; splits above it; rows
	hist                []sum // of the columns' bins; nil if it cannot be split
	sum                 sum
	worth               float64 // its least loss, with DirectLoss
	best                candidate
}

// grower grows the trees of a fit. Its buffers serve all of them.
type grower struct {
	ctx         context.Context
	c           Config
	t           *bins.Table
	k           int
	w           []float64
	grad        []gradient // n×k
	rows, spare []int32
	gathered    []gradient   // of the rows of the leaf in hand, in their order
	columns     []int32      // that may be split
	some        *bins.Sparse // columns that are summed by rows; nil: none
	dense       []int32      // columns that may be split but for these
	offset      []int        // of the columns in a histogram
	size        int          // of a histogram
	leaves      []*leaf      // of the tree grown last
	free        [][]sum
	direct      *direct
}

func newGrower(ctx context.Context, c Config, t *bins.Table, l loss, w []float64) (*grower, error) {
	some, err := t.Sparse(ctx, c.Workers, sparseShare)
	if err != nil {
		return nil, err
	}
	g := &grower{ctx: ctx, c: c, t: t, k: l.outputs(), w: w, grad: make([]gradient, t.N*l.outputs()),
		spare: make([]int32, t.N), gathered: make([]gradient, t.N), some: some}
	if c.Criterion == DirectLoss {
		g.direct = newDirect(g, l.(logistic).class)
	}
	return g, nil
}

// grow grows a tree for output out on the rows of sample, splitting columns.
func (g *grower) grow(out int, score []float64, sample, columns []int32) (*tree, error) {
	g.rows = append(g.rows[:0], sample...)
	g.layout(columns)
	if g.direct != nil {
		g.direct.prepare(score)
	}
	t := &tree{}
	root := &leaf{node: t.leaf(), hi: len(g.rows)}
	for _, i := range g.rows {
		v := g.grad[int(i)*g.k+out]
		root.sum.add(sum{v.g, v.c, 1})
	}
	if g.direct != nil {
		t.value[0], root.worth = g.direct.leaf(g.rows, root.sum)
	} else {
		t.value[0] = g.newton(root.sum)
	}
	if g.splittable(root) {
		root.hist = g.buffer()
		if err := g.histogram(out, root); err != nil {
			return nil, err
		}
		if err := g.find(root); err != nil {
			return nil, err
		}
	}
	leaves := []*leaf{root}
	for len(leaves) < g.c.MaxLeaves {
		at := 0
		for i, l := range leaves {
			if l.best.gain > leaves[at].best.gain {
				at = i
			}
		}
		parent := leaves[at]
		if !(parent.best.gain > 0) {
			break
		}
		left, right := g.split(t, parent)
		leaves[at] = left
		leaves = append(leaves, right)
		last := len(leaves) == g.c.MaxLeaves
		if err := g.open(out, parent, left, right, last); err != nil {
			return nil, err
		}
	}
	for _, l := range leaves {
		g.release(l.hist)
	}
	g.leaves = leaves
	for i := range t.value {
		t.value[i] *= g.c.Shrinkage
	}
	return t, nil
}

// layout gives the bins of columns their places in a histogram. If columns are
// sparse it has places for all columns.
func (g *grower) layout(columns []int32) {
	g.columns, g.dense, g.size = columns, nil, 0
	if cap(g.offset) < len(g.t.Cuts) {
		g.offset = make([]int, len(g.t.Cuts))
	}
	if g.some != nil {
		copy(g.offset, g.some.First)
		g.size = g.some.First[len(g.t.Cuts)]
		for _, j := range columns {
			if g.some.Common[j] < 0 {
				g.dense = append(g.dense, j)
			}
		}
		return
	}
	g.dense = columns
	for _, j := range columns {
		g.offset[j] = g.size
		g.size += g.t.Bins(int(j))
	}
	if len(g.free) > 0 && cap(g.free[0]) < g.size {
		g.free = nil
	}
}

// of is the part of a histogram that belongs to column j.
func (g *grower) of(hist []sum, j int32) []sum {
	return hist[g.offset[j]:][:g.t.Bins(int(j))]
}

func (g *grower) buffer() []sum {
	if n := len(g.free); n > 0 && cap(g.free[n-1]) >= g.size {
		b := g.free[n-1]
		g.free = g.free[:n-1]
		return b[:g.size]
	}
	return make([]sum, g.size)
}

func (g *grower) release(h []sum) {
	if h != nil {
		g.free = append(g.free, h)
	}
}

// splittable reports whether l may have children.
func (g *grower) splittable(l *leaf) bool {
	return l.hi-l.lo >= 2*g.c.MinRows && (g.c.MaxDepth == 0 || l.depth < g.c.MaxDepth)
}

// newton is the value of a leaf by the second-order expansion, 0 where that has no curvature.
func (g *grower) newton(s sum) float64 {
	curvature := s.c + g.c.Lambda.Value()
	if s.g == 0 || curvature == 0 {
		return 0
	}
	return -s.g / curvature
}

// split turns parent into a node of the tree with two leaves. The order of rows
// on each side stays.
func (g *grower) split(t *tree, parent *leaf) (left, right *leaf) {
	b := parent.best
	rows := g.rows[parent.lo:parent.hi]
	goes := g.goes(&b)
	var k int
	if g.t.Narrow != nil {
		k = partition(rows, g.spare, g.t.Narrow[b.column], int(b.bin), goes)
	} else {
		k = partition(rows, g.spare, g.t.Wide[b.column], int(b.bin), goes)
	}
	return g.children(t, parent, goes, k)
}

// children adds the two leaves of a split of parent to the tree, of which the left one has k rows. goes
// is that of the split.
func (g *grower) children(t *tree, parent *leaf, goes []bool, k int) (left, right *leaf) {
	b := parent.best
	l, r := t.split(parent.node, int(b.column), int(b.bin), g.threshold(&b), b.gain)
	t.goes[parent.node] = goes
	left = &leaf{node: l, depth: parent.depth + 1, lo: parent.lo, hi: parent.lo + k, sum: b.left, worth: b.worth[0]}
	right = &leaf{node: r, depth: parent.depth + 1, lo: parent.lo + k, hi: parent.hi, sum: parent.sum.minus(b.left), worth: b.worth[1]}
	if g.direct != nil {
		t.value[l], t.value[r] = b.value[0], b.value[1]
	} else {
		t.value[l], t.value[r] = g.newton(left.sum), g.newton(right.sum)
	}
	return left, right
}

// partition moves rows with codes of at most b, or those that go left if goes is not nil, to
// the front and returns how many there are.
func partition[C bins.Code](rows, spare []int32, code []C, b int, goes []bool) int {
	l, r := 0, 0
	for _, i := range rows {
		if goes == nil && int(code[i]) <= b || goes != nil && goes[code[i]] {
			rows[l] = i
			l++
		} else {
			spare[r] = i
			r++
		}
	}
	copy(rows[l:], spare[:r])
	return l
}

// open finds the best splits of two new leaves. The histogram of the smaller is
// summed, that of the larger is what remains of the parent's.
func (g *grower) open(out int, parent, left, right *leaf, last bool) error {
	small, large := left, right
	if right.hi-right.lo < left.hi-left.lo {
		small, large = right, left
	}
	if last || !g.splittable(large) {
		g.release(parent.hist)
		return nil
	}
	small.hist = g.buffer()
	if err := g.histogram(out, small); err != nil {
		return err
	}
	large.hist = parent.hist
	for i, s := range small.hist {
		large.hist[i] = large.hist[i].minus(s)
	}
	if err := g.find(large); err != nil {
		return err
	}
	if g.splittable(small) {
		return g.find(small)
	}
	g.release(small.hist)
	small.hist = nil
	return nil
}

// small is the number of additions below which one goroutine is used.
const small = 1 << 15

func (g *grower) workers(work int) int {
	if work < small {
		return 1
	}
	return g.c.NumWorkers()
}

// histogram sums the gradients of the rows of l by bin.
func (g *grower) histogram(out int, l *leaf) error {
	rows := g.rows[l.lo:l.hi]
	gathered := g.gathered[:len(rows)]
	for p, i := range rows {
		gathered[p] = g.grad[int(i)*g.k+out]
	}
	if g.some != nil {
		if err := g.rare(l, rows, gathered); err != nil {
			return err
		}
	}
	return par.Compute(g.ctx, g.workers(len(rows)*len(g.dense)), len(g.dense), max(together, small/(len(rows)+1)), func(lo, hi int) {
		for _, j := range g.dense[lo:hi] {
			clear(g.of(l.hist, j))
		}
		if g.t.Narrow != nil {
			accumulate(g, l.hist, rows, gathered, g.t.Narrow, g.dense[lo:hi])
		} else {
			accumulate(g, l.hist, rows, gathered, g.t.Wide, g.dense[lo:hi])
		}
	})
}

// together is the number of columns that one pass over the rows takes: an
// addition to a bin waits for the one before it to the same bin, and those of
// other columns fill the time.
const together = 4

// accumulate adds the gradients of rows to the histograms of columns.
func accumulate[C bins.Code](g *grower, hist []sum, rows []int32, gathered []gradient, code [][]C, columns []int32) {
	gathered = gathered[:len(rows)]
	for ; len(columns) >= together; columns = columns[together:] {
		j0, j1, j2, j3 := columns[0], columns[1], columns[2], columns[3]
		h0, h1, h2, h3 := g.of(hist, j0), g.of(hist, j1), g.of(hist, j2), g.of(hist, j3)
		c0, c1, c2, c3 := code[j0], code[j1], code[j2], code[j3]
		for p, i := range rows {
			v := gathered[p]
			h0[c0[i]].put(v)
			h1[c1[i]].put(v)
			h2[c2[i]].put(v)
			h3[c3[i]].put(v)
		}
	}
	for _, j := range columns {
		h, c := g.of(hist, j), code[j]
		for p, i := range rows {
			h[c[i]].put(gathered[p])
		}
	}
}

// find sets the best split of l; its gain is 0 if there is none.
func (g *grower) find(l *leaf) error {
	best := make([]candidate, len(g.columns))
	all := make([][]candidate, len(g.columns))
	err := par.Compute(g.ctx, g.workers(len(l.hist)), len(g.columns), 16, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			best[j], all[j] = g.scan(l, j)
		}
	})
	if err != nil {
		return err
	}
	if g.direct != nil {
		return g.direct.find(l, all)
	}
	for _, b := range best {
		if b.gain > l.best.gain {
			l.best = b
		}
	}
	return nil
}

// scan returns the split of column number j of g.columns with the largest
// second-order gain, the first of equals, and, with DirectLoss, all splits.
func (g *grower) scan(l *leaf, j int) (best candidate, all []candidate) {
	column := g.columns[j]
	if g.t.Levels(int(column)) > 0 {
		return g.scanLevels(l, column)
	}
	h := g.of(l.hist, column)
	var none sum
	if !g.t.Missing(int(column)) {
		return g.scanNumbers(l, column, h, none, false)
	}
	// Missing cells go right, and then left; if there are none here, with most rows.
	missing := h[len(h)-1]
	best, all = g.scanNumbers(l, column, h, none, false)
	if missing.n == 0 {
		best.lost = best.left.n > l.sum.minus(best.left).n
		for i := range all {
			all[i].lost = all[i].left.n > l.sum.minus(all[i].left).n
		}
		return best, all
	}
	other, more := g.scanNumbers(l, column, h[:len(h)-1], missing, true)
	if other.gain > best.gain {
		best = other
	}
	return best, append(all, more...)
}

// scanNumbers is scan for the bins h of a column of numbers, of which left go left in any case:
// the missing cells, if lost is true.
func (g *grower) scanNumbers(l *leaf, column int32, h []sum, left sum, lost bool) (best candidate, all []candidate) {
	whole := g.half(l.sum)
	for b := range len(h) - 1 {
		if h[b].n == 0 {
			continue // the same split as the one before
		}
		left.add(h[b])
		right := l.sum.minus(left)
		if right.n < g.c.MinRows {
			break
		}
		if left.n < g.c.MinRows || g.direct == nil && min(left.c, right.c) < g.c.MinCurvature {
			continue
		}
		s := candidate{column: column, bin: int32(b), gain: g.half(left) + g.half(right) - whole, left: left, lost: lost}
		if s.gain > best.gain {
			best = s
		}
		if g.direct != nil {
			all = append(all, s)
		}
	}
	return best, all
}

// half is ½G²/(H+λ): what a leaf takes off the loss.
func (g *grower) half(s sum) float64 { return g.halfOf(s, 0) }

// halfOf is half with more added to λ.
func (g *grower) halfOf(s sum, more float64) float64 {
	if s.g == 0 {
		return 0
	}
	return s.g * s.g / (s.c + (g.c.Lambda.Value() + more)) / 2
}

// update adds the values of the tree grown last to the scores of all rows.
func (g *grower) update(score []float64, out int, t *tree) {
	if len(g.rows) == g.t.N {
		par.Compute(context.Background(), g.workers(4*g.t.N), len(g.leaves), 1, func(lo, hi int) {
			for _, l := range g.leaves[lo:hi] {
				v := t.value[l.node]
				for _, i := range g.rows[l.lo:l.hi] {
					score[int(i)*g.k+out] += v
				}
			}
		})
		return
	}
	par.Compute(context.Background(), g.workers(4*g.t.N), g.t.N, grain, func(lo, hi int) {
		if g.t.Narrow != nil {
			descend(score[lo*g.k+out:], g.k, t, g.t.Narrow, lo, hi)
		} else {
			descend(score[lo*g.k+out:], g.k, t, g.t.Wide, lo, hi)
		}
	})
}

func descend[C bins.Code](score []float64, stride int, t *tree, code [][]C, lo, hi int) {
	for i := lo; i < hi; i++ {
		score[(i-lo)*stride] += t.value[arrives(t, code, i)]
	}
}

// arrives returns the leaf of row i.
func arrives[C bins.Code](t *tree, code [][]C, i int) int {
	at := 0
	for {
		n := t.nodes[at]
		if n.leaf(int32(at)) {
			return at
		}
		right := int32(code[n.feature][i]) > t.bin[at]
		if goes := t.goes[at]; goes != nil {
			right = !goes[code[n.feature][i]]
		}
		at = int(n.left)
		if right {
			at++
		}
	}
}
