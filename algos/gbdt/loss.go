package gbdt

import (
	"context"
	"math"

	"github.com/gramworks/gram/internal/par"
)

// gradient is the first and second derivative of a row's loss, times its weight.
type gradient struct{ g, c float64 }

// loss is a loss of the scores of a row. Scores and gradients of row i are at
// i·outputs.
type loss interface {
	outputs() int
	// constant sets first to the scores that minimise the loss over the rows.
	constant(first []float64, rows []int32, w []float64)
	// gradients sets those of rows lo…hi−1.
	gradients(dst []gradient, score, w []float64, lo, hi int)
	value(score []float64, i int) float64
}

func weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// grain is the number of rows that one goroutine takes at a time.
const grain = 4096

// mean is the weighted mean loss of rows.
func mean(workers int, l loss, score []float64, rows []int32, w []float64) float64 {
	k := l.outputs()
	type part struct{ sum, total float64 }
	p, _ := par.Sum(context.Background(), workers, len(rows), grain, func(lo, hi int) (p part) {
		for _, i := range rows[lo:hi] {
			v := weight(w, int(i))
			p.total += v
			p.sum += v * l.value(score[int(i)*k:(int(i)+1)*k], int(i))
		}
		return p
	}, func(a, b part) part { return part{a.sum + b.sum, a.total + b.total} })
	if p.total == 0 {
		return 0
	}
	return p.sum / p.total
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

func (l squared) gradients(dst []gradient, score, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		f := score[i]
		v := weight(w, i)
		dst[i] = gradient{v * (f - l.y[i]), v}
	}
}

func (l squared) value(score []float64, i int) float64 {
	e := score[0] - l.y[i]
	return e * e / 2
}

type logistic struct{ class []int }

func (l logistic) outputs() int { return 1 }

func (l logistic) constant(first []float64, rows []int32, w []float64) {
	var count [2]float64
	for _, i := range rows {
		count[l.class[i]] += weight(w, int(i))
	}
	first[0] = math.Log(max(count[1], tiny)) - math.Log(max(count[0], tiny))
}

// tiny stands for the weight of a class without rows, so that its log is finite.
const tiny = 1e-10

func (l logistic) gradients(dst []gradient, score, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		f := score[i]
		p := sigmoid(f)
		v := weight(w, i)
		dst[i] = gradient{v * (p - float64(l.class[i])), v * p * (1 - p)}
	}
}

func (l logistic) value(score []float64, i int) float64 {
	if l.class[i] == 1 {
		return softplus(-score[0])
	}
	return softplus(score[0])
}

type softmax struct {
	class []int
	k     int
}

func (l softmax) outputs() int { return l.k }

func (l softmax) constant(first []float64, rows []int32, w []float64) {
	for _, i := range rows {
		first[l.class[i]] += weight(w, int(i))
	}
	for c, v := range first {
		first[c] = math.Log(max(v, tiny))
	}
	// Scores matter up to a constant: they sum to 0.
	var sum float64
	for _, v := range first {
		sum += v
	}
	for c := range first {
		first[c] -= sum / float64(l.k)
	}
}

func (l softmax) gradients(dst []gradient, score, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		s, g := score[i*l.k:(i+1)*l.k], dst[i*l.k:(i+1)*l.k]
		top := s[0]
		for _, v := range s {
			top = max(top, v)
		}
		var sum float64
		for c, v := range s {
			g[c].g = math.Exp(v - top)
			sum += g[c].g
		}
		v := weight(w, i)
		for c := range g {
			p := g[c].g / sum
			g[c] = gradient{v * p, v * p * (1 - p)}
		}
		g[l.class[i]].g -= v
	}
}

func (l softmax) value(score []float64, i int) float64 {
	top := score[0]
	for _, v := range score {
		top = max(top, v)
	}
	var sum float64
	for _, v := range score {
		sum += math.Exp(v - top)
	}
	return math.Log(sum) + top - score[l.class[i]]
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softplus is log(1+exp(x)).
func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}
