package calibration

import (
	"cmp"
	"math"
	"slices"

	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Sigmoid is the function 1/(1+exp(A·s+B)). A is negative if large scores stand for the
// event.
type Sigmoid struct{ A, B float64 }

// At returns the probability of the event for the score s.
func (g Sigmoid) At(s float64) float64 {
	z := g.A*s + g.B
	if g.A == 0 {
		z = g.B // also for an infinite score
	}
	if z >= 0 {
		e := math.Exp(-z)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(z))
}

// event is a score of one row with whether the class occurred and the weight of the row.
type event struct {
	score, weight float64
	occurred      bool
}

type events []event

func (e *events) reset() { *e = (*e)[:0] }

// add adds an event unless its weight is 0.
func (e *events) add(score float64, occurred bool, weight float64) {
	if weight > 0 {
		*e = append(*e, event{score, weight, occurred})
	}
}

// sigmoid returns the sigmoid of maximum likelihood for the targets (N₊+1)/(N₊+2) of events
// that happened and 1/(N₋+2) of others ([P00]), where N are sums of weights. It uses
// Newton's method with a line search as in [LLW07] Algorithm 1, on scores divided by their
// largest magnitude.
func (e events) sigmoid() Sigmoid {
	var yes, no, scale float64
	for _, v := range e {
		scale = max(scale, math.Abs(v.score))
		if v.occurred {
			yes += v.weight
		} else {
			no += v.weight
		}
	}
	if scale == 0 {
		scale = 1
	}
	target := func(v event) float64 {
		if v.occurred {
			return (yes + 1) / (yes + 2)
		}
		return 1 / (no + 2)
	}
	// objective is −Σ w·(t·ln p + (1−t)·ln(1−p)).
	objective := func(a, b float64) float64 {
		var sum float64
		for _, v := range e {
			z, t := a*v.score/scale+b, target(v)
			if z >= 0 {
				sum += v.weight * (t*z + math.Log1p(math.Exp(-z)))
			} else {
				sum += v.weight * ((t-1)*z + math.Log1p(math.Exp(z)))
			}
		}
		return sum
	}
	const (
		maxSteps = 100
		ridge    = 1e-12 // makes the Hessian positive definite
		minStep  = 1e-10
	)
	a, b := 0.0, math.Log((no+1)/(yes+1))
	value := objective(a, b)
	for range maxSteps {
		var ga, gb, haa, hab, hbb float64
		for _, v := range e {
			s := v.score / scale
			p := Sigmoid{a, b}.At(s)
			d := v.weight * (target(v) - p)
			ga += s * d
			gb += d
			h := v.weight * p * (1 - p)
			haa += s * s * h
			hab += s * h
			hbb += h
		}
		if math.Hypot(ga, gb) <= 1e-12*(yes+no) {
			break
		}
		haa, hbb = haa+ridge*(yes+no), hbb+ridge*(yes+no)
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		slope := ga*da + gb*db
		step := 1.0
		for ; step >= minStep; step /= 2 {
			if next := objective(a+step*da, b+step*db); next < value+1e-4*step*slope {
				a, b, value = a+step*da, b+step*db, next
				break
			}
		}
		if step < minStep {
			break
		}
	}
	return Sigmoid{a / scale, b}
}

// steps is a function that is linear between its knots, whose scores ascend and whose
// probabilities do not descend, and constant beyond them.
type steps struct{ score, probability []float64 }

// isotonic returns the non-decreasing function of least weighted squared error, by pooling
// adjacent violators: each pool gives a knot for its first and one for its last score. With
// N the sum of weights, probabilities are kept within 1/(N+2) and 1−1/(N+2), so that no
// event that may happen has probability 0.
func (e events) isotonic() steps {
	sorted := slices.Clone(e)
	slices.SortFunc(sorted, func(a, b event) int { return cmp.Compare(a.score, b.score) })
	type pool struct{ first, last, weight, yes float64 }
	var pools []pool
	var total float64
	for i := 0; i < len(sorted); {
		p := pool{first: sorted[i].score, last: sorted[i].score}
		for ; i < len(sorted) && sorted[i].score == p.first; i++ { // equal scores are one knot
			p.weight += sorted[i].weight
			if sorted[i].occurred {
				p.yes += sorted[i].weight
			}
		}
		total += p.weight
		for len(pools) > 0 {
			last := pools[len(pools)-1]
			if last.yes*p.weight < p.yes*last.weight {
				break
			}
			p = pool{last.first, p.last, last.weight + p.weight, last.yes + p.yes}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	var s steps
	least := 1 / (total + 2)
	for _, p := range pools {
		v := min(max(p.yes/p.weight, least), 1-least)
		s.score, s.probability = append(s.score, p.first), append(s.probability, v)
		if p.last > p.first {
			s.score, s.probability = append(s.score, p.last), append(s.probability, v)
		}
	}
	return s
}

// at returns the value at the score v.
func (s steps) at(v float64) float64 {
	i, exact := slices.BinarySearch(s.score, v)
	switch {
	case exact:
		return s.probability[i]
	case i == 0:
		return s.probability[0]
	case i == len(s.score):
		return s.probability[i-1]
	}
	lo, hi := s.score[i-1], s.score[i]
	t := (v/2 - lo/2) / (hi/2 - lo/2) // halves, as the distance may overflow
	return (1-t)*s.probability[i-1] + t*s.probability[i]
}

// exchangeSteps lists what a file holds of the functions of the kind Isotonic.
// Writing and reading a file go through these same statements.
func (m *Map) exchangeSteps(x *modelfile.Exchange, functions int) {
	ends := []int32{0}
	var score, probability []float64
	for _, s := range m.steps {
		score, probability = append(score, s.score...), append(probability, s.probability...)
		ends = append(ends, int32(len(score)))
	}
	n := x.Offsets("ends", &ends, functions+1)
	x.Float64("score", &score, n)
	x.Float64("probability", &probability, n)
	if !x.Reading() {
		return
	}
	m.steps = make([]steps, functions)
	for f := range m.steps {
		s := steps{score[ends[f]:ends[f+1]], probability[ends[f]:ends[f+1]]}
		x.Require(len(s.score) > 0, "ends", "function %d has no knots", f)
		for i, p := range s.probability {
			x.Require(p >= 0 && p <= 1, "probability", "%v is no probability", p)
			x.Require(i == 0 || s.score[i] > s.score[i-1] && p >= s.probability[i-1], "score", "the knots of function %d do not ascend", f)
		}
		m.steps[f] = s
	}
}

// sharpness returns the β = 1/T ≥ 0 that maximizes the likelihood of the classes under
// softmax(β·s), or, for the functions of pairs, under the sigmoids of β·s within the pairs.
// The likelihood is concave in β. If it grows without bound, because the largest score is
// always that of the class, β is 10⁴ divided by the largest difference of scores.
func sharpness(scores *mat.Dense, class []int, k int, pairs bool, w []float64) float64 {
	n, columns := scores.Dims()
	var widest float64
	// each calls use with the scores of every choice that was made and the one chosen.
	two := make([]float64, 2)
	each := func(use func(s []float64, chosen int, weight float64)) {
		for i := range n {
			row := scores.RawRowView(i)
			if columns > 1 && !pairs {
				use(row, class[i], weight(w, i))
				continue
			}
			for f, v := range row {
				a, b := 0, 1
				if pairs {
					a, b = pairOf(f, k)
				}
				two[1] = v
				switch class[i] {
				case a:
					use(two, 0, weight(w, i))
				case b:
					use(two, 1, weight(w, i))
				}
			}
		}
	}
	each(func(s []float64, _ int, _ float64) { widest = max(widest, slices.Max(s)-slices.Min(s)) })
	if widest == 0 {
		return 0
	}
	p := make([]float64, max(columns, 2))
	// derivatives of the negative log likelihood.
	derivatives := func(beta float64) (first, second float64) {
		each(func(s []float64, chosen int, weight float64) {
			q := p[:len(s)]
			softmaxInto(q, s, beta)
			var mean, square float64
			for c, v := range s {
				d := v - s[chosen]
				mean += q[c] * d
				square += q[c] * d * d
			}
			first += weight * mean
			second += weight * (square - mean*mean)
		})
		return first, second
	}
	lo, hi := 0.0, 1e4/widest
	if first, _ := derivatives(lo); first >= 0 {
		return 0
	}
	if first, _ := derivatives(hi); first <= 0 {
		return hi
	}
	// Newton's method on the derivative, within a bracket that shrinks.
	beta := min(1/widest, hi)
	for range 200 {
		first, second := derivatives(beta)
		if first > 0 {
			hi = beta
		} else {
			lo = beta
		}
		next := beta - first/second
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-beta) <= 1e-14*beta {
			break
		}
		beta = next
	}
	return beta
}
