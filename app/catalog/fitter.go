package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/machine"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// config is what the catalog needs of an estimator's configuration.
type config[C any] interface{ crossval.Method[C] }

// estimator makes a Fitter of a configuration whose settings are described by tags or by its method Settings.
type estimator[C any, P config[C]] struct {
	config C
	bound  *settings.Bound
	fit    func(ctx context.Context, c C, d *dataset.Set) (modelfile.Model, error)
}

// of returns what makes a Fitter of the configuration c, which differs from its defaults only
// where the command's do, and its fit.
func of[C any, P config[C]](c C, fit func(ctx context.Context, c C, d *dataset.Set) (modelfile.Model, error)) func() Fitter {
	return func() Fitter {
		e := &estimator[C, P]{config: c, fit: fit}
		e.bound = settings.Bind(P(&e.config))
		crossval.Describe(e.bound)
		return e
	}
}

// InUnits is a Fitter of which ranges of settings are in units that follow from the data.
type InUnits interface {
	Fitter
	// Unit returns the unit of a setting's range for the data, 1 for most settings.
	Unit(setting string, d *dataset.Set) float64
}

// Unit returns the standard deviation of the target for settings that are in units of it.
func (e *estimator[C, P]) Unit(setting string, d *dataset.Set) float64 {
	if sd := metric.Deviation(d.Value, d.Weight); sd > 0 && e.bound.Lookup(setting).InDeviations {
		return sd
	}
	return 1
}

// Settings returns the settings of the configuration, bound to it: setting one changes the next fit.
func (e *estimator[C, P]) Settings() *settings.Bound { return e.bound }

// unused refuses a setting that is given and belongs to another kernel than the chosen one.
func (e *estimator[C, P]) unused() error {
	for _, s := range e.bound.Settings {
		if s.Given() && !s.Applies() {
			return settings.Refuse(s.Name, s.String(), "unset: kernel %s does not use it", e.bound.Lookup("kernel"))
		}
	}
	return nil
}

// complete returns the configuration with everything that its settings take from the data x.
func (e *estimator[C, P]) complete(x mat.Matrix, run gram.Run) (any, error) {
	if err := e.unused(); err != nil {
		return nil, err
	}
	if err := e.bound.Complete(x, run.Seed); err != nil {
		return nil, err
	}
	P(&e.config).SetRun(run)
	return e.config, nil
}

// Plan returns the expected cost of a fit; settings that follow from the data are taken at a typical value.
func (e *estimator[C, P]) Plan(_ dataset.Task, s gram.Shape, run gram.Run) (gram.Plan, error) {
	if _, err := e.complete(nil, run); err != nil {
		return gram.Plan{}, err
	}
	p, err := crossval.PlanSettled[C, P](e.config, s)
	return p, e.bound.Named(err)
}

// Fit trains the model. Rows of a single class are refused, although the estimators themselves learn a constant from them.
func (e *estimator[C, P]) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	if _, err := e.complete(d.X, run); err != nil {
		return nil, err
	}
	m, err := e.fit(ctx, e.config, d)
	if _, classifies := m.(gram.Classifier); classifies {
		if alone := oneClass(d); alone != nil {
			return nil, alone
		}
	}
	return m, e.bound.Named(err)
}

// result is what an estimator returned; a nil *T becomes no model.
func result[T any, M interface {
	*T
	modelfile.Model
}](m M, err error) (modelfile.Model, error) {
	if m == nil {
		return nil, err
	}
	return m, err
}

// oneClass returns an error if all rows that have a weight are of one class: estimators learn a
// constant from them, but a file with such a target is a mistake.
func oneClass(d *dataset.Set) error {
	first := -1
	for i, class := range d.Labels.Class {
		switch {
		case i < len(d.Weight) && d.Weight[i] == 0:
		case first < 0:
			first = i
		case class != d.Labels.Class[first]:
			return nil
		}
	}
	if n, _ := d.Dims(); first < 0 || n != len(d.Labels.Class) {
		return nil // the fit says what is wrong
	}
	return &gram.DataError{Row: first, Col: -1, Reason: "all rows that have a weight are of one class; a classifier needs two"}
}

