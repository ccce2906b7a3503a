package gbdt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/settings"
)

// limits bound the values of a leaf and of all leaves that it is split into; nil: there are no limits. A split of a column with a
// sign divides the limits of its leaf at the mean of the values of its two children, so that all leaves to one side are below all
// leaves to the other.
type limits struct{ low, high float64 }

func (l *limits) clamp(v float64) float64 {
	if l == nil {
		return v
	}
	return max(l.low, min(l.high, v))
}

// part returns the limits of the children of a split with a sign, which is not 0, whose children have the given values.
func (l *limits) part(sign int, left, right float64) (*limits, *limits) {
	if l == nil {
		l = &limits{math.Inf(-1), math.Inf(1)}
	}
	mid := (left + right) / 2
	below, above := &limits{l.low, mid}, &limits{mid, l.high}
	if sign < 0 {
		return above, below
	}
	return below, above
}

// sign returns the direction that Config.Monotone asks for in a column: 1, −1 or 0.
func (c *Config) sign(column int) int {
	if column < len(c.Monotone) {
		return c.Monotone[column]
	}
	return 0
}

// ordered reports whether some column has a sign.
func (c *Config) ordered() bool {
	return slices.ContainsFunc(c.Monotone, func(sign int) bool { return sign != 0 })
}

// bounded returns the value of a leaf of sum s within limits.
func (g *grower) bounded(s sum, within *limits) float64 { return within.clamp(g.newton(s)) }

// takes is what a leaf of sum s takes off the loss, by the second-order expansion with λ, if its value is within limits.
func (g *grower) takes(s sum, within *limits, lambda float64) float64 {
	free := g.newton(s)
	step := within.clamp(free)
	if step == free {
		return half(s, lambda)
	}
	if g.c.Loss == Poisson {
		step = expm1(step) // whose logFactor it is
	}
	return -(float64(s.g*step) + float64((s.c+lambda)*step*step/2))
}

// expm1 returns e^x−1 without loss of digits for small x. With u the rounded e^x, u−1 is the result for ln u instead of x; the
// factor x/ln u corrects it.
func expm1(x float64) float64 {
	u := exp(x)
	if u == 1 || u == 0 {
		return max(x, -1)
	}
	return (u - 1) * (x / ln(u))
}

// inherit returns the limits of the children of l at its split b.
func (g *grower) inherit(l *leaf, b *candidate) (left, right *limits) {
	sign := g.c.sign(int(b.column))
	if sign == 0 {
		return l.within, l.within
	}
	return l.within.part(sign, g.bounded(b.left, l.within), g.bounded(l.sum.minus(b.left), l.within))
}

// scanOrdered is scanNumbers where some column has a sign: values are within the limits of the leaf, and those of the
// children of this column in its order.
func (s *search) scanOrdered(column int32, h []hist.Cell, acc hist.Cell, lost bool) {
	c, whole, within := &s.grower.c, s.leaf.sum, s.leaf.within
	sign, lambda := float64(c.sign(int(column))), c.Lambda.Value()
	before := s.takes(whole, within, lambda)
	for b, cell := range h[:len(h)-1] {
		if cell[1] == 0 {
			continue
		}
		acc = acc.Plus(cell)
		left := s.fixed.sum(acc)
		right := whole.minus(left)
		if right.n < c.MinRows {
			break
		}
		if left.n < c.MinRows || min(left.c, right.c) < c.MinCurvature.Value() || sign*(s.bounded(right, within)-s.bounded(left, within)) < 0 {
			continue
		}
		if gain := s.takes(left, within, lambda) + s.takes(right, within, lambda) - before; gain > s.best.gain {
			s.best = candidate{column: column, bin: int32(b), gain: gain, left: left, lost: lost}
		}
	}
}

