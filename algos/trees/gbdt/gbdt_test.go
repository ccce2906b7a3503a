package gbdt

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// problem has ties, a constant column and a column of few values. y depends on
// the first two columns.
func problem(seed uint64, n int) (x *mat.Dense, y []float64, l gram.Labels) {
	r := rng.New(seed, 0)
	x = mat.NewDense(n, 4, nil)
	y = make([]float64, n)
	l = gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}
	for i := range n {
		a, b := r.NormFloat64(), math.Round(4*r.Float64())
		x.SetRow(i, []float64{a, b, 3, math.Round(10 * r.NormFloat64())})
		y[i] = math.Sin(2*a) + 0.3*b + 0.1*r.NormFloat64()
		if y[i]+0.3*r.NormFloat64() > 0.6 {
			l.Class[i] = 1
		}
	}
	return x, y, l
}

// lossOf is the loss of row i by its definition.
func lossOf(l lossFunction, score []float64, i int) float64 {
	switch l := l.(type) {
	case squaredLoss:
		return math.Pow(score[0]-l.y[i], 2) / 2
	case logistic:
		return math.Log1p(math.Exp(float64(1-2*l.class[i]) * score[0]))
	case softmax:
		var sum float64
		for _, v := range score {
			sum += math.Exp(v - score[l.class[i]])
		}
		return math.Log(sum)
	}
	panic("no such loss")
}

