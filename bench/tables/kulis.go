package tables

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

var divergences = []struct {
	name   string
	d      bregman.Divergence
	sweeps string // of the paper, on the digits
}{{"Burg", bregman.Burg, "paper: 17 to 354 sweeps"}, {"von Neumann", bregman.VonNeumann, "paper: 11 to 105 sweeps"}}

// seenPairs is what every figure on these sets publishes.
const seenPairs = "learned from pairs of all rows, as in the paper"

// digits389 is the first 317 rows of the digits 3, 8 and 9 in the training part of
// pendigits, unscaled; nil if they are not at hand.
func (r *run) digits389() *dataset.Set {
	p := r.pool("pendigits", false, dataset.Options{Storage: dataset.Dense, Task: dataset.Classes})
	if p == nil {
		return nil
	}
	return p.Only([]string{"3", "8", "9"}, 317).Opened(seenPairs)
}

// learn fits with hard constraints and, where they cannot be kept, with slack.
func learn(ctx context.Context, c bregman.Config, g *mat.Dense, cs []constraint.Linear) (m *bregman.Model, slack bool, err error) {
	m, err = c.Fit(ctx, g, cs)
	var infeasible *constraint.InfeasibleError
	var slow *gram.ConvergenceError
	if errors.As(err, &infeasible) || errors.As(err, &slow) {
		c.Slack = 1
		if c.Divergence == bregman.VonNeumann {
			// The price has the unit of the divergence, that of K.
			c.Slack = 100
		}
		m, err = c.Fit(ctx, g, cs)
		slack = true
	}
	if m != nil && errors.As(err, &slow) {
		err = nil
	}
	return m, slack, err
}

// judge adds the accuracy of 5 nearest neighbors in the kernel g·gᵀ, the mean of
// two folds.
func (t *trial) judge(f *protocol.Figure, g *mat.Dense, y gram.Labels, seconds float64) error {
	p := protocol.Generated(&dataset.Set{X: g, Labels: y})
	p.Opened(seenPairs)
	folds, err := p.Folds(2, t.Seed)
	if err != nil {
		return err
	}
	var halves []protocol.Score
	for _, fold := range folds {
		c, err := neighbors(kernel.Linear{}, fold.Train, 5)
		if err != nil {
			return err
		}
		score, err := fold.Accuracy(c)
		if err != nil {
			return err
		}
		halves = append(halves, score)
	}
	f.Add(protocol.Mean(halves), seconds, 0)
	return nil
}

// cluster adds the NMI of kernel k-means.
func (t *trial) cluster(f *protocol.Figure, g *mat.Dense, y gram.Labels, seconds float64) error {
	m, err := kmeans.Config{K: len(y.Names), Starts: 10, Run: t.Run}.Fit(t.ctx, g)
	if err != nil {
		return err
	}
	p := protocol.Generated(&dataset.Set{X: g, Labels: y})
	p.Opened(seenPairs)
	score, err := p.Whole().NMI(m.Labels())
	if err == nil {
		f.Add(score, seconds, 0)
	}
	return err
}

// study measures, on the digits and on kernels that are learned from random pairs of
// them, what judge adds to the first figure. With sweeps they are another metric.
func (r *run) study(row Row, judge func(t *trial, f *protocol.Figure, g *mat.Dense, y gram.Labels, seconds float64) error, row0, row400 float64, sweeps ...also) error {
	row.Dataset = "pendigits 3, 8, 9"
	repeats := r.repeats(20, 2)
	counts := cut(r, "constraints", []int{25, 50, 100, 200, 400}, []int{25, 100, 400})
	return each(r, []name{"pendigits"}, func(name) {
		d := r.digits389()
		start := row
		start.Method, start.Paper, start.Series = "start", paper(row0), ""
		r.measure(start, repeats, func(t *trial) error { return judge(t, t.figures[0], d.X.(*mat.Dense), d.Labels, 0) })
		for _, by := range divergences {
			for _, count := range counts {
				row.Method, row.Series, row.X, row.Paper = fmt.Sprintf("%s, %d constraints", by.name, count), by.name, float64(count), nil
				if count == 400 {
					row.Paper = paper(row400)
				}
				slack := 0
				r.measure(row, repeats, func(t *trial) error {
					g := d.X.(*mat.Dense)
					cs, err := constraint.FromLabels(g, d.Labels.Class, count, 0.25, t.Seed)
					if err != nil {
						return err
					}
					m, soft, err := learn(r.ctx, bregman.Config{Divergence: by.d, MaxIter: 1000, Run: t.Run}, g, cs)
					if err != nil {
						return err
					}
					if soft {
						slack++
					}
					seconds := t.seconds()
					if len(sweeps) > 0 {
						t.figures[1].AddValue(float64(m.Stats().Iterations), seconds, 0)
					}
					t.note(slackNote(slack, repeats), by.sweeps)
					return judge(t, t.figures[0], m.Map(nil, g), d.Labels, seconds)
				}, sweeps...)
			}
		}
	})
}

