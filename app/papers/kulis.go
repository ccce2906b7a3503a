package papers

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
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
	p := r.pool("pendigits", false, denseClasses)
	if p == nil {
		return nil
	}
	return p.Only([]string{"3", "8", "9"}, 317).Opened(seenPairs)
}

// learn fits with hard constraints and, where they cannot be kept, with slack.
func learn(ctx context.Context, c bregman.Config, g *mat.Dense, cs []constraint.Linear) (m *bregman.Model, slack bool) {
	m, err := c.Fit(ctx, g, cs)
	var infeasible *constraint.InfeasibleError
	var slow *gram.ConvergenceError
	if !errors.As(err, &infeasible) && !errors.As(err, &slow) {
		return must(m, err), false
	}
	c.Slack = 1
	if c.Divergence == bregman.VonNeumann {
		// The price has the unit of the divergence, that of K.
		c.Slack = 100
	}
	m, _ = fitted(c.Fit(ctx, g, cs))
	return m, true
}

// judging is what a kernel g·gᵀ is judged by.
type judging func(t *trial, g *mat.Dense, y gram.Labels) protocol.Score

// nearest is the accuracy of 5 nearest neighbors, the mean of two folds.
func nearest(t *trial, g *mat.Dense, y gram.Labels) protocol.Score {
	p := protocol.Generated(&dataset.Set{X: g, Labels: y})
	p.Opened(seenPairs)
	var halves []protocol.Score
	for _, fold := range must(p.Folds(2, t.Seed)) {
		halves = append(halves, must(fold.Accuracy(votersIn(kernel.Linear{}, fold.Train, 5))))
	}
	return protocol.Mean(halves)
}

// clustered is the normalized mutual information of the classes and the clusters of kernel k-means, as many as classes, with ten
// starts.
func clustered(t *trial, g *mat.Dense, y gram.Labels) protocol.Score {
	m := must(kmeans.Config{K: len(y.Names), Starts: 10, Run: t.Run}.Fit(t.ctx, g))
	p := protocol.Generated(&dataset.Set{X: g, Labels: y})
	p.Opened(seenPairs)
	return must(p.Whole().NMI(m.Labels()))
}

// study measures, on the digits and on kernels that are learned from random pairs of
// them, what score says. With sweeps they are another metric.
func (r *run) study(metric string, score judging, sweeps bool) {
	row := Row{Dataset: "pendigits 3, 8, 9", Method: "start", Metric: metric}
	repeats := r.repeats(20, 2)
	counts := cut(r, "constraints", []int{25, 50, 100, 200, 400}, []int{25, 100, 400})
	eachSet(r, []name{"pendigits"}, func(name) {
		d := r.digits389()
		r.measure([]Row{row}, repeats, func(t *trial) { t.add(0, 0, score(t, d.X.(*mat.Dense), d.Labels)) })
		for _, by := range divergences {
			for _, count := range counts {
				row.Method, row.Series, row.X = fmt.Sprintf("%s, %d constraints", by.name, count), by.name, float64(count)
				rows := []Row{row}
				if sweeps {
					rows = metrics(row, metric, "sweeps")
				}
				slack := 0
				r.measure(rows, repeats, func(t *trial) {
					g := d.X.(*mat.Dense)
					cs := must(constraint.FromLabels(g, d.Labels.Class, count, 0.25, t.Seed))
					m, soft := learn(r.ctx, bregman.Config{Divergence: by.d, MaxIter: 1000, Run: t.Run}, g, cs)
					if soft {
						slack++
					}
					seconds := t.seconds()
					if sweeps {
						t.figures[1].AddValue(float64(m.Stats().Iterations), seconds, 0)
					}
					t.note(slackNote(slack, repeats), by.sweeps)
					t.add(seconds, 0, score(t, m.Map(nil, g), d.Labels))
				})
			}
		}
	})
}

// Figure 1 of [K06]: NMI of kernel k-means on 317 digits 3, 8, 9 of pendigits
// against the number of constraints. The paper draws curves and prints no figures.
func kulisFig1(r *run) {
	r.study("NMI", clustered, false)
}

