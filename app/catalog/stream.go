package catalog

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/machine"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Streamed is a Fitter of linear functions of features. Such a model can be fitted without all
// rows in memory: the feature map follows from a sample of the rows, and the functions follow
// from sums over all rows.
type Streamed interface {
	Fitter
	// FitMap fits the feature map to the rows of a sample, which are scaled. It returns nil
	// if the features are the data.
	FitMap(ctx context.Context, sample mat.Matrix, run gram.Run) (basis.Basis, error)
	// Streams reports whether the feature map is one that FitMap can return; if not, the
	// other methods must not be called.
	Streams() bool
	// Mapped reports whether there is a feature map.
	Mapped() bool
	// Choose returns the settings NAME=VALUE of the linear functions on the features of m, a map of
	// FitMap, that are chosen by the data for n rows, of which d holds a sample or all.
	Choose(ctx context.Context, m basis.Basis, d *dataset.Set, n int, run gram.Run) ([]string, error)
	// Linear returns the settings of the linear functions for the task.
	Linear(task dataset.Task) linear.Config
	// Join returns the model of a map of FitMap and a *linear.Classifier or *linear.Regressor.
	Join(m basis.Basis, l any) modelfile.Model
}

// Continued is a Fitter that can go on from a model of its method.
type Continued interface {
	Fitter
	// Kept returns the names of the settings that are those of the model.
	Kept() []string
	// Continue is Fit from the model, whose columns and classes are those of d.
	Continue(ctx context.Context, from modelfile.Model, d *dataset.Set, run gram.Run) (modelfile.Model, error)
}

// onDataFitter is the Fitter of linear functions of the data.
type onDataFitter struct{ *estimator[onData, *onData] }

// FitMap returns nil: the features are the data.
func (onDataFitter) FitMap(context.Context, mat.Matrix, gram.Run) (basis.Basis, error) {
	return nil, nil
}

// Streams is true.
func (onDataFitter) Streams() bool { return true }

// Mapped is false.
func (onDataFitter) Mapped() bool { return false }

// Choose returns nothing.
func (onDataFitter) Choose(context.Context, basis.Basis, *dataset.Set, int, gram.Run) ([]string, error) {
	return nil, nil
}

// Linear returns the settings.
func (f onDataFitter) Linear(task dataset.Task) linear.Config {
	return f.config.of(task == dataset.Classes)
}

// Join returns the model.
func (onDataFitter) Join(_ basis.Basis, l any) modelfile.Model { return pipeline.On("linear", nil, l) }

// mapFitter is the Fitter of linear functions of the features of a map.
type mapFitter[C any, M pipeline.Map, P mapConfig[C]] struct {
	*estimator[machine.Config[C, M, P], *machine.Config[C, M, P]]
	method string
	finish func(l modelfile.Model, m M) modelfile.Model
}

// FitMap fits the map with the settings that follow from the sample.
func (f mapFitter[C, M, P]) FitMap(ctx context.Context, sample mat.Matrix, run gram.Run) (basis.Basis, error) {
	if _, err := f.complete(sample, run); err != nil {
		return nil, err
	}
	m, err := f.config.FitMap(ctx, sample)
	if err != nil {
		return nil, f.bound.Named(err)
	}
	return any(m).(basis.Basis), nil
}

// Streams is true for a map that is a basis.Basis.
func (mapFitter[C, M, P]) Streams() bool {
	var m M
	_, ok := any(m).(basis.Basis)
	return ok
}

// Mapped is true.
func (mapFitter[C, M, P]) Mapped() bool { return true }

// Choose returns c for classes and lambda for values, unless they are given.
func (f mapFitter[C, M, P]) Choose(ctx context.Context, m basis.Basis, d *dataset.Set, n int, run gram.Run) ([]string, error) {
	c := f.config.Linear
	c.SetRun(run)
	switch {
	case d.Task() == dataset.Classes && c.SVM.C == 0 && c.Logistic.C == 0:
		v, err := machine.ChooseC(ctx, c, m, d.X, d.Labels, d.Weight)
		return []string{fmt.Sprint("c=", v)}, err
	case d.Task() == dataset.Regression && !c.Ridge.Lambda.Given():
		v, err := machine.ChooseLambda(ctx, c, m, d.X, d.Value, d.Weight, n)
		return []string{fmt.Sprint("lambda=", v)}, err
	}
	return nil, nil
}

// Linear returns the settings of the linear functions.
func (f mapFitter[C, M, P]) Linear(dataset.Task) linear.Config { return f.config.Linear }

// Join returns the model.
func (f mapFitter[C, M, P]) Join(m basis.Basis, l any) modelfile.Model {
	of := any(m).(M)
	return f.finish(pipeline.On(f.method, of, l), of)
}

// fitAll fits map and functions to all rows in memory.
func (f mapFitter[C, M, P]) fitAll(ctx context.Context, c machine.Config[C, M, P], d *dataset.Set) (modelfile.Model, error) {
	m, err := c.FitMap(ctx, d.X)
	if err != nil {
		return nil, err
	}
	return f.fitOn(ctx, c.Linear, m, d)
}

// fitOn fits the functions to the features of m.
func (f mapFitter[C, M, P]) fitOn(ctx context.Context, c linear.Config, m M, d *dataset.Set) (model modelfile.Model, err error) {
	if d.Task() == dataset.Classes {
		l, failed := machine.Fit(ctx, c, m, d.X, d.Labels, d.Weight)
		model, err = joined(f.method, m, l, failed)
	} else {
		l, failed := machine.FitValues(ctx, c, m, d.X, d.Value, d.Weight)
		model, err = joined(f.method, m, l, failed)
	}
	if model == nil {
		return nil, err
	}
	return f.finish(model, m), err
}

// Kept returns the settings of the map.
func (f mapFitter[C, M, P]) Kept() []string {
	var names []string
	var c C
	for _, s := range settings.List(P(&c)) {
		names = append(names, s.Name)
	}
	return names
}

// Continue fits the linear functions to the features of the model's map.
func (f mapFitter[C, M, P]) Continue(ctx context.Context, from modelfile.Model, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	has, _ := from.(interface{ FeatureMap() pipeline.Map })
	if has == nil {
		return nil, settings.Refuse("warm", "a model without a feature map", "one of %s", f.method)
	}
	m, ok := has.FeatureMap().(M)
	if !ok {
		return nil, settings.Refuse("warm", "a model with another feature map", "one of %s", f.method)
	}
	if _, err := f.complete(d.X, run); err != nil {
		return nil, err
	}
	l, err := f.fitOn(ctx, f.config.Linear, m, d)
	return l, f.bound.Named(err)
}
