package rfm

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

const (
	worse       = 1.1   // a round whose loss is so many times the best ends a run
	better      = 1.001 // a loss is less if it is so many times less
	fewRounds   = 3     // fits of a combination before it is compared with others
	minFirst    = 500   // training rows on which width and λ are looked for at least
	firstShare  = .4    // of the training rows, if that is more
	final       = 2     // combinations that have all rounds
	usualTrials = 8     // widths and λ that are tried for one metric of a round, as a rule
	lastTrials  = 4     // and around the best in the end
)

// The widths, in medians of the distances, and the products of width and λ that are tried. Where the width is large, the kernel
// is about 1 − D/L, and only the product matters.
var (
	lengths  = []float64{.25, .5, 1, 2, 4, 8, 16}
	products = []float64{1e-4, 3e-4, 1e-3, 3e-3, .01, .03, .1, .3, 1, 3}
)

// The search begins at these places of the lists: a width of 2 medians and a product of 0.03.
const firstLength, firstProduct = 3, 5

// trial is a run of rounds with one combination of settings.
type trial struct {
	metric         Metric
	length, lambda float64
	place          point // of the width and λ

	next   mapping // of the round to come
	best   *fitted
	chosen int
	rounds []Round
	plain  bool // it has no round but the first
	done   bool
}

// usual returns the trial of the default settings for d columns.
func (c Config) usual(d int) *trial {
	t := &trial{metric: c.metrics(d)[0]}
	t.length, t.lambda = c.at(point{firstLength, firstProduct})
	if !c.Lambda.Given() {
		t.lambda = 1e-3
	}
	return t
}

// metrics returns the metrics that are compared for d columns, the default first.
func (c Config) metrics(d int) []Metric {
	switch {
	case c.Metric != Auto:
		return []Metric{c.Metric}
	case d > maxFull:
		return []Metric{Diagonal, Manhattan}
	}
	return []Metric{Full, Diagonal, Manhattan}
}

// settled reports whether nothing is left to choose but the round.
func (c Config) settled(d int) bool {
	return len(c.metrics(d)) == 1 && c.Length.Given() && c.Lambda.Given()
}

// point is a combination of width and λ: places in lengths and products.
type point struct{ length, product int }

// at returns the width and λ of a point. Those that are given are the same at all points.
func (c Config) at(p point) (length, lambda float64) {
	length = lengths[p.length]
	if c.Length.Given() {
		length = c.Length.Value()
	}
	if c.Lambda.Given() {
		return length, c.Lambda.Value()
	}
	if c.Absolute {
		return length, products[p.product]
	}
	return length, products[p.product] / length
}

// start returns the mapping of the first round.
func (c Config) start(ctx context.Context, m Metric, d int, l *layout) (mapping, error) {
	if c.Given.Metric != nil {
		return newMapping(ctx, m, l.parts(c.Given.Metric))
	}
	ones := slices.Repeat([]float64{1}, d)
	out := mapping{metric: m, scale: ones, values: ones[:min(topValues, d)]}
	for _, s := range l.coded() {
		out.levels = append(out.levels, square{diagonal: ones[:len(s.columns)]})
		out.scale = out.scale[len(s.columns):]
	}
	if k := len(out.scale); m == Full && k > 0 {
		out.scale, out.root = nil, mat.DenseCopyOf(mat.NewDiagDense(k, out.scale))
	}
	return out, nil
}

// split returns the rows to train on and those held out.
func (c Config) split(n int) crossval.Split {
	held := c.holds(n)
	if c.Given.Held == nil {
		if held == 0 {
			return crossval.Share(n, 0, nil, 0)
		}
		return crossval.Share(n, float64(held)/float64(n), nil, rng.Derive(c.Seed, "held"))
	}
	out := crossval.Split{Held: slices.Sorted(slices.Values(c.Given.Held))}
	for i := range n {
		if _, found := slices.BinarySearch(out.Held, i); !found {
			out.Train = append(out.Train, i)
		}
	}
	return out
}

// groups returns the number of the group of each column, −1 for those in none; nil if
// there are no groups.
func (c Config) groups(d int) []int {
	if c.Given.Groups == nil {
		return nil
	}
	out := slices.Repeat([]int{-1}, d)
	for g, columns := range c.Given.Groups {
		for _, k := range columns {
			out[k] = g
		}
	}
	return out
}

