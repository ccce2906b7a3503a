package reference_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"gonum.org/v1/gonum/mat"
)

// boosted are the losses of boosted trees by their definitions. Row i has k scores.
type boosted struct {
	probe
	loss   string // squared, huber, poisson, logistic, softmax
	x      *mat.Dense
	y      []float64
	class  []int
	w      []float64
	k      int
	lambda float64
	direct bool
	rows   int // of a leaf at least
	curve  float64
	delta  float64 // of huber
}

// quantile is the least of the numbers v that at least level of the weight does not exceed.
func (b *boosted) quantile(v []float64, level float64) float64 {
	best := math.Inf(1)
	for _, at := range v {
		var below, total float64
		for i, w := range b.w {
			if total += w; v[i] <= at {
				below += w
			}
		}
		if below >= level*total {
			best = min(best, at)
		}
	}
	return best
}

// at is the loss of row i, not weighted.
func (b *boosted) at(score []float64, i int) float64 {
	switch b.loss {
	case "squared":
		return math.Pow(b.y[i]-score[0], 2) / 2
	case "huber": // in units of delta
		if e := math.Abs(b.y[i] - score[0]); e > b.delta {
			return e - b.delta/2
		} else {
			return e * e / 2 / b.delta
		}
	case "poisson":
		return math.Exp(score[0]) - b.y[i]*score[0]
	case "logistic":
		return math.Log1p(math.Exp(float64(1-2*b.class[i]) * score[0]))
	}
	var sum float64
	for _, f := range score {
		sum += math.Exp(f)
	}
	return math.Log(sum) - score[b.class[i]]
}

// slopes are g and c of row i for output o, weighted.
func (b *boosted) slopes(score []float64, i, o int) (g, c float64) {
	switch b.loss {
	case "squared":
		g, c = score[0]-b.y[i], 1
	case "huber":
		g, c = score[0]-b.y[i], 1
		if math.Abs(g) > b.delta {
			g = math.Copysign(b.delta, g)
		}
	case "poisson":
		g, c = math.Exp(score[0])-b.y[i], math.Exp(score[0])
	case "logistic":
		p := 1 / (1 + math.Exp(-score[0]))
		g, c = p-float64(b.class[i]), p*(1-p)
	default:
		var sum float64
		for _, f := range score {
			sum += math.Exp(f)
		}
		p := math.Exp(score[o]) / sum
		g, c = p, p*(1-p)
		if b.class[i] == o {
			g--
		}
	}
	return b.w[i] * g, b.w[i] * c
}

// side returns the value of a leaf of rows, what it takes off the loss, and its curvature.
func (b *boosted) side(f *mat.Dense, rows []int, o int) (h, gain, curve float64) {
	if b.direct {
		value := func(h float64) (v float64) {
			for _, i := range rows {
				v += b.w[i] * b.at([]float64{f.At(i, 0) + h}, i)
			}
			return v + b.lambda*h*h/2
		}
		slope := func(h float64) (v float64) {
			for _, i := range rows {
				g, _ := b.slopes([]float64{f.At(i, 0) + h}, i, 0)
				v += g
			}
			return v + b.lambda*h
		}
		lo, hi := -200.0, 200.0
		for range 60 { // the derivative rises
			if mid := (lo + hi) / 2; slope(mid) > 0 {
				hi = mid
			} else {
				lo = mid
			}
		}
		return lo, value(0) - value(lo), math.Inf(1)
	}
	var g, c float64
	for _, i := range rows {
		a, d := b.slopes(f.RawRowView(i), i, o)
		g, c = g+a, c+d
	}
	h = -g / (c + b.lambda)
	if b.loss == "poisson" { // c is the sum of the means, c−g that of the values
		h = math.Log((c - g + b.lambda) / (c + b.lambda))
	}
	return h, g * g / (c + b.lambda) / 2, c
}

