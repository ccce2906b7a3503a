package crossval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/machine"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
)

// Search judges candidates, which are numbered from 0, by held-out data. It runs as many
// trainings at a time as workers and memory allow.
type Search struct {
	Splits  []Split
	Larger  bool     // a larger score is better
	Halving *Halving // nil: every candidate is trained on all of Train
	Bytes   int64    // memory of the largest training; with MemoryLimit it bounds how many run at a time

	// Budget is the CPU time of the process, or the wall time where that is not known, after which
	// no further training begins, and those at work are stopped; the first path is always trained. It
	// decides how many candidates are judged and changes no score. With halving, a rung in which not
	// all were trained does not count: the best is that of the rung before. 0: none.
	Budget time.Duration

	// Done, if set, is called in the goroutine of Do whenever a candidate has been judged on all
	// splits: once in each rung, in the order in which the trainings end.
	Done func(candidate int, t Trial)

	gram.Run
	clock func() time.Duration // nil: the time of Budget
}

// Halving holds the settings of successive halving; see the package documentation.
type Halving struct {
	Factor int   // η: one of Factor candidates continues, with a budget Factor times as large; default 2
	Least  int   // least budget of the first rung; default 100 rows or, with Rounds, 1 round. Settings that ask for more rows, such as a number of landmarks, end the search
	Rounds int   // if not 0, the budget is this number of rounds instead of all rows; 0: rows
	Class  []int // classes of all rows, which parts of the training rows contain in their shares; nil: none

	// Keep, if set, returns those of the candidates left, the best first, that go on after a rung with
	// the share of the rows, whatever Factor says; spent is the CPU time of the process for each candidate
	// in this rung, which it has by its share of the wall time. The budget of rows or rounds then begins with the
	// smallest one that Factor allows, and a search with one candidate left ends.
	Keep func(left []int, trials []Trial, share float64, spent map[int]time.Duration) []int
}

func (h Halving) resolve() (Halving, error) {
	if h.Factor == 0 {
		h.Factor = 2
	}
	if h.Least == 0 {
		h.Least = 100
		if h.Rounds > 0 {
			h.Least = 1
		}
	}
	switch {
	case h.Factor < 2:
		return h, settings.Refuse("Factor", h.Factor, "at least 2")
	case h.Least < 1:
		return h, settings.Refuse("Least", h.Least, "at least 1")
	case h.Rounds < 0:
		return h, settings.Refuse("Rounds", h.Rounds, "at least 0")
	}
	return h, nil
}

// rungs returns the number of rungs for n candidates and the given budget.
func (h Halving) rungs(n, budget int) int {
	rungs := 1
	for left := n; (left > h.Factor || h.Keep != nil && n > 1) && budget/h.Factor >= h.Least; rungs++ {
		left = h.kept(left)
		budget /= h.Factor
	}
	return rungs
}

// kept returns how many of n candidates continue.
func (h Halving) kept(n int) int { return (n + h.Factor - 1) / h.Factor }

// Task is one training on one split: of one candidate, or of several on a path.
type Task struct {
	Candidates []int
	Fold       int // number of the split
	Rung       int // of halving, from 0; all trainings of a rung have ended when the next one begins
	Split          // the rows; with halving, Train is some of them
	Rounds     int // largest number of training rounds, with Halving.Rounds
	gram.Run       // Seed is that of the search; there is no Progress
}

// Judge trains the candidates of t and returns a score for each. It can be called from
// several goroutines. Scores may come with a *gram.ConvergenceError. A *gram.ConfigError ends
// the search; any other error means that these candidates cannot be trained.
type Judge func(ctx context.Context, t Task) ([]float64, error)

// Trial is the result for one candidate. With halving it is the result of the candidate's last rung.
type Trial struct {
	Scores    []float64 // one for each split; nil if the training failed
	Mean, Std float64   // mean and standard deviation of Scores; the deviation of a single score is 0
	Seconds   float64   // time to train and judge in all rungs and splits; a share of it for candidates of a path
	Converged bool      // whether the training converged on all splits
	Share     float64   // share of the rows, or rounds, used in training
	Err       error     // the reason why there is no score
}

// Result holds the trials of all candidates of a search and the number of the best candidate.
type Result struct {
	Trials []Trial
	Best   int // the first of the candidates with the best mean, among those with all rows or rounds
}