// leastLoss is the least loss of rows with a common change h of their scores, by
// golden section, without derivatives.
func leastLoss(l lossFunction, score []float64, rows []int, w []float64, lambda float64) (h, value float64) {
	f := func(h float64) float64 {
		v := lambda * h * h / 2
		for _, i := range rows {
			v += weight(w, i) * lossOf(l, []float64{score[i] + h}, i)
		}
		return v
	}
	lo, hi := -400.0, 400.0
	for range 90 {
		a, b := lo+(hi-lo)*0.381966, lo+(hi-lo)*0.618034
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return (lo + hi) / 2, f((lo + hi) / 2)
}

// derivatives returns those of a loss, row by row, and its values.
func derivatives(l lossFunction, score, w []float64, n int) ([]gradient, []float64) {
	k := l.outputs()
	g, c, value := make([]float64, n*k), make([]float64, n*k), make([]float64, n)
	l.evaluate(g, c, value, score, w, 0, n)
	all := make([]gradient, n*k)
	for i := range all {
		at := i%k*n + i/k
		all[i] = gradient{g[at], c[at]}
	}
	return all, value
}

// mean is the mean of values, weighted.
func mean(value, w []float64) float64 {
	var sum, total float64
	for i, v := range value {
		sum, total = sum+weight(w, i)*v, total+weight(w, i)
	}
	return sum / total
}

// secondOrder is −½G²/(H+λ) of rows.
func secondOrder(g []gradient, rows []int, lambda float64) float64 {
	var s gradient
	for _, i := range rows {
		s.g += g[i].g
		s.c += g[i].c
	}
	return -s.g * s.g / (s.c + lambda) / 2
}

// The split of a stump in exact mode is the best of all columns and thresholds
// by enumeration, for every loss and criterion; so are its leaf values.
func TestExactStumpIsBest(t *testing.T) {
	const n, lambda = 70, 0.7
	for seed := range uint64(4) {
		x, y, labels := problem(seed, n)
		w := make([]float64, n)
		r := rng.New(seed, 9)
		for i := range w {
			w[i] = float64(r.IntN(3)) + 0.5
		}
		if seed%2 == 0 {
			w = nil
		}
		for _, s := range []struct {
			name string
			l    lossFunction
			crit Criterion
		}{
			{"squared", squaredLoss{y}, SecondOrder},
			{"logistic", logistic{labels.Class}, SecondOrder},
			{"direct", logistic{labels.Class}, DirectLoss},
		} {
			c := must.Have(settings.Resolved(Config{Rounds: 1, Shrinkage: 1, MaxLeaves: 2, MinRows: 5, Lambda: gram.Set(lambda), Exact: true, Criterion: s.crit}, gram.Shape{Outputs: 2}))(t)
			m := must.Have(c.boost(context.Background(), gram.Of(x), s.l, nil, w, false))(t)
			score := slices.Repeat([]float64{m.first[0]}, n)
			g, _ := derivatives(s.l, score, w, n)
			worth := func(rows []int) (h, v float64) {
				if s.crit == DirectLoss {
					return leastLoss(s.l, score, rows, w, lambda)
				}
				var sg, sc float64
				for _, i := range rows {
					sg += g[i].g
					sc += g[i].c
				}
				return -sg / (sc + lambda), secondOrder(g, rows, lambda)
			}
			best := math.Inf(1)
			var column int
			var cut float64
			var value [2]float64
			for j := range 4 {
				for k := range n {
					var side [2][]int
					for i := range n {
						to := 0
						if x.At(i, j) > x.At(k, j) {
							to = 1
						}
						side[to] = append(side[to], i)
					}
					if len(side[0]) < 5 || len(side[1]) < 5 {
						continue
					}
					hl, vl := worth(side[0])
					hr, vr := worth(side[1])
					if vl+vr < best-1e-9 {
						best, column, cut, value = vl+vr, j, x.At(k, j), [2]float64{hl, hr}
					}
				}
			}
			root := m.forest.nodes[0]
			if int(root.feature) != column || root.threshold < cut {
				t.Fatalf("%s, seed %d: split of column %d at %v, the best is of %d above %v", s.name, seed, root.feature, root.threshold, column, cut)
			}
			for i := range n {
				if v := x.At(i, column); v > cut && v <= root.threshold {
					t.Fatalf("%s: a value between %v and the threshold %v", s.name, cut, root.threshold)
				}
			}
			for k := range 2 {
				if got := m.forest.value[1+k]; !(math.Abs(got-value[k]) < 1e-6) {
					t.Errorf("%s, seed %d: leaf value %v, want %v", s.name, seed, got, value[k])
				}
			}
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			_, whole := worth(all)
			if gain := m.stats.Gain[column]; !(math.Abs(gain-(whole-best)) < 1e-6*(1+whole-best)) {
				t.Errorf("%s, seed %d: gain %v, want %v", s.name, seed, gain, whole-best)
			}
		}
	}
}

// Whole trees: the histogram of the larger child, found by subtraction, leads
// to the splits that summing anew would give: every leaf holds the minimizer
// over its rows, and no leaf that may be split has a better split than those
// that were made.
func TestLeavesHoldTheirMinimizers(t *testing.T) {
	x, y, labels := problem(3, 800)
	for _, s := range []struct {
		name string
		l    lossFunction
		crit Criterion
	}{{"squared", squaredLoss{y}, SecondOrder}, {"direct", logistic{labels.Class}, DirectLoss}} {
		c := must.Have(settings.Resolved(Config{Rounds: 1, Shrinkage: 1, MaxLeaves: 12, Lambda: gram.Set(0.5), Criterion: s.crit}, gram.Shape{Outputs: 2}))(t)
		m := must.Have(c.boost(context.Background(), gram.Of(x), s.l, nil, nil, false))(t)
		if m.stats.Leaves != 12 {
			t.Fatalf("%d leaves, want 12", m.stats.Leaves)
		}
		score := slices.Repeat([]float64{m.first[0]}, 800)
		at := map[float64][]int{}
		out := mat.NewDense(800, 1, nil)
		m.scores(out, x)
		for i := range 800 {
			h := out.At(i, 0) - m.first[0]
			at[h] = append(at[h], i)
		}
		if len(at) != 12 {
			t.Fatalf("%d values for 12 leaves", len(at))
		}
		for h, rows := range at {
			if want, _ := leastLoss(s.l, score, rows, nil, 0.5); !(math.Abs(h-want) < 1e-6) {
				t.Errorf("%s: a leaf of %d rows holds %v, its minimiser is %v", s.name, len(rows), h, want)
			}
		}
	}
}

// With squared loss and shrinkage at most 1 the training loss never rises; nor
// does the objective of direct loss minimization without sampling.
func TestTrainingLossFalls(t *testing.T) {
	x, y, labels := problem(5, 600)
	for _, eta := range []float64{0.1, 0.5, 1} {
		r := must.Have(Config{Shrinkage: eta, Rounds: 60}.FitValues(context.Background(), x, y, nil))(t)
		d := must.Have(Config{Shrinkage: eta, Rounds: 30, Criterion: DirectLoss}.Fit(context.Background(), x, labels, nil))(t)
		for _, trace := range [][]float64{r.stats.Objective, d.stats.Objective} {
			if len(trace) < 10 || !(trace[len(trace)-1] < 0.7*trace[0]) {
				t.Fatalf("η %v: the loss went from %v to %v in %d rounds", eta, trace[0], trace[len(trace)-1], len(trace)-1)
			}
			for i := 1; i < len(trace); i++ {
				if !(trace[i] <= trace[i-1]*(1+1e-12)) {
					t.Errorf("η %v: the loss rose from %v to %v in round %d", eta, trace[i-1], trace[i], i)
				}
			}
		}
	}
}

// Scores of stored trees equal those the fit updated: thresholds agree with
// bins.
func TestPredictionsAreTheFits(t *testing.T) {
	x, y, labels := problem(7, 1500)
	three := gram.Labels{Class: make([]int, 1500), Names: []string{"a", "b", "c"}}
	for i := range y {
		three.Class[i] = min(2, max(0, int(y[i]+1)))
	}
	r := must.Have(Config{Rounds: 20}.FitValues(context.Background(), x, y, nil))(t)
	check := func(l lossFunction, m *model) {
		s := mat.NewDense(1500, l.outputs(), nil)
		m.scores(s, x)
		_, value := derivatives(l, s.RawMatrix().Data, nil, 1500)
		got := mean(value, nil)
		if want := m.stats.Objective[m.stats.Rounds]; !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("loss of the predictions %v, of the fit %v", got, want)
		}
	}
	check(squaredLoss{y}, &r.model)
	for i, l := range []gram.Labels{labels, three, labels, three} {
		bins := []int{0, 1000}[i/2] // codes of one byte, and of two
		c := must.Have(Config{Rounds: 20, RowSample: 0.5, ColumnSample: 0.5, Bins: bins}.Fit(context.Background(), x, l, nil))(t)
		if len(l.Names) == 2 {
			check(logistic{l.Class}, &c.model)
		} else {
			check(softmax{l.Class, 3}, &c.model)
		}
	}
}

