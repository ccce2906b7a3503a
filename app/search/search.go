// Package search chooses methods, their settings and the scaling of the columns by held-out rows, and says
// of a fitted model whether a constant or a linear model is as good.
package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
)

// Config chooses a method, its settings and the scaling of the columns by cross-validation:
// every candidate is trained on all folds but one and judged on that one, fold by fold, as
// package crossval does it. Encoding and scaling are found from the training rows alone.
//
// With a Grid the candidates are the combinations of its values. Combinations that differ in settings alone which the
// others leave without use, such as the width of a kernel that has none, are one candidate. Without a Grid they are drawn:
// candidate i is one of method i mod k of the k methods. The first of each method has the
// default settings and the first of the scalings; the settings of the others are drawn from
// the ranges that their settings.Setting.Search states, and their scaling from the list. A
// candidate is a function of Seed, its number, and the number and kind of rows, columns and
// classes. Settings that are given, or without a range, stay as they are.
//
// The candidates run in parallel, as many at a time as there are workers and memory for; the
// result does not depend on how many. Budget decides only how many candidates are judged.
type Config struct {
	Methods  []catalog.Method // of a Grid one; default: those of Portfolio
	Settings []string         // NAME=VALUE that all candidates have, of a single method
	Grid     []Choice         // the last name changes first; nil: candidates are drawn
	Trials   int              // candidates that are drawn; default 20 for each method, and 2000 with a Budget
	Budget   time.Duration    // CPU time of the process for all trainings
	Folds    int              // default 5; stratified if there are classes
	Repeats  int              // divisions into folds, each with other folds; default 1
	Group    []int            // for each row the number of its group, whose rows are in one fold; nil: none
	Halving  int              // 0: every candidate is trained on all rows of a fold; else the factor of crossval.Halving, at least 2
	Scale    training.Scale   // of the columns
	Scales   []training.Scale // instead of Scale, without a Grid: scalings to draw from; Scales makes a list
	Metric   string           // name of a metric.Measure; default: the first one for the task
	Encode   encode.Config

	// Drawn are the candidates that another search has drawn; see Trainings.Drawn. Without them, or a Grid, they are drawn.
	Drawn []Candidate

	// Journal is a file that the scores of each training are added to as soon as they are
	// known. A search that finds its file takes them from there: one that was interrupted
	// goes on. It must be a search of the same data with the same seed, folds and metric; the
	// candidates may be others, or more. Empty: none.
	Journal string

	// Report, if set, is called in the goroutine of Do for each candidate that has been judged
	// on all folds, with halving in each round.
	Report func(Trial)
	gram.Run

	race *race // says who goes on, instead of Halving; nil: none
}

// Choice is a setting with the values that are tried.
type Choice struct {
	Name   string
	Values []string
}

