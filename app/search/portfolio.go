package search

import (
	"context"
	"fmt"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/settings"
)

// Rows up to which Portfolio has a machine with the kernel of all pairs of rows, and up to
// which Compare divides the rows into three folds.
const (
	mostForKRR   = 5_000
	mostForSVM   = 10_000
	mostForFolds = 20_000
)

// Portfolio returns the methods that are worth a first try on d, the cheapest first. The
// error is a *gram.ConfigError if d has no target.
func Portfolio(d *dataset.Set) ([]catalog.Method, error) {
	n, _ := d.Dims()
	var names []string
	switch d.Task() {
	case dataset.Regression:
		if names = []string{"linear", "gbdt", "nystrom"}; n <= mostForKRR {
			names = append(names, "krr")
		}
	case dataset.Classes:
		if names = []string{"linear", "gbdt", "nystrom"}; n <= mostForSVM {
			names = append(names, "svm")
		}
	case dataset.MultiLabel:
		names = []string{"leml", "fastxml"}
	default:
		return nil, settings.Refuse("task", d.Task(), "a target to compare methods by")
	}
	var methods []catalog.Method
	for _, name := range names {
		methods = append(methods, catalog.Must(name))
	}
	return methods, nil
}

// Compare judges methods with their default settings on the same held-out rows: those of
// each of three folds in turn, or, of more than 20 000 rows, a fifth of them once.
// Encoding and scaling are found from the training rows alone.
//
// The methods are tried in their order within Budget. Since that is meant to be the order
// of their cost, a method is left out if less time is left than the longest so far took.
// One that is still at work when the budget is used up is stopped. The first method that
// can be trained always has the time that it needs. The scores do not depend on the budget.
type Compare struct {
	Methods []catalog.Method
	Budget  time.Duration // default: no limit
	Scale   training.Scale
	Metric  string         // as that of Search
	Trust   training.Trust // what the best method is to be fitted with; only its Encode changes scores
	gram.Run
}

// Tried is the result of one method.
type Tried struct {
	Method    string  `json:"method"`
	Score     float64 `json:"score"`     // mean over the folds; 0 if there is none
	Std       float64 `json:"std"`       // standard deviation between the folds; 0 if there is one
	Seconds   float64 `json:"seconds"`   // wall time of training and judging, all folds together
	Converged bool    `json:"converged"` // on all folds
	Failed    string  `json:"failed,omitempty"`
}

// Compared is the result of Compare. Best is the place of the first of the methods with the
// best score.
type Compared struct {
	Metric  string  `json:"metric"` // name of the metric.Measure
	Folds   int     `json:"folds"`  // that were held out; 1: a fifth of the rows
	Best    int     `json:"best"`
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

// Do compares the methods on the rows of d. A method that has no score has the reason in
// Failed; the error is ctx.Err(), that of the measure, of the data's kind or of Trust, or
// why the first method failed if all did.
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
	measure, err := Config{Metric: c.Metric}.measure(d.Task())
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
	parts, held := min(3, n), min(3, n)
	if n > mostForFolds {
		parts, held = 5, 1
	}
	r := &Compared{Metric: measure.Name, Folds: held, Best: -1, Methods: make([]Tried, len(c.Methods))}
	var failed error // of the first method
	var longest time.Duration
	begin := time.Now()
	for i, m := range c.Methods {
		t := &r.Methods[i]
		t.Method = m.Name
		start := time.Now()
		limited := c.Budget > 0 && r.Best >= 0
		if limited && start.Sub(begin)+longest >= c.Budget {
			t.Failed = fmt.Sprintf("left out: the budget is %v", c.Budget)
			continue
		}
		inner, cancel := ctx, context.CancelFunc(func() {})
		if limited {
			inner, cancel = context.WithDeadline(ctx, begin.Add(c.Budget))
		}
		trial, err := c.try(inner, m, d, parts, held)
		late := inner.Err() != nil
		cancel()
		took := time.Since(start)
		longest = max(longest, took)
		t.Seconds = took.Seconds()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			t.Score, t.Std, t.Converged = trial.Score, trial.Std, trial.Converged
			if r.Best < 0 || measure.Larger && t.Score > r.Methods[r.Best].Score || !measure.Larger && t.Score < r.Methods[r.Best].Score {
				r.Best = i
			}
		case late:
			t.Failed = fmt.Sprintf("stopped: the budget is %v", c.Budget)
		default:
			if t.Failed = err.Error(); failed == nil {
				failed = err
			}
		}
	}
	if r.Best < 0 {
		return nil, fmt.Errorf("no method could be trained: %s: %w", r.Methods[0].Method, failed)
	}
	return r, nil
}

// try judges one method by holding out the first of so many parts of the rows.
func (c Compare) try(ctx context.Context, m catalog.Method, d *dataset.Set, parts, held int) (Trial, error) {
	plan, err := m.New().Plan(d.Shape(), beside(c.Run, d))
	if err != nil {
		return Trial{}, err
	}
	plan.PeakBytes += copies(d)
	if err := c.Run.Check(plan); err != nil {
		return Trial{}, err
	}
	run := c.Run
	if run.Progress != nil {
		run.Progress = func(e gram.Event) {
			e.Phase = m.Name
			c.Progress(e)
		}
	}
	s := Config{Methods: []catalog.Method{m}, Folds: parts, Scale: c.Scale, Metric: c.Metric, Encode: c.Trust.Encode, Run: run}
	found, err := s.on(ctx, d, candidates{all: []candidate{{method: m, scale: c.Scale}}, paths: crossval.Each(1), axis: -1, grid: true}, held)
	if err != nil {
		return Trial{}, err
	}
	return found.Trials[0], nil
}