// Histograms of sparse columns, by groups and by lists, are those of dense ones, in several parts too, and
// so are the trees.
func TestSparseHistograms(t *testing.T) {
	const n, d = 60_000, 6
	r := rng.New(4, 0)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		x.Set(i, 0, r.NormFloat64())
		for j := 1; j < d; j++ {
			if r.IntN(3) == 0 {
				x.Set(i, j, float64(2*r.IntN(2)-1))
			}
		}
	}
	table, err := bins.Make(context.Background(), 2, gram.Of(x), 32, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := must.Have(settings.Resolved(Config{MinRows: 1}, gram.Shape{Outputs: 1}))(t)
	g := must.Have(newGrower(context.Background(), c, table, squaredLoss{}, nil))(t)
	if g.some == nil || g.some.Common[0] >= 0 {
		t.Fatal("want sparse columns but for the first")
	}
	g.fixed = newFixed(gradient{8, 1}, n)
	grad := make([]gradient, n)
	for i := range n {
		grad[i] = gradient{r.NormFloat64(), r.Float64()}
		g.words[0][i] = g.fixed.word(grad[i], i)
		g.total[0] = g.total[0].Plus(g.words[0][i])
	}
	g.word = g.words[0]
	plain := must.Have(newGrower(context.Background(), c, table, squaredLoss{}, nil))(t)
	listed := must.Have(newGrower(context.Background(), c, table, squaredLoss{}, nil))(t)
	if listed.some, err = table.Sparse(context.Background(), 2, sparseShare, 0); err != nil || len(g.some.Groups) == 0 || len(g.some.Bin) > 0 {
		t.Fatal("want all sparse columns in groups", err)
	}
	listed.fixed, listed.word, listed.words, listed.total = g.fixed, g.word, g.words, g.total
	plain.some, plain.fixed, plain.word, plain.words, plain.total = nil, g.fixed, g.word, g.words, g.total
	var most int
	for _, rows := range [][]int32{all(n), all(50), {7}} {
		columns := []int32{0, 2, 3, 5}
		var first []hist.Cell
		for workers := 1; workers <= 3; workers++ {
			for _, g := range []*grower{g, listed, plain} {
				g.rows, g.c.Workers = rows, workers
				g.offset, g.free = nil, nil
				g.layout(columns)
				l := &leaf{hi: len(rows)}
				l.sum, l.hist = g.fixed.sum(g.whole(0)), g.buffer()
				most = max(most, g.parts(l, workers, 1))
				must.Do(t, g.histogram(l))
				var got []hist.Cell
				for _, j := range columns {
					got = append(got, g.of(l.hist, j)...)
				}
				if first == nil {
					first = got
				}
				if !slices.Equal(got, first) {
					t.Fatalf("%d rows, %d workers, sparse columns %v, groups %v: other bits", len(rows), workers, g.some != nil, g.joint != nil)
				}
				at := 0
				for _, j := range columns {
					want := make([]sum, table.Bins(int(j)))
					for _, i := range rows {
						want[table.Narrow[j][i]].add(sum{grad[i].g, grad[i].c, 1})
					}
					for b, want := range want {
						s := g.fixed.sum(got[at])
						m := float64(want.n) / 2
						if s.n != want.n || !(math.Abs(s.g-want.g) <= m*g.fixed.unitG+1e-9) || !(math.Abs(s.c-want.c) <= m*g.fixed.unitC+1e-9) {
							t.Fatalf("%d rows, column %d, bin %d: %v, want %v", len(rows), j, b, s, want)
						}
						at++
					}
				}
			}
		}
	}
	if most < 3 {
		t.Errorf("at most %d parts", most)
	}
}

