package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// choosing returns what makes the Fitters of create, which choose by folds the settings for which their configuration
// declares candidates.
func choosing(create func() Fitter) func() Fitter {
	return func() Fitter { return &chooser{Fitter: create(), new: create} }
}

// chooser is a Fitter that chooses settings before the fit.
type chooser struct {
	Fitter
	new    func() Fitter
	chosen []string // the settings NAME=VALUE that the last fit has chosen
}

// Plain returns the Fitter that takes fixed defaults for the settings that f chooses by folds, f itself if
// it chooses none.
func Plain(f Fitter) Fitter {
	if c, is := f.(*chooser); is {
		return c.Fitter
	}
	return f
}

// Chosen returns the settings NAME=VALUE that f has chosen by folds in its last fit, without those that
// are as if nothing were chosen, and reports whether f chooses any.
func Chosen(f Fitter) (chosen []string, chooses bool) {
	if c, is := f.(*chooser); is {
		return c.chosen, true
	}
	return nil, false
}

// with returns a Fitter with the settings that are given and those of extra, NAME=VALUE.
func (f *chooser) with(extra []string) (Fitter, error) {
	out := f.new()
	for _, s := range f.Settings().Settings {
		if s.Given() && s.String() != "" { // "" is what 0 stands for: not set
			if err := out.Settings().Set(s.Name + "=" + s.String()); err != nil {
				return nil, err
			}
		}
	}
	return out, out.Settings().Set(extra...)
}

// Plan returns the cost of the method together with that of choosing its settings.
func (f *chooser) Plan(task dataset.Task, s gram.Shape, run gram.Run) (gram.Plan, error) {
	plan := func(s gram.Shape) (gram.Plan, error) { return f.Fitter.Plan(task, s, run) }
	p, err := plan(s)
	if err != nil {
		return p, err
	}
	return crossval.PlanChoice(p, f.Settings(), s, plan), nil
}

// Fit chooses the settings and trains the model.
func (f *chooser) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	n, _ := d.Dims()
	var err error
	if f.chosen, err = f.choose(ctx, d, n, run); err != nil {
		return nil, err
	}
	fitter, err := f.with(f.chosen)
	if err != nil {
		return nil, err
	}
	return fitter.Fit(ctx, d, run)
}

// ChosenOn returns the settings NAME=VALUE that f chooses by folds for n rows, of which d holds a sample
// or all.
func ChosenOn(ctx context.Context, f Fitter, d *dataset.Set, n int, run gram.Run) ([]string, error) {
	if c, is := f.(*chooser); is {
		return c.choose(ctx, d, n, run)
	}
	return nil, nil
}

// choose returns the settings that are chosen for all rows by d, which holds them or a sample of them.
func (f *chooser) choose(ctx context.Context, d *dataset.Set, all int, run gram.Run) ([]string, error) {
	n, _ := d.Dims()
	return f.choice(d, run).Choose(ctx, f.Settings(), n, all)
}

// choice is the choice of settings by the rows of d.
func (f *chooser) choice(d *dataset.Set, run gram.Run) crossval.Choice {
	return crossval.Choice{Class: d.Labels.Class, Outputs: d.Shape().Outputs, Value: d.Value, Weight: d.Weight, Run: run,
		Losses: func(ctx context.Context, chosen []string, train, validation []int, run gram.Run) ([]float64, error) {
			fitter, err := f.with(chosen)
			if err != nil {
				return nil, err
			}
			fold, part := d.Select(train), d.Select(validation)
			if k := f.Settings().Lookup("kernel"); k != nil && k.String() == (kernel.Matrix{}).Spec().Name {
				if err := ofMatrix(d); err != nil {
					return nil, err
				}
				fold.X, part.X = columnsOf(fold.X, train), columnsOf(part.X, train)
			}
			m, err := fitter.Fit(ctx, fold, run)
			if m == nil {
				return nil, err
			}
			return Losses(m, part.X, part), err
		}}
}

// ofMatrix returns an error unless the rows of d have a kernel value with each of them.
func ofMatrix(d *dataset.Set) error {
	if n, columns := d.Dims(); columns != n {
		return settings.Refuse("columns", columns, "%d, one for each row: x is the kernel matrix", n)
	}
	return nil
}

// columnsOf returns a dense copy of the columns of x with the given numbers, in that order.
func columnsOf(x mat.Matrix, columns []int) *mat.Dense {
	n, d := x.Dims()
	out, row := mat.NewDense(n, len(columns), nil), make([]float64, d)
	s := gram.Of(x)
	for i := range n {
		s.CopyRow(row, i)
		for k, j := range columns {
			out.Set(i, k, row[j])
		}
	}
	return out
}

// Losses returns the squared error of each row of x, whose target d has, or 1 for a wrong class and
// 0 for the right one; nil if m predicts something else.
func Losses(m modelfile.Model, x mat.Matrix, d *dataset.Set) []float64 {
	return crossval.Losses(m, x, d.Labels.Class, d.Value)
}
