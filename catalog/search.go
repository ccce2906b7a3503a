package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
)

// Search chooses settings of a method by cross-validation: every combination of
// the values in Grid is trained on all folds but one and judged on that one, fold
// by fold. Scaling is found from the training rows alone.
//
// The combinations run in parallel, as many at a time as there are workers and
// memory for; the result does not depend on how many.
type Search struct {
	Method   Method
	Settings []string // NAME=VALUE that all combinations have
	Grid     []Choice // the last name changes first
	Folds    int      // default 5; stratified if there are classes
	Scale    Scale
	gram.Run
}

// Choice is a setting with the values that are tried.
type Choice struct {
	Name   string
	Values []string
}

// ParseGrid reads NAME=V1,V2,…;NAME=…
func ParseGrid(s string) ([]Choice, error) {
	var grid []Choice
	for _, part := range strings.Split(s, ";") {
		name, list, found := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		if !found || name == "" {
			return nil, fmt.Errorf("%q is not of the form NAME=V1,V2,…", part)
		}
		c := Choice{Name: name}
		for _, v := range strings.Split(list, ",") {
			v = strings.TrimSpace(v)
			if v == "" {
				return nil, fmt.Errorf("%q has an empty value", part)
			}
			if slices.Contains(c.Values, v) {
				return nil, fmt.Errorf("%q has the value %s twice", part, v)
			}
			c.Values = append(c.Values, v)
		}
		grid = append(grid, c)
	}
	return grid, nil
}

// Trial is how one combination did.
type Trial struct {
	Settings  []string  `json:"settings"`         // NAME=VALUE, in the order of the grid
	Score     float64   `json:"score"`            // mean over the folds; 0 if it failed
	Std       float64   `json:"std"`              // standard deviation between the folds
	Folds     []float64 `json:"folds,omitempty"`  // score of each fold
	Seconds   float64   `json:"seconds"`          // training, all folds together
	Converged bool      `json:"converged"`        // on all folds
	Failed    string    `json:"failed,omitempty"` // why there is no score
}

// Found is the result of a search. Best is the place of the first of the trials
// with the best score.
type Found struct {
	Metric string  `json:"metric"` // accuracy, precision@1: larger is better; rmse: smaller
	Folds  int     `json:"folds"`
	Best   int     `json:"best"`
	Trials []Trial `json:"trials"`
}

// sweeper is a Fitter for which several values of one setting cost less than one
// after the other.
type sweeper interface {
	Fitter
	// sweeps names that setting.
	sweeps() string
	// fitEach trains once for every value. As with Fit, models may come with a
	// *gram.ConvergenceError.
	fitEach(ctx context.Context, d *dataset.Set, values []string, run gram.Run) ([]modelfile.Model, error)
}

// group are the trials that share one call of fitEach, or a single one.
type group struct {
	settings []string // of all of them
	sweep    string   // empty: a single one
	values   []string
	trials   []int
}

// prepare checks names and values, and returns the trials in order and their
// groups.
func (s Search) prepare() ([]Trial, []group, error) {
	if len(s.Grid) == 0 {
		return nil, nil, &gram.ConfigError{Field: "search", Value: "empty", Want: "at least one setting with values"}
	}
	fixed := map[string]bool{}
	for _, set := range s.Settings {
		name, _, _ := strings.Cut(set, "=")
		fixed[name] = true
	}
	total := 1
	for _, c := range s.Grid {
		if fixed[c.Name] {
			return nil, nil, fmt.Errorf("setting %q is given twice", c.Name)
		}
		fixed[c.Name] = true
		if len(c.Values) == 0 {
			return nil, nil, fmt.Errorf("setting %q has no values", c.Name)
		}
		for _, v := range c.Values {
			if err := Set(Settings(s.Method.New()), append(slices.Clone(s.Settings), c.Name+"="+v)); err != nil {
				return nil, nil, err
			}
		}
		if total *= len(c.Values); total > maxTrials {
			return nil, nil, &gram.ConfigError{Field: "search", Value: "a grid of more combinations", Want: fmt.Sprintf("at most %d", maxTrials)}
		}
	}
	var swept string
	if sw, ok := s.Method.New().(sweeper); ok {
		swept = sw.sweeps()
	}
	trials := make([]Trial, total)
	var groups []group
	index := map[string]int{}
	for i := range trials {
		rest, place := i, make([]int, len(s.Grid))
		for k := len(s.Grid) - 1; k >= 0; k-- {
			place[k] = rest % len(s.Grid[k].Values)
			rest /= len(s.Grid[k].Values)
		}
		var others []string
		g := group{trials: []int{i}}
		for k, c := range s.Grid {
			set := c.Name + "=" + c.Values[place[k]]
			trials[i].Settings = append(trials[i].Settings, set)
			if c.Name == swept && len(c.Values) > 1 {
				g.sweep, g.values = swept, []string{c.Values[place[k]]}
			} else {
				others = append(others, set)
			}
		}
		g.settings = append(slices.Clone(s.Settings), others...)
		key := strings.Join(others, ";")
		if at, known := index[key]; known && g.sweep != "" {
			groups[at].values = append(groups[at].values, g.values...)
			groups[at].trials = append(groups[at].trials, i)
			continue
		}
		index[key] = len(groups)
		groups = append(groups, g)
	}
	return trials, groups, nil
}