// Gradients are the derivatives of the losses.
func TestGradients(t *testing.T) {
	r := rng.New(2, 0)
	n, k := 20, 4
	class, y, w := make([]int, n), make([]float64, n), make([]float64, n)
	for i := range n {
		class[i], y[i], w[i] = r.IntN(2), r.NormFloat64(), r.Float64()
	}
	for _, l := range []lossFunction{squaredLoss{y}, logistic{class}, softmax{class, k}} {
		o := l.outputs()
		score := make([]float64, n*o)
		for i := range score {
			score[i] = 3 * r.NormFloat64()
		}
		g, value := derivatives(l, score, w, n)
		for i := range n {
			s := slices.Clone(score[i*o : (i+1)*o])
			if want := lossOf(l, s, i); !(math.Abs(value[i]-want) <= 1e-14*(1+want)) {
				t.Errorf("%T: loss %v, want %v", l, value[i], want)
			}
			for c := range o {
				const h = 1e-4
				at := func(d float64) float64 {
					v := s[c]
					s[c] += d
					f := lossOf(l, s, i)
					s[c] = v
					return w[i] * f
				}
				first := (at(h) - at(-h)) / (2 * h)
				second := (at(h) - 2*at(0) + at(-h)) / (h * h)
				if got := g[i*o+c]; !(math.Abs(got.g-first) < 1e-6 && math.Abs(got.c-second) < 1e-5) {
					t.Errorf("%T: derivatives %v, by differences %v and %v", l, got, first, second)
				}
			}
		}
		// The constant is a minimum: no gradient over all rows.
		first := make([]float64, o)
		l.constant(first, all(n), w)
		for i := range n {
			copy(score[i*o:], first)
		}
		g, _ = derivatives(l, score, w, n)
		for c := range o {
			var total float64
			for i := range n {
				total += g[i*o+c].g
			}
			if o <= 2 && !(math.Abs(total) < 1e-9) {
				t.Errorf("%T: the gradient at the constant is %v", l, total)
			}
		}
	}
}

