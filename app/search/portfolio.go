package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
)

// A race begins with fewestRaced training rows or a few more. Up to mostForFolds rows have three folds; of more
// a fifth is held out once, at most mostHeldOut rows, and a race ends with a quarter of the rows, or with mostRaced.
const (
	fewestRaced  = 500
	mostRaced    = 4000
	mostForFolds = 5000
	mostHeldOut  = 3000
	fewestDear   = 10_000 // rows from which a race may not take much longer than the fit to all rows
	mostForKRR   = 10_000 // rows of the exact problem; of more rows falkon solves it on landmarks
	mostForRFM   = 5000   // rows to which a metric is learned, some tens of exact problems
	cellsForRFM  = 500_000
)

// Portfolio returns the methods that are worth a first try on d, by their plans the cheapest first, those without
// a plan last. The error is a *gram.ConfigError if d has no target.
func Portfolio(d *dataset.Set) ([]catalog.Method, error) { return PortfolioFor(d.Task(), d.Shape()) }

// PortfolioFor is Portfolio for data that are not read yet.
func PortfolioFor(task dataset.Task, s gram.Shape) ([]catalog.Method, error) {
	var names []string
	switch task {
	case dataset.Regression:
		names = []string{"linear", "gbdt", "nystrom", "svr", "krr"}
	case dataset.Classes:
		names = []string{"linear", "gbdt", "nystrom", "svm", "krr"}
	case dataset.MultiLabel:
		names = []string{"linear", "leml", "plt", "fastxml", "gimc-lff", "gbml"}
	default:
		return nil, settings.Refuse("task", task, "a target to compare methods by")
	}
	switch {
	case task == dataset.MultiLabel:
	case s.N <= mostForRFM && s.N*s.D <= cellsForRFM:
		names = append(names, "rfm")
	case s.N > mostForKRR:
		names = slices.DeleteFunc(append(names, "falkon"), func(name string) bool { return name == "krr" })
	}
	var methods []catalog.Method
	cost := map[string]float64{}
	for _, name := range names {
		m := catalog.Must(name)
		methods = append(methods, m)
		cost[name] = math.Inf(1)
		if p, err := m.New().Plan(task, s, gram.Run{}); err == nil {
			cost[name] = p.Flops
		}
	}
	slices.SortStableFunc(methods, func(a, b catalog.Method) int { return cmp.Compare(cost[a.Name], cost[b.Name]) })
	return methods, nil
}

// Compare races methods with their default settings on the same held-out rows: those of each of three folds
// in turn, or, of more than 5000 rows, a fifth of them once. Encoding and scaling are found from the training rows alone.
//
// All methods are trained on a part of the training rows, of at least 500, before any gets more; then the number
// of rows doubles from round to round, up to all of them, or to a quarter of more than 16000. A method leaves the race
//
//   - if by the slope of its last doubling four times the rows would not bring it to where the best is already,
//   - from the second round on, if it is behind by the slopes of both and takes six times as long as the best,
//   - from the third round on, if it is behind and takes three times as long or, of 10000 rows or more, the race has
//     taken three times as long as the best's fit to all of them,
//   - and from then on, if its own fit to all rows would take longer than Budget.
//
// The best of the last round wins. The settings that a method chooses by the data are chosen once for each fold, as a fit
// to all rows would choose them, by the rows of the first round.
//
// Budget ends the race with the last round that it has time for; the first method always has the time that it needs in the
// first round. It changes no score.
type Compare struct {
	Methods []catalog.Method
	Budget  time.Duration // CPU time of the process; default: no limit
	Scale   training.Scale
	Metric  string         // name of a metric.Measure; empty: the default of the task
	Trust   training.Trust // what the best method is to be fitted with; only its Encode changes scores
	gram.Run
}