// ErrBudget is the error of a candidate that Search.Budget left no time for.
var ErrBudget = errors.New("not trained: the time is used up")

// errScore is the error of a candidate whose score is NaN.
var errScore = errors.New("predictions that are not numbers")

// Do judges the candidates of all paths, which must be the numbers from 0 on. The candidates
// of a path are trained together. If a candidate cannot be trained, its Trial has the reason
// in Err. Do returns ctx.Err(), an error of a setting, a *gram.MemoryError if the limit does
// not allow even one training at a time, or, if all candidates failed, the error of the
// first.
func (s Search) Do(ctx context.Context, paths [][]int, judge Judge) (*Result, error) {
	r, err := s.begin(paths)
	if err != nil {
		return nil, err
	}
	least := math.MaxInt
	for _, split := range s.Splits {
		least = min(least, len(split.Train))
	}
	h, rungs := Halving{Factor: 1}, 1
	if s.Halving != nil {
		if h, err = s.Halving.resolve(); err != nil {
			return nil, err
		}
		budget := least
		if h.Rounds > 0 {
			budget = h.Rounds
		}
		rungs = h.rungs(len(r.Trials), budget)
	}
	run := &runner{Search: s, h: h, judge: judge, meter: s.Meter(), result: r}
	if s.clock == nil {
		run.clock = cpuClock()
	}
	if s.Budget > 0 {
		run.end = run.clock() + s.Budget
	}
	var ranked []int // those in the next rung, the best first
	for j, left := 0, len(r.Trials); j < rungs; j++ {
		run.total += int64(left * len(s.Splits))
		if h.Keep == nil {
			left = h.kept(left)
		}
	}
	for j := range rungs {
		run.divisor = 1
		for range rungs - 1 - j {
			run.divisor *= h.Factor
		}
		before, start := slices.Clone(r.Trials), run.clock()
		out, err := run.rung(ctx, j, paths)
		if err != nil {
			return nil, err
		}
		if out && j > 0 { // what is known of all is known of the rung before
			r.Trials = before
			break
		}
		ranked = run.order(paths)
		switch {
		case len(ranked) == 0 && len(r.Trials) == 1:
			return nil, run.failed(paths)
		case len(ranked) == 0:
			return nil, fmt.Errorf("no combination could be trained: %w", run.failed(paths))
		}
		r.Best = ranked[0]
		if j == rungs-1 || out {
			break
		}
		ranked = run.keep(paths, ranked, before, run.clock()-start)
		if r.Best = ranked[0]; h.Keep != nil && len(ranked) == 1 {
			break
		}
		paths = among(paths, ranked)
	}
	run.report(run.total) // fewer were trained if some failed before the last rung, or time was up
	return r, nil
}

// keep returns which of the ranked candidates of a rung go on, whose trials before it and whose CPU time,
// of all together, are given.
func (r *runner) keep(paths [][]int, ranked []int, before []Trial, spent time.Duration) []int {
	if r.h.Keep == nil {
		var in int
		for _, p := range paths {
			in += len(p)
		}
		return ranked[:min(len(ranked), r.h.kept(in))]
	}
	var all float64
	seconds := map[int]float64{}
	for _, p := range paths {
		for _, c := range p {
			seconds[c] = r.result.Trials[c].Seconds - before[c].Seconds
			all += seconds[c]
		}
	}
	each := map[int]time.Duration{}
	for c, s := range seconds {
		each[c] = time.Duration(float64(spent) * s / max(all, math.SmallestNonzeroFloat64))
	}
	return r.h.Keep(ranked, r.result.Trials, 1/float64(r.divisor), each)
}

// cpuClock returns the clock of budgets: the CPU time of the process, or where that is not known the wall time.
func cpuClock() func() time.Duration {
	if _, known := machine.CPUTime(); !known {
		begin := time.Now()
		return func() time.Duration { return time.Since(begin) }
	}
	return func() time.Duration { t, _ := machine.CPUTime(); return t }
}