// settled is the fit of an estimator with the settings that every fit chooses.
func settled[C any, Y crossval.Targets, T any, P config[C], M interface {
	*T
	modelfile.Model
}](targets func(*dataset.Set) Y, fit crossval.Fit[C, Y, M]) func(context.Context, C, *dataset.Set) (modelfile.Model, error) {
	return func(ctx context.Context, c C, d *dataset.Set) (modelfile.Model, error) {
		c, err := crossval.Settled[C, Y, M, P](ctx, c, d.X, targets(d), d.Weight, fit)
		if err != nil {
			return nil, err
		}
		return result(fit(c, ctx, d.X, targets(d), d.Weight))
	}
}

// classes is the fit of an estimator that learns classes.
func classes[C, T any, P config[C], M interface {
	*T
	modelfile.Model
}](fit crossval.Fit[C, gram.Labels, M]) func(context.Context, C, *dataset.Set) (modelfile.Model, error) {
	return settled[C, gram.Labels, T, P](func(d *dataset.Set) gram.Labels { return d.Labels }, fit)
}

// values is the fit of an estimator that learns values.
func values[C, T any, P config[C], M interface {
	*T
	modelfile.Model
}](fit crossval.Fit[C, []float64, M]) func(context.Context, C, *dataset.Set) (modelfile.Model, error) {
	return settled[C, []float64, T, P](func(d *dataset.Set) []float64 { return d.Value }, fit)
}

// tags is the fit of an estimator that learns sets of labels, without weights.
func tags[C, T any, P config[C], M interface {
	*T
	modelfile.Model
}](fit func(c C, ctx context.Context, x mat.Matrix, y *sparse.CSR) (M, error)) func(context.Context, C, *dataset.Set) (modelfile.Model, error) {
	return settled[C, *sparse.CSR, T, P](func(d *dataset.Set) *sparse.CSR { return d.Tags }, crossval.Unweighted(fit))
}

// byTask is the one fit for classes and the other for values.
func byTask[C any](classes, values func(context.Context, C, *dataset.Set) (modelfile.Model, error)) func(context.Context, C, *dataset.Set) (modelfile.Model, error) {
	return func(ctx context.Context, c C, d *dataset.Set) (modelfile.Model, error) {
		if d.Task() == dataset.Classes {
			return classes(ctx, c, d)
		}
		return values(ctx, c, d)
	}
}

// mapConfig is what the catalog needs of the configuration of a feature map.
type mapConfig[C any] interface {
	config[C]
	machine.Map
}

// features returns what makes a Fitter of a linear model on the map of configuration c.
func features[C any, M pipeline.Map, P mapConfig[C]](method string, c C, fit func(c C, ctx context.Context, x mat.Matrix) (M, error)) func() Fitter {
	return onMap[C, M, P](method, c, fit, func(l modelfile.Model, _ M) modelfile.Model { return l })
}

// folded is features for a map whose features are linear functions of others: the model is
// stored as one of these.
func folded[C any, M interface {
	pipeline.Map
	basis.Outer
}, P mapConfig[C]](method string, c C, fit func(c C, ctx context.Context, x mat.Matrix) (M, error)) func() Fitter {
	return onMap[C, M, P](method, c, fit, func(l modelfile.Model, m M) modelfile.Model {
		inner, root := m.Inner()
		return pipeline.Onto(l, inner, root)
	})
}

func onMap[C any, M pipeline.Map, P mapConfig[C]](method string, c C, fit func(c C, ctx context.Context, x mat.Matrix) (M, error), finish func(l modelfile.Model, m M) modelfile.Model) func() Fitter {
	return func() Fitter {
		f := mapFitter[C, M, P]{method: method, finish: finish}
		f.estimator = of(machine.On[C, M, P](c, fit, linear.Config{}), f.fitAll)().(*estimator[machine.Config[C, M, P], *machine.Config[C, M, P]])
		return f
	}
}

// fitLinear trains the linear model of a method on features of m, nil meaning the data.
func fitLinear(ctx context.Context, method string, c linear.Config, m pipeline.Map, d *dataset.Set) (modelfile.Model, error) {
	var features gram.FeatureMap
	if m != nil {
		features = m
	}
	if d.Task() == dataset.Classes {
		l, err := c.Fit(ctx, features, d.X, d.Labels, d.Weight)
		return joined(method, m, l, err)
	}
	l, err := c.FitValues(ctx, features, d.X, d.Value, d.Weight)
	return joined(method, m, l, err)
}

// joined is a linear model l with its feature map; nil of nil.
func joined[L comparable](method string, m pipeline.Map, l L, err error) (modelfile.Model, error) {
	if l == *new(L) {
		return nil, err
	}
	return pipeline.On(method, m, l), err
}
