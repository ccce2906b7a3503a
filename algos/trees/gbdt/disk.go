package gbdt

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Disk fits trees to more rows than memory holds. The rows lie in a file, of which a block is in memory
// at a time: a byte for each cell, which is its bin, or two where a category has more than 255 levels,
// and 8 bytes for the target and for each output.
// The memory that a fit takes does not depend on the number of rows; see Bytes.
//
// The bins follow from a sample of the rows. If the sample is all rows, in their order, and at most
// 200 000, the model has the bits of Fit or FitValues. Where a number may be
// missing, columns have at most 255 bins beside the one of the missing cells.
//
// No rows are held out: without Config.Rounds there are 100. A caller can take the number that Fit chooses on a sample.
//
// A tree grows leaf by leaf as in Fit. A pass over the file sums the histograms of the children of all
// leaves that the tree may split next, so that a tree of 31 leaves takes about eight passes; the trees
// of all classes of a round grow in the same passes. A Disk is not safe for concurrent use.
type Disk struct {
	c     Config
	g     *grower
	file  *os.File
	names []string // nil: values
	d, k  int
	width int   // bytes of a cell in the file
	bins  int64 // of all columns
	size  int   // rows of a block
	n     int
	total float64   // Σy of values
	count []float64 // rows of each class

	largest    float64 // of the values, in magnitude
	largestRow int

	have  int       // rows of the block in memory, which is the last one while rows are added
	cells []uint8   // of that block, d×size: column by column, as in the file
	wide  []uint16  // the same, where a column has more than 256 bins; else nil
	y     []float64 // its targets, or the numbers of its classes
	score []float64 // its scores, row by row
	raw   []byte    // y and score in the file
}

// blockChunk is the number of rows by which the mean loss is summed, of which a block has a multiple.
const blockChunk = grain

// Limits of the rows of a block.
const leastBlock, mostBlock = blockChunk, 16 * blockChunk

// NewDisk returns a Disk without rows. names are the classes, nil for values; sample are rows from which
// the bins follow. The file must be empty, open for reading and writing, and is the caller's to remove.
// The settings must not ask for more of the rows than a pass over them gives: RowSample below 1, Holdout,
// Exact, DirectLoss, Given and more than 256 bins are refused.
func (c Config) NewDisk(ctx context.Context, sample mat.Matrix, names []string, file *os.File) (*Disk, error) {
	return c.newDisk(ctx, sample, names, file, mostBlock)
}

// newDisk is NewDisk with blocks of at most so many rows.
func (c Config) newDisk(ctx context.Context, sample mat.Matrix, names []string, file *os.File, block int) (*Disk, error) {
	outputs := max(1, len(names))
	c, err := settings.Resolved(c, gram.Shape{Outputs: outputs})
	if err != nil {
		return nil, err
	}
	for _, s := range []struct {
		bad         bool
		field, want string
		value       any
	}{
		{c.RowSample < 1, "RowSample", "1", c.RowSample},
		{c.Holdout > 0, "Holdout", "0", c.Holdout},
		{c.Exact, "Exact", "false", c.Exact},
		{c.Criterion != SecondOrder, "Criterion", "second-order", c.Criterion},
		{c.Loss != Squared && c.Loss != Poisson, "Loss", "squared or poisson", c.Loss},
		{c.Bins > 256, "Bins", "at most 256", c.Bins},
		{c.Given.Scores != nil, "Given.Scores", "none", "given"},
	} {
		if s.bad {
			return nil, settings.Refuse(s.field, s.value, "%s for rows that are not in memory", s.want)
		}
	}
	x := gram.Of(sample)
	n, d := x.Dims()
	if err := c.checkColumns(d); err != nil {
		return nil, err
	}
	most, mixed := c.binning()
	for _, about := range mixed {
		if about.Missing && about.Levels == 0 {
			most = min(most, 255)
		}
	}
	if err := c.checkCells(x); err != nil {
		return nil, err
	}
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	t, err := bins.Make(ctx, c.Workers, x, most, rng.Derive(c.Seed, "gbdt bins"), mixed)
	if err != nil {
		return nil, err
	}
	k := multiclass.Functions(len(names))
	s := &Disk{c: c, file: file, names: names, d: d, k: k, width: 1, count: make([]float64, len(names))}
	s.size = block
	for j := range d {
		s.bins += int64(t.Bins(j))
	}
	if t.N = 0; t.Wide != nil {
		t.Wide, s.width = make([][]uint16, d), 2
	} else {
		t.Narrow = make([][]uint8, d)
	}
	for c.MemoryLimit > 0 && s.size > leastBlock && s.bytes() > c.MemoryLimit/2 {
		s.size -= blockChunk
	}
	if need := s.bytes(); c.MemoryLimit > 0 && need > c.MemoryLimit {
		return nil, &gram.MemoryError{Need: need, Limit: c.MemoryLimit}
	}
	if s.width > 1 {
		s.wide = make([]uint16, d*s.size)
	}
	s.cells, s.y, s.score, s.raw = make([]uint8, s.width*d*s.size), make([]float64, s.size), make([]float64, k*s.size), make([]byte, 8*(k+1)*s.size)
	s.g = &grower{ctx: ctx, c: c, t: t, k: k}
	s.g.rooms(s.size)
	return s, nil
}