// until returns ctx that is done when the clock has reached end.
func until(ctx context.Context, clock func() time.Duration, end time.Duration) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithCancel(ctx)
	go func() {
		const most = 100 * time.Millisecond
		for left := end - clock(); left > 0; left = end - clock() {
			select {
			case <-limited.Done():
				return
			case <-time.After(min(most, max(time.Millisecond, left/time.Duration(runtime.GOMAXPROCS(0))))):
			}
		}
		cancel()
	}()
	return limited, cancel
}

// begin checks what does not depend on the candidates.
func (s Search) begin(paths [][]int) (*Result, error) {
	if len(s.Splits) == 0 {
		return nil, settings.Refuse("Splits", 0, "at least one")
	}
	var all []int
	for _, p := range paths {
		all = append(all, p...)
	}
	if len(all) == 0 {
		return nil, settings.Refuse("candidates", 0, "at least one")
	}
	slices.Sort(all)
	for i, c := range all {
		if i != c {
			panic("crossval: the paths do not have each candidate once")
		}
	}
	if s.MemoryLimit > 0 && s.Bytes > s.MemoryLimit {
		return nil, &gram.MemoryError{Need: s.Bytes, Limit: s.MemoryLimit}
	}
	return &Result{Trials: make([]Trial, len(all))}, nil
}

// runner is the state of a search over candidates while it runs.
type runner struct {
	Search
	h       Halving
	judge   Judge
	meter   *gram.Meter
	result  *Result
	divisor int           // the budget of this rung is the whole budget divided by it
	end     time.Duration // of the clock, after which nothing is trained; 0: none
	trained bool          // the first rung is over

	before, done, total int64 // candidates on splits: in earlier rungs, as reported, in all
}

func (r *runner) report(done int64) {
	if done > r.done {
		r.done = done
		r.meter.Report(gram.Event{Phase: "search", Done: done, Total: r.total})
	}
}

// outcome is the result of one path on one split.
type outcome struct {
	scores  []float64
	seconds float64
	err     error
	late    bool // the time was used up before the training or during it
}

// rung trains the candidates of the paths on every split, and reports whether the time was
// used up before all were trained. Those that were not keep the Trial of the rung before.
func (r *runner) rung(ctx context.Context, number int, paths [][]int) (out bool, err error) {
	folds := len(r.Splits)
	together := min(r.NumWorkers(), len(paths)*folds)
	run := gram.Run{Seed: r.Seed}
	if r.MemoryLimit > 0 {
		together = int(min(int64(together), r.MemoryLimit/max(1, r.Bytes)))
		run.MemoryLimit = r.MemoryLimit / int64(together)
	}
	run.Workers = max(1, r.NumWorkers()/together)
	splits := make([]Split, folds)
	for f := range splits {
		splits[f] = r.part(f)
	}
	outcomes := make([]outcome, len(paths)*folds)
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limited := inner
	if r.end > 0 {
		var release context.CancelFunc
		limited, release = until(inner, r.clock, r.end)
		defer release()
	}
	var ready atomic.Int64
	left := make([]atomic.Int64, len(paths)) // splits
	judged := make(chan int, len(paths))     // paths
	for p := range left {
		left[p].Store(int64(folds))
	}
	_ = par.Each(inner, together, len(outcomes), func(at int) {
		p, fold := at/folds, at%folds
		path, ctx := paths[p], limited
		always := path[0] == 0 && !r.trained
		if always {
			ctx = inner
		}
		t := Task{Candidates: path, Fold: fold, Rung: number, Split: splits[fold], Run: run}
		if r.h.Rounds > 0 {
			t.Rounds = r.budget(r.h.Rounds)
		}
		o := &outcomes[at]
		if *o = (outcome{late: true}); ctx.Err() == nil && (always || r.end == 0 || r.clock() < r.end) {
			*o = r.train(ctx, t)
			o.late = o.scores == nil && ctx.Err() != nil
		}
		var config *gram.ConfigError
		if errors.As(o.err, &config) {
			cancel(o.err)
		}
		ready.Add(int64(len(path)))
		if left[p].Add(-1) == 0 {
			judged <- p
		}
	}, func(int) {
		r.report(r.before + ready.Load())
		for len(judged) > 0 {
			p := <-judged
			if inner.Err() == nil && !r.finish(paths[p], outcomes[p*folds:(p+1)*folds]) {
				out = true
			}
		}
	})
	r.before += ready.Load()
	r.trained = true
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return out, context.Cause(inner) // the error that Each returned, if any
}