const maxTrials = 100_000

// Check returns the error that names or values of settings will give.
func (s Search) Check() error {
	_, _, err := s.prepare()
	return err
}

// fitter returns the method's fitter with the settings of g.
func (s Search) fitter(g group) (Fitter, error) {
	f := s.Method.New()
	return f, Set(Settings(f), g.settings)
}

// outcome is how one group did on one fold.
type outcome struct {
	scores    []float64
	seconds   float64
	converged bool
	err       error
}

// Do searches on the rows of d. A combination that cannot be trained has its
// reason in Failed; the error is ctx.Err(), that of a setting or of the data's
// kind, a *gram.MemoryError if not even one combination at a time fits the
// limit, or why the first combination failed if all did.
func (s Search) Do(ctx context.Context, d *dataset.Set) (*Found, error) {
	trials, groups, err := s.prepare()
	if err != nil {
		return nil, err
	}
	n, _ := d.Dims()
	if s.Folds == 0 {
		s.Folds = min(5, n)
	}
	if s.Folds < 2 || s.Folds > n {
		return nil, &gram.ConfigError{Field: "folds", Value: s.Folds, Want: fmt.Sprintf("from 2 to the number of rows, %d", n)}
	}
	if err := s.Method.check(d); err != nil {
		return nil, err
	}
	found := &Found{Folds: s.Folds, Trials: trials}
	switch d.Task() {
	case dataset.Classes:
		found.Metric = "accuracy"
	case dataset.Regression:
		found.Metric = "rmse"
	case dataset.MultiLabel:
		found.Metric = "precision@1"
	}
	together, err := s.together(d, groups)
	if err != nil {
		return nil, err
	}
	folds := d.Folds(s.Folds, rng.Derive(s.Seed, "folds"))
	inner := gram.Run{Seed: s.Seed, Workers: max(1, s.NumWorkers()/together)}
	if s.MemoryLimit > 0 {
		inner.MemoryLimit = s.MemoryLimit / int64(together)
	}
	// The folds of a group one after the other: tasks that take long start first
	// if they come first in the grid, and fold 1 of all before fold 2.
	outcomes := make([]outcome, len(groups)*s.Folds)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan int, len(outcomes))
	go func() {
		defer close(done)
		err := par.For(ctx, together, len(outcomes), 1, func(at, _ int) {
			fold, g := at/len(groups), groups[at%len(groups)]
			outcomes[at] = s.try(ctx, d, folds, fold, g, inner)
			var config *gram.ConfigError
			if errors.As(outcomes[at].err, &config) {
				cancel(fmt.Errorf("%s: %w", strings.Join(trials[g.trials[0]].Settings, " "), outcomes[at].err))
			}
			done <- len(g.trials)
		})
		_ = err // seen by context.Cause below
	}()
	meter := s.Meter()
	var ready int64
	for k := range done {
		ready += int64(k)
		meter.Report(gram.Event{Phase: "search", Done: ready, Total: int64(len(trials) * s.Folds)})
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var first error
	for gi, g := range groups {
		for k, t := range g.trials {
			trial := &found.Trials[t]
			trial.Converged = true
			for f := range s.Folds {
				o := outcomes[f*len(groups)+gi]
				if o.err != nil {
					if first == nil {
						first = o.err
					}
					trial.Failed = o.err.Error()
					break
				}
				trial.Folds = append(trial.Folds, o.scores[k])
				trial.Seconds += o.seconds / float64(len(g.trials))
				trial.Converged = trial.Converged && o.converged
			}
			trial.finish()
		}
	}
	found.Best = -1
	for i, t := range found.Trials {
		if t.Failed == "" && (found.Best < 0 || found.better(t, found.Trials[found.Best])) {
			found.Best = i
		}
	}
	if found.Best < 0 {
		return nil, fmt.Errorf("no combination could be trained: %w", first)
	}
	return found, nil
}