// Figure 1 of [K06]: NMI of kernel k-means on 317 digits 3, 8, 9 of pendigits
// against the number of constraints. The paper draws curves and prints no figures.
func kulisFig1(r *run) error {
	return r.study(Row{Metric: "NMI"}, (*trial).cluster, 0, 0)
}

// The classification of the same digits, of which [K06] §6.1 gives the figures:
// “from 94 to 97 percent for both”, for many constraints.
func kulisDigits(r *run) error {
	return r.study(Row{Metric: "accuracy"}, (*trial).judge, .94, .97, also{metric: "sweeps"})
}

func slackNote(slack, repeats int) string {
	if slack == 0 {
		return "hard constraints"
	}
	return fmt.Sprintf("slack in %d of %d, where the hard constraints have no solution or none in 1000 sweeps", slack, repeats)
}

// Figure 2 of [K06]: k-NN accuracy against the number of constraints, full rank from
// the scaled identity. The paper's protein matrix is not public: three classes of 52
// generated points stand for it.
func kulisFig2(r *run) error {
	gap := r.float("gap", 3.2, 0, "distance of the class centers in standard deviations")
	limit := r.int("limit", cut(r, "sweeps of approximate projections", 5000, 10), 1, "sweeps of the approximate projections at most")
	counts := cut(r, "constraints", []int{100, 200, 400, 600, 800, 1000}, []int{100, 200})
	repeats := r.repeats(20, 3)
	const n = 52
	return each(r, []name{"generated, n 52"}, func(set name) {
		target, y := gen.Blobs(n, 10, 3, gap, rng.Derive(r.Seed, "proteins"))
		row := Row{Dataset: set.String(), Metric: "accuracy", Method: "kernel the bounds are from", Paper: paper(.948), Note: "the paper's figure is for its own kernel"}
		r.measure(row, repeats, func(t *trial) error { return t.judge(t.figures[0], target, y, 0) })
		// The identity with the trace of the target.
		scale := mat.Norm(target, 2) / math.Sqrt(n)
		start := mat.NewDense(n, n, nil)
		for i := range n {
			start.Set(i, i, scale)
		}
		for _, d := range divergences {
			for _, count := range counts {
				row := Row{Dataset: set.String(), Metric: "accuracy", Method: fmt.Sprintf("%s, %d constraints", d.name, count), Series: d.name, X: float64(count)}
				r.measure(row, repeats, func(t *trial) error {
					cs, err := constraint.FromLabels(target, y.Class, count, 0, t.Seed)
					if err != nil {
						return err
					}
					m, _, err := learn(r.ctx, bregman.Config{Divergence: d.d, Run: t.Run}, start, cs)
					if err != nil {
						return err
					}
					seconds := t.seconds()
					t.figures[1].AddValue(float64(m.Stats().Iterations), seconds, 0)
					t.note("paper: at most 600 sweeps")
					return t.judge(t.figures[0], m.Map(nil, start), y, seconds)
				}, also{metric: "sweeps"})
			}
		}
		r.boost(target, y, limit)
	})
}

