package gbdt

import (
	"context"
	"slices"
	"sync"

	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/par"
)

// sum is the sum of the gradients of some rows, and their number.
type sum struct {
	g, c float64
	n    int
}

func (a *sum) add(b sum) { a.g, a.c, a.n = a.g+b.g, a.c+b.c, a.n+b.n }

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
	node, depth, lo, hi int         // node of the tree; splits above it; rows
	hist                []hist.Cell // of the columns' bins; nil if it cannot be split
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
	rows, spare []int32
	words       [][]hist.Cell // of all rows, by output
	total       []hist.Cell   // their sums
	fixed       fixed         // of the words
	batches     *sync.Pool    // of *batch
	first       int           // number of the first row
	word        []hist.Cell   // the words of the output of the tree in hand
	columns     []int32       // that may be split
	dense       []int32       // those of columns that are summed by codes
	groups      [][]int32     // of dense
	sparse      []int32       // those that are summed by lists
	some        *bins.Sparse  // the lists; nil: none
	offset      []int         // of the columns in a histogram
	size        int           // of a histogram
	leaves      []*leaf       // of the tree grown last
	free        [][]hist.Cell
	found       [2][]candidate   // the best splits of two leaves by column
	all         [2][][]candidate // all splits, with DirectLoss
	direct      *direct
}

func newGrower(ctx context.Context, c Config, t *bins.Table, l loss, w []float64) (*grower, error) {
	some, err := t.Sparse(ctx, c.Workers, sparseShare)
	if err != nil {
		return nil, err
	}
	g := &grower{ctx: ctx, c: c, t: t, k: l.outputs(), w: w, spare: make([]int32, t.N), some: some}
	g.rooms(t.N)
	if c.Criterion == DirectLoss {
		g.direct = newDirect(g, l.(logistic).class)
	}
	return g, nil
}

// rooms makes room for the words of n rows and for the splits that are found.
func (g *grower) rooms(n int) {
	g.words, g.total = make([][]hist.Cell, g.k), make([]hist.Cell, g.k)
	for out := range g.words {
		g.words[out] = make([]hist.Cell, n)
	}
	g.batches = &sync.Pool{New: func() any {
		return &batch{make([]float64, batchRows*g.k), make([]float64, batchRows*g.k), make([]float64, batchRows)}
	}}
	for side := range g.found {
		g.found[side] = make([]candidate, len(g.t.Cuts))
		g.all[side] = make([][]candidate, len(g.t.Cuts))
	}
}