// Tried is the result of one method in a race, in the last round that it ran in.
type Tried struct {
	Method    string  `json:"method"`
	Score     float64 `json:"score"`     // mean over the folds in its last round; 0 if there is none
	Std       float64 `json:"std"`       // standard deviation between the folds; 0 if there is one
	Rows      int     `json:"rows"`      // that it was trained on in its last round
	Seconds   float64 `json:"seconds"`   // wall time of training and judging, all rounds and folds together
	Converged bool    `json:"converged"` // whether the solver reached its tolerance on all folds
	Out       string  `json:"out,omitempty"`
	Failed    string  `json:"failed,omitempty"`
}

// Compared is the result of Compare. Best is the place of the method that is best in the last round; Out says
// of another why it left the race before, and Failed why it has no score.
type Compared struct {
	Metric  string  `json:"metric"` // name of the metric.Measure
	Folds   int     `json:"folds"`  // that were held out; 1: a part of the rows
	Rows    int     `json:"rows"`   // training rows of a fold in the last round
	Best    int     `json:"best"`
	LeftOut string  `json:"left_out,omitempty"` // which rounds the budget did not allow; empty: none
	Methods []Tried `json:"methods"`
}

// loneRow returns the row of two classes that is alone in its class, −1 if there is none: without it, all rows are of
// one class.
func loneRow(d *dataset.Set) int {
	if d.Task() != dataset.Classes || len(d.Labels.Names) != 2 || len(d.Labels.Class) < 2 {
		return -1
	}
	count, last := [2]int{}, [2]int{}
	for i, c := range d.Labels.Class {
		count[c]++
		last[c] = i
	}
	switch {
	case count[0] == 1:
		return last[0]
	case count[1] == 1:
		return last[1]
	}
	return -1
}

// Do compares the methods on the rows of d. The error is ctx.Err(), that of the measure, of the
// data's kind or of Trust, or why the first method failed if all did.
func (c Compare) Do(ctx context.Context, d *dataset.Set) (*Compared, error) {
	n, _ := d.Dims()
	switch {
	case len(c.Methods) == 0:
		return nil, settings.Refuse("Methods", 0, "at least one")
	case loneRow(d) >= 0:
		row := loneRow(d)
		return nil, &gram.DataError{Row: row, Col: -1, Reason: fmt.Sprintf("no other row is of class %q: methods are compared on rows that are held out, which takes two of each of two classes; a single method can be fitted", d.Labels.Names[d.Labels.Class[row]])}
	case n < 2:
		return nil, settings.Refuse("rows", n, "at least 2 to compare methods")
	}
	s := Config{Folds: min(3, n), Scale: c.Scale, Metric: c.Metric, Encode: c.Trust.Encode, Budget: c.Budget, Run: c.Run}
	measure, err := s.measure(d.Task())
	if err != nil {
		return nil, err
	}
	for _, m := range c.Methods {
		if err := m.Check(d); err != nil {
			return nil, err
		}
		if err := c.Trust.Check(m, nil, d); err != nil {
			return nil, err
		}
	}
	splits := c.splits(d)
	r := &Compared{Metric: measure.Name, Folds: len(splits), Best: -1, Methods: make([]Tried, len(c.Methods))}
	s.race = &race{d: d, budget: c.Budget, splits: splits, larger: measure.Larger,
		settled: map[[2]int][]string{}, out: map[int]string{}, before: map[int]float64{}, lastTimes: map[int]time.Duration{}}
	list := candidates{axis: -1}
	var failed error // of the first method
	var places []int // of the candidates
	for i, m := range c.Methods {
		r.Methods[i].Method = m.Name
		plan, err := m.New().Plan(d.Task(), d.Shape(), limitBeside(c.Run, d))
		if err == nil {
			plan.PeakBytes += copies(d)
			err = c.Run.Check(plan)
		}
		if err != nil {
			if r.Methods[i].Failed = err.Error(); failed == nil {
				failed = fmt.Errorf("%s: %w", m.Name, err)
			}
			continue
		}
		list.all = append(list.all, trialSettings{method: m, scale: c.Scale})
		places = append(places, i)
		s.race.methods = append(s.race.methods, m)
	}
	if len(places) == 0 {
		return nil, fmt.Errorf("no method could be trained: %w", failed)
	}
	list.paths, s.race.survivors = crossval.Each(len(list.all)), len(list.all)
	p, err := s.prepare(d, list, splits)
	if err != nil {
		return nil, err
	}
	found, err := p.do(ctx)
	if err != nil {
		return nil, err
	}
	r.fill(found, s.race, places, c.Budget)
	return r, nil
}

