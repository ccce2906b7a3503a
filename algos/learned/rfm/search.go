package rfm

import (
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
	worse     = 1.1 // a round whose loss is so many times the best ends a run
	survivors = 4   // combinations that go on after the first rounds
)

// trial is a run of rounds with one combination of settings.
type trial struct {
	metric         Metric
	length, lambda float64

	next   mapping // of the round to come
	best   *fitted
	chosen int
	rounds []Round
	done   bool
}

// trials returns the combinations that are compared for d columns, the default first if
// none is held out.
func (c Config) trials(d int) []*trial {
	metrics := []Metric{c.Metric}
	if c.Metric == Auto {
		metrics = []Metric{Full, Diagonal, Manhattan}
		if d > mostFull {
			metrics = metrics[1:]
		}
	}
	lengths, lambdas := []float64{2, 1, 4, 8}, []float64{1e-3, .03, .5}
	if c.Length.Given() {
		lengths = []float64{c.Length.Value()}
	}
	if c.Lambda.Given() {
		lambdas = []float64{c.Lambda.Value()}
	}
	var out []*trial
	for _, m := range metrics {
		for _, l := range lengths {
			for _, lambda := range lambdas {
				out = append(out, &trial{metric: m, length: l, lambda: lambda})
			}
		}
	}
	return out
}

// start returns the metric of the first round, as its diagonal if that is all.
func (c Config) start(m Metric, d int) matrix {
	switch {
	case c.Given.Metric != nil:
		return matrix{full: c.Given.Metric}
	case m != Full:
		return matrix{diagonal: slices.Repeat([]float64{1}, d)}
	}
	one := mat.NewSymDense(d, nil)
	for k := range d {
		one.SetSym(k, k, 1)
	}
	return matrix{full: one}
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
	p := &part{workers: c.Workers, meter: meter}
	p.x, p.y, p.w = pick(split.Train)
	if len(split.Held) > 0 {
		p.held, p.want, p.heldW = pick(split.Held)
	}
	trials := c.trials(d)
	tried := 1
	if len(split.Held) == 0 {
		trials = trials[:1]
	} else if tried = len(trials); tried > 1 {
		sub := p
		if len(split.Train) > mostSearched {
			order := rng.New(rng.Derive(c.Seed, "searched"), 0).Perm(len(split.Train))[:mostSearched]
			slices.Sort(order)
			sub = &part{workers: c.Workers, meter: meter, held: p.held, want: p.want, heldW: p.heldW}
			sub.x, sub.y, sub.w = pick(rows.Pick(split.Train, order))
		}
		best, err := c.search(ctx, sub, trials, d)
		if err != nil {
			return nil, err
		}
		if trials = []*trial{best}; sub != p {
			trials = []*trial{{metric: best.metric, length: best.length, lambda: best.lambda}}
		}
	}
	t := trials[0]
	if err := c.run(ctx, p, t, d, math.MaxInt); err != nil {
		return nil, err
	}
	f := t.best
	if len(split.Held) > 0 { // all rows, with the metric that was chosen
		all := &part{workers: c.Workers, meter: meter, w: w, y: y, x: rows.Dense(s, order(n))}
		*p = part{}
		var err error
		if f, err = all.fit(ctx, f.at, f.length, false, t.lambda); err != nil {
			return nil, err
		}
	}
	return c.model(f, t, Stats{Rounds: t.rounds, Chosen: t.chosen, Rows: n, Held: len(split.Held), Tried: tried}), nil
}

// order returns the numbers below n.
func order(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// search returns the best trial: all for two rounds, the best four for all rounds.
func (c Config) search(ctx context.Context, p *part, trials []*trial, d int) (*trial, error) {
	for _, t := range trials {
		if err := c.run(ctx, p, t, d, 2); err != nil {
			return nil, err
		}
	}
	better := func(a, b *trial) int {
		switch {
		case a.best.loss < b.best.loss:
			return -1
		case a.best.loss > b.best.loss:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(trials, better)
	trials = trials[:min(len(trials), survivors)]
	for _, t := range trials {
		if err := c.run(ctx, p, t, d, math.MaxInt); err != nil {
			return nil, err
		}
	}
	return slices.MinFunc(trials, better), nil
}

// run does rounds of t until it has had that many, or all of them.
func (c Config) run(ctx context.Context, p *part, t *trial, d, most int) error {
	most = min(most, c.Rounds.Value()+1)
	groups := c.groups(d)
	if t.metric == Auto {
		panic("rfm: a trial has no metric")
	}
	for !t.done && len(t.rounds) < most {
		begin := time.Now()
		if len(t.rounds) == 0 {
			at, err := newMapping(ctx, t.metric, c.start(t.metric, d))
			if err != nil {
				return err
			}
			t.next = at
		}
		f, err := p.fit(ctx, t.next, t.length, !c.Absolute, t.lambda)
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
			m, err := p.agop(ctx, f, t.metric == Full, groups)
			if err != nil {
				return err
			}
			if last = m.empty(); !last {
				if t.next, err = newMapping(ctx, t.metric, m); err != nil {
					return err
				}
			}
		}
		t.done = last
		t.rounds = append(t.rounds, Round{Loss: f.loss, Length: f.length, Top: f.at.values, Seconds: time.Since(begin).Seconds()})
		p.meter.Report(gram.Event{Phase: "rounds", Done: int64(number + 1), Total: int64(c.Rounds.Value() + 1), Objective: f.loss})
	}
	return nil
}

// model makes the model of a fit.
func (c Config) model(f *fitted, t *trial, st Stats) *Model {
	c.Metric, c.Length, c.Lambda, c.Given = t.metric, gram.Set(t.length), gram.Set(t.lambda), Given{}
	k := krr.Config{Kernel: kernelOf(t.metric, f.length), Lambda: gram.Set(t.lambda), NoBias: true, Run: gram.Run{Workers: c.Workers}}
	m := &Model{cfg: c, root: f.at.root, scale: f.at.scale, stats: st}
	return m.with(krr.NewModel(k, f.a, f.alpha, f.bias, krr.Stats{Rows: st.Rows}))
}
