package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/encode"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
)

// Search chooses settings of a method by cross-validation: every combination of
// the values in Grid is trained on all folds but one and judged on that one, fold
// by fold, as package crossval does it. Encoding and scaling are found from the training rows alone.
//
// The combinations run in parallel, as many at a time as there are workers and
// memory for; the result does not depend on how many.
type Search struct {
	Method   Method
	Settings []string // NAME=VALUE that all combinations have
	Grid     []Choice // the last name changes first
	Folds    int      // default 5; stratified if there are classes
	Halving  int      // 0: every combination is trained on all rows of a fold; else the factor of crossval.Halving, at least 2
	Scale    Scale
	Metric   string // name of a metric.Measure; default: the first one for the task
	Encode   encode.Config
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

// Trial is the result of one combination.
type Trial struct {
	Settings  []string  `json:"settings"`         // NAME=VALUE, in the order of the grid
	Score     float64   `json:"score"`            // mean over the folds; 0 if it failed
	Std       float64   `json:"std"`              // standard deviation between the folds
	Folds     []float64 `json:"folds,omitempty"`  // score of each fold
	Seconds   float64   `json:"seconds"`          // training and judging, all folds together
	Converged bool      `json:"converged"`        // on all folds
	Share     float64   `json:"share,omitempty"`  // of the training rows, with halving: those of the last round it was in
	Failed    string    `json:"failed,omitempty"` // why there is no score
}

// Found is the result of a search. Best is the place of the first of the trials
// with the best score; with halving, of those that were trained on all rows.
type Found struct {
	Metric string  `json:"metric"` // name of the metric.Measure
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

// maxTrials is the number of combinations that are tried at most.
const maxTrials = 100_000

// AtEdge returns, for a trial of the search, a hint for each setting of which it has the
// largest or the smallest of at least two numbers: one beyond may be better.
func (s Search) AtEdge(t Trial) []string {
	var hints []string
	for k, c := range s.Grid {
		_, text, _ := strings.Cut(t.Settings[k], "=")
		chosen, err := strconv.ParseFloat(text, 64)
		less, more := 0, 0
		for _, v := range c.Values {
			number, e := strconv.ParseFloat(v, 64)
			if e != nil {
				err = e
			}
			if number < chosen {
				less++
			} else if number > chosen {
				more++
			}
		}
		switch {
		case err != nil || less+more == 0:
		case less == 0:
			hints = append(hints, fmt.Sprintf("%s is the smallest %s tried", text, c.Name))
		case more == 0:
			hints = append(hints, fmt.Sprintf("%s is the largest %s tried", text, c.Name))
		}
	}
	return hints
}

// grid checks names and values of the settings and counts the combinations.
func (s Search) grid() (crossval.Grid, error) {
	if len(s.Grid) == 0 {
		return nil, gram.Refuse("search", "empty", "at least one setting with values")
	}
	if s.Method.Clusters {
		return nil, gram.Refuse("method", s.Method.Name, "one that predicts in a search, which judges predictions")
	}
	fixed := map[string]bool{}
	for _, set := range s.Settings {
		name, _, _ := strings.Cut(set, "=")
		fixed[name] = true
	}
	var g crossval.Grid
	for _, c := range s.Grid {
		if fixed[pairsSetting] || c.Name == pairsSetting {
			return nil, gram.Refuse(pairsSetting, "given", "none in a search, whose parts of the data have other row numbers")
		}
		if fixed[c.Name] {
			return nil, fmt.Errorf("setting %q is given twice", c.Name)
		}
		fixed[c.Name] = true
		if len(c.Values) == 0 {
			return nil, fmt.Errorf("setting %q has no values", c.Name)
		}
		for _, v := range c.Values {
			if err := s.Method.New().Settings().Set(append(slices.Clone(s.Settings), c.Name+"="+v)...); err != nil {
				return nil, err
			}
		}
		if g = append(g, len(c.Values)); g.Len() > maxTrials {
			return nil, gram.Refuse("search", "a grid of more combinations", "at most %d", maxTrials)
		}
	}
	return g, nil
}

// Check returns the error that names or values of settings will give.
func (s Search) Check() error {
	_, err := s.grid()
	return err
}

// swept is the place in the grid of the setting whose values are trained together, −1
// if there is none.
func (s Search) swept() int {
	sw, ok := s.Method.New().(sweeper)
	if !ok {
		return -1
	}
	return slices.IndexFunc(s.Grid, func(c Choice) bool { return c.Name == sw.sweeps() && len(c.Values) > 1 })
}

// combination returns the settings NAME=VALUE of combination i, in the order of the grid.
func (s Search) combination(g crossval.Grid, i int) []string {
	var set []string
	for k, v := range g.At(i) {
		set = append(set, s.Grid[k].Name+"="+s.Grid[k].Values[v])
	}
	return set
}

// fitter returns the method's fitter with the settings of a combination, but for
// the one at place without, if that is one.
func (s Search) fitter(settings []string, without int) (Fitter, error) {
	if without >= 0 {
		settings = slices.Delete(slices.Clone(settings), without, without+1)
	}
	f := s.Method.New()
	return f, f.Settings().Set(append(slices.Clone(s.Settings), settings...)...)
}

// Do searches on the rows of d. A combination that cannot be trained has its
// reason in Failed; the error is ctx.Err(), that of a setting or of the data's
// kind, a *gram.MemoryError if not even one combination at a time fits the
// limit, or why the first combination failed if all did.
func (s Search) Do(ctx context.Context, d *dataset.Set) (*Found, error) {
	grid, err := s.grid()
	if err != nil {
		return nil, err
	}
	n, _ := d.Dims()
	if s.Folds == 0 {
		s.Folds = min(5, n)
	}
	return s.on(ctx, d, grid, s.Folds)
}

// on searches in the grid by holding out the first of the folds, as many as held says.
func (s Search) on(ctx context.Context, d *dataset.Set, grid crossval.Grid, held int) (*Found, error) {
	n, _ := d.Dims()
	if s.Folds < 2 || s.Folds > n {
		return nil, gram.Refuse("folds", s.Folds, "from 2 to the number of rows, %d", n)
	}
	if err := s.Method.check(d); err != nil {
		return nil, err
	}
	axis, paths := s.swept(), crossval.Each(grid.Len())
	if axis >= 0 {
		paths = grid.Paths(axis)
	}
	measure, err := s.measure(d.Task())
	if err != nil {
		return nil, err
	}
	search := crossval.Search{Larger: measure.Larger, Run: s.Run}
	var least int
	if search.Bytes, least, err = s.plan(d, grid, paths, axis); err != nil {
		return nil, err
	}
	folds := d.Folds(s.Folds, rng.Derive(s.Seed, "folds"))
	for f := range held {
		search.Splits = append(search.Splits, crossval.Leave(folds, f))
	}
	if s.Halving != 0 {
		search.Halving = &crossval.Halving{Factor: s.Halving, Least: least, Class: d.Labels.Class}
	}
	r, err := search.Do(ctx, paths, func(ctx context.Context, t crossval.Task) ([]float64, error) {
		return s.try(ctx, d, measure, grid, axis, t)
	})
	if err != nil {
		return nil, err
	}
	found := &Found{Metric: measure.Name, Folds: s.Folds, Best: r.Best, Trials: make([]Trial, len(r.Trials))}
	for i, t := range r.Trials {
		trial := Trial{Settings: s.combination(grid, i), Score: t.Mean, Std: t.Std, Folds: t.Scores, Seconds: t.Seconds, Converged: t.Converged}
		if t.Err != nil {
			trial.Failed = t.Err.Error()
		}
		if s.Halving != 0 {
			trial.Share = t.Share
		}
		found.Trials[i] = trial
	}
	return found, nil
}

// plan returns the memory that the largest training needs, and a number of training rows,
// 100 or twice that and so on, with which no combination has a setting that asks for more.
func (s Search) plan(d *dataset.Set, g crossval.Grid, paths [][]int, axis int) (most int64, least int, err error) {
	least = 100
	shape := d.Shape()
	n := int64(shape.N)
	copies := 16 * n * int64(shape.D) // the rows of a fold, and scaled
	if shape.NNZ > 0 {
		copies = 24 * shape.NNZ
	}
	shape.N -= shape.N / s.Folds
	shape.NNZ = shape.NNZ * int64(shape.N) / max(1, n)
	for _, path := range paths {
		settings := s.combination(g, path[0])
		f, err := s.fitter(settings, axis)
		if err != nil {
			return 0, 0, err
		}
		p, err := f.Plan(shape)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", strings.Join(settings, " "), err)
		}
		for few := shape; s.Halving != 0 && least < shape.N; least *= 2 {
			few.N, few.NNZ = least, min(shape.NNZ, int64(least))
			if _, err := f.Plan(few); err == nil {
				break
			}
		}
		if p.PeakBytes += copies; axis >= 0 {
			p.PeakBytes += int64(len(path)) * p.ModelBytes
		}
		most = max(most, p.PeakBytes)
	}
	return most, least, nil
}

// try trains and judges the combinations of t.
func (s Search) try(ctx context.Context, d *dataset.Set, measure metric.Measure, g crossval.Grid, axis int, t crossval.Task) ([]float64, error) {
	train, test := d.Select(t.Train), d.Select(t.Held)
	ready, err := Prepare{s.Scale, s.Encode}.For(s.Method).Fit(train, s.Seed)
	if err != nil {
		return nil, err
	}
	train, test.X = ready.Set, ready.Apply(test.X)
	settings := s.combination(g, t.Candidates[0])
	models, fitted := s.fit(ctx, train, settings, g, axis, t)
	var scores []float64
	for _, m := range models {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := judge(m, test, measure)
		if err != nil {
			return nil, err
		}
		scores = append(scores, v)
	}
	var config *gram.ConfigError
	if errors.As(fitted, &config) {
		fitted = fmt.Errorf("%s: %w", strings.Join(settings, " "), fitted)
	}
	return scores, fitted
}

// fit trains the combinations of t, of which the first has those settings.
func (s Search) fit(ctx context.Context, d *dataset.Set, settings []string, g crossval.Grid, axis int, t crossval.Task) ([]modelfile.Model, error) {
	f, err := s.fitter(settings, axis)
	if err != nil {
		return nil, err
	}
	if axis >= 0 {
		var values []string
		for _, i := range t.Candidates {
			values = append(values, s.Grid[axis].Values[g.At(i)[axis]])
		}
		return f.(sweeper).fitEach(ctx, d, values, t.Run)
	}
	m, err := f.Fit(ctx, d, t.Run)
	if m == nil {
		return nil, err
	}
	return []modelfile.Model{m}, err
}

// measure returns the measure of the search for targets of that task.
func (s Search) measure(task dataset.Task) (metric.Measure, error) {
	needs := map[dataset.Task][]metric.Need{
		dataset.Classes:    {metric.NeedClass, metric.NeedScores, metric.NeedProbability},
		dataset.Regression: {metric.NeedValue},
		dataset.MultiLabel: {metric.NeedTop},
	}[task]
	if needs == nil {
		return metric.Measure{}, gram.Refuse("task", task, "a target in a search")
	}
	if s.Metric != "" {
		return metric.Find(s.Metric, needs...)
	}
	all := metric.Measures()
	return all[slices.IndexFunc(all, func(m metric.Measure) bool { return m.Needs == needs[0] })], nil
}

// judge returns the measure of a model on other rows.
func judge(m modelfile.Model, d *dataset.Set, measure metric.Measure) (float64, error) {
	a := metric.Answers{Class: d.Labels.Class, Classes: len(d.Labels.Names), Target: d.Value, Truth: d.Tags}
	ok := false
	switch measure.Needs {
	case metric.NeedClass, metric.NeedScores:
		var c gram.Classifier
		if c, ok = m.(gram.Classifier); ok && measure.Needs == metric.NeedClass {
			a.Predicted = c.Predict(nil, d.X)
		} else if ok {
			a.Scores = c.Scores(nil, d.X)
		}
	case metric.NeedProbability:
		c, is := m.(calibration.Calibrated)
		if !is || c.Calibration() == nil {
			return 0, gram.Refuse("metric", measure.Name, "one of classes or scores: the models have no probabilities of their own")
		}
		ok, a.Probability = true, c.Calibration().Probabilities(nil, calibration.Scores(c, d.X))
	case metric.NeedValue:
		var r gram.Regressor
		if r, ok = m.(gram.Regressor); ok {
			a.Value = r.Predict(nil, d.X)
		}
	case metric.NeedTop:
		var r gram.Ranker
		if r, ok = m.(gram.Ranker); ok {
			a.Top = r.Top(nil, d.X, measure.K)
		}
	}
	if !ok {
		return 0, fmt.Errorf("the model does not predict %v", d.Task())
	}
	return measure.Of(a), nil
}