// fit chooses the metric, and fits all rows with it.
func (c Config) fit(ctx context.Context, s gram.Samples[float64], y *mat.Dense, w []float64) (*Model, error) {
	n, d := s.Dims()
	split, meter := c.split(n), c.Meter()
	if len(split.Train) == 0 {
		return nil, errors.New("rfm: all rows are held out")
	}
	pick := func(index []int) (*mat.Dense, *mat.Dense, []float64) {
		return rows.Dense(s, index), rows.Dense(gram.Of(y), index), rows.Pick(w, index)
	}
	x, own, weights := pick(split.Train)
	l := c.layout(x)
	p := l.part(x, own, weights, c.Workers, meter)
	if len(split.Held) > 0 {
		p.held, p.want, p.heldW = pick(split.Held)
	}
	sub := p
	if len(split.Train) > maxSearchRows {
		sub = p.some(maxSearchRows, rng.Derive(c.Seed, "searched"))
	}
	c, t, tried, err := c.found(ctx, sub, d)
	if err != nil {
		return nil, err
	}
	if sub != p {
		t = &trial{metric: t.metric, length: t.length, lambda: t.lambda}
	}
	if err := c.run(ctx, p, t, d, math.MaxInt); err != nil {
		return nil, err
	}
	f := t.best
	if len(split.Held) > 0 { // all rows, with the metric that was chosen
		*p = part{}
		p = l.part(rows.Dense(s, order(n)), y, w, c.Workers, meter)
		if f, err = p.fit(ctx, f.at, f.length, false, t.lambda); err != nil {
			return nil, err
		}
	}
	return c.model(p, f, t, Stats{Rounds: t.rounds, Chosen: t.chosen, Rows: n, Held: len(split.Held), Tried: tried}), nil
}

// found returns the settings that are chosen on the rows of p, with their trial and the number of combinations that were compared. If
// nothing is left to choose, or no rows are held out, the trial has no rounds.
func (c Config) found(ctx context.Context, p *part, d int) (Config, *trial, int, error) {
	if width := p.layout.widest(d); p.held == nil || c.settled(width) {
		return c, c.usual(width), 1, nil
	}
	t, tried, err := c.search(ctx, p, d)
	if err == nil && t.plain {
		c.Rounds = gram.Set(0)
	}
	return c, t, tried, err
}

