package gbdt

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/par"
)

// lossFunction is a loss of the scores of a row. The scores of row i are at i·outputs.
type lossFunction interface {
	outputs() int
	// constant sets first to the scores that minimize the loss over the rows.
	constant(first []float64, rows []int32, w []float64)
	// evaluate sets g and c to the first and second derivatives of the losses of rows lo…hi−1, times the weights, and value to
	// the losses, not weighted. The numbers of row lo come first, and the derivatives of an output behind those of the one before.
	evaluate(g, c, value, score, w []float64, lo, hi int)
}

// exp and ln have the same bits on every machine, which those of package math do not.
func exp(x float64) float64 {
	a := [1]float64{x}
	vec.SameExp(a[:], a[:])
	return a[0]
}

func ln(x float64) float64 {
	a := [1]float64{x}
	vec.SameLog(a[:], a[:])
	return a[0]
}

func weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

type squaredLoss struct{ y []float64 }

func (l squaredLoss) outputs() int { return 1 }

func (l squaredLoss) constant(first []float64, rows []int32, w []float64) {
	var sum, total float64
	for _, i := range rows {
		v := weight(w, int(i))
		sum += float64(v * l.y[i])
		total += v
	}
	if total > 0 {
		first[0] = sum / total
	}
}

func (l squaredLoss) evaluate(g, c, value, score, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		e := score[i] - l.y[i]
		v := weight(w, i)
		g[i-lo], c[i-lo], value[i-lo] = v*e, v, e*e/2
	}
}

// ofValues returns the loss of the values y.
func (c Config) ofValues(y []float64) lossFunction {
	switch c.Loss {
	case Absolute:
		return quantileLoss{y, .5, 2}
	case Quantile:
		return quantileLoss{y, c.Level, 1}
	case Huber:
		return &huberLoss{y, c.Delta, c.Level}
	case Poisson:
		return poissonLoss{y}
	}
	return squaredLoss{y}
}

// checkCounts returns a *gram.DataError for a value that the loss does not take: one below 0 with Poisson.
func (c Config) checkCounts(y []float64) error {
	if c.Loss == Poisson {
		for i, v := range y {
			if v < 0 {
				return &gram.DataError{Row: i, Col: -1, Value: v, Reason: "the Poisson loss is for targets of at least 0"}
			}
		}
	}
	return nil
}

// quantileLoss is factor·level·(y−F) above F and factor·(1−level)·(F−y) below. It has no curvature: 1 stands for it where
// splits are judged, and leaves are set to the quantiles of their residuals.
type quantileLoss struct {
	y             []float64
	level, factor float64
}

func (l quantileLoss) outputs() int { return 1 }

func (l quantileLoss) constant(first []float64, rows []int32, w []float64) {
	first[0] = l.minimizer(rows, w, func(i int32) float64 { return l.y[i] })
}