// fill takes over what the trials say of the methods at these places.
func (r *Compared) fill(found *Found, race *race, places []int, budget time.Duration) {
	most := len(race.splits[0].Train)
	for _, place := range places {
		r.Methods[place].Failed = fmt.Sprintf("left out: the budget is %v of CPU time", budget)
	}
	cut := len(found.Trials) < len(places)
	for _, t := range found.Trials {
		to := &r.Methods[places[t.Number]]
		*to = Tried{Method: t.Method, Score: t.Score, Std: t.Std, Rows: int(math.Ceil(t.Share * float64(most))), Seconds: t.Seconds,
			Converged: t.Converged, Out: race.out[t.Number], Failed: t.Failed}
		if t.Failed == "" && to.Out == "" && t.Share < 1 && race.survivors > 1 {
			cut = true
		}
	}
	best := found.Trials[found.Best]
	r.Best = places[best.Number]
	r.Rows = r.Methods[r.Best].Rows
	if cut {
		r.LeftOut = fmt.Sprintf("the budget of %v of CPU time ended the comparison with %d of %d training rows", budget, r.Rows, most)
	}
}

// splits returns the rows that the methods are trained on at most, and those that judge them.
func (c Compare) splits(d *dataset.Set) []crossval.Split {
	n, _ := d.Dims()
	seed := rng.Derive(c.Seed, "folds")
	if n <= mostForFolds {
		folds := d.Folds(min(3, n), seed)
		var splits []crossval.Split
		for f := range folds {
			splits = append(splits, crossval.Leave(folds, f))
		}
		return splits
	}
	s := crossval.Share(n, min(.2, mostHeldOut/float64(n)), d.Labels.Class, seed)
	if most := max(mostRaced, len(s.Train)/4); most < len(s.Train) {
		var class []int
		if d.Labels.Class != nil {
			class = make([]int, len(s.Train))
			for k, i := range s.Train {
				class[k] = d.Labels.Class[i]
			}
		}
		part := crossval.Share(len(s.Train), float64(most)/float64(len(s.Train)), class, seed).Held
		for k, at := range part {
			part[k] = s.Train[at]
		}
		s.Train = part
	}
	return []crossval.Split{s}
}

// race decides after each round which methods go on.
type race struct {
	d       *dataset.Set
	methods []catalog.Method // the method of each candidate, by its number
	splits  []crossval.Split
	budget  time.Duration
	larger  bool

	mu      sync.Mutex
	settled map[[2]int][]string // what a candidate has chosen by the data for a fold, in its first round

	before    map[int]float64       // loss of each candidate in the previous round
	rounds    int                   // number of rounds that have been made
	spent     time.Duration         // CPU time of the rounds so far
	lastTimes map[int]time.Duration // CPU time of each candidate in the last round
	out       map[int]string        // why a candidate left the race, by its number
	survivors int                   // number of candidates that go on to the next round
}

