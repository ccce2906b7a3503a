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
	worse        = 1.1 // a round whose loss is so many times the best ends a run
	fewRounds    = 2   // fits of a combination before it is compared with others
	fewestFirst  = 500 // training rows that all combinations are compared with at least
	firstShare   = .4  // of the training rows, if that is more
	ofEachMetric = 2   // combinations of each metric that are compared with all training rows
	semifinal    = 6   // combinations that are compared with all training rows
	final        = 3   // combinations that have all rounds
)

// trial is a run of rounds with one combination of settings.
type trial struct {
	metric         Metric
	length, lambda float64

	next   mapping // of the round to come
	first  *fitted // of the first round
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
	for _, l := range lengths {
		for _, lambda := range lambdas {
			for _, m := range metrics { // those that have a fit in common one after the other
				out = append(out, &trial{metric: m, length: l, lambda: lambda})
			}
		}
	}
	return out
}

// start returns the mapping of the first round.
func (c Config) start(ctx context.Context, m Metric, d int) (mapping, error) {
	if c.Given.Metric != nil {
		return newMapping(ctx, m, matrix{full: c.Given.Metric})
	}
	ones := slices.Repeat([]float64{1}, d)
	out := mapping{metric: m, scale: ones, values: ones[:min(topValues, d)]}
	if m == Full {
		out.scale, out.root = nil, mat.DenseCopyOf(mat.NewDiagDense(d, ones))
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
			sub = p.some(mostSearched, rng.Derive(c.Seed, "searched"))
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

// better orders trials by their losses.
func better(a, b *trial) int { return cmp.Compare(a.best.loss, b.best.loss) }

// search returns the best of the trials: all have two rounds on a part of the training rows, some of the
// best have them on all, and the best of these have all rounds.
func (c Config) search(ctx context.Context, p *part, trials []*trial, d int) (*trial, error) {
	n, _ := p.x.Dims()
	if first := max(fewestFirst, int(firstShare*float64(n))); first < n {
		part := p.some(first, rng.Derive(c.Seed, "first"))
		if err := c.each(ctx, part, trials, d, fewRounds); err != nil {
			return nil, err
		}
		slices.SortStableFunc(trials, better)
		trials = promoted(trials)
	}
	if err := c.each(ctx, p, trials, d, fewRounds); err != nil {
		return nil, err
	}
	slices.SortStableFunc(trials, better)
	trials = trials[:min(len(trials), final)]
	if err := c.each(ctx, p, trials, d, math.MaxInt); err != nil {
		return nil, err
	}
	return slices.MinFunc(trials, better), nil
}

// promoted returns the combinations of those trials, of which the first is the best, that go on, without a fit:
// the best of each metric, and others by their order.
func promoted(trials []*trial) []*trial {
	var out, others []*trial
	count := map[Metric]int{}
	for _, t := range trials {
		again := &trial{metric: t.metric, length: t.length, lambda: t.lambda}
		if count[t.metric]++; count[t.metric] <= ofEachMetric {
			out = append(out, again)
		} else {
			others = append(others, again)
		}
	}
	out = append(out, others[:min(len(others), max(0, semifinal-len(out)))]...)
	slices.SortStableFunc(out, func(a, b *trial) int {
		return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.lambda, b.lambda), cmp.Compare(a.metric, b.metric))
	})
	return out
}

// each runs trials. A Diagonal trial has the first fit in common with a Full one of the same settings before it.
func (c Config) each(ctx context.Context, p *part, trials []*trial, d, most int) error {
	var last *trial
	for _, t := range trials {
		if last != nil && last.metric == Full && t.metric == Diagonal && last.length == t.length && last.lambda == t.lambda && c.Given.Metric == nil {
			t.first = last.first
		}
		if last != nil {
			last.first = nil
		}
		if err := c.run(ctx, p, t, d, most); err != nil {
			return err
		}
		last = t
	}
	last.first = nil
	return nil
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
	at, err := c.start(ctx, t.metric, d)
	if err != nil {
		return nil, err
	}
	if t.first == nil {
		f, err := p.fit(ctx, at, t.length, !c.Absolute, t.lambda)
		if err != nil {
			return nil, err
		}
		first := *f
		t.first = &first
		return f, nil
	}
	f := *t.first
	f.at = at
	return &f, p.distances(ctx, f.at.metric, f.a)
}

// model makes the model of a fit.
func (c Config) model(f *fitted, t *trial, st Stats) *Model {
	c.Metric, c.Length, c.Lambda, c.Given = t.metric, gram.Set(t.length), gram.Set(t.lambda), Given{}
	k := krr.Config{Kernel: kernelOf(t.metric, f.length), Lambda: gram.Set(t.lambda), NoBias: true, Run: gram.Run{Workers: c.Workers}}
	m := &Model{cfg: c, root: f.at.root, scale: f.at.scale, stats: st}
	return m.with(krr.NewModel(k, f.a, f.alpha, f.bias, krr.Stats{Rows: st.Rows}))
}
