package gbdt

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/par"
)

// loss is a loss of the scores of a row. The scores of row i are at i·outputs.
type loss interface {
	outputs() int
	// constant sets first to the scores that minimize the loss over the rows.
	constant(first []float64, rows []int32, w []float64)
	// evaluate sets g and c to the first and second derivatives of the losses of rows lo…hi−1, times the weights, and value to
	// the losses, not weighted. The numbers of row lo come first, and the derivatives of an output behind those of the one before.
	evaluate(g, c, value, score, w []float64, lo, hi int)
}

func weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

type squared struct{ y []float64 }

func (l squared) outputs() int { return 1 }

func (l squared) constant(first []float64, rows []int32, w []float64) {
	var sum, total float64
	for _, i := range rows {
		v := weight(w, int(i))
		sum += v * l.y[i]
		total += v
	}
	if total > 0 {
		first[0] = sum / total
	}
}

func (l squared) evaluate(g, c, value, score, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		e := score[i] - l.y[i]
		v := weight(w, i)
		g[i-lo], c[i-lo], value[i-lo] = v*e, v, e*e/2
	}
}

// ofValues returns the loss of the values y.
func (c Config) ofValues(y []float64) loss {
	switch c.Loss {
	case Absolute:
		return quantile{y, .5, 2}
	case Quantile:
		return quantile{y, c.Level, 1}
	}
	return squared{y}
}

// quantile is factor·level·(y−F) above F and factor·(1−level)·(F−y) below. It has no curvature: 1 stands for it where
// splits are judged, and leaves are set to the quantiles of their residuals.
type quantile struct {
	y             []float64
	level, factor float64
}

func (l quantile) outputs() int { return 1 }

func (l quantile) constant(first []float64, rows []int32, w []float64) {
	first[0] = l.minimizer(rows, w, func(i int32) float64 { return l.y[i] })
}

func (l quantile) evaluate(g, c, value, score, w []float64, lo, hi int) {
	above, below := -l.factor*l.level, l.factor*(1-l.level)
	for i := lo; i < hi; i++ {
		e, slope := score[i]-l.y[i], below
		if e < 0 {
			slope = above
		}
		v := weight(w, i)
		g[i-lo], c[i-lo], value[i-lo] = v*slope, v, slope*e
	}
}

// minimizer returns the least of the rows' numbers of which at least level of the weight is at most that number; 0 without
// weight. O(n·log n) for n rows.
func (l quantile) minimizer(rows []int32, w []float64, number func(i int32) float64) float64 {
	type weighted struct{ number, weight float64 }
	var list []weighted
	var total, sum float64
	for _, i := range rows {
		if v := weight(w, int(i)); v > 0 {
			list = append(list, weighted{number(i), v})
		}
	}
	slices.SortFunc(list, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.weight, b.weight))
	})
	for _, a := range list {
		total += a.weight
	}
	for _, a := range list {
		if sum += a.weight; sum >= l.level*total {
			return a.number
		}
	}
	return 0
}

// refit sets the leaves of a tree of the grown rows to the quantiles of their residuals, times the shrinkage.
func (g *grower) refit(t *tree, q quantile, score []float64) {
	par.Compute(context.Background(), g.workers(4*g.t.N), len(g.leaves), 1, func(lo, hi int) {
		for _, l := range g.leaves[lo:hi] {
			t.value[l.node] = g.c.Shrinkage * q.minimizer(g.rows[l.lo:l.hi], g.w, func(i int32) float64 { return q.y[i] - score[i] })
		}
	})
}

type logistic struct{ class []int }

func (l logistic) outputs() int { return 1 }

func (l logistic) constant(first []float64, rows []int32, w []float64) {
	var count [2]float64
	for _, i := range rows {
		count[l.class[i]] += weight(w, int(i))
	}
	logOdds(first, count[:])
}

// logOdds sets the score of two classes with rows of the given weights.
func logOdds(first, count []float64) {
	first[0] = math.Log(max(count[1], tiny)) - math.Log(max(count[0], tiny))
}

// tiny stands for the weight of a class without rows, so that its log is finite.
const tiny = 1e-10

func (l logistic) evaluate(g, c, value, score, w []float64, lo, hi int) {
	const block = 256
	var odds [block]float64
	for from := lo; from < hi; from += block {
		to := min(from+block, hi)
		odds, at := odds[:to-from], from-lo
		for t, f := range score[from:to] {
			odds[t] = -math.Abs(f)
		}
		vec.Exp(odds, odds) // of the class that is less likely
		log := value[at : at+len(odds)]
		for t, u := range odds {
			log[t] = 1 + u
		}
		vec.Log(log, log)
		weights := ones[:len(odds)]
		if w != nil {
			weights = w[from:to]
		}
		hist.Logistic(g[at:at+len(odds)], c[at:at+len(odds)], log, score[from:to], odds, weights, l.class[from:to])
	}
}

// ones are the weights of a block of rows that have none.
var ones = slices.Repeat([]float64{1}, 256)

type softmax struct {
	class []int
	k     int
}

func (l softmax) outputs() int { return l.k }

func (l softmax) constant(first []float64, rows []int32, w []float64) {
	for _, i := range rows {
		first[l.class[i]] += weight(w, int(i))
	}
	logShares(first, first)
}

// logShares sets the scores of more than two classes with rows of the given weights. Both may be one.
func logShares(first, count []float64) {
	for c, v := range count {
		first[c] = math.Log(max(v, tiny))
	}
	// Scores matter up to a constant: they sum to 0.
	var sum float64
	for _, v := range first {
		sum += v
	}
	for c := range first {
		first[c] -= sum / float64(len(first))
	}
}

func (l softmax) evaluate(g, c, value, score, w []float64, lo, hi int) {
	p := make([]float64, l.k)
	for i := lo; i < hi; i++ {
		s, at := score[i*l.k:(i+1)*l.k], i-lo
		top := slices.Max(s)
		for out, v := range s {
			p[out] = v - top
		}
		vec.Exp(p, p)
		var sum float64
		for _, e := range p {
			sum += e
		}
		v := weight(w, i)
		for out, e := range p {
			e /= sum
			g[out*(hi-lo)+at], c[out*(hi-lo)+at] = v*e, v*e*(1-e)
		}
		y := l.class[i]
		g[y*(hi-lo)+at] -= v
		value[at] = math.Log(sum) + top - s[y]
	}
}