// boost counts the sweeps of exact and of approximate projections on 100
// constraints to violations of at most 1e-3.
func (r *run) boost(target *mat.Dense, y gram.Labels, limit int) {
	n, _ := target.Dims()
	const tol = 1e-3
	trace := mat.Norm(target, 2)
	for _, m := range []struct {
		method string
		paper  float64
		sweeps func(run gram.Run, cs []constraint.Linear) (int, float64, error)
	}{
		{"DefiniteBoost, exact projections", 11, func(run gram.Run, cs []constraint.Linear) (int, float64, error) {
			start, all := bregman.DefiniteBoost(n, cs)
			m, err := bregman.Config{Divergence: bregman.VonNeumann, Tol: tol, Run: run}.Fit(r.ctx, start, all)
			if err != nil {
				return 0, 0, err
			}
			return m.Stats().Iterations, m.Stats().Divergence, nil
		}},
		{"DefiniteBoost, approximate projections, ±λ", 3220, func(_ gram.Run, cs []constraint.Linear) (int, float64, error) {
			return approximateBoost(r.ctx, n, cs, true, tol, limit)
		}},
		{"DefiniteBoost, approximate projections, λmin to λmax", 0, func(_ gram.Run, cs []constraint.Linear) (int, float64, error) {
			return approximateBoost(r.ctx, n, cs, false, tol, limit)
		}},
	} {
		row := Row{Dataset: "generated, n 52", Metric: "sweeps", Method: m.method, Paper: paper(m.paper)}
		r.measure(row, 1, func(t *trial) error {
			cs, err := constraint.FromLabels(target, y.Class, 100, 0, t.Seed)
			if err != nil {
				return err
			}
			for i := range cs {
				cs[i].Bound /= trace * trace
			}
			sweeps, divergence, err := m.sweeps(t.Run, cs)
			stopped := ""
			if sweeps == limit {
				stopped = "stopped before the tolerance"
			}
			t.figures[0].AddValue(float64(sweeps), t.seconds(), 0)
			t.note(fmt.Sprintf("100 constraints, divergence %.8f", divergence), stopped)
			return err
		})
	}
}

// approximateBoost is cyclic projection as in Tsuda, Rätsch and Warmuth (2005):
// W ← exp(log W − αC)/tr, where α minimizes a bound of tr exp(log W − αC), with the
// dual variables that inequalities need ([K06]). The bound is the chord of the
// exponential over an interval that holds the eigenvalues of C: symmetric is that of
// AdaBoost, from −λ to λ for the largest absolute value λ, so that
// α = log((1+r/λ)/(1−r/λ))/2λ with r = tr(WC); else it is the least one.
func approximateBoost(ctx context.Context, n int, cs []constraint.Linear, symmetric bool, tol float64, limit int) (sweeps int, divergence float64, err error) {
	log, w := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	for i := range n {
		w.SetSym(i, i, 1/float64(n))
	}
	lambda := make([]float64, len(cs))
	var e mat.EigenSym
	var q, scaled mat.Dense
	for sweeps = 1; sweeps <= limit; sweeps++ {
		var worst, gap float64
		for c := range cs {
			if err := ctx.Err(); err != nil {
				return 0, 0, err
			}
			b := cs[c].Bound
			sign := 1.0
			if cs[c].Relation == constraint.AtLeast {
				sign = -1
			}
			i, j := cs[c].Terms[0].Z.Index[0], cs[c].Terms[0].Z.Index[1]
			d := w.At(i, i) + w.At(j, j) - 2*w.At(i, j)
			r := sign * (d - b)
			worst = max(worst, r/max(b, d))
			gap += math.Abs(lambda[c] * r)
			high, low := max(sign*(2-b), -sign*b), min(sign*(2-b), -sign*b)
			if symmetric {
				high = max(high, -low)
				low = -high
			}
			alpha := math.Log(high*(r-low)/(-low*(high-r))) / (high - low)
			alpha = max(alpha, -lambda[c])
			if alpha == 0 {
				continue
			}
			lambda[c] += alpha
			step := -alpha * sign
			for p := range n {
				log.SetSym(p, p, log.At(p, p)-step*b)
			}
			log.SetSym(i, i, log.At(i, i)+step)
			log.SetSym(j, j, log.At(j, j)+step)
			log.SetSym(i, j, log.At(i, j)-step)
			if !e.Factorize(log, true) {
				return 0, 0, &gram.ConvergenceError{Residual: math.NaN()}
			}
			e.VectorsTo(&q)
			values := e.Values(nil)
			var sum float64
			for _, v := range values {
				sum += math.Exp(v)
			}
			scaled.CloneFrom(&q)
			for p := range n {
				row := scaled.RawRowView(p)
				for k, v := range values {
					row[k] *= math.Exp(v/2) / math.Sqrt(sum)
				}
			}
			w.SymOuterK(1, &scaled)
			divergence = math.Log(float64(n))
			for _, v := range values {
				divergence += math.Exp(v) / sum * (v - math.Log(sum))
			}
		}
		if worst <= tol && gap <= tol {
			return sweeps, divergence, nil
		}
	}
	return limit, divergence, nil
}