// order returns 0, 1, …, n−1.
func order(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// byLoss puts the trial with the smaller loss of its best round first.
func byLoss(a, b *trial) int { return cmp.Compare(a.best.loss, b.best.loss) }

// search returns the best trial for the rows of p, and the number of combinations that were compared. Width and λ are looked for
// on a part of the training rows. The trials of what was found have some rounds on all, and the best of these have all rounds. With the metric of the best, width and λ are looked for on all.
func (c Config) search(ctx context.Context, p *part, d int) (*trial, int, error) {
	n, _ := p.y.Dims()
	part := p
	if first := max(minFirst, int(firstShare*float64(n))); first < n {
		part = p.some(first, rng.Derive(c.Seed, "first"))
	}
	trials, tried, err := c.candidates(ctx, part, d)
	if err != nil {
		return nil, 0, err
	}
	if err := c.each(ctx, p, trials, d, fewRounds); err != nil {
		return nil, 0, err
	}
	slices.SortStableFunc(trials, byLoss)
	if err := c.each(ctx, p, trials[:min(len(trials), final)], d, math.MaxInt); err != nil {
		return nil, 0, err
	}
	best := slices.MinFunc(trials, byLoss)
	f, where, count, err := c.climb(ctx, p, best.best.at, best.place)
	if err != nil {
		return nil, 0, err
	}
	best.best = f
	best.length, best.lambda = c.at(where)
	return best, tried + count, nil
}

// candidates returns a trial for each metric, with the width and λ that were best for the rows of p, and one without
// rounds for each norm. In each round width and λ are looked for anew.
func (c Config) candidates(ctx context.Context, p *part, d int) (trials []*trial, tried int, err error) {
	metrics := c.metrics(p.layout.widest(d))
	for len(metrics) > 0 {
		norm := metrics[:1] // metrics of one norm have the first round in common
		if metrics[0] == Full && len(metrics) > 1 && c.Given.Metric == nil {
			norm = metrics[:2]
		}
		metrics = metrics[len(norm):]
		at, err := c.start(ctx, norm[0], d, p.layout)
		if err != nil {
			return nil, 0, err
		}
		f, from, count, err := c.climb(ctx, p, at, point{firstLength, firstProduct})
		if err != nil {
			return nil, 0, err
		}
		tried += count
		plain := c.trial(norm[len(norm)-1], from)
		plain.plain = true
		trials = append(trials, plain)
		first, err := p.agop(ctx, f, norm[0] == Full)
		if err != nil {
			return nil, 0, err
		}
		for _, m := range norm {
			next, best, where := first, math.Inf(1), from
			now := from
			for range min(fewRounds-1, c.Rounds.Value()) {
				if next.empty() {
					break
				}
				to, err := newMapping(ctx, m, next)
				if err != nil {
					return nil, 0, err
				}
				if f, now, count, err = c.climb(ctx, p, to, now); err != nil {
					return nil, 0, err
				}
				tried += count
				if f.loss < best {
					best, where = f.loss, now
				}
				if next, err = p.agop(ctx, f, m == Full); err != nil {
					return nil, 0, err
				}
			}
			if !math.IsInf(best, 1) {
				trials = append(trials, c.trial(m, where))
			}
		}
	}
	return trials, tried, nil
}

// trial returns a trial of the metric m with the width and λ of a point, before its first round.
func (c Config) trial(m Metric, at point) *trial {
	t := &trial{metric: m, place: at}
	t.length, t.lambda = c.at(at)
	return t
}

// climb returns the fit under the mapping with the best width and λ that a walk finds from a point on, where that is, and how many
// were tried. It leaves the distances in p.space.
func (c Config) climb(ctx context.Context, p *part, at mapping, from point) (best *fitted, where point, tried int, err error) {
	shared := &fitted{at: at}
	seen := map[point]bool{}
	try := func(to point) (bool, error) {
		if seen[to] || to.length < 0 || to.length >= len(lengths) || to.product < 0 || to.product >= len(products) {
			return false, nil
		}
		seen[to] = true
		length, lambda := c.at(to)
		var f *fitted
		if best == nil {
			f, err = p.fit(ctx, at, length, !c.Absolute, lambda)
			shared = f
		} else {
			f, err = p.again(ctx, shared, length, !c.Absolute, lambda)
		}
		if err != nil {
			return false, err
		}
		if best != nil && !(better*f.loss < best.loss) {
			return false, nil
		}
		best, where = f, to
		return true, nil
	}
	if _, err := try(from); err != nil {
		return nil, from, 0, err
	}
	for again := true; again; {
		again = false
		for _, step := range []point{{0, -1}, {0, 1}, {-1, 0}, {1, 0}} {
			if step.length != 0 && c.Length.Given() || step.product != 0 && c.Lambda.Given() {
				continue
			}
			for {
				moved, err := try(point{where.length + step.length, where.product + step.product})
				if err != nil {
					return nil, from, 0, err
				}
				if !moved {
					break
				}
				again = true
			}
		}
	}
	return best, where, len(seen), nil
}

// each does rounds of one trial after the other until each has had most rounds, or all of its own.
func (c Config) each(ctx context.Context, p *part, trials []*trial, d, most int) error {
	for _, t := range trials {
		if err := c.run(ctx, p, t, d, most); err != nil {
			return err
		}
	}
	return nil
}

// run does rounds of t until it has had that many, or all of them.
func (c Config) run(ctx context.Context, p *part, t *trial, d, most int) error {
	if t.plain {
		most = 1
	}
	most = min(most, c.Rounds.Value()+1)
	if t.metric == Auto {
		panic("rfm: a trial has no metric")
	}
	for !t.done && len(t.rounds) < most {
		begin := time.Now()
		f, err := c.round(ctx, p, t, d)
		if err != nil {
			return err
		}
		number := len(t.rounds)
		last := number == c.Rounds.Value()
		if t.best == nil || f.loss < t.best.loss || p.held == nil {
			t.best, t.chosen = f, number
		} else if f.loss > worse*t.best.loss {
			last = true
		}
		if !last {
			m, err := p.agop(ctx, f, t.metric == Full)
			if err != nil {
				return err
			}
			if last = m.empty(); !last {
				if t.next, err = newMapping(ctx, t.metric, m); err != nil {
					return err
				}
			}
		}
		if p.held != nil { // the chosen metric is fitted to all rows
			f.a, f.alpha = nil, nil
		}
		t.done = last
		t.rounds = append(t.rounds, Round{Loss: f.loss, Length: f.length, Top: f.at.values, Seconds: time.Since(begin).Seconds()})
		p.meter.Report(gram.Event{Phase: "rounds", Done: int64(number + 1), Total: int64(c.Rounds.Value() + 1), Objective: f.loss})
	}
	return nil
}

// round returns the fit of the next round of t, with its distances in the space of p.
func (c Config) round(ctx context.Context, p *part, t *trial, d int) (*fitted, error) {
	if len(t.rounds) > 0 {
		return p.fit(ctx, t.next, t.length, !c.Absolute, t.lambda)
	}
	at, err := c.start(ctx, t.metric, d, p.layout)
	if err != nil {
		return nil, err
	}
	return p.fit(ctx, at, t.length, !c.Absolute, t.lambda)
}

// chosen returns the settings with those of t.
func (c Config) chosen(t *trial) Config {
	c.Metric, c.Length, c.Lambda, c.Given = t.metric, gram.Set(t.length), gram.Set(t.lambda), Given{}
	return c
}

// model returns the model of the function f of p, with the settings c, those of t, and the statistics st.
func (c Config) model(p *part, f *fitted, t *trial, st Stats) *Model {
	c = c.chosen(t)
	if e := p.expansion(f); len(e.coded) > 0 {
		m := &Model{cfg: c, levels: e, stats: st}
		return m.compiled()
	}
	k := krr.Config{Kernel: kernelOf(t.metric, f.length), Lambda: gram.Set(t.lambda), NoBias: true, Run: gram.Run{Workers: c.Workers}}
	m := &Model{cfg: c, root: f.at.root, scale: f.at.scale, stats: st}
	return m.with(krr.NewModel(k, f.a, f.alpha, f.bias, krr.Stats{Rows: st.Rows}))
}
