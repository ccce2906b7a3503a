package gbdt

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
)

// Boosting is where a fit by passes stands. It is not safe for concurrent use.
type Boosting struct {
	b     *Bins
	g     *grower // without rows
	n     int
	first []float64
	r     *rand.Rand // of the columns

	round, number int
	fixed         fixed    // units of the words
	most          gradient // the largest gradients of the rows before the round
	trees         []*growing
	ended         bool
}

// growing is a tree in hand, with its leaves.
type growing struct {
	asked
	out    int
	leaves []*leaf
	opens  []*leaf // those that the pass opens, as in open
}

// Boost begins a fit to all rows, whose counts are given. total is the sum of the values in the order of the rows; see
// Piece.Total. It is not used for classes, nor with FromZero.
func (b *Bins) Boost(n *Counts, total float64) (*Boosting, error) {
	if err := check.Rows(n.rows); err != nil {
		return nil, err
	}
	if n.rows > math.MaxInt32 {
		return nil, tooManyRows(int64(n.rows))
	}
	if err := check.Target([]float64{n.largest}, 1); err != nil {
		if e, is := err.(*gram.DataError); is {
			e.Row = n.largestRow
		}
		return nil, err
	}
	t := *b.t
	g := &grower{c: b.c, t: &t, k: b.k}
	g.rooms(0)
	s := &Boosting{b: b, g: g, n: n.rows, first: b.constant(n, total), r: rng.New(b.c.Seed, 1)}
	s.begin()
	return s, nil
}

// constant returns F₀ of each output from the counts of the classes or, for values, from their sum total. With FromZero it is 0.
func (b *Bins) constant(n *Counts, total float64) []float64 {
	first := make([]float64, b.k)
	switch {
	case b.c.FromZero:
	case b.names == nil:
		if first[0] = total / float64(n.rows); b.c.Loss == Poisson {
			first[0] = ln(max(first[0], tiny))
		}
	case b.k == 1:
		logOdds(first, n.class)
	default:
		logShares(first, n.class)
	}
	return first
}

// Constants returns a copy of F₀, the number to which the trees add, for each output.
func (s *Boosting) Constants() []float64 { return slices.Clone(s.first) }

// Done reports whether the fit has ended: all rounds are made, or no further round would split a leaf.
func (s *Boosting) Done() bool { return s.ended }

// Rounds returns the number of rounds that are made.
func (s *Boosting) Rounds() int { return s.round }

// Continue goes on behind so many rounds of a fit that was begun in the same way, of which last is the last one.
func (s *Boosting) Continue(rounds int, last *Round) {
	s.r, s.round, s.fixed = rng.New(s.b.c.Seed, 1), rounds, newFixed(last.most, s.n)
	for range rounds * s.b.k {
		s.columns()
	}
	s.begin()
	s.ended = s.ended || s.b.ends(last)
}

// ends reports whether no round after r has another tree.
func (b *Bins) ends(r *Round) bool {
	return b.c.ColumnSample == 1 && !slices.ContainsFunc(r.trees, func(t *tree) bool { return len(t.nodes) > 1 })
}

// columns draws the columns that a tree may split.
func (s *Boosting) columns() []int32 { return draw(all(len(s.b.t.Cuts)), s.b.c.ColumnSample, s.r.Perm) }

// begin starts the trees of the next round, each a leaf alone with the columns drawn for it, unless all rounds are made.
func (s *Boosting) begin() {
	s.trees, s.number = nil, 0
	if s.ended = s.round == s.b.c.Rounds; s.ended {
		return
	}
	for out := range s.b.k {
		t := &growing{asked: asked{tree: &tree{}, root: true, columns: s.columns()}, out: out}
		t.leaves = []*leaf{{node: t.leaf()}}
		s.trees = append(s.trees, t)
	}
}

// Pass returns the question for the next pass over the rows. In the first pass of a round, gradients are counted in the units of
// the round before, so that another pass is needed only where the largest gradients have other units. Once all rounds are made,
// only the loss is asked for.
func (s *Boosting) Pass() *Pass {
	p := &Pass{Round: s.round, Number: s.number, b: s.b, fixed: s.fixed}
	if s.fixed != (fixed{}) {
		for _, t := range s.trees {
			p.trees = append(p.trees, &t.asked)
		}
	}
	return p
}

