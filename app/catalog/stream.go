package catalog

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/machine"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
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
	// Kept returns the names of the settings that a continued fit takes from the model.
	Kept() []string
	// Continue fits to d like Fit, but starts from the model, which has the columns and classes of d.
	Continue(ctx context.Context, from modelfile.Model, d *dataset.Set, run gram.Run) (modelfile.Model, error)
}

// ByPasses is a Fitter whose model follows from pass after pass over rows that are not in memory together;
// see falkon.Passes.
type ByPasses interface {
	Fitter
	// Sample returns the number of rows that the passes are begun from, if there are so many.
	Sample() int
	// Begin returns what the passes over n rows have to know, of which d holds a sample or all, and what
	// only their end needs. The classes are known by their numbers among so many; 0: the targets are values.
	Begin(ctx context.Context, d *dataset.Set, classes, n int, run gram.Run) (*falkon.Passes, *falkon.Factors, error)
	// Model returns the model of the functions m, of the named classes if there are names.
	Model(m *falkon.Model, names []string) modelfile.Model
	// PlanPasses is Plan for a fit by passes from a sample of so many rows.
	PlanPasses(s gram.Shape, sample int, run gram.Run) (gram.Plan, error)
}

// onDataFitter is the Fitter of linear functions of the data.
type onDataFitter struct{ *estimator[onData, *onData] }

// Plan returns the expected cost of a fit; sets of labels have the plan of linear.Config.FitTags.
func (f onDataFitter) Plan(task dataset.Task, s gram.Shape, run gram.Run) (gram.Plan, error) {
	if task != dataset.MultiLabel {
		return f.estimator.Plan(task, s, run)
	}
	if _, err := f.complete(nil, run); err != nil {
		return gram.Plan{}, err
	}
	p, err := f.config.PlanTags(s)
	return p, f.bound.Named(err)
}

// FitMap returns nil: the features are the data.
func (onDataFitter) FitMap(context.Context, mat.Matrix, gram.Run) (basis.Basis, error) {
	return nil, nil
}

// Streams reports true: linear functions can be fitted by passes over files.
func (onDataFitter) Streams() bool { return true }

// Mapped reports false: the functions are of the columns themselves.
func (onDataFitter) Mapped() bool { return false }

// Choose returns no settings: no hyperparameter is chosen before the passes.
func (onDataFitter) Choose(context.Context, basis.Basis, *dataset.Set, int, gram.Run) ([]string, error) {
	return nil, nil
}

// Linear returns the configuration of the linear functions for the task.
func (f onDataFitter) Linear(task dataset.Task) linear.Config {
	return f.config.of(task == dataset.Classes)
}

// Join returns the model of l, a *linear.Classifier or *linear.Regressor, on the columns themselves.
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

// Mapped reports true: the functions are of the features of a map.
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

// Join returns the model of the map m and of l, a *linear.Classifier or *linear.Regressor.
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

// Kept returns the names of the settings of the map, which a continued fit keeps.
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

// inducingFitter is the Fitter of kernel ridge regression on landmarks.
type inducingFitter struct {
	sweep[inducing, *inducing, *falkon.Model]
}

// Sample returns four rows for each landmark, if their number is given.
func (f inducingFitter) Sample() int { return falkon.SampleRows * f.config.M }

// Begin chooses what is not given by the rows of d.
func (f inducingFitter) Begin(ctx context.Context, d *dataset.Set, classes, n int, run gram.Run) (*falkon.Passes, *falkon.Factors, error) {
	if _, err := f.complete(d.X, run); err != nil {
		return nil, nil, err
	}
	c := f.config
	if _, is := c.Kernel.(kernel.Matrix); is {
		return nil, nil, settings.Refuse("kernel", c.Kernel.Spec().Name, "one of the columns of rows, where these are a stream")
	}
	if err := c.settle(ctx, d, classes, n); err != nil {
		return nil, nil, f.bound.Named(err)
	}
	p, factors, err := c.Passes(ctx, d.X, targetsOf(d, classes), n)
	return p, factors, f.bound.Named(err)
}

// targetsOf returns the targets of d: the signs of so many classes, or the values.
func targetsOf(d *dataset.Set, classes int) *mat.Dense {
	if classes > 0 {
		return multiclass.Signs(d.Labels.Class, classes)
	}
	return mat.NewDense(len(d.Value), 1, d.Value)
}

// settle sets the kernel and λ for n rows as the leave-one-out error on rows of d, which is some of them, wants them:
// what is added to the diagonal carries over to all rows.
func (c *inducing) settle(ctx context.Context, d *dataset.Set, classes, n int) (err error) {
	some, given := *c, c.Lambda.Given()
	some.Penalty = solve.Total
	if given {
		some.Lambda = gram.Set(c.Penalty.Scale(c.Lambda.Value(), float64(n)))
	}
	if classes > 0 {
		if some, err = crossval.Settled[inducing, gram.Labels, *krr.Classifier, *inducing](ctx, some, d.X, d.Labels, nil, inducing.FitClasses); err == nil {
			err = learnClasses(ctx, &some.Widths, &some.Config, d.X, d.Labels, nil)
		}
	} else if some, err = crossval.Settled[inducing, []float64, *krr.Regressor, *inducing](ctx, some, d.X, d.Value, nil, inducing.FitValues); err == nil {
		err = learnValues(ctx, &some.Widths, &some.Config, d.X, d.Value, nil)
	}
	if c.Kernel = some.Kernel; !given {
		c.Lambda = gram.Set(some.Lambda.Value() / c.Penalty.Scale(1, float64(n)))
	}
	return err
}

// Model returns a classifier of the named classes, or a regressor if there are no names.
func (inducingFitter) Model(m *falkon.Model, names []string) modelfile.Model {
	if len(names) > 0 {
		return krr.NewClassifier(m, falkon.Method, names)
	}
	return krr.NewRegressor(m, falkon.Method)
}

// PlanPasses returns the expected cost of a fit by passes over rows of shape s, begun from a sample of so many rows.
func (f inducingFitter) PlanPasses(s gram.Shape, sample int, run gram.Run) (gram.Plan, error) {
	if _, err := f.complete(nil, run); err != nil {
		return gram.Plan{}, err
	}
	s.Outputs = multiclass.Functions(s.Outputs)
	p, err := f.config.Config.PlanPasses(s, sample)
	return p, f.bound.Named(err)
}