// better reports whether a beats b.
func (f *Found) better(a, b Trial) bool {
	if f.Metric == "rmse" {
		return a.Score < b.Score
	}
	return a.Score > b.Score
}

// finish computes mean and standard deviation.
func (t *Trial) finish() {
	if t.Failed == "" {
		for _, v := range t.Folds {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Failed = "predictions that are not numbers"
			}
		}
	}
	if t.Failed != "" {
		t.Folds, t.Converged = nil, false
		return
	}
	k := float64(len(t.Folds))
	for _, v := range t.Folds {
		t.Score += v / k
	}
	for _, v := range t.Folds {
		t.Std += (v - t.Score) * (v - t.Score) / (k - 1)
	}
	t.Std = math.Sqrt(t.Std)
}

// together is how many groups run at a time: one for each worker, fewer where
// memory is limited.
func (s Search) together(d *dataset.Set, groups []group) (int, error) {
	shape := d.Shape()
	n := int64(shape.N)
	copies := 16 * n * int64(shape.D) // the rows of a fold, and scaled
	if shape.NNZ > 0 {
		copies = 24 * shape.NNZ
	}
	shape.N -= shape.N / s.Folds
	shape.NNZ = shape.NNZ * int64(shape.N) / max(1, n)
	var most int64
	for _, g := range groups {
		f, err := s.fitter(g)
		if err != nil {
			return 0, err
		}
		p, err := f.Plan(shape)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", strings.Join(g.settings, " "), err)
		}
		most = max(most, p.PeakBytes+int64(len(g.values))*p.ModelBytes+copies)
	}
	workers := min(s.NumWorkers(), len(groups)*s.Folds)
	if s.MemoryLimit > 0 {
		if most > s.MemoryLimit {
			return 0, &gram.MemoryError{Need: most, Limit: s.MemoryLimit}
		}
		workers = int(min(int64(workers), s.MemoryLimit/max(1, most)))
	}
	return max(1, workers), nil
}

// try trains and judges one group on one fold.
func (s Search) try(ctx context.Context, d *dataset.Set, folds [][]int, fold int, g group, run gram.Run) (o outcome) {
	f, err := s.fitter(g)
	if err != nil {
		o.err = err
		return o
	}
	a, b := dataset.Fold(folds, fold)
	train, test := d.Select(a), d.Select(b)
	scaling, err := s.Scale.Scaling(train.X)
	if err != nil {
		o.err = err
		return o
	}
	if scaling != nil {
		train.X, test.X = scaling.Apply(train.X), scaling.Apply(test.X)
	}
	begin := time.Now()
	var models []modelfile.Model
	if g.sweep != "" {
		models, err = f.(sweeper).fitEach(ctx, train, g.values, run)
	} else {
		var m modelfile.Model
		if m, err = f.Fit(ctx, train, run); m != nil {
			models = []modelfile.Model{m}
		}
	}
	o.seconds = time.Since(begin).Seconds()
	var ce *gram.ConvergenceError
	switch {
	case err == nil:
		o.converged = true
	case errors.As(err, &ce) && models != nil:
	default:
		o.err = err
		return o
	}
	for _, m := range models {
		if o.err = ctx.Err(); o.err != nil {
			return o
		}
		v, err := judge(m, test)
		if err != nil {
			o.err = err
			return o
		}
		o.scores = append(o.scores, v)
	}
	return o
}

// judge returns the score of a model on other rows.
func judge(m modelfile.Model, d *dataset.Set) (float64, error) {
	switch d.Task() {
	case dataset.Classes:
		if c, ok := m.(gram.Classifier); ok {
			return metric.Accuracy(c.Predict(nil, d.X), d.Labels.Class), nil
		}
	case dataset.Regression:
		if r, ok := m.(gram.Regressor); ok {
			return metric.RMSE(r.Predict(nil, d.X), d.Value), nil
		}
	case dataset.MultiLabel:
		if r, ok := m.(gram.Ranker); ok {
			return metric.PrecisionAt([]int{1}, r.Top(nil, d.X, 1), d.Tags)[0], nil
		}
	}
	return 0, fmt.Errorf("the model does not predict %v", d.Task())
}