// bytes returns the most memory that a fit takes: a block with its gradients, and the histograms of the
// leaves of the trees of a round and of the children that are summed.
func (s *Disk) bytes() int64 {
	// Cells of two bytes are there as in the file, too.
	row := s.width*s.width*s.d + 16*(s.k+1) + 16*(s.k+1) + 24
	return int64(s.size)*int64(row) + 2*int64(s.k)*int64(s.c.MaxLeaves)*s.bins*16
}

// Rows returns the number of rows.
func (s *Disk) Rows() int { return s.n }

// Add adds rows with their values, or with their classes if there are names. An error of the data says
// which of these rows it is.
func (s *Disk) Add(x mat.Matrix, y []float64, class []int) error {
	rows := gram.Of(x)
	n, d := rows.Dims()
	if d != s.d {
		return settings.Refuse("columns", d, "%d, as the sample has", s.d)
	}
	if n > math.MaxInt32-s.n {
		return settings.Refuse("rows", int64(s.n)+int64(n), "at most %d, as sums of more do not fit their words", math.MaxInt32)
	}
	if err := s.c.checkCells(rows); err != nil {
		return err
	}
	if s.names != nil {
		y = make([]float64, n)
		if len(class) != n {
			return settings.Refuse("classes", len(class), "one for each of %d rows", n)
		}
		for i, c := range class {
			if c < 0 || c >= len(s.names) {
				return settings.Refuse("class", c, "0 … %d", len(s.names)-1)
			}
			y[i] = float64(c)
			s.count[c]++
		}
	} else if err := cmp.Or(check.Block(y, n), s.c.checkCounts(y)); err != nil {
		return err
	}
	dense := x
	if _, ok := rows.Dense(); !ok {
		dense = rows.CSR().Dense()
	}
	all, _ := gram.Of(dense).Dense()
	for lo := 0; lo < n; {
		take := min(n-lo, s.size-s.have)
		err := par.Compute(s.g.ctx, s.g.workers(16*take*d), d, 1, func(from, to int) {
			column := make([]float64, take)
			for j := from; j < to; j++ {
				for i := range column {
					column[i] = all.Data[(lo+i)*all.Stride+j]
				}
				if at := j*s.size + s.have; s.wide != nil {
					bins.Put(s.g.t, s.wide[at:][:take], j, column)
				} else {
					bins.Put(s.g.t, s.cells[at:][:take], j, column)
				}
			}
		})
		if err != nil {
			return err
		}
		copy(s.y[s.have:], y[lo:lo+take])
		if s.names == nil {
			for i, v := range y[lo : lo+take] {
				s.total += v
				if math.Abs(v) > math.Abs(s.largest) {
					s.largest, s.largestRow = v, s.n+i
				}
			}
		}
		s.have, s.n, lo = s.have+take, s.n+take, lo+take
		if s.have == s.size {
			if err := s.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

// stride is the number of bytes of a block in the file.
func (s *Disk) stride() int64 { return int64(s.size) * int64(s.width*s.d+8*(s.k+1)) }

// write writes the block of the rows that were added last.
func (s *Disk) write() error {
	b := (s.n - 1) / s.size
	for i, v := range s.wide {
		binary.LittleEndian.PutUint16(s.cells[2*i:], v)
	}
	if _, err := s.file.WriteAt(s.cells, int64(b)*s.stride()); err != nil {
		return err
	}
	s.have = 0
	return s.writeNumbers(b)
}

// writeNumbers writes the targets and scores of block b.
func (s *Disk) writeNumbers(b int) error {
	for i, v := range s.y {
		binary.LittleEndian.PutUint64(s.raw[8*i:], math.Float64bits(v))
	}
	for i, v := range s.score {
		binary.LittleEndian.PutUint64(s.raw[8*(s.size+i):], math.Float64bits(v))
	}
	_, err := s.file.WriteAt(s.raw, int64(b)*s.stride()+int64(len(s.cells)))
	return err
}

// blocks calls use for all blocks in their order. The block is then in memory, with rows rows.
func (s *Disk) blocks(ctx context.Context, use func(b, rows int) error) error {
	for b := range (s.n + s.size - 1) / s.size {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := int64(b) * s.stride()
		if _, err := s.file.ReadAt(s.cells, at); err != nil {
			return fmt.Errorf("reading the bins: %w", err)
		}
		if _, err := s.file.ReadAt(s.raw, at+int64(len(s.cells))); err != nil {
			return fmt.Errorf("reading the bins: %w", err)
		}
		for i := range s.y {
			s.y[i] = math.Float64frombits(binary.LittleEndian.Uint64(s.raw[8*i:]))
		}
		for i := range s.score {
			s.score[i] = math.Float64frombits(binary.LittleEndian.Uint64(s.raw[8*(s.size+i):]))
		}
		rows := min(s.size, s.n-b*s.size)
		s.g.t.N, s.g.first = rows, b*s.size
		for i := range s.wide {
			s.wide[i] = binary.LittleEndian.Uint16(s.cells[2*i:])
		}
		for j := range s.d {
			if s.wide != nil {
				s.g.t.Wide[j] = s.wide[j*s.size:][:rows]
			} else {
				s.g.t.Narrow[j] = s.cells[j*s.size:][:rows]
			}
		}
		if err := use(b, rows); err != nil {
			return err
		}
	}
	return nil
}

// loss is that of the rows of the block in memory.
func (s *Disk) loss(rows int) loss {
	if s.names == nil {
		return s.c.ofValues(s.y[:rows])
	}
	class := make([]int, rows)
	for i := range class {
		class[i] = int(s.y[i])
	}
	if s.k == 1 {
		return logistic{class}
	}
	return softmax{class, s.k}
}

// constant returns F₀.
func (s *Disk) constant() []float64 {
	first := make([]float64, s.k)
	switch {
	case s.c.FromZero:
	case s.names == nil:
		if first[0] = s.total / float64(s.n); s.c.Loss == Poisson {
			first[0] = ln(max(first[0], tiny))
		}
	case s.k == 1:
		logOdds(first, s.count)
	default:
		logShares(first, s.count)
	}
	return first
}

// Fit trains a classifier on the rows. If ctx ends the fit, Fit returns a model of the finished rounds
// and ctx.Err().
func (s *Disk) Fit(ctx context.Context) (*Classifier, error) {
	if s.names == nil {
		panic("gbdt: the rows have values, not classes")
	}
	m, err := s.boost(ctx)
	if m == nil {
		return nil, err
	}
	return &Classifier{*m, s.names}, err
}

// FitValues trains a regression with the loss Squared or Poisson on the rows; ctx is that of Fit.
func (s *Disk) FitValues(ctx context.Context) (*Regressor, error) {
	if s.names != nil {
		panic("gbdt: the rows have classes, not values")
	}
	m, err := s.boost(ctx)
	if m == nil {
		return nil, err
	}
	return &Regressor{*m}, err
}

// boost runs the rounds.
func (s *Disk) boost(ctx context.Context) (*model, error) {
	if err := check.Rows(s.n); err != nil {
		return nil, err
	}
	if err := check.Target([]float64{s.largest}, 1); err != nil {
		if e, is := err.(*gram.DataError); is {
			e.Row = s.largestRow
		}
		return nil, err
	}
	if s.have > 0 {
		if err := s.write(); err != nil {
			return nil, err
		}
	}
	begin := time.Now()
	s.g.ctx = ctx
	m := &model{cfg: s.c, d: s.d, mixed: slices.Clone(s.c.Columns), first: s.constant()}
	m.cfg.Given, m.cfg.Columns = Given{}, nil
	if err := s.update(ctx, m, nil); err != nil {
		return nil, err
	}
	meter := s.c.Meter()
	r := rng.New(s.c.Seed, 1)
	var grown []*tree
	for round := range s.c.Rounds {
		trees, err := s.round(ctx, func() []int32 { return draw(all(s.d), s.c.ColumnSample, r.Perm) })
		if err == nil {
			err = s.update(ctx, m, trees)
		}
		if err != nil {
			if round == 0 {
				return nil, err
			}
			m.finish(grown, begin)
			return m, err
		}
		grown = append(grown, trees...)
		more := s.c.ColumnSample < 1 || slices.ContainsFunc(trees, func(t *tree) bool { return len(t.nodes) > 1 })
		e := gram.Event{Phase: "boosting", Done: int64(round + 1), Total: int64(s.c.Rounds), Objective: m.stats.Objective[round+1]}
		if !more {
			e.Total = e.Done
		}
		meter.Report(e)
		if !more {
			break
		}
	}
	m.finish(grown, begin)
	return m, nil
}

// update adds the values of trees to the scores of all rows, or sets them to F₀ if there are no trees,
// and adds the mean loss to the statistics once it knows that of all rows.
func (s *Disk) update(ctx context.Context, m *model, trees []*tree) error {
	var sum float64
	var most gradient
	err := s.blocks(ctx, func(b, rows int) error {
		for out, t := range trees {
			par.Compute(context.Background(), s.g.workers(4*rows), rows, blockChunk, func(lo, hi int) {
				if s.wide != nil {
					descend(s.score[lo*s.k+out:], s.k, t, s.g.t.Wide, lo, hi)
				} else {
					descend(s.score[lo*s.k+out:], s.k, t, s.g.t.Narrow, lo, hi)
				}
			})
		}
		for i := 0; i < rows && trees == nil; i++ {
			copy(s.score[i*s.k:], m.first)
		}
		l := s.loss(rows)
		sums := make([]float64, (rows-1)/grain+1)
		largest := s.g.evaluateAll(l, s.score, []watched{{rows: all(rows)}}, sums)
		most = most.upTo(hist.Total{G: largest.g, C: largest.c})
		for _, chunk := range sums {
			sum += chunk
		}
		return s.writeNumbers(b)
	})
	if err == nil {
		s.g.fixed = newFixed(most, s.n)
		m.stats.Objective = append(m.stats.Objective, sum/float64(s.n))
	}
	return err
}

// growing is a tree with its leaves.
type growing struct {
	*tree
	out     int
	columns []int32
	leaves  []*leaf
	at      map[int]*opening // the leaves that the pass opens, by node
	opened  map[*leaf]*opening
}

// opening is a leaf whose children are looked at before it is known whether the tree splits it.
type opening struct {
	leaf  *leaf
	left  bool        // the histogram of the left child is summed, and not that of the right one
	small []hist.Cell // this histogram
	rows  []int32     // of the block that are in the child that is summed
}

// round grows a tree for each output.
func (s *Disk) round(ctx context.Context, columns func() []int32) ([]*tree, error) {
	var trees []*tree
	var all []*growing
	for out := range s.k {
		t := &growing{tree: &tree{}, out: out, columns: columns(), opened: map[*leaf]*opening{}}
		root := &leaf{node: t.leaf()}
		t.leaves = []*leaf{root}
		all, trees = append(all, t), append(trees, t.tree)
	}
	if err := s.roots(ctx, all); err != nil {
		return nil, err
	}
	for {
		grows := false
		for _, t := range all {
			grows = s.advance(t) || grows
		}
		if !grows {
			break
		}
		if err := s.open(ctx, all); err != nil {
			return nil, err
		}
	}
	for _, t := range all {
		for i := range t.value {
			t.value[i] *= s.c.Shrinkage
		}
	}
	return trees, nil
}

// add adds the words of some rows of the block to the histogram of columns.
func (s *Disk) add(t *growing, h []hist.Cell, rows []int32) error {
	g := s.g
	g.word = g.words[t.out]
	return par.Compute(g.ctx, g.workers(len(rows)*len(t.columns)), len(t.columns), together, func(lo, hi int) {
		g.add(h, rows, t.columns[lo:hi])
	})
}

// roots sums the histograms of the roots and finds their splits.
func (s *Disk) roots(ctx context.Context, trees []*growing) error {
	rows := all(s.size)
	for _, t := range trees {
		s.g.layout(t.columns)
		t.leaves[0].hist = s.g.buffer()
	}
	err := s.blocks(ctx, func(_, n int) error {
		s.g.evaluateAll(s.loss(n), s.score, nil, nil)
		for _, t := range trees {
			s.g.layout(t.columns)
			root := t.leaves[0]
			if err := s.add(t, root.hist, rows[:n]); err != nil {
				return err
			}
			root.sum.add(s.g.fixed.sum(s.g.total[t.out]))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range trees {
		root := t.leaves[0]
		root.hi = root.sum.n
		t.value[0] = s.g.newton(root.sum)
		s.g.layout(t.columns)
		if !s.g.splittable(root) {
			continue
		}
		if err := s.g.find(root); err != nil {
			return err
		}
	}
	return nil
}

// advance splits leaves of the tree, that of the largest gain first, as far as the gains of the
// children are known. It reports whether a pass is needed to know more, and chooses the leaves that
// it opens.
func (s *Disk) advance(t *growing) bool {
	t.at = nil
	for len(t.leaves) < s.c.MaxLeaves {
		at := 0
		for i, l := range t.leaves {
			if l.best.gain > t.leaves[at].best.gain {
				at = i
			}
		}
		parent := t.leaves[at]
		if !(parent.best.gain > 0) {
			return false
		}
		last := len(t.leaves)+1 == s.c.MaxLeaves
		o := t.opened[parent]
		if o == nil && !last {
			break
		}
		if o == nil {
			s.g.children(parent)
		}
		s.g.split(t.tree, parent)
		delete(t.opened, parent)
		t.leaves[at] = parent.sides[0]
		t.leaves = append(t.leaves, parent.sides[1])
	}
	if len(t.leaves) >= s.c.MaxLeaves {
		return false
	}
	var open []*leaf
	for _, l := range t.leaves {
		if l.best.gain > 0 && t.opened[l] == nil {
			open = append(open, l)
		}
	}
	slices.SortStableFunc(open, func(a, b *leaf) int { return cmp.Compare(b.best.gain, a.best.gain) })
	t.at = map[int]*opening{}
	for _, l := range open[:min(len(open), s.c.MaxLeaves-len(t.leaves))] {
		s.g.layout(t.columns)
		s.g.children(l)
		small, _ := l.smaller()
		t.at[l.node] = &opening{leaf: l, left: small == l.sides[0], small: s.g.buffer()}
	}
	return true
}

// open sums the histograms of the children of the leaves that are to be opened, and finds their splits.
func (s *Disk) open(ctx context.Context, trees []*growing) error {
	err := s.blocks(ctx, func(_, n int) error {
		s.g.evaluateAll(s.loss(n), s.score, nil, nil)
		for _, t := range trees {
			if len(t.at) == 0 {
				continue
			}
			s.g.layout(t.columns)
			s.collect(t, n)
			for _, l := range t.leaves {
				if o := t.at[l.node]; o != nil {
					if err := s.add(t, o.small, o.rows); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range trees {
		s.g.layout(t.columns)
		for _, l := range t.leaves {
			if o := t.at[l.node]; o != nil {
				if err := s.judge(o); err != nil {
					return err
				}
				t.opened[l] = o
			}
		}
	}
	return nil
}

// collect finds the rows of the block in the children that are summed.
func (s *Disk) collect(t *growing, n int) {
	if s.wide != nil {
		collect(t, s.g.t.Wide, n)
	} else {
		collect(t, s.g.t.Narrow, n)
	}
}

func collect[C bins.Code](t *growing, code [][]C, n int) {
	side := make([]*opening, len(t.nodes))
	for node, o := range t.at {
		side[node], o.rows = o, o.rows[:0]
	}
	for i := range n {
		at := arrives(t.tree, code, i)
		o := side[at]
		if o == nil {
			continue
		}
		b := o.leaf.best
		c := code[b.column][i]
		if goes := o.leaf.goes; (goes == nil && int32(c) <= b.bin || goes != nil && goes[c]) == o.left {
			o.rows = append(o.rows, int32(i))
		}
	}
}

// judge finds the splits of the children of a leaf.
func (s *Disk) judge(o *opening) error {
	l := o.leaf
	small, large := l.smaller()
	if !s.g.splittable(large) {
		return nil
	}
	for i, v := range o.small {
		l.hist[i] = l.hist[i].Minus(v)
	}
	large.hist, small.hist = l.hist, o.small
	for _, side := range []*leaf{large, small} {
		if s.g.splittable(side) {
			if err := s.g.find(side); err != nil {
				return err
			}
		}
		if !(side.best.gain > 0) {
			side.hist = nil
		}
	}
	return nil
}