// fitter returns the fitter of the candidate of t with the settings that a fit to all rows chooses by the data. They
// are chosen once for each fold, by the training rows d of the first round.
func (r *race) fitter(ctx context.Context, f catalog.Fitter, d *dataset.Set, t crossval.Task) (catalog.Fitter, error) {
	at := [2]int{t.Candidates[0], t.Fold}
	r.mu.Lock()
	chosen, is := r.settled[at]
	r.mu.Unlock()
	if !is {
		n, _ := r.d.Dims()
		var err error
		if chosen, err = catalog.ChosenOn(ctx, f, d, n, t.Run); err != nil {
			return nil, err
		}
		r.mu.Lock()
		r.settled[at] = chosen
		r.mu.Unlock()
	}
	f = catalog.Plain(f)
	return f, f.Settings().Set(chosen...)
}

// What counts as better: of measures of which more is better, such as the share of right answers, so much, and
// of the others this part of the best. firstGain is what is assumed of a doubling before one was seen, and tooSlow a
// multiple of the best's time.
const (
	moreRight = .005
	lessError = .02
	firstGain = .7
	tooSlow   = 3
)

// keep returns the candidates that go on; see Compare.
func (r *race) keep(survivors []int, trials []crossval.Trial, share float64, elapsed map[int]time.Duration) []int {
	loss := func(c int) float64 {
		if r.larger {
			return max(0, 1-trials[c].Mean)
		}
		return trials[c].Mean
	}
	gain := func(c int) float64 { // of twice the rows
		if before, is := r.before[c]; is && before > 0 {
			return min(1, loss(c)/before)
		}
		return firstGain
	}
	best := survivors[0]
	least := loss(best)
	margin := moreRight
	if !r.larger {
		margin = lessError * least
	}
	for _, t := range elapsed {
		r.spent += t
	}
	rows := int(share * float64(len(r.splits[0].Train)))
	n, _ := r.d.Dims()
	settled := r.rounds >= 2 // the times of the last two rounds are those of fits without a choice of settings
	dear := settled && n >= fewestDear && r.spent > tooSlow*r.whole(best, rows, elapsed[best])
	kept := survivors[:0:0]
	for _, c := range survivors {
		whole := r.whole(c, rows, elapsed[c])
		behind := r.rounds >= 1 && loss(c)*gain(c) > least*gain(best)+margin // clearly, with twice the rows
		slower := float64(elapsed[c]) / float64(max(1, elapsed[best]))
		switch {
		case settled && r.budget > 0 && whole > r.budget && len(survivors) > 1:
			r.out[c] = fmt.Sprintf("a fit to all rows would take about %.2g s of CPU time", whole.Seconds())
		case c == best:
			kept = append(kept, c)
		case loss(c)*gain(c)*gain(c) > least+margin:
			r.out[c] = "no better with four times the rows than the best is now"
		case behind && (slower > 2*tooSlow || settled && slower > tooSlow):
			r.out[c] = fmt.Sprintf("worse with twice the rows, and %.2g times as slow", slower)
		case behind && dear:
			r.out[c] = "worse with twice the rows, and the comparison has taken longer than the best's fit to all rows"
		default:
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 { // all take too long: the one that takes the least
		c := slices.MinFunc(survivors, func(a, b int) int { return cmp.Compare(r.whole(a, rows, elapsed[a]), r.whole(b, rows, elapsed[b])) })
		delete(r.out, c)
		kept = append(kept, c)
	}
	for _, c := range survivors {
		r.before[c], r.lastTimes[c] = loss(c), elapsed[c]
	}
	r.survivors = len(kept)
	r.rounds++
	return kept
}

// whole is the CPU time that a fit of candidate c to all rows will take, where fits to that many rows have taken elapsed in all folds:
// it grows with the power of the rows with which it has grown in the last round, between the first and the second.
func (r *race) whole(c, rows int, elapsed time.Duration) time.Duration {
	n, _ := r.d.Dims()
	power := 1.
	if last := r.lastTimes[c]; last > 0 {
		power = min(2, max(1, math.Log2(float64(elapsed)/float64(last))))
	}
	return time.Duration(float64(elapsed) / float64(len(r.splits)) * math.Pow(float64(n)/float64(max(1, rows)), power))
}