// grow grows a tree for output out on the rows of sample, splitting columns.
func (g *grower) grow(out int, score []float64, sample, columns []int32) (*tree, error) {
	g.rows = append(g.rows[:0], sample...)
	g.layout(columns)
	if g.direct != nil {
		g.direct.prepare(score)
	}
	t := &tree{}
	g.word = g.words[out]
	root := &leaf{node: t.leaf(), hi: len(g.rows), sum: g.fixed.sum(g.whole(out))}
	if g.direct != nil {
		t.value[0], root.worth = g.direct.leaf(g.rows, root.sum)
	} else {
		t.value[0] = g.newton(root.sum)
	}
	if g.splittable(root) {
		root.hist = g.buffer()
		if err := g.histogram(root); err != nil {
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
		goes := g.goes(&parent.best)
		left, right := g.children(t, parent, goes, parent.best.left.n)
		leaves[at] = left
		leaves = append(leaves, right)
		last := len(leaves) == g.c.MaxLeaves
		if err := g.open(parent, left, right, goes, last); err != nil {
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
	g.columns, g.size = columns, 0
	if cap(g.offset) < len(g.t.Cuts) {
		g.offset = make([]int, len(g.t.Cuts))
	}
	g.dense, g.sparse = g.dense[:0], g.sparse[:0]
	for _, j := range columns {
		switch {
		case g.some == nil:
			g.offset[j] = g.size
			g.size += g.t.Bins(int(j))
			g.dense = append(g.dense, j)
		case g.some.Common[j] < 0:
			g.dense = append(g.dense, j)
		default:
			g.sparse = append(g.sparse, j)
		}
	}
	g.groups = slices.AppendSeq(g.groups[:0], slices.Chunk(g.dense, together))
	if g.some != nil {
		copy(g.offset, g.some.First)
		g.size = g.some.First[len(g.t.Cuts)]
	} else if len(g.free) > 0 && cap(g.free[0]) < g.size+margin {
		g.free = nil
	}
}

// margin is the number of cells behind a histogram, for bytes that are no bin of the last column: assembly
// does not check them, and a file may have been damaged.
const margin = 256

// of is the part of a histogram that belongs to column j.
func (g *grower) of(h []hist.Cell, j int32) []hist.Cell {
	return h[g.offset[j]:][:g.t.Bins(int(j))]
}

func (g *grower) buffer() []hist.Cell {
	if n := len(g.free); n > 0 && cap(g.free[n-1]) >= g.size+margin {
		b := g.free[n-1]
		g.free = g.free[:n-1]
		return b[:g.size]
	}
	return make([]hist.Cell, g.size+margin)[:g.size]
}

func (g *grower) release(h []hist.Cell) {
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
	if g.c.Loss == Poisson {
		return logFactor(s, g.c.Lambda.Value())
	}
	return -s.g / curvature
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

// open moves the rows of parent to its children and finds their best splits. The
// histogram of the smaller is summed, that of the larger is what remains of the parent's.
func (g *grower) open(parent, left, right *leaf, goes []bool, last bool) error {
	small, large := left, right
	if right.hi-right.lo < left.hi-left.lo {
		small, large = right, left
	}
	if last || !g.splittable(large) {
		g.release(parent.hist)
		workers := g.workers(4 * (parent.hi - parent.lo))
		par.Phases(workers, g.move(workers, parent, left, goes)...)
		return g.ctx.Err()
	}
	small.hist, large.hist = g.buffer(), parent.hist
	sides := []*leaf{large, small}
	if !g.splittable(small) {
		sides = sides[:1]
	}
	sums, done := g.sums(small, func(j int32) {
		h := g.of(large.hist, j)
		for i, s := range g.of(small.hist, j) {
			h[i] = h[i].Minus(s)
		}
		for side, l := range sides {
			g.look(l, side, j)
		}
	})
	workers := g.workers(4*(parent.hi-parent.lo) + g.additions(small) + 8*g.size)
	par.Phases(workers, append(g.move(workers, parent, left, goes), sums...)...)
	done()
	if err := g.ctx.Err(); err != nil {
		return err
	}
	for side, l := range sides {
		if err := g.choose(l, side); err != nil {
			return err
		}
	}
	if len(sides) == 1 {
		g.release(small.hist)
		small.hist = nil
	}
	return nil
}

// move returns the phases, for so many workers, that divide the rows of parent among its children, in their order. goes says
// which bins go left; if it is nil, those up to that of the split do.
func (g *grower) move(workers int, parent, left *leaf, goes []bool) []par.Phase {
	rows, spare := g.rows[parent.lo:parent.hi], g.spare[parent.lo:parent.hi]
	if workers == 1 {
		return []par.Phase{{N: 1, Body: func(int, int) {
			l := g.divide(rows, spare, rows, &parent.best, goes)
			copy(rows[l:], spare)
		}}}
	}
	count := make([]int, (len(rows)-1)/grain+1) // of the rows of a block that go left
	return []par.Phase{{N: len(count), Body: func(lo, hi int) {
		for b := lo; b < hi; b++ {
			block, to := rows[b*grain:min((b+1)*grain, len(rows))], spare[b*grain:]
			count[b] = g.divide(to, block, block, &parent.best, goes)
			copy(to[count[b]:], block[:len(block)-count[b]])
		}
	}}, {N: len(count), Body: func(lo, hi int) {
		l := 0
		for _, n := range count[:lo] {
			l += n
		}
		for b := lo; b < hi; b++ {
			block, n, r := spare[b*grain:min((b+1)*grain, len(rows))], count[b], left.hi-left.lo+b*grain-l
			copy(rows[l:], block[:n])
			copy(rows[r:], block[n:])
			l += n
		}
	}}}
}

// divide copies the rows that go left at a split to left and the others to right, in their order, and returns how many go
// left. Both have room for all, and may begin where the rows begin.
func (g *grower) divide(left, right, rows []int32, s *candidate, goes []bool) int {
	switch {
	case g.t.Narrow == nil:
		return divide(left, right, rows, g.t.Wide[s.column], int(s.bin), goes)
	case goes == nil:
		return hist.Divide(left, right, rows, g.t.Narrow[s.column], uint8(s.bin))
	}
	return divide(left, right, rows, g.t.Narrow[s.column], int(s.bin), goes)
}

func divide[C bins.Code](left, right, rows []int32, code []C, b int, goes []bool) int {
	l, r := 0, 0
	for _, i := range rows {
		left[l], right[r] = i, i // one of them is overwritten
		if goes == nil && int(code[i]) <= b || goes != nil && goes[code[i]] {
			l++
		} else {
			r++
		}
	}
	return l
}

// whole returns the sum of the words of an output of the rows that are grown.
func (g *grower) whole(out int) hist.Cell {
	if len(g.rows) == g.t.N {
		return g.total[out]
	}
	var sum hist.Cell
	for _, i := range g.rows {
		sum = sum.Plus(g.words[out][i])
	}
	return sum
}

// small is the number of additions below which one goroutine is used: for less, the goroutines of a
// split spend more time in waiting for each other, phase by phase, than they save.
const small = 1 << 17

func (g *grower) workers(work int) int {
	if work < small {
		return 1
	}
	return g.c.NumWorkers()
}

// additions returns about how many additions the histogram of l takes.
func (g *grower) additions(l *leaf) int {
	work := (l.hi - l.lo) * (len(g.dense) + 1)
	if g.some != nil {
		work += int(float64(l.hi-l.lo) / float64(max(1, g.t.N)) * float64(len(g.some.Bin)))
	}
	return work
}

// histogram sums the words of the rows of l by bin.
func (g *grower) histogram(l *leaf) error {
	sums, done := g.sums(l, func(int32) {})
	defer done()
	par.Phases(g.workers(g.additions(l)), sums...)
	return g.ctx.Err()
}

// partValues is the least number of additions of a part of the rows.
const partValues = 1 << 15

// sparseShare is the share of rows outside the commonest bin of a column up to
// which its histogram is summed over these rows alone.
const sparseShare = 0.5

// parts is the number of parts of its rows in which the histogram of l is summed. A part has a histogram of
// its own, which must be worth its while, and there is one where the groups of columns keep all workers busy.
func (g *grower) parts(l *leaf, groups int) int {
	work := g.additions(l)
	if w := g.workers(work); groups%w == 0 || groups >= 4*w {
		return 1
	}
	return max(1, min(2*g.c.NumWorkers(), work/(4*g.size+partValues)))
}

// sums returns the phases that sum the words of the rows of l by bin, in parts, and call then for
// each column whose bins are complete. Afterwards the caller calls done. If the context ends, some
// columns are left out.
func (g *grower) sums(l *leaf, then func(j int32)) (phases []par.Phase, done func()) {
	rows, groups := g.rows[l.lo:l.hi], g.groups
	kinds := len(groups) + min(1, len(g.sparse)) // the last one is the lists
	parts := make([][]hist.Cell, g.parts(l, kinds))
	parts[0] = l.hist
	for p := range parts[1:] {
		parts[p+1] = g.buffer()
	}
	add := par.Phase{N: len(parts) * kinds, Body: func(lo, hi int) {
		for at := lo; at < hi && g.ctx.Err() == nil; at++ {
			p, kind := at/kinds, at%kinds
			from, to := p*len(rows)/len(parts), (p+1)*len(rows)/len(parts)
			if kind < len(groups) {
				g.clear(parts[p], groups[kind])
				g.add(parts[p], rows[from:to], groups[kind])
			} else {
				g.clear(parts[p], g.sparse)
				hist.AddLists(parts[p], g.some.Bin, g.some.Start, rows[from:to], g.word)
			}
		}
	}}
	whole := g.fixed.cell(l.sum)
	join := par.Phase{N: len(g.columns), Body: func(lo, hi int) {
		for _, j := range g.columns[lo:hi] {
			if g.ctx.Err() != nil {
				return
			}
			g.join(parts, j, whole)
			then(j)
		}
	}}
	return []par.Phase{add, join}, func() {
		for _, h := range parts[1:] {
			g.release(h)
		}
	}
}

// join adds the bins of column j of the other parts to those of the first one. The commonest bin of a column of
// the lists holds what the others leave of the whole.
func (g *grower) join(parts [][]hist.Cell, j int32, whole hist.Cell) {
	h := g.of(parts[0], j)
	for _, part := range parts[1:] {
		for b, c := range g.of(part, j) {
			h[b] = h[b].Plus(c)
		}
	}
	if g.some != nil && g.some.Common[j] >= 0 {
		for _, c := range h {
			whole = whole.Minus(c)
		}
		h[g.some.Common[j]-g.some.First[j]] = whole
	}
}

func (g *grower) clear(h []hist.Cell, columns []int32) {
	for _, j := range columns {
		clear(g.of(h, j))
	}
}

// together is the number of columns that a goroutine takes at a time.
const together = 4 * hist.Most

// addRows is the number of rows that go to all histograms of a group of columns before the next ones do, so that their words stay
// in the cache.
const addRows = 2048

// add adds the words of rows to the histograms of columns by their codes.
func (g *grower) add(h []hist.Cell, rows []int32, columns []int32) {
	for len(rows) > 0 {
		n := min(addRows, len(rows))
		if g.t.Narrow != nil {
			accumulate(g, h, rows[:n], g.t.Narrow, columns)
		} else {
			accumulate(g, h, rows[:n], g.t.Wide, columns)
		}
		rows = rows[n:]
	}
}

func accumulate[C bins.Code](g *grower, h []hist.Cell, rows []int32, code [][]C, columns []int32) {
	var to [hist.Most][]hist.Cell
	var from [hist.Most][]C
	for len(columns) > 0 {
		passes := (len(columns)-1)/hist.Most + 1
		k := (len(columns)-1)/passes + 1
		for c, j := range columns[:k] {
			to[c], from[c] = g.of(h, j), code[j]
		}
		hist.Add(k, &to, &from, rows, g.word)
		columns = columns[k:]
	}
}

// find sets the best split of l; its gain is 0 if there is none.
func (g *grower) find(l *leaf) error {
	if err := par.Compute(g.ctx, g.workers(8*len(l.hist)), len(g.columns), 4, func(lo, hi int) {
		for _, j := range g.columns[lo:hi] {
			g.look(l, 0, j)
		}
	}); err != nil {
		return err
	}
	return g.choose(l, 0)
}

// look finds the splits of a column of l, which is leaf number side of those in work.
func (g *grower) look(l *leaf, side int, column int32) {
	best, all := g.scan(l, column)
	g.found[side][column] = best
	if g.direct != nil {
		g.all[side][column] = all
	}
}

// choose sets the best split of l from those of its columns.
func (g *grower) choose(l *leaf, side int) error {
	if g.direct != nil {
		var list []candidate
		for _, j := range g.columns {
			list = append(list, g.all[side][j]...)
		}
		return g.direct.find(l, list)
	}
	for _, j := range g.columns {
		if b := &g.found[side][j]; b.gain > l.best.gain {
			l.best = *b
		}
	}
	return nil
}

// scan returns the split of a column with the largest second-order gain, the first of
// equals, and, with DirectLoss, all splits.
func (g *grower) scan(l *leaf, column int32) (best candidate, all []candidate) {
	if g.t.Levels(int(column)) > 0 {
		return g.scanLevels(l, column)
	}
	h := g.of(l.hist, column)
	var none hist.Cell
	if !g.t.Missing(int(column)) {
		return g.scanNumbers(l, column, h, none, false)
	}
	// Missing cells go right, and then left; if there are none here, with most rows.
	missing := h[len(h)-1]
	best, all = g.scanNumbers(l, column, h, none, false)
	if missing == none {
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

// scanNumbers is scan for the bins h of a column of numbers, where acc goes left in any case:
// the missing cells, if lost is true.
func (g *grower) scanNumbers(l *leaf, column int32, h []hist.Cell, acc hist.Cell, lost bool) (best candidate, all []candidate) {
	// All numbers are in units, which are powers of two: the same digits as without.
	f := &g.fixed
	whole, rows, most := f.cell(l.sum), uint64(g.c.MinRows), 0.0
	lambda, least := g.c.Lambda.Value()*f.C, g.c.MinCurvature.Value()*f.C
	if g.direct != nil {
		least = 0
	}
	wholeG, wholeC := f.integers(whole)
	n, none := f.rows(whole), part(wholeG, wholeC+lambda)
	scale := f.unitG * f.unitG / f.unitC / 2
	at, left := -1, acc
	mask, shift := uint64(1)<<(f.Count&63)-1, f.Count&63
	for b := range h[:len(h)-1] {
		c := &h[b]
		if c[1] == 0 {
			continue // the same split as the one before
		}
		acc[0], acc[1] = acc[0]+c[0], acc[1]+c[1]
		k := acc[1] & mask
		if k+rows > n {
			break
		}
		if k < rows {
			continue
		}
		leftG, leftC := float64(int64(acc[0])), float64(int64(acc[1]>>shift))
		rightC := wholeC - leftC
		if leftC < least || rightC < least {
			continue
		}
		gain := part(leftG, leftC+lambda) + part(wholeG-leftG, rightC+lambda) - none
		if gain > most {
			at, left, most = b, acc, gain
		}
		if g.direct != nil {
			all = append(all, candidate{column: column, bin: int32(b), gain: gain * scale, left: f.sum(acc), lost: lost})
		}
	}
	if at >= 0 {
		best = candidate{column: column, bin: int32(at), gain: most * scale, left: f.sum(left), lost: lost}
	}
	return best, all
}

// part is G²/(H+λ), 0 where newton has no value for it.
func part(g, curvature float64) float64 {
	if curvature == 0 {
		return 0
	}
	return g * g / curvature
}

// half is ½G²/(H+λ): what a leaf takes off the loss, 0 where newton has no value for it.
func half(s sum, lambda float64) float64 {
	curvature := s.c + lambda
	if s.g == 0 || curvature == 0 {
		return 0
	}
	return s.g * s.g / curvature / 2
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