// Step takes the answer of all rows to Pass, which is destroyed. It returns the round if that has made its trees.
func (s *Boosting) Step(ctx context.Context, sums *Sums) (*Round, error) {
	if sums.rows != int64(s.n) {
		return nil, fmt.Errorf("a pass has read %d rows, not %d: the data have changed", sums.rows, s.n)
	}
	s.g.ctx = ctx
	first := s.number == 0
	s.number++
	if first {
		s.most = sums.most
		if next := newFixed(s.most, s.n); next != s.fixed {
			s.fixed = next
			return nil, nil
		}
	}
	s.g.fixed = s.fixed
	grows := false
	of := sums.of
	for _, t := range s.trees {
		s.g.layout(t.columns)
		if t.root {
			t.root = false
			if err := s.plant(t, of[0]); err != nil {
				return nil, err
			}
			of = of[1:]
		}
		for i, l := range t.opens {
			if err := s.judge(l, of[i]); err != nil {
				return nil, err
			}
		}
		of = of[len(t.opens):]
		grows = s.advance(t) || grows
	}
	if grows {
		return nil, nil
	}
	r := &Round{b: s.b, most: s.most}
	for _, t := range s.trees {
		for i := range t.value {
			t.value[i] *= s.b.c.Shrinkage
		}
		r.trees = append(r.trees, t.tree)
	}
	s.round++
	s.begin()
	s.ended = s.ended || s.b.ends(r)
	return r, nil
}

// plant finds the split of the root of a tree, whose histogram is h.
func (s *Boosting) plant(t *growing, h []hist.Cell) error {
	root := t.leaves[0]
	var whole hist.Cell
	for _, c := range s.g.of(h, t.columns[0]) { // all rows are in some bin
		whole = whole.Plus(c)
	}
	root.hist, root.sum = h, s.fixed.sum(whole)
	root.hi = root.sum.n
	t.value[0] = s.g.newton(root.sum)
	if !s.g.splittable(root) {
		return nil
	}
	return s.g.find(root)
}

// advance splits leaves of the tree, that of the largest gain first, as far as the gains of the
// children are known. It reports whether a pass is needed to know more, and chooses the leaves that
// it opens.
func (s *Boosting) advance(t *growing) bool {
	t.open, t.opens = nil, nil
	for len(t.leaves) < s.b.c.MaxLeaves {
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
		last := len(t.leaves)+1 == s.b.c.MaxLeaves
		if !parent.opened && !last {
			break
		}
		if !parent.opened {
			s.g.children(parent)
		}
		s.g.split(t.tree, parent)
		t.leaves[at] = parent.sides[0]
		t.leaves = append(t.leaves, parent.sides[1])
	}
	if len(t.leaves) >= s.b.c.MaxLeaves {
		return false
	}
	for _, l := range t.leaves {
		if l.best.gain > 0 && !l.opened {
			t.opens = append(t.opens, l)
		}
	}
	slices.SortStableFunc(t.opens, func(a, b *leaf) int { return cmp.Compare(b.best.gain, a.best.gain) })
	t.opens = t.opens[:min(len(t.opens), s.b.c.MaxLeaves-len(t.leaves))]
	for _, l := range t.opens {
		s.g.children(l)
		small, _ := l.smaller()
		t.open = append(t.open, candidateSplit{l.node, division{l.best.column, l.best.bin, l.goes}, small == l.sides[0]})
	}
	return true
}

// judge finds the splits of the children of a leaf, of which h is the histogram of the left or the right one.
func (s *Boosting) judge(l *leaf, h []hist.Cell) error {
	l.opened = true
	small, large := l.smaller()
	if !s.g.splittable(large) {
		return nil
	}
	hist.Subtract(l.hist, h)
	large.hist, small.hist = l.hist, h
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

// Model returns the *Classifier or the *Regressor of the given rounds, which are all from the first one on.
func (s *Boosting) Model(rounds []*Round) modelfile.Model {
	m := s.model(rounds, time.Now())
	if s.b.names != nil {
		return &Classifier{*m, s.b.names}
	}
	return &Regressor{*m}
}

// model returns the model of some rounds of a fit that has begun at the given time.
func (s *Boosting) model(rounds []*Round, begin time.Time) *model {
	m := &model{cfg: s.b.c, d: len(s.b.t.Cuts), mixed: slices.Clone(s.b.c.Columns), first: s.first}
	m.cfg.Given, m.cfg.Columns = Given{}, nil
	var trees []*tree
	for _, r := range rounds {
		trees = append(trees, r.trees...)
	}
	m.finish(trees, begin)
	return m
}