// The classification of the same digits, of which [K06] §6.1 gives the figures:
// “from 94 to 97 percent for both”, for many constraints.
func kulisDigits(r *run) {
	r.study("accuracy", nearest, true)
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
func kulisFig2(r *run) {
	gap := r.float("gap", 3.2, 0, "distance of the class centers in standard deviations")
	limit := r.int("limit", cut(r, "sweeps of approximate projections", 5000, 10), 1, "sweeps of the approximate projections at most")
	counts := cut(r, "constraints", []int{100, 200, 400, 600, 800, 1000}, []int{100, 200})
	repeats := r.repeats(20, 3)
	const n = 52
	eachSet(r, []name{"generated, n 52"}, func(set name) {
		target, y := dataset.Blobs(n, 10, 3, gap, rng.Derive(r.Seed, "proteins"))
		row := Row{Dataset: set.String(), Metric: "accuracy", Method: "kernel the bounds are from", Note: "the paper's figure is for its own kernel"}
		r.measure([]Row{row}, repeats, func(t *trial) { t.add(0, 0, nearest(t, target, y)) })
		// The identity with the trace of the target.
		scale := mat.Norm(target, 2) / math.Sqrt(n)
		start := mat.NewDense(n, n, nil)
		for i := range n {
			start.Set(i, i, scale)
		}
		for _, d := range divergences {
			for _, count := range counts {
				row := Row{Dataset: set.String(), Method: fmt.Sprintf("%s, %d constraints", d.name, count), Series: d.name, X: float64(count)}
				r.measure(metrics(row, "accuracy", "sweeps"), repeats, func(t *trial) {
					cs := must(constraint.FromLabels(target, y.Class, count, 0, t.Seed))
					m, _ := learn(r.ctx, bregman.Config{Divergence: d.d, Run: t.Run}, start, cs)
					seconds := t.seconds()
					t.figures[1].AddValue(float64(m.Stats().Iterations), seconds, 0)
					t.note("paper: at most 600 sweeps")
					t.add(seconds, 0, nearest(t, m.Map(nil, start), y))
				})
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
		sweeps func(run gram.Run, cs []constraint.Linear) (int, float64)
	}{
		{"DefiniteBoost, exact projections", func(run gram.Run, cs []constraint.Linear) (int, float64) {
			start, all := bregman.DefiniteBoost(n, cs)
			m := must(bregman.Config{Divergence: bregman.VonNeumann, Tol: tol, Run: run}.Fit(r.ctx, start, all))
			return m.Stats().Iterations, m.Stats().Divergence
		}},
		{"DefiniteBoost, approximate projections, ±λ", func(_ gram.Run, cs []constraint.Linear) (int, float64) {
			return approximateBoost(r.ctx, n, cs, true, tol, limit)
		}},
		{"DefiniteBoost, approximate projections, λmin to λmax", func(_ gram.Run, cs []constraint.Linear) (int, float64) {
			return approximateBoost(r.ctx, n, cs, false, tol, limit)
		}},
	} {
		r.measure([]Row{{Dataset: "generated, n 52", Metric: "sweeps", Method: m.method}}, 1, func(t *trial) {
			cs := must(constraint.FromLabels(target, y.Class, 100, 0, t.Seed))
			for i := range cs {
				cs[i].Bound /= trace * trace
			}
			sweeps, divergence := m.sweeps(t.Run, cs)
			stopped := ""
			if sweeps == limit {
				stopped = "stopped before the tolerance"
			}
			t.addValues(t.seconds(), 0, float64(sweeps))
			t.note(fmt.Sprintf("100 constraints, divergence %.8f", divergence), stopped)
		})
	}
}

// approximateBoost is cyclic projection as in Tsuda, Rätsch and Warmuth (2005): W ← exp(log W − αC)/tr, where α minimizes a bound
// of tr exp(log W − αC), with the dual variables that inequalities need ([K06]). The bound is the chord of the exponential over
// an interval that holds the eigenvalues of C: with symmetric the interval of AdaBoost, from −λ to λ for the largest absolute
// value λ, so that α = log((1+r/λ)/(1−r/λ))/2λ with r = tr(WC); else the least interval.
func approximateBoost(ctx context.Context, n int, cs []constraint.Linear, symmetric bool, tol float64, limit int) (sweeps int, divergence float64) {
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
			fail(ctx.Err())
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
				fail(&gram.ConvergenceError{Residual: math.NaN()})
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
			return sweeps, divergence
		}
	}
	return limit, divergence
}