func (l quantileLoss) evaluate(g, c, value, score, w []float64, lo, hi int) {
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
func (l quantileLoss) minimizer(rows []int32, w []float64, number func(i int32) float64) float64 {
	if w == nil && len(rows) > 0 {
		list := make([]float64, len(rows))
		for p, i := range rows {
			list[p] = number(i)
		}
		slices.Sort(list)
		return list[max(1, int(math.Ceil(l.level*float64(len(list)))))-1]
	}
	type weighted struct{ number, weight float64 }
	var list []weighted
	var total, sum float64
	for _, i := range rows {
		if v := w[i]; v > 0 {
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
// They are in the order of Config.Monotone.
func (g *grower) refit(t *tree, q quantileLoss, score []float64) {
	par.Compute(context.Background(), g.workers(4*g.t.N), len(g.leaves), 1, func(lo, hi int) {
		for _, l := range g.leaves[lo:hi] {
			t.value[l.node] = g.c.Shrinkage * q.minimizer(g.rows[l.lo:l.hi], g.w, func(i int32) float64 { return q.y[i] - score[i] })
		}
	})
	if g.c.ordered() {
		g.order(t, q, score)
	}
}

// huberLoss is the loss of Huber divided by delta, so that means of rounds with other deltas can be compared; its gradients are not divided.
// Beyond delta, where there is no curvature, 1 stands for it: it bounds the loss from above, and no tree of all rows makes it larger.
type huberLoss struct {
	y            []float64
	delta, level float64 // a level above 0: delta follows
}

func (l *huberLoss) outputs() int { return 1 }

// constant is the median, which does not depend on delta.
func (l *huberLoss) constant(first []float64, rows []int32, w []float64) {
	quantileLoss{l.y, .5, 2}.constant(first, rows, w)
}

// follow sets delta to the quantile of the rows' residuals, if it was not given. If that is 0 it is the largest one, and 1 if all are 0.
func (l *huberLoss) follow(score []float64, rows []int32, w []float64) {
	if l.level == 0 {
		return
	}
	residual := func(i int32) float64 { return math.Abs(l.y[i] - score[i]) }
	l.delta = quantileLoss{level: l.level}.minimizer(rows, w, residual)
	if l.delta == 0 {
		for _, i := range rows {
			l.delta = max(l.delta, residual(i))
		}
	}
	if l.delta == 0 {
		l.delta = 1
	}
}

func (l *huberLoss) evaluate(g, c, value, score, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		e := score[i] - l.y[i]
		slope := max(-l.delta, min(l.delta, e))
		v := weight(w, i)
		g[i-lo], c[i-lo], value[i-lo] = v*slope, v, slope/l.delta*(e-slope/2)
	}
}

// poissonLoss is e^F−yF: the negative logarithm of the probability of y, up to log y!.
type poissonLoss struct{ y []float64 }

func (l poissonLoss) outputs() int { return 1 }

func (l poissonLoss) constant(first []float64, rows []int32, w []float64) {
	squaredLoss(l).constant(first, rows, w)
	first[0] = ln(max(first[0], tiny))
}

func (l poissonLoss) evaluate(g, c, value, score, w []float64, lo, hi int) {
	const block = 256
	var mean [block]float64
	for from := lo; from < hi; from += block {
		n := min(block, hi-from)
		for t, f := range score[from : from+n] {
			mean[t] = min(f, scoreLimit)
		}
		vec.SameExp(mean[:n], mean[:n])
		for t, m := range mean[:n] {
			i := from + t
			v, at := weight(w, i), i-lo
			g[at], c[at], value[at] = v*(m-l.y[i]), v*m, m-float64(l.y[i]*score[i])
		}
	}
}

// logFactor is the value of a leaf with the loss poisson, where H is the sum of the means and G that of the means less the values y:
//
//	log((Σy+λ)/(H+λ)) = log(1−G/(H+λ)),
//
// which minimizes the loss with the penalty λ(e^h−h), and agrees with −G/(H+λ) to first order. It makes a mean at most as large as
// the values are, where steps of second order overshoot.
func logFactor(s sum, lambda float64) float64 {
	return ln(max(1-s.g/(s.c+lambda), tiny))
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
	first[0] = ln(max(count[1], tiny)) - ln(max(count[0], tiny))
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
		vec.SameExp(odds, odds) // of the class that is less likely
		log := value[at : at+len(odds)]
		for t, u := range odds {
			log[t] = 1 + u
		}
		vec.SameLog(log, log)
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
		first[c] = ln(max(v, tiny))
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

// evaluate does the outputs one after the other, as they are in g and c.
func (l softmax) evaluate(g, c, value, score, w []float64, lo, hi int) {
	n := hi - lo
	top, sum := c[:n], value[:n]
	for at := range n {
		s := score[(lo+at)*l.k:][:l.k]
		top[at] = slices.Max(s)
		for out, v := range s {
			g[out*n+at] = v - top[at]
		}
	}
	vec.SameExp(g, g)
	clear(sum)
	for out := range l.k {
		for at, e := range g[out*n:][:n] {
			sum[at] += e
		}
	}
	for out := range l.k {
		p := g[out*n:][:n]
		for at, total := range sum {
			p[at] /= total
		}
	}
	vec.SameLog(value, value)
	for at, log := range value {
		i := lo + at
		value[at] = log + top[at] - score[i*l.k+l.class[i]]
	}
	for out := range l.k {
		p, c := g[out*n:][:n], c[out*n:][:n]
		for at, e := range p {
			v := weight(w, lo+at)
			p[at], c[at] = v*e, v*e*(1-e)
		}
	}
	for at := range n {
		g[l.class[lo+at]*n+at] -= weight(w, lo+at)
	}
}