// ParseGrid reads NAME=V1,V2,…;NAME=… A comma between parentheses is part of a value, such as polynomial(degree=2,offset=0).
func ParseGrid(s string) ([]Choice, error) {
	var grid []Choice
	for _, part := range strings.Split(s, ";") {
		name, list, found := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		if !found || name == "" {
			return nil, fmt.Errorf("%q is not of the form NAME=V1,V2,…", part)
		}
		c := Choice{Name: name}
		for _, v := range valuesOf(list) {
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

// valuesOf divides a list at its commas that are not between parentheses.
func valuesOf(list string) (values []string) {
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth <= 0 {
				values, from = append(values, list[from:i]), i+1
			}
		}
	}
	return append(values, list[from:])
}

// Trial is the result of one candidate, on all folds that it was trained on.
type Trial struct {
	Number    int       `json:"number"` // place of the candidate in the search space, from 0
	Method    string    `json:"method"`
	Scale     string    `json:"scale"`
	Settings  []string  `json:"settings"`         // NAME=VALUE: in the order of the grid, or of the method's settings
	Score     float64   `json:"score"`            // mean over the folds; 0 if it failed
	Std       float64   `json:"std"`              // standard deviation between the folds
	Folds     []float64 `json:"folds,omitempty"`  // score of each fold
	Seconds   float64   `json:"seconds"`          // wall time of training and evaluation, all folds together
	Converged bool      `json:"converged"`        // whether the solver reached its tolerance on all folds
	Share     float64   `json:"share,omitempty"`  // of the training rows, with halving: those of the last round it was in
	Failed    string    `json:"failed,omitempty"` // why there is no score
}

// Found is the result of a search. Trials are the candidates that there was time for, in the
// order of their numbers. Best is the place of the first of them with the best score; with
// halving, of those that were trained on the most rows.
type Found struct {
	Metric  string  `json:"metric"` // name of the metric.Measure
	Larger  bool    `json:"larger"` // a larger score is better
	Folds   int     `json:"folds"`
	Repeats int     `json:"repeats,omitempty"`
	Best    int     `json:"best"`
	Same    int     `json:"same,omitempty"` // combinations of a grid that are left out: those before them differ from them in unused settings alone
	Trials  []Trial `json:"trials"`
}

// maxTrials is the number of combinations that are tried at most.
const maxTrials = 100_000

// AtEdge returns, for a trial of a search in a grid, a hint for each setting of which it has
// the largest or the smallest of at least two numbers: one beyond may be better.
func (s Config) AtEdge(t Trial) []string {
	var hints []string
	for _, c := range s.Grid {
		at := trialSettings{settings: t.Settings}.place(c.Name)
		if at < 0 { // the kernel of the trial does not use it
			continue
		}
		_, text, _ := strings.Cut(t.Settings[at], "=")
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

// trialSettings is a candidate as it is trained: a method and its settings.
type trialSettings struct {
	method   catalog.Method
	scale    training.Scale
	settings []string // NAME=VALUE, those of all candidates not among them
}

// candidates holds the candidates of a search. The candidates of a path differ in the setting at place axis alone, whose values a
// sweeper trains together; axis is −1 if there is no such setting.
type candidates struct {
	all          []trialSettings
	paths        [][]int
	axis         int
	sweepSetting string // name of the setting that differs along a path
	grid         bool
	same         int // combinations that are left out: candidates before them have the same settings
}

// grid checks names and values of the settings and returns the combinations.
func (s Config) grid() (out candidates, err error) {
	if len(s.Methods) != 1 {
		return out, settings.Refuse("Methods", len(s.Methods), "one for a grid of settings")
	}
	m := s.Methods[0]
	fixed := map[string]bool{}
	for _, set := range s.Settings {
		name, _, _ := strings.Cut(set, "=")
		fixed[name] = true
	}
	var g crossval.Grid
	for _, c := range s.Grid {
		if fixed[c.Name] {
			return out, fmt.Errorf("setting %q is given twice", c.Name)
		}
		fixed[c.Name] = true
		if len(c.Values) == 0 {
			return out, fmt.Errorf("setting %q has no values", c.Name)
		}
		for _, v := range c.Values {
			if err := m.New().Settings().Set(append(slices.Clone(s.Settings), c.Name+"="+v)...); err != nil {
				return out, err
			}
		}
		if g = append(g, len(c.Values)); g.Len() > maxTrials {
			return out, settings.Refuse("search", "a grid of more combinations", "at most %d", maxTrials)
		}
	}
	out.grid, out.paths, out.axis = true, crossval.Each(g.Len()), -1
	for i := range g.Len() {
		c := trialSettings{method: m, scale: s.Scale}
		for k, v := range g.At(i) {
			c.settings = append(c.settings, s.Grid[k].Name+"="+s.Grid[k].Values[v])
		}
		out.all = append(out.all, c.applied(s.Settings))
	}
	for _, c := range s.Grid {
		if !slices.ContainsFunc(out.all, func(of trialSettings) bool { return of.place(c.Name) >= 0 }) {
			return out, settings.Refuse(c.Name, strings.Join(c.Values, ","), "unset: the kernel does not use it")
		}
	}
	if sw, ok := m.New().(catalog.Sweeper); ok {
		out.sweepSetting = sw.Sweeps()
		out.axis = slices.IndexFunc(s.Grid, func(c Choice) bool { return c.Name == out.sweepSetting && len(c.Values) > 1 })
	}
	if out.axis >= 0 {
		out.paths = g.Paths(out.axis)
	}
	return out.distinct(), nil
}

// distinct returns l without the candidates that repeat the settings of an earlier candidate.
func (l candidates) distinct() candidates {
	all, paths := l.all, l.paths
	l.all, l.paths = nil, nil
	number := map[string]int{} // of each candidate that stays
	place := make([]int, len(all))
	for i, c := range all {
		if _, seen := number[c.String()]; seen {
			place[i] = -1
			l.same++
			continue
		}
		place[i] = len(l.all)
		number[c.String()] = place[i]
		l.all = append(l.all, c)
	}
	for _, path := range paths {
		var left []int
		for _, i := range path {
			if place[i] >= 0 {
				left = append(left, place[i])
			}
		}
		if left != nil {
			l.paths = append(l.paths, left)
		}
	}
	return l
}

// Check returns the error that methods, or names or values of settings, will give.
func (s Config) Check() error {
	for _, m := range s.Methods {
		if m.Clusters {
			return settings.Refuse("method", m.Name, "one that predicts in a search, which judges predictions")
		}
	}
	named := slices.ContainsFunc(s.Grid, func(c Choice) bool { return c.Name == catalog.PairsFile })
	if named || slices.ContainsFunc(s.Settings, func(set string) bool { return strings.HasPrefix(set, catalog.PairsFile+"=") }) {
		return settings.Refuse(catalog.PairsFile, "given", "none in a search, whose parts of the data have other row numbers")
	}
	switch {
	case s.Grid != nil:
		_, err := s.grid()
		return err
	case len(s.Settings) > 0 && len(s.Methods) != 1:
		return settings.Refuse("Settings", strings.Join(s.Settings, " "), "none for several methods")
	case s.Trials < 0 || s.Trials > maxTrials:
		return settings.Refuse("Trials", s.Trials, "from 0 to %d", maxTrials)
	case len(s.Methods) == 1:
		return s.Methods[0].New().Settings().Set(s.Settings...)
	}
	return nil
}

// applied is c without the settings that its others leave without use, such as the width of a kernel that has none.
func (c trialSettings) applied(fixed []string) trialSettings {
	b := c.method.New().Settings()
	if b.Set(append(slices.Clone(fixed), c.settings...)...) == nil {
		c.settings = slices.DeleteFunc(c.settings, func(set string) bool {
			name, _, _ := strings.Cut(set, "=")
			return !b.Lookup(name).Applies()
		})
	}
	return c
}

// place is where the setting of that name stands in c, −1 if it does not.
func (c trialSettings) place(name string) int {
	return slices.IndexFunc(c.settings, func(set string) bool { return strings.HasPrefix(set, name+"=") })
}

// place is where the setting that is swept stands in c, −1 if none is.
func (l candidates) place(c trialSettings) int {
	if l.axis < 0 {
		return -1
	}
	return c.place(l.sweepSetting)
}

// fitter returns the fitter of a candidate, without the setting at place omit unless that is negative.
func (s Config) fitter(c trialSettings, omit int) (catalog.Fitter, error) {
	list := c.settings
	if omit >= 0 {
		list = slices.Delete(slices.Clone(list), omit, omit+1)
	}
	f := c.method.New()
	return f, f.Settings().Set(append(slices.Clone(s.Settings), list...)...)
}

// Do searches on the rows of d. A candidate that cannot be trained has its reason in Failed;
// the error is ctx.Err(), that of a setting, of the data's kind or of the journal, a
// *gram.MemoryError if not even one candidate at a time fits the limit, or why the first
// candidate failed if all did.
func (s Config) Do(ctx context.Context, d *dataset.Set) (*Found, error) {
	p, err := s.begin(d)
	if err != nil {
		return nil, err
	}
	return p.do(ctx)
}

// prepared is a search with what follows from the rows before anything is trained.
type prepared struct {
	Config
	d       *dataset.Set
	list    candidates
	measure metric.Measure
	search  crossval.Search
	bytes   []int64 // memory of a training of each candidate
}

// begin checks the settings and draws the candidates and the folds.
func (s Config) begin(d *dataset.Set) (*prepared, error) {
	var err error
	if len(s.Methods) == 0 {
		if s.Methods, err = Portfolio(d); err != nil {
			return nil, err
		}
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	n, _ := d.Dims()
	if s.Folds == 0 {
		s.Folds = min(5, n)
	}
	if s.Folds < 2 || s.Folds > n {
		return nil, settings.Refuse("folds", s.Folds, "from 2 to the number of rows, %d", n)
	}
	for _, m := range s.Methods {
		if err := m.Check(d); err != nil {
			return nil, err
		}
	}
	var list candidates
	switch {
	case s.Grid != nil:
		list, err = s.grid()
	case s.Drawn != nil:
		list, err = s.drawn()
	default:
		list, err = s.draw(d)
	}
	if err != nil {
		return nil, err
	}
	splits, err := s.splits(d)
	if err != nil {
		return nil, err
	}
	return s.prepare(d, list, splits)
}

// splits returns the folds, one repeat after the other; a group of rows is held out together. It refuses more folds than groups.
func (s Config) splits(d *dataset.Set) ([]crossval.Split, error) {
	if s.Group != nil {
		n, _ := d.Dims()
		if len(s.Group) != n {
			return nil, settings.Refuse("Group", fmt.Sprintf("of length %d", len(s.Group)), "a number for each of the %d rows", n)
		}
		names := slices.Clone(s.Group)
		slices.Sort(names)
		if groups := len(slices.Compact(names)); s.Folds > groups {
			return nil, settings.Refuse("folds", s.Folds, "at most the number of groups, %d", groups)
		}
	}
	var splits []crossval.Split
	for r := range max(1, s.Repeats) {
		name := "folds"
		if r > 0 {
			name = fmt.Sprint("folds ", r)
		}
		seed := rng.Derive(s.Seed, name)
		if s.Group != nil {
			splits = append(splits, crossval.Groups(s.Group, s.Folds, seed)...)
			continue
		}
		folds := d.Folds(s.Folds, seed)
		for f := range folds {
			splits = append(splits, crossval.Leave(folds, f))
		}
	}
	return splits, nil
}

// prepare plans the trainings of the candidates on the splits.
func (s Config) prepare(d *dataset.Set, list candidates, splits []crossval.Split) (*prepared, error) {
	p := &prepared{Config: s, d: d, list: list}
	var err error
	if p.measure, err = s.measure(d.Task()); err != nil {
		return nil, err
	}
	p.search = crossval.Search{Splits: splits, Larger: p.measure.Larger, Budget: s.Budget, Run: s.Run}
	var least int
	if p.bytes, least, err = s.plan(d, list); err != nil {
		return nil, err
	}
	p.search.Bytes = slices.Max(p.bytes)
	if s.race != nil {
		p.search.Halving = &crossval.Halving{Least: fewestRaced, Class: d.Labels.Class, Keep: s.race.keep}
	} else if s.Halving != 0 {
		p.search.Halving = &crossval.Halving{Factor: s.Halving, Least: least, Class: d.Labels.Class}
	}
	return p, nil
}

// do trains and judges the candidates, or takes their scores from the journal.
func (p *prepared) do(ctx context.Context) (*Found, error) {
	log, err := openJournal(p.Config, p.d, p.measure)
	if err != nil {
		return nil, err
	}
	defer log.close()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	found, err := p.judged(inner, func(ctx context.Context, t crossval.Task) ([]float64, float64, error) {
		scores, took, err := log.recall(p.Config, p.list, t)
		if scores == nil && err == nil {
			start := time.Now()
			scores, err = p.try(ctx, p.d, p.measure, p.list, t)
			took = time.Since(start).Seconds() / float64(len(t.Candidates))
			if written := log.record(ctx, p.Config, p.list, t, scores, took, err); written != nil {
				cancel(written)
			}
		}
		return scores, took, err
	})
	if cause := context.Cause(inner); cause != nil && ctx.Err() == nil { // the journal cannot be written
		return nil, cause
	}
	return found, err
}

// judged returns the result of a search whose function evaluate returns the scores of a task and the seconds that each took.
func (p *prepared) judged(ctx context.Context, evaluate func(ctx context.Context, t crossval.Task) ([]float64, float64, error)) (*Found, error) {
	seconds := make([]float64, len(p.list.all))
	var mu sync.Mutex // for seconds
	trial := func(i int, t crossval.Trial) Trial {
		c := p.list.all[i]
		mu.Lock()
		defer mu.Unlock()
		out := Trial{Number: i, Method: c.method.Name, Scale: c.scale.String(), Settings: c.settings,
			Score: t.Mean, Std: t.Std, Folds: t.Scores, Seconds: seconds[i], Converged: t.Converged}
		if t.Err != nil {
			out.Failed = t.Err.Error()
		}
		if p.Halving != 0 || p.race != nil {
			out.Share = t.Share
		}
		return out
	}
	search := p.search
	if p.Report != nil {
		search.Done = func(i int, t crossval.Trial) { p.Report(trial(i, t)) }
	}
	r, err := search.Do(ctx, p.list.paths, func(ctx context.Context, t crossval.Task) ([]float64, error) {
		scores, took, err := evaluate(ctx, t)
		mu.Lock()
		defer mu.Unlock()
		for _, i := range t.Candidates {
			seconds[i] += took
		}
		return scores, err
	})
	if err != nil {
		return nil, err
	}
	found := &Found{Metric: p.measure.Name, Larger: p.measure.Larger, Folds: p.Folds, Repeats: p.Repeats, Same: p.list.same}
	for i, t := range r.Trials {
		if i == r.Best {
			found.Best = len(found.Trials)
		}
		if t.Err != crossval.ErrBudget {
			found.Trials = append(found.Trials, trial(i, t))
		}
	}
	return found, nil
}

// foldShape is the shape of the training rows of a fold.
func (s Config) foldShape(d *dataset.Set) gram.Shape {
	shape := d.Shape()
	n := int64(shape.N)
	shape.N -= shape.N / s.Folds
	shape.NNZ = shape.NNZ * int64(shape.N) / max(1, n)
	return shape
}

// plan returns the memory that a training of each candidate needs, with those that are trained together, and a number of training rows,
// 100 or twice that and so on, with which no candidate has a setting that asks for more.
func (s Config) plan(d *dataset.Set, list candidates) (bytes []int64, least int, err error) {
	bytes, least = make([]int64, len(list.all)), 100
	shape := s.foldShape(d)
	for _, path := range list.paths {
		c := list.all[path[0]]
		f, err := s.fitter(c, list.place(c))
		if err != nil {
			return nil, 0, err
		}
		run := limitBeside(s.Run, d)
		p, err := f.Plan(d.Task(), shape, run)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", strings.Join(c.settings, " "), err)
		}
		for few := shape; s.Halving != 0 && least < shape.N; least *= 2 {
			few.N, few.NNZ = least, min(shape.NNZ, int64(least))
			if _, err := f.Plan(d.Task(), few, run); err == nil {
				break
			}
		}
		if p.PeakBytes += copies(d); list.axis >= 0 {
			p.PeakBytes += int64(len(path)) * p.ModelBytes
		}
		for _, k := range path {
			bytes[k] = p.PeakBytes
		}
	}
	return bytes, least, nil
}

// copies returns the memory of the rows of a fold, and of them scaled.
func copies(d *dataset.Set) int64 {
	shape := d.Shape()
	if shape.NNZ > 0 {
		return 24 * shape.NNZ
	}
	return 16 * int64(shape.N) * int64(shape.D)
}

// limitBeside returns run with the memory that is left beside copies(d), at least a byte, for a plan.
func limitBeside(run gram.Run, d *dataset.Set) gram.Run {
	if run.MemoryLimit > 0 {
		run.MemoryLimit = max(1, run.MemoryLimit-copies(d))
	}
	return run
}

// try trains and judges the candidates of t.
func (s Config) try(ctx context.Context, d *dataset.Set, measure metric.Measure, list candidates, t crossval.Task) ([]float64, error) {
	c := list.all[t.Candidates[0]]
	train, test := d.Select(t.Train), d.Select(t.Held)
	ready, err := training.Prepare{Scale: c.scale, Encode: s.Encode}.For(c.method).Fit(train, s.Seed)
	if err != nil {
		return nil, err
	}
	train, test.X = ready.Set, ready.Apply(test.X)
	models, fitted := s.fit(ctx, train, list, t)
	var scores []float64
	for _, m := range models {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := scoreModel(m, test, measure)
		if err != nil {
			return nil, err
		}
		scores = append(scores, v)
	}
	var config *gram.ConfigError
	switch refused := errors.As(fitted, &config); {
	case refused && list.grid:
		fitted = fmt.Errorf("%s: %w", strings.Join(c.settings, " "), fitted)
	case refused: // another candidate may be possible
		fitted = errors.New(fitted.Error())
	}
	return scores, fitted
}

// fit trains the candidates of t on the rows of d and returns their models in the same order; the values of a path are trained
// together.
func (s Config) fit(ctx context.Context, d *dataset.Set, list candidates, t crossval.Task) ([]modelfile.Model, error) {
	first := list.all[t.Candidates[0]]
	f, err := s.fitter(first, list.place(first))
	if err != nil {
		return nil, err
	}
	if list.place(first) >= 0 {
		var values []string
		for _, i := range t.Candidates {
			_, value, _ := strings.Cut(list.all[i].settings[list.place(list.all[i])], "=")
			values = append(values, value)
		}
		return f.(catalog.Sweeper).FitEach(ctx, d, values, t.Run)
	}
	if s.race != nil {
		if f, err = s.race.fitter(ctx, f, d, t); err != nil {
			return nil, err
		}
	}
	m, err := f.Fit(ctx, d, t.Run)
	if m == nil {
		return nil, err
	}
	return []modelfile.Model{m}, err
}

// measure returns the measure of the search for targets of that task.
func (s Config) measure(task dataset.Task) (metric.Measure, error) {
	needs := map[dataset.Task][]metric.Need{
		dataset.Classes:    {metric.NeedClass, metric.NeedScores, metric.NeedProbability},
		dataset.Regression: {metric.NeedValue},
		dataset.MultiLabel: {metric.NeedTop},
	}[task]
	if needs == nil {
		return metric.Measure{}, settings.Refuse("task", task, "a target in a search")
	}
	if s.Metric != "" {
		return metric.Find(s.Metric, needs...)
	}
	all := metric.Measures()
	return all[slices.IndexFunc(all, func(m metric.Measure) bool { return m.Needs == needs[0] })], nil
}

// Larger reports whether a larger score is better for targets of that task.
func (s Config) Larger(task dataset.Task) bool {
	m, err := s.measure(task)
	return err == nil && m.Larger
}

// scoreModel returns the measure of a model on other rows.
func scoreModel(m modelfile.Model, d *dataset.Set, measure metric.Measure) (float64, error) {
	a := metric.Answers{Class: d.Labels.Class, Classes: len(d.Labels.Names), Target: d.Value, Truth: d.Tags}
	ok := false
	switch measure.Needs {
	case metric.NeedClass, metric.NeedScores:
		var c gram.Classifier
		if c, ok = m.(gram.Classifier); ok && measure.Needs == metric.NeedClass {
			a.Predicted = c.Predict(nil, d.X)
		} else if ok {
			var own *calibration.Map
			if c, is := m.(calibration.Calibrated); is {
				own = c.Calibration()
			}
			a.Scores = pipeline.Order(c, own, d.X)
		}
	case metric.NeedProbability:
		c, is := m.(calibration.Calibrated)
		if !is || c.Calibration() == nil {
			return 0, settings.Refuse("metric", measure.Name, "one of classes or scores: the models have no probabilities of their own")
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
