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
	within              *limits  // of its value
	opened              bool     // the best splits of its children are known
	goes                []bool   // of its split, once it has children
	sides               [2]*leaf // the children
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
	joint       [][]int32     // numbers of groups of columns that are summed by states, in parts
	cells       sync.Pool     // *[together * maxStates]hist.Cell, sums of such states
	some        *bins.Sparse  // the lists; nil: none
	offset      []int         // of the columns in a histogram
	size        int           // of a histogram
	leaves      []*leaf       // of the tree grown last
	mu          sync.Mutex    // of free and of the best splits of leaves
	free        [][]hist.Cell
	all         [2][][]candidate // all splits of two leaves by column, with DirectLoss
	direct      *direct
}

func newGrower(ctx context.Context, c Config, t *bins.Table, l lossFunction, w []float64) (*grower, error) {
	some, err := t.Sparse(ctx, c.Workers, sparseShare, maxStates)
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

// rooms makes room for the words of n rows.
func (g *grower) rooms(n int) {
	g.words, g.total = make([][]hist.Cell, g.k), make([]hist.Cell, g.k)
	for out := range g.words {
		g.words[out] = make([]hist.Cell, n)
	}
	g.batches = &sync.Pool{New: func() any {
		n := g.batchRows()
		return &batch{make([]float64, n*g.k), make([]float64, n*g.k), make([]float64, n)}
	}}
	for side := range g.all {
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
	leaves, err := g.splitLeaves(t, root)
	if err != nil {
		return nil, err
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
	g.dense, g.sparse, g.joint = g.dense[:0], g.sparse[:0], g.joint[:0]
	for _, j := range columns {
		switch {
		case g.some == nil:
			g.offset[j] = g.size
			g.size += g.t.Bins(int(j))
			g.dense = append(g.dense, j)
		case g.some.Common[j] < 0:
			g.dense = append(g.dense, j)
		case g.some.Listed[j]:
			g.sparse = append(g.sparse, j)
		}
	}
	g.groups = slices.AppendSeq(g.groups[:0], slices.Chunk(g.dense, together))
	if g.some != nil {
		g.joint = slices.AppendSeq(g.joint, slices.Chunk(g.jointly(columns), together))
		copy(g.offset, g.some.First)
		g.size = g.some.First[len(g.t.Cuts)]
	} else if len(g.free) > 0 && cap(g.free[0]) < g.size+margin {
		g.free = nil
	}
}

// jointly returns the groups that hold some of the columns.
func (g *grower) jointly(columns []int32) (list []int32) {
	for k, group := range g.some.Groups {
		if slices.ContainsFunc(group.Columns, func(j int32) bool { _, ok := slices.BinarySearch(columns, j); return ok }) {
			list = append(list, int32(k))
		}
	}
	return list
}

// margin is the number of cells behind a histogram, for bytes that are no bin of the last column: assembly
// does not check them, and a file may have been damaged.
const margin = 256

// of is the part of a histogram that belongs to column j.
func (g *grower) of(h []hist.Cell, j int32) []hist.Cell {
	return h[g.offset[j]:][:g.t.Bins(int(j))]
}

func (g *grower) buffer() []hist.Cell {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := len(g.free); n > 0 && cap(g.free[n-1]) >= g.size+margin {
		b := g.free[n-1]
		g.free = g.free[:n-1]
		return b[:g.size]
	}
	return make([]hist.Cell, g.size+margin)[:g.size]
}

// release takes the histogram of l, if it has one, for other leaves.
func (g *grower) release(l *leaf) {
	if l.hist != nil {
		g.recycle(l.hist)
		l.hist = nil
	}
}

func (g *grower) recycle(h []hist.Cell) {
	g.mu.Lock()
	g.free = append(g.free, h)
	g.mu.Unlock()
}

// splittable reports whether l has rows for two leaves of MinRows and is not as deep as MaxDepth allows.
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

// children sets the two children of l, which are not in the tree yet.
func (g *grower) children(l *leaf) {
	b := &l.best
	k := l.lo + b.left.n
	l.goes = g.goes(b)
	l.sides[0] = &leaf{depth: l.depth + 1, lo: l.lo, hi: k, sum: b.left, worth: b.worth[0]}
	l.sides[1] = &leaf{depth: l.depth + 1, lo: k, hi: l.hi, sum: l.sum.minus(b.left), worth: b.worth[1]}
	l.sides[0].within, l.sides[1].within = g.inherit(l, b)
}

// split splits a leaf of the tree that has children.
func (g *grower) split(t *tree, l *leaf) {
	b := &l.best
	t.goes[l.node] = l.goes
	left, right := l.sides[0], l.sides[1]
	left.node, right.node = t.split(l.node, int(b.column), int(b.bin), g.threshold(b), b.gain)
	if g.direct != nil {
		t.value[left.node], t.value[right.node] = b.value[0], b.value[1]
	} else {
		t.value[left.node], t.value[right.node] = g.bounded(left.sum, left.within), g.bounded(right.sum, right.within)
	}
}

// open moves the rows of l to its children and finds their best splits, on so many workers. The histogram of the smaller is summed,
// that of the larger is what remains of that of l. If last is true the children stay leaves, and nothing is found.
func (g *grower) open(l *leaf, workers int, last bool) error {
	g.children(l)
	small, large := l.smaller()
	if last || !g.splittable(large) {
		g.release(l)
		par.Phases(workers, g.move(workers, l)...)
		return g.ctx.Err()
	}
	small.hist, large.hist, l.hist = g.buffer(), l.hist, nil
	sides := []*leaf{large, small}
	if !g.splittable(small) {
		sides = sides[:1]
	}
	sums, done := g.sums(small, workers, func(lo, hi int) {
		// Bins of columns between these that are not split are not used: all in one.
		from, last := g.offset[g.columns[lo]], g.columns[hi-1]
		to := g.offset[last] + g.t.Bins(int(last))
		hist.Subtract(large.hist[from:to], small.hist[from:to])
		for side, l := range sides {
			g.look(l, side, lo, hi)
		}
	})
	par.Phases(workers, append(g.move(workers, l), sums...)...)
	done()
	if err := g.ctx.Err(); err != nil {
		return err
	}
	for side, l := range sides {
		if err := g.choose(l, side); err != nil {
			return err
		}
	}
	for _, side := range l.sides {
		if !(side.best.gain > 0) {
			g.release(side)
		}
	}
	return nil
}

// smaller returns the children, that of fewer rows first.
func (l *leaf) smaller() (small, large *leaf) {
	left, right := l.sides[0], l.sides[1]
	if right.hi-right.lo < left.hi-left.lo {
		return right, left
	}
	return left, right
}

// move returns the phases, for so many workers, that divide the rows of an opened leaf among its children, in their order.
func (g *grower) move(workers int, l *leaf) []par.Phase {
	rows, spare, split, goes, left := g.rows[l.lo:l.hi], g.spare[l.lo:l.hi], &l.best, l.goes, l.sides[0]
	if workers == 1 {
		return []par.Phase{{N: 1, Body: func(int, int) {
			l := g.divide(rows, spare, rows, split, goes)
			copy(rows[l:], spare)
		}}}
	}
	count := make([]int, (len(rows)-1)/grain+1) // of the rows of a block that go left
	return []par.Phase{{N: len(count), Body: func(lo, hi int) {
		for b := lo; b < hi; b++ {
			block, to := rows[b*grain:min((b+1)*grain, len(rows))], spare[b*grain:]
			count[b] = g.divide(to, block, block, split, goes)
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
// left. Both have room for all, and may begin where the rows begin. If goes is nil, bins up to that of the split go left.
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
	var whole hist.Cell
	var mu sync.Mutex
	par.Compute(context.Background(), g.workers(2*len(g.rows)), len(g.rows), grain, func(lo, hi int) {
		var sum hist.Cell
		for _, i := range g.rows[lo:hi] {
			sum = sum.Plus(g.words[out][i])
		}
		mu.Lock()
		defer mu.Unlock()
		whole = whole.Plus(sum)
	})
	return whole
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

// additions returns about how many additions the histogram of some rows takes.
func (g *grower) additions(rows int) int {
	work := rows * (len(g.dense) + 1)
	if g.some != nil {
		work += int(float64(rows)/float64(max(1, g.t.N))*float64(len(g.some.Bin))) + rows*len(g.some.Groups)
	}
	return work
}

// opening returns about how many additions take the time in which l is opened.
func (g *grower) opening(l *leaf) int {
	rows := l.hi - l.lo
	return 4*rows + g.additions(min(l.best.left.n, rows-l.best.left.n)) + 8*g.size
}

// histogram sums the words of the rows of l by bin.
func (g *grower) histogram(l *leaf) error {
	workers := g.workers(g.additions(l.hi - l.lo))
	sums, done := g.sums(l, workers, func(int, int) {})
	defer done()
	par.Phases(workers, sums...)
	return g.ctx.Err()
}

// partValues is the least number of additions of a part of the rows.
const partValues = 1 << 15

// sparseShare is the share of rows outside the commonest bin of a column up to
// which its histogram is summed over these rows alone.
const sparseShare = 0.5

// parts is the number of parts of its rows in which the histogram of l is summed. A part has a histogram of
// its own, which must be worth its while, and there is one where the groups of columns keep all workers busy.
func (g *grower) parts(l *leaf, workers, groups int) int {
	if workers == 1 || groups%workers == 0 || groups >= 4*workers {
		return 1
	}
	return max(1, min(2*workers, g.additions(l.hi-l.lo)/(4*g.size+partValues)))
}

// sums returns the phases, for so many workers, that sum the words of the rows of l by bin, in parts, and call then for
// columns lo … hi−1 of g.columns when their bins are complete. Afterwards the caller calls done. If the context ends, some
// columns are left out.
func (g *grower) sums(l *leaf, workers int, then func(lo, hi int)) (phases []par.Phase, done func()) {
	rows, groups := g.rows[l.lo:l.hi], g.groups
	kinds := len(groups) + len(g.joint) + min(1, len(g.sparse)) // the last one is the lists
	parts := make([][]hist.Cell, g.parts(l, workers, kinds))
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
			} else if kind -= len(groups); kind < len(g.joint) {
				g.addJointly(parts[p], rows[from:to], g.joint[kind])
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
		}
		then(lo, hi)
	}}
	return []par.Phase{add, join}, func() {
		for _, h := range parts[1:] {
			g.recycle(h)
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

// maxStates is the largest number of states of a group.
const maxStates = 256

// addJointly adds the words of rows to the histograms of the columns of some groups: to the states of the rows, and the sums of
// these to their bins.
func (g *grower) addJointly(h []hist.Cell, rows []int32, groups []int32) {
	room, _ := g.cells.Get().(*[together * maxStates]hist.Cell)
	if room == nil {
		room = new([together * maxStates]hist.Cell)
	}
	defer g.cells.Put(room)
	var first [together + 1]int
	for p, k := range groups {
		group := &g.some.Groups[k]
		g.clear(h, group.Columns)
		first[p+1] = first[p] + len(group.Start) - 1
	}
	clear(room[:first[len(groups)]])
	var to [hist.Most][]hist.Cell
	var from [hist.Most][]uint8
	for len(rows) > 0 {
		n := min(addRows, len(rows))
		for lo := 0; lo < len(groups); lo += hist.Most {
			some := groups[lo:min(lo+hist.Most, len(groups))]
			for c, k := range some {
				to[c], from[c] = room[first[lo+c]:first[lo+c+1]], g.some.Groups[k].Code
			}
			hist.Add(len(some), &to, &from, rows[:n], g.word)
		}
		rows = rows[n:]
	}
	var list [maxStates]int32
	for p, k := range groups {
		states, live := room[first[p]:first[p+1]], 0
		for s := range states {
			list[live] = int32(s)
			if states[s][1] != 0 {
				live++
			}
		}
		group := &g.some.Groups[k]
		hist.AddLists(h, group.Bin, group.Start, list[:live], states)
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
	if err := par.Compute(g.ctx, g.workers(8*len(l.hist)), len(g.columns), 4, func(lo, hi int) { g.look(l, 0, lo, hi) }); err != nil {
		return err
	}
	return g.choose(l, 0)
}

// look finds the splits of columns lo … hi−1 of l, which is leaf number side of those in work, and sets its best one.
func (g *grower) look(l *leaf, side, lo, hi int) {
	s := g.search(l)
	for _, j := range g.columns[lo:hi] {
		s.scan(j)
		if g.direct != nil {
			g.all[side][j], s.all = s.all, nil
		}
	}
	s.settle()
	if g.direct != nil || s.best.gain == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if b := &l.best; s.best.gain > b.gain || s.best.gain == b.gain && s.best.column < b.column {
		*b = s.best
	}
}

// choose sets the best split of l with DirectLoss, from those of its columns.
func (g *grower) choose(l *leaf, side int) error {
	if g.direct == nil {
		return nil
	}
	var list []candidate
	for _, j := range g.columns {
		list = append(list, g.all[side][j]...)
	}
	return g.direct.find(l, list)
}

// search looks for the split of a leaf with the largest second-order gain, the first of equals, or, with DirectLoss, for all splits.
// All numbers are in units, which are powers of two: the same digits as without.
type search struct {
	*grower
	leaf          *leaf
	n, rows       uint64 // of the leaf, and the least of a child
	g, c          float64
	lambda, least float64
	none          float64 // G²/(H+λ) of the leaf
	scale         float64 // of gains
	numbers       hist.Scan
	best          candidate
	all           []candidate
}

func (g *grower) search(l *leaf) *search {
	f := &g.fixed
	s := &search{grower: g, leaf: l, n: uint64(l.sum.n), rows: uint64(g.c.MinRows)}
	s.g, s.c = l.sum.g*f.G, l.sum.c*f.C
	s.lambda, s.least = g.c.Lambda.Value()*f.C, g.c.MinCurvature.Value()*f.C
	if g.direct != nil {
		s.least = 0
	}
	s.none = part(s.g, s.c+s.lambda)
	s.scale = f.unitG * f.unitG / f.unitC / 2
	s.numbers = hist.NewScan(s.g, s.c, s.lambda, s.least, l.sum.n, g.c.MinRows, f.Count)
	return s
}

// scan looks at the splits of a column.
func (s *search) scan(column int32) {
	if s.t.Levels(int(column)) > 0 {
		s.scanLevels(column)
		return
	}
	h := s.of(s.leaf.hist, column)
	var none hist.Cell
	if !s.t.Missing(int(column)) {
		s.scanNumbers(column, h, none, false)
		return
	}
	// Missing cells go right, and then left; if there are none here, with most rows.
	before, had := s.best.gain, len(s.all)
	missing := h[len(h)-1]
	s.scanNumbers(column, h, none, false)
	if missing == none {
		if s.best.gain > before {
			s.settle()
			s.best.lost = s.best.left.n > s.leaf.sum.minus(s.best.left).n
		}
		for i := had; i < len(s.all); i++ {
			s.all[i].lost = s.all[i].left.n > s.leaf.sum.minus(s.all[i].left).n
		}
		return
	}
	s.scanNumbers(column, h[:len(h)-1], missing, true)
}

// scanNumbers is scan for the bins h of a column of numbers, where acc goes left in any case:
// the missing cells, if lost is true.
func (s *search) scanNumbers(column int32, h []hist.Cell, acc hist.Cell, lost bool) {
	if s.grower.c.ordered() {
		s.scanOrdered(column, h, acc, lost)
		return
	}
	if s.direct != nil {
		s.listNumbers(column, h, acc, lost)
		return
	}
	at, gain := s.numbers.Best(h[:len(h)-1], acc)
	if gain *= s.scale; at < 0 || !(gain > s.best.gain) {
		return
	}
	s.best = candidate{column: column, bin: int32(at), gain: gain, lost: lost}
}

// settle sums the left side of the best split, if scanNumbers has left that to be done: most splits that are the best of
// those before are not the best of all.
func (s *search) settle() {
	b := &s.best
	if b.gain == 0 || b.left.n > 0 {
		return
	}
	h, acc := s.of(s.leaf.hist, b.column), hist.Cell{}
	if b.lost {
		acc = h[len(h)-1]
	}
	for _, c := range h[:b.bin+1] {
		acc = acc.Plus(c)
	}
	b.left = s.fixed.sum(acc)
}

// listNumbers adds every split of the column that leaves both sides enough rows and curvature to s.all, where scanNumbers keeps
// the best split alone.
func (s *search) listNumbers(column int32, h []hist.Cell, acc hist.Cell, lost bool) {
	for b, c := range h[:len(h)-1] {
		if c[1] == 0 {
			continue // the same split as the one before
		}
		acc = acc.Plus(c)
		k := s.fixed.rows(acc)
		if k+s.rows > s.n {
			break
		}
		if k < s.rows {
			continue
		}
		leftG, leftC := s.fixed.integers(acc)
		if min(leftC, s.c-leftC) < s.least {
			continue
		}
		gain := part(leftG, leftC+s.lambda) + part(s.g-leftG, s.c-leftC+s.lambda) - s.none
		s.all = append(s.all, candidate{column: column, bin: int32(b), gain: gain * s.scale, left: s.fixed.sum(acc), lost: lost})
	}
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

// update adds the values of the tree grown last to the scores of the rows that it was grown on, which are in its leaves, and of the
// rest, which go down the tree.
func (g *grower) update(score []float64, out int, t *tree, rest []int32) {
	par.Compute(context.Background(), g.workers(4*len(g.rows)), len(g.leaves), 1, func(lo, hi int) {
		for _, l := range g.leaves[lo:hi] {
			v := t.value[l.node]
			for _, i := range g.rows[l.lo:l.hi] {
				score[int(i)*g.k+out] += v
			}
		}
	})
	par.Compute(context.Background(), g.workers(16*len(rest)), len(rest), grain, func(lo, hi int) {
		for _, i := range rest[lo:hi] {
			at := 0
			if g.t.Narrow != nil {
				at = arrives(t, g.t.Narrow, int(i))
			} else {
				at = arrives(t, g.t.Wide, int(i))
			}
			score[int(i)*g.k+out] += t.value[at]
		}
	})
}

func descend[C bins.Code](score []float64, stride int, t *tree, code [][]C, lo, hi int) {
	for i := lo; i < hi; i++ {
		score[(i-lo)*stride] += t.value[arrives(t, code, i)]
	}
}

// arrives returns the node of the leaf of t that row i reaches, where code[j][i] is the bin of its cell in column j.
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