// order keeps the leaves of a tree of quantiles in the order of the signs: the quantiles of the rows of the children of a
// split with a sign part the limits of their descendants.
func (g *grower) order(t *tree, q quantileLoss, score []float64) {
	lo, hi := make([]int, len(t.nodes)), make([]int, len(t.nodes)) // the rows of the nodes
	for _, l := range g.leaves {
		lo[l.node], hi[l.node] = l.lo, l.hi
	}
	value, needed := make([]float64, len(t.nodes)), []int{}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if n := t.nodes[i]; !n.leaf(int32(i)) {
			lo[i], hi[i] = lo[n.left], hi[n.left+1]
			if g.c.sign(int(n.feature)) != 0 {
				needed = append(needed, int(n.left), int(n.left)+1)
			}
		}
	}
	par.Compute(context.Background(), g.workers(4*g.t.N), len(needed), 1, func(from, to int) {
		for _, i := range needed[from:to] {
			value[i] = g.c.Shrinkage * q.minimizer(g.rows[lo[i]:hi[i]], g.w, func(i int32) float64 { return q.y[i] - score[i] })
		}
	})
	within := make([]*limits, len(t.nodes))
	for i, n := range t.nodes {
		if n.leaf(int32(i)) {
			t.value[i] = within[i].clamp(t.value[i])
			continue
		}
		l, r := n.left, n.left+1
		within[l], within[r] = within[i], within[i]
		if sign := g.c.sign(int(n.feature)); sign != 0 {
			within[l], within[r] = within[i].part(sign, within[i].clamp(value[l]), within[i].clamp(value[r]))
		}
	}
}

// monotone describes the setting of Monotone: signs with the numbers of columns, or with names until these are known.
func (c *Config) monotone(s *settings.Fields) {
	s.Add(&c.Monotone, "monotone", "columns", "columns that the prediction rises with, COLUMN:1, or falls with, COLUMN:-1, with commas between them; COLUMN is a name or, from 1 on, a number", "none", func(text string) error {
		if c.Monotone, c.named = nil, nil; text == "none" {
			return nil
		}
		for item := range strings.SplitSeq(text, ",") {
			at := strings.LastIndexByte(item, ':')
			if at < 1 {
				return fmt.Errorf("want COLUMN:1 or COLUMN:-1, with commas between them")
			}
			name, sign := strings.TrimSpace(item[:at]), strings.TrimSpace(item[at+1:])
			if sign != "1" && sign != "-1" && sign != "0" {
				return fmt.Errorf("want the sign 1 or -1 for column %s", name)
			}
			j, err := strconv.Atoi(name)
			switch {
			case err != nil:
				c.named = append(c.named, name+":"+sign)
				continue
			case j < 1 || j > maxColumns:
				return fmt.Errorf("want numbers of columns from 1 to %d", maxColumns)
			}
			for len(c.Monotone) < j {
				c.Monotone = append(c.Monotone, 0)
			}
			c.Monotone[j-1], _ = strconv.Atoi(sign)
		}
		return nil
	}, func() string {
		list := slices.Clone(c.named)
		for j, sign := range c.Monotone {
			if sign != 0 {
				list = append(list, fmt.Sprint(j+1, ":", sign))
			}
		}
		return strings.Join(list, ",")
	})
	s.Require(!c.ordered() || s.Shape.Outputs <= 2, &c.Monotone, "not given for more than two classes, as the probability of each depends on the scores of all")
	s.Require(!c.ordered() || c.Criterion != DirectLoss, &c.Monotone, "not given with the direct criterion")
}

// maxColumns is the largest number of a column in the setting monotone.
const maxColumns = 1 << 24

// checkMonotone returns an error unless Monotone fits d columns.
func (c *Config) checkMonotone(d int) error {
	switch {
	case len(c.named) > 0:
		return settings.Refuse("Monotone", strings.Join(c.named, ","), "numbers of columns: these have no such names")
	case len(c.Monotone) > d:
		return settings.Refuse("Monotone", fmt.Sprintf("%d signs", len(c.Monotone)), "at most the %d columns of x", d)
	}
	for j, sign := range c.Monotone {
		if sign < -1 || sign > 1 {
			return settings.Refuse("Monotone", sign, "-1, 0 or 1 for column %d", j)
		}
		if sign != 0 && c.Columns != nil && c.Columns[j].Levels > 0 {
			return settings.Refuse("Monotone", sign, "0 for column %d, whose categories have no order", j)
		}
	}
	return nil
}