// More bins come closer to the exact splits.
func TestBinsConverge(t *testing.T) {
	x, y, _ := problem(11, 3000)
	exact := must.Have(Config{Rounds: 1, MaxLeaves: 2, Exact: true}.FitValues(context.Background(), x, y, nil))(t)
	want := exact.stats.Objective[1]
	before := math.Inf(1)
	for _, b := range []int{4, 16, 64, 255, 3000} {
		m := must.Have(Config{Rounds: 1, MaxLeaves: 2, Bins: b}.FitValues(context.Background(), x, y, nil))(t)
		gap := m.stats.Objective[1] - want
		if !(gap >= -1e-12) || !(gap <= before*1.0001+1e-12) {
			t.Errorf("%d bins: loss above the exact one by %v, with fewer bins by %v", b, gap, before)
		}
		before = gap
	}
	if before > 1e-12 {
		t.Errorf("with a bin for every value the loss is above the exact one by %v", before)
	}
}

func TestEarlyStopping(t *testing.T) {
	x, y, _ := problem(13, 400)
	r := rng.New(1, 1)
	for i := range y {
		y[i] += 2 * r.NormFloat64()
	}
	m := must.Have(Config{Rounds: 400, Shrinkage: 0.5, MinRows: 2, Holdout: 0.3, Patience: 7}.FitValues(context.Background(), x, y, nil))(t)
	s := m.Stats()
	at := 0
	for i, v := range s.Holdout[1:] {
		if v < s.Holdout[at+1] {
			at = i
		}
	}
	if s.Rounds != at+1 || len(s.Holdout) != s.Rounds+7+1 {
		t.Errorf("kept %d rounds of %d, the best was %d", s.Rounds, len(s.Holdout)-1, at+1)
	}
}

// Scores far outside what exp can take stay finite, and the minimizer is found.
func TestMinimizeExtremes(t *testing.T) {
	for _, f := range []float64{-1e6, -800, -30, 0, 30, 800, 1e6} {
		for _, class := range []int{0, 1} {
			g := &grower{t: nil, c: Config{Lambda: gram.Set(1e-3)}}
			d := &direct{g: g, class: []int{class, class}, score: []float64{max(-scoreLimit, min(scoreLimit, f)), 0}}
			d.odds = []float64{math.Exp(-d.score[0]), 1}
			var s rowset
			s.reset()
			d.put(&s, 0)
			d.put(&s, 1)
			h, v := s.minimize(1e-3, -5)
			want, least := leastLoss(logistic{d.class}, d.score, []int{0, 1}, nil, 1e-3)
			if !(math.Abs(h-want) < 1e-5 && math.Abs(v-least) < 1e-9*(1+least)) {
				t.Errorf("score %v, class %d: %v with loss %v, want %v with %v", f, class, h, v, want, least)
			}
		}
	}
}

// A value equal to a threshold goes left, as in the fit; one above goes right.
func TestThresholdIsIncluded(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{1, 1, math.Nextafter(1, 2), math.Nextafter(1, 2)})
	m := must.Have(Config{Rounds: 1, MinRows: 1, Shrinkage: 1, Lambda: gram.Set(0.)}.FitValues(context.Background(), x, []float64{0, 0, 1, 1}, nil))(t)
	if got := m.Predict(nil, x); !slices.Equal(got, []float64{0, 0, 1, 1}) {
		t.Errorf("predictions %v", got)
	}
}
