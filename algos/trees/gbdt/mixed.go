package gbdt

import (
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// samples returns the rows of x for a fit, checked like Run.Samples does it, but for missing
// cells and categories where Columns has them. Finite numbers may be of any size, since trees
// only compare them.
func (c Config) samples(x mat.Matrix, outputs int) (gram.Samples[float64], error) {
	var none gram.Samples[float64]
	n, d := x.Dims()
	if n > 0 && d < 1 {
		return none, settings.Refuse("columns", d, "at least one")
	}
	if err := c.checkColumns(d); err != nil {
		return none, err
	}
	shape := gram.ShapeOf(x, outputs)
	plan, err := c.Plan(shape)
	if err != nil {
		return none, err
	}
	plan.PeakBytes += shape.Copied
	if err := c.Run.Check(plan); err != nil {
		return none, err
	}
	s := gram.Of(x)
	if a := s.CSR(); a != nil {
		if err := a.Validate(); err != nil {
			return none, err
		}
	}
	return s, c.checkCells(s)
}

// checkColumns returns an error unless Columns, if there are any, are d columns, and Monotone fits them.
func (c Config) checkColumns(d int) error {
	if c.Columns != nil && len(c.Columns) != d {
		return settings.Refuse("Columns", fmt.Sprintf("%d columns", len(c.Columns)), "the %d of x", d)
	}
	for j, about := range c.Columns {
		if about.Levels < 0 || about.Levels > maxLevels {
			return settings.Refuse("Columns", fmt.Sprintf("column %d with %d levels", j, about.Levels), "from 0 to %d", maxLevels)
		}
	}
	return c.checkMonotone(d)
}

// checkCells returns an error unless all cells are finite, or what Columns says.
func (c Config) checkCells(s gram.Samples[float64]) error {
	if c.Columns == nil {
		return s.Finite()
	}
	n, d := s.Dims()
	row := make([]float64, d)
	for i := range n {
		for j, v := range s.Row(row, i) {
			switch about := c.Columns[j]; {
			case v != v && (about.Missing || about.Levels > 0), about.Levels > 0 && v < 0 && v >= -math.MaxFloat64:
			case v-v != 0:
				return &gram.DataError{Row: i, Col: j, Value: v, Reason: "not finite"}
			case about.Levels > 0 && (v != math.Trunc(v) || v >= float64(about.Levels)):
				return &gram.DataError{Row: i, Col: j, Value: v, Reason: fmt.Sprintf("not one of the %d levels of its column", about.Levels)}
			}
		}
	}
	return nil
}

// maxLevels is the number of levels that leaves a bin for missing cells.
const maxLevels = 1<<16 - 1

// Categories are split with these numbers added to the curvature of the levels where they are
// ordered, and to λ in the gain: levels of few rows would else gain by chance.
const (
	levelSmoothing = 10
	levelPenalty   = 10
)

// scanLevels is scan for a category: its levels, and the missing cells as one more, are ordered
// by gradient over curvature, and cut in two.
func (s *search) scanLevels(column int32) {
	h := s.of(s.leaf.hist, column)
	var order []int32
	sums := make([]sum, len(h))
	for b := range h {
		if sums[b] = s.fixed.sum(h[b]); sums[b].n > 0 {
			order = append(order, int32(b))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := sums[a].g/(sums[a].c+levelSmoothing), sums[b].g/(sums[b].c+levelSmoothing)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	lambda := s.grower.c.Lambda.Value()
	whole := s.takes(s.leaf.sum, s.leaf.within, lambda)
	var left sum
	for k := range max(0, len(order)-1) {
		left.add(sums[order[k]])
		right := s.leaf.sum.minus(left)
		if right.n < int(s.rows) {
			break
		}
		if left.n < int(s.rows) || s.direct == nil && min(left.c, right.c) < s.grower.c.MinCurvature.Value() {
			continue
		}
		found := candidate{column: column, bin: int32(k), order: order, left: left,
			gain: s.takes(left, s.leaf.within, lambda+levelPenalty) + s.takes(right, s.leaf.within, lambda+levelPenalty) - whole,
			// Levels that the leaf does not have go with most of its rows.
			lost: left.n > right.n,
		}
		if found.gain > s.best.gain {
			s.best = found
		}
		if s.direct != nil {
			s.all = append(s.all, found)
		}
	}
}

// goes returns which bins of the candidate's column go left; nil if those of at most s.bin do.
func (g *grower) goes(s *candidate) []bool {
	switch {
	case s.order != nil:
		left := make([]bool, g.t.Bins(int(s.column)))
		if s.lost {
			for b := range left {
				left[b] = true
			}
		}
		for k, b := range s.order {
			left[b] = k <= int(s.bin)
		}
		return left
	case s.lost && g.t.Missing(int(s.column)):
		left := make([]bool, g.t.Bins(int(s.column)))
		for b := range s.bin + 1 {
			left[b] = true
		}
		left[len(left)-1] = true
		return left
	}
	return nil
}

// threshold returns that of a split of numbers: the largest number if only missing cells go
// right.
func (g *grower) threshold(s *candidate) float64 {
	switch cuts := g.t.Cuts[s.column]; {
	case s.order != nil:
		return 0
	case int(s.bin) < len(cuts):
		return cuts[s.bin]
	}
	return math.MaxFloat64
}

// The kind of a node says which way a cell goes. Kinds from levelNode on name a set of levels.
const (
	plainNode   = iota // a number above the threshold goes right, a missing one left
	missingNode        // both go right
	levelNode          // to the left go the levels of set kind−levelNode
)

// addKinds gives the nodes of t, which have just been added, their kinds.
func (m *model) addKinds(t *tree) {
	f := &m.forest
	base := len(f.nodes) - len(t.nodes)
	for i, n := range t.nodes {
		kind := int32(plainNode)
		switch {
		case n.leaf(int32(i)) || m.mixed == nil || !m.mixed[n.feature].takesMissing():
		case m.mixed[n.feature].Levels > 0:
			kind = f.addSet(t.goes[i])
		case t.goes[i] == nil:
			kind = missingNode
		}
		f.setKind(base+i, kind)
	}
}

// takesMissing reports whether cells of the column may be missing. Those of a category always may.
func (c Column) takesMissing() bool { return c.Missing || c.Levels > 0 }

// addSet adds the set of levels that go left, of which the last stands for missing cells, and
// returns the kind of its node.
func (f *forest[F]) addSet(left []bool) int32 {
	words := make([]int32, (len(left)+31)/32)
	put := func(bit int, goes bool) {
		if goes {
			words[bit/32] |= 1 << (bit % 32)
		}
	}
	last := len(left) - 1
	put(0, left[last])
	for bit := range 32*len(words) - 1 {
		put(bit+1, left[min(bit, last)])
	}
	f.starts, f.sets = append(f.starts, int32(len(f.sets))), append(f.sets, words...)
	return int32(levelNode + len(f.starts) - 1)
}

// setKind sets the kind of node i, the last one or one behind it.
func (f *forest[F]) setKind(i int, kind int32) {
	if kind == plainNode && f.kinds == nil {
		return
	}
	for len(f.kinds) < len(f.nodes) {
		f.kinds = append(f.kinds, plainNode)
	}
	f.kinds[i] = kind
}

// set returns set k of levels as words of 32 bits, which inSet reads.
func (f *forest[F]) set(k int32) []int32 {
	end := len(f.sets)
	if int(k)+1 < len(f.starts) {
		end = int(f.starts[k+1])
	}
	return f.sets[f.starts[k]:end]
}

// inSet reports whether a level goes left; bit 0 stands for missing cells and for levels that
// the set does not have.
func inSet[F gram.Float](set []int32, level F) bool {
	bit := 0
	if level >= 0 && level < F(32*len(set)-1) {
		bit = int(level) + 1
	}
	return set[bit/32]>>(bit%32)&1 != 0
}

// next returns the child of node at that a row goes to.
func (f *forest[F]) next(at int32, x []F) int32 {
	n := &f.nodes[at]
	v := x[n.feature]
	if f.kinds == nil {
		return n.left + above(v, n.threshold)
	}
	switch kind := f.kinds[at]; {
	case kind == plainNode:
		return n.left + above(v, n.threshold)
	case kind == missingNode:
		if v <= n.threshold {
			return n.left
		}
		return n.left + 1
	default:
		if inSet(f.set(kind-levelNode), v) {
			return n.left
		}
		return n.left + 1
	}
}

// mixed adds the values of all trees to dst for a row with categories or missing cells.
func (f *forest[F]) mixed(dst, x []F) {
	c := 0
	for _, at := range f.roots {
		for next := f.next(at, x); next != at; next = f.next(at, x) {
			at = next
		}
		if dst[c] += f.value[at]; c+1 < len(dst) {
			c++
		} else {
			c = 0
		}
	}
}

// lost reports whether a cell is missing in a column that had none missing.
func (p *scorer[F]) lost(row []F) bool {
	for j, v := range row {
		if v != v && !p.columns[j].takesMissing() {
			return true
		}
	}
	return false
}