// split is the gain of a split; no gain where a side is not to be.
func (b *boosted) split(f *mat.Dense, rows []int, o, column int, threshold float64) (gain float64, left, right []int) {
	for _, i := range rows {
		if b.x.At(i, column) <= threshold {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	if len(left) < b.rows || len(right) < b.rows {
		return 0, left, right
	}
	_, l, lc := b.side(f, left, o)
	_, r, rc := b.side(f, right, o)
	_, whole, _ := b.side(f, rows, o)
	if min(lc, rc) < b.curve {
		return 0, left, right
	}
	return l + r - whole, left, right
}

// walk holds a tree for output o to the definition and adds it to next; f are the scores that it was
// grown from. Any leaf could be split further: leaves are as many as pay.
func (b *boosted) walk(nodes []gbdt.Node, at int, f, next *mat.Dense, rows []int, o int, eta float64, depth, most int) {
	b.Helper()
	n := nodes[at]
	_, d := b.x.Dims()
	best := 0.0
	if depth < most {
		for j := range d {
			for _, i := range rows {
				gain, _, _ := b.split(f, rows, o, j, b.x.At(i, j))
				best = max(best, gain)
			}
		}
	}
	if n.Left > 0 {
		gain, left, right := b.split(f, rows, o, n.Feature, n.Threshold)
		b.near("the gain of a split", n.Gain, gain)
		b.near("the gain of the best split", n.Gain, best)
		b.walk(nodes, n.Left, f, next, left, o, eta, depth+1, most)
		b.walk(nodes, n.Right, f, next, right, o, eta, depth+1, most)
		return
	}
	if !(best <= 1e-8) {
		b.Fatalf("a leaf of %d rows could gain %v", len(rows), best)
	}
	h, _, _ := b.side(f, rows, o)
	b.near("a leaf's value", n.Value, eta*h)
	for _, i := range rows {
		next.Set(i, o, next.At(i, o)+n.Value)
	}
}

// near holds two numbers to 1e-8.
func (b *boosted) near(what string, got, want float64) {
	b.Helper()
	if !(math.Abs(got-want) <= probeTol*max(1, math.Abs(want))) {
		b.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// Boosted trees, [S16] Algorithm 8 with F₀ in place of its printed start, and Algorithm 7 for the
// splits of direct loss minimization, against all splits.
func TestGBDT(t *testing.T) {
	const n, d = 60, 3
	x := probeNormal(1, n, d)
	noise := probeNormal(2, n, 1)
	y, two, three := make([]float64, n), make([]int, n), make([]int, n)
	ones, weights := make([]float64, n), make([]float64, n)
	for i := range n {
		y[i] = math.Sin(2*x.At(i, 0)) + x.At(i, 1) + .2*noise.At(i, 0)
		if y[i] > .2 {
			two[i] = 1
		}
		three[i] = max(0, min(2, int(math.Floor(y[i]+1.5))))
		ones[i], weights[i] = 1, .5+float64(i%3)
	}
	counts := make([]float64, n)
	for i, v := range y {
		counts[i] = math.Floor(math.Exp(v + .3))
	}
	names := []string{"a", "b", "c"}
	for _, c := range []struct {
		loss    string
		given   bool // starting scores
		shift   float64
		weights []float64
		c       gbdt.Config
	}{
		{loss: "squared", c: gbdt.Config{Lambda: gram.Set(1.)}},
		{loss: "squared", c: gbdt.Config{Lambda: gram.Set(0.), Shrinkage: 1}, weights: weights},
		{loss: "squared", c: gbdt.Config{FromZero: true}},
		{loss: "squared", given: true, c: gbdt.Config{}},
		{loss: "huber", c: gbdt.Config{Loss: gbdt.Huber}},
		{loss: "huber", c: gbdt.Config{Loss: gbdt.Huber, Level: .6, Shrinkage: 1}, weights: weights},
		{loss: "huber", given: true, c: gbdt.Config{Loss: gbdt.Huber, Delta: .3}},
		{loss: "poisson", c: gbdt.Config{Loss: gbdt.Poisson}},
		{loss: "poisson", c: gbdt.Config{Loss: gbdt.Poisson, Lambda: gram.Set(0.), Shrinkage: 1}, weights: weights},
		{loss: "poisson", given: true, c: gbdt.Config{Loss: gbdt.Poisson, Lambda: gram.Set(2.)}},
		{loss: "poisson", c: gbdt.Config{Loss: gbdt.Poisson, FromZero: true}},
		{loss: "logistic", c: gbdt.Config{Lambda: gram.Set(.5)}},
		{loss: "logistic", c: gbdt.Config{Lambda: gram.Set(2.), MinCurvature: gram.Set(.8)}, weights: weights},
		{loss: "logistic", given: true, c: gbdt.Config{}},
		{loss: "softmax", c: gbdt.Config{Lambda: gram.Set(1.)}},
		{loss: "softmax", given: true, c: gbdt.Config{}, weights: weights},
		{loss: "logistic", c: gbdt.Config{Criterion: gbdt.DirectLoss}},
		{loss: "logistic", c: gbdt.Config{Criterion: gbdt.DirectLoss, Lambda: gram.Set(.1)}, weights: weights},
		{loss: "logistic", given: true, c: gbdt.Config{Criterion: gbdt.DirectLoss}},
		{loss: "logistic", given: true, shift: 12, c: gbdt.Config{Criterion: gbdt.DirectLoss, Lambda: gram.Set(.5)}}, // hardly any curvature
	} {
		algorithm := "Alg. 8"
		if c.c.Criterion == gbdt.DirectLoss {
			algorithm = "Alg. 7"
		}
		if !c.c.Lambda.Given() {
			c.c.Lambda = gram.Set(1.)
		}
		name := fmt.Sprintf("%s, %s, λ %g, weights %t, given scores %t, shift %g", algorithm, c.loss, c.c.Lambda.Value(), c.weights != nil, c.given, c.shift)
		t.Run(name, func(t *testing.T) {
			const rounds, depth = 2, 2
			c.c.Rounds, c.c.MaxDepth, c.c.MinRows, c.c.MaxLeaves, c.c.Exact = rounds, depth, 5, 100, true
			b := &boosted{probe: probe{t}, loss: c.loss, x: x, y: y, class: two, w: ones, k: 1, lambda: c.c.Lambda.Value(), rows: 5, curve: 1e-3}
			b.direct = c.c.Criterion == gbdt.DirectLoss
			if c.c.MinCurvature.Given() {
				b.curve = c.c.MinCurvature.Value()
			}
			if c.weights != nil {
				b.w = weights
			}
			y := y
			switch c.loss {
			case "softmax":
				b.class, b.k = three, 3
			case "poisson":
				b.y, y = counts, counts
			}
			eta := .1
			if c.c.Shrinkage > 0 {
				eta = c.c.Shrinkage
			}
			// F₀: the mean, the logarithm of the odds, those of the shares.
			f, count := mat.NewDense(n, b.k, nil), make([]float64, 3)
			var total, sum float64
			for i := range n {
				count[b.class[i]] += b.w[i]
				total, sum = total+b.w[i], sum+b.w[i]*y[i]
			}
			f.Apply(func(i, o int, _ float64) float64 {
				switch {
				case c.given:
					return c.shift + probeNormal(5, n, b.k).At(i, o)
				case c.c.FromZero:
					return 0
				case c.loss == "squared":
					return sum / total
				case c.loss == "huber":
					return b.quantile(y, .5)
				case c.loss == "poisson":
					return math.Log(sum / total)
				case c.loss == "logistic":
					return math.Log(count[1] / count[0])
				}
				return math.Log(count[o]) - (math.Log(count[0])+math.Log(count[1])+math.Log(count[2]))/3
			}, f)
			start := mat.DenseCopyOf(f)
			if c.given {
				c.c.Given.Scores = start
			}
			var m interface {
				Tree(t int) []gbdt.Node
				Stats() gbdt.Stats
			}
			predicted := mat.NewDense(n, b.k, nil)
			switch c.loss {
			case "squared", "huber", "poisson":
				r := fitted[*gbdt.Regressor](t)(c.c.FitValues(t.Context(), x, y, c.weights))
				r.Predict(predicted.RawMatrix().Data, x)
				m = r
			default:
				r := fitted[*gbdt.Classifier](t)(c.c.Fit(t.Context(), x, gram.Labels{Class: b.class, Names: names[:max(2, b.k)]}, c.weights))
				r.Scores(predicted, x)
				m = r
			}
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			objective := func() (v float64) {
				for i := range n {
					v += b.w[i] * b.at(f.RawRowView(i), i) / total
				}
				return v
			}
			trace := m.Stats().Objective
			follow := func() {
				if b.delta = c.c.Delta; b.delta == 0 {
					residuals := make([]float64, n)
					for i := range residuals {
						residuals[i] = math.Abs(y[i] - f.At(i, 0))
					}
					b.delta = b.quantile(residuals, cmp.Or(c.c.Level, .9))
				}
			}
			for round := range rounds {
				follow()
				b.near("the objective", trace[round], objective())
				next := mat.DenseCopyOf(f)
				for o := range b.k {
					b.walk(m.Tree(round*b.k+o), 0, f, next, all, o, eta, 0, depth)
				}
				f = next
			}
			follow()
			b.near("the objective", trace[rounds], objective())
			b.falls(trace)
			if c.given {
				f.Sub(f, start)
			}
			if c.loss == "poisson" {
				f.Apply(func(_, _ int, v float64) float64 { return math.Exp(v) }, f)
			}
			b.matrix("F(x)", predicted, f)
			if m.Stats().Splits[0]+m.Stats().Splits[1] == 0 {
				t.Error("nothing is split")
			}
		})
	}
}