// finish makes the trials of a path from its outcomes on all splits, unless one came late.
func (r *runner) finish(path []int, outcomes []outcome) bool {
	late := slices.ContainsFunc(outcomes, func(o outcome) bool { return o.late })
	for k, c := range path {
		t := &r.result.Trials[c]
		if late {
			if t.Share == 0 {
				t.Err = ErrBudget
			}
			continue
		}
		*t = Trial{Seconds: t.Seconds, Converged: true, Share: 1 / float64(r.divisor)}
		for _, o := range outcomes {
			t.add(o, k, len(path))
		}
		t.finish()
		if r.Done != nil {
			r.Done(c, *t)
		}
	}
	return !late
}

// budget returns the part of a budget that this rung has.
func (r *runner) budget(of int) int { return (of + r.divisor - 1) / r.divisor }

// part returns split f with the training rows of this rung. They begin with the training
// rows of the previous rung.
func (r *runner) part(f int) Split {
	s := r.Splits[f]
	if r.divisor == 1 || r.h.Rounds > 0 {
		return s
	}
	rows := nested(s.Train, r.h.Class, rng.Derive(r.Seed, fmt.Sprint("split ", f)))
	rows = rows[:r.budget(len(rows))]
	slices.Sort(rows)
	return Split{rows, s.Held}
}

func (r *runner) train(ctx context.Context, t Task) outcome {
	begin := time.Now()
	scores, err := r.judge(ctx, t)
	if scores != nil && len(scores) != len(t.Candidates) {
		panic("crossval: there is not one score for each candidate")
	}
	if scores == nil && err == nil {
		panic("crossval: neither scores nor an error")
	}
	return outcome{scores: scores, seconds: time.Since(begin).Seconds(), err: err}
}

// add adds the outcome of a split for candidate k of a path.
func (t *Trial) add(o outcome, k, path int) {
	if t.Err != nil {
		return
	}
	if o.err != nil && (o.scores == nil || !Unfinished(o.err)) {
		t.Err = o.err
		return
	}
	t.Seconds += o.seconds / float64(path)
	t.Converged = t.Converged && o.err == nil
	v := o.scores[k]
	if math.IsNaN(v) || math.IsInf(v, 0) {
		t.Err = errScore
		return
	}
	t.Scores = append(t.Scores, v)
}

// finish computes the mean and the standard deviation.
func (t *Trial) finish() {
	if t.Err != nil {
		t.Scores, t.Converged = nil, false
		return
	}
	k := float64(len(t.Scores))
	for _, v := range t.Scores {
		t.Mean += v / k
	}
	if k == 1 {
		return
	}
	for _, v := range t.Scores {
		t.Std += (v - t.Mean) * (v - t.Mean) / (k - 1)
	}
	t.Std = math.Sqrt(t.Std)
}

// order returns the candidates of the paths that did not fail, the best first.
func (r *runner) order(paths [][]int) []int {
	var order []int
	for _, p := range paths {
		for _, c := range p {
			if r.result.Trials[c].Err == nil {
				order = append(order, c)
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := r.result.Trials[a].Mean, r.result.Trials[b].Mean
		switch {
		case better(r.Larger, x, y):
			return -1
		case better(r.Larger, y, x):
			return 1
		}
		return cmp.Compare(a, b)
	})
	return order
}

// failed returns the error of the first candidate.
func (r *runner) failed(paths [][]int) error { return r.result.Trials[paths[0][0]].Err }

// among returns the paths restricted to the candidates in list.
func among(paths [][]int, list []int) [][]int {
	in := map[int]bool{}
	for _, c := range list {
		in[c] = true
	}
	var out [][]int
	for _, p := range paths {
		var left []int
		for _, c := range p {
			if in[c] {
				left = append(left, c)
			}
		}
		if left != nil {
			out = append(out, left)
		}
	}
	return out
}

// Unfinished reports whether err says only that an iteration stopped before its tolerance, so
// that a model which was returned with it counts: whether it is, or wraps, a *gram.ConvergenceError.
func Unfinished(err error) bool {
	_, is := errors.AsType[*gram.ConvergenceError](err)
	return is
}
