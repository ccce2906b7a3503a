package catalog

import (
	"context"
	"strconv"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/algos/learned/widths"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

var krrMethod = Method{
	Name:    krr.Method,
	Summary: "kernel ridge regression on all rows; classes by regression on ±1, one against the rest; with ard=true a width for each column by the leave-one-out error",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     newRidge,
	Decode:  krr.DecodeAny,
}

var falkonMethod = Method{
	Name:    falkon.Method,
	Summary: "kernel ridge regression on landmarks by conjugate gradients, for many rows; classes as in krr",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     newFalkon,
	Decode:  falkon.DecodeAny,
}

var dividedMethod = Method{
	Name:    dckrr.Method,
	Summary: "kernel ridge regression in parts: clusters of the rows, each with a model of its own, or the mean of random parts",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     of(divided{}, byTask(classes(divided.FitClasses), values(divided.FitValues))),
	Decode:  dckrr.DecodeAny,
}

// krrFitter is kernel ridge regression for classes or for values.
type krrFitter struct {
	krr.Config
	Widths
}

// Settings describes those of the fit and of widths.
func (c *krrFitter) Settings(s *settings.Fields) {
	c.Config.Settings(s)
	widths.Setting(s, &c.ARD, &c.ARDRows, c.Kernel, &c.Lambda)
}

// Plan returns what the functions of all classes cost together.
func (c krrFitter) Plan(s gram.Shape) (gram.Plan, error) {
	return planClasses(&c.Widths, c.Config, s)
}

// byColumns returns the configuration and the rows that λ is chosen with: of a kernel matrix x, those of the kernel that is
// known by its columns, and not of the inner products of its rows.
func (c *krrFitter) byColumns(x mat.Matrix) (krr.Config, mat.Matrix, error) {
	config := c.Config
	if _, is := config.Kernel.(kernel.Matrix); !is {
		return config, x, nil
	}
	known, err := kernel.FromMatrix(x)
	if err != nil {
		return config, x, err
	}
	n, _ := x.Dims()
	config.Kernel = known
	return config, kernel.Indices(n), nil
}

// ChooseLambda keeps the kernel whose widths are learned with λ.
func (c *krrFitter) ChooseLambda(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (float64, error) {
	if !c.ARD {
		config, x, err := c.byColumns(x)
		if err != nil {
			return 0, err
		}
		return config.ChooseLambda(ctx, x, y, w)
	}
	err := learn(ctx, &c.Widths, &c.Config, x, y, w)
	return c.Lambda.Value(), err
}

// ChooseLambdaClasses keeps the kernel whose widths are learned with λ.
func (c *krrFitter) ChooseLambdaClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (float64, error) {
	if !c.ARD {
		config, x, err := c.byColumns(x)
		if err != nil {
			return 0, err
		}
		return config.ChooseLambdaClasses(ctx, x, y, w)
	}
	err := learnClasses(ctx, &c.Widths, &c.Config, x, y, w)
	return c.Lambda.Value(), err
}

// FitValues fits a regression to values, after it has learned the length scales if that is asked for.
func (c krrFitter) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*krr.Regressor, error) {
	if err := learnValues(ctx, &c.Widths, &c.Config, x, y, w); err != nil {
		return nil, err
	}
	m, err := c.Fit(ctx, x, y, w)
	return regressor(m, krr.Method, err)
}

// FitClasses fits a classifier, after it has learned the length scales if that is asked for.
func (c krrFitter) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*krr.Classifier, error) {
	if err := learnClasses(ctx, &c.Widths, &c.Config, x, y, w); err != nil {
		return nil, err
	}
	return c.Config.FitClasses(ctx, x, y, w)
}

// FitEach trains on values for each λ, with the same widths.
func (c krrFitter) FitEach(ctx context.Context, x mat.Matrix, y *mat.Dense, w, lambda []float64) ([]*krr.Model, error) {
	if err := learn(ctx, &c.Widths, &c.Config, x, y, w); err != nil {
		return nil, err
	}
	return c.Config.FitEach(ctx, x, y, w, lambda)
}

// FitClassesEach trains on classes for each λ, with the same widths.
func (c krrFitter) FitClassesEach(ctx context.Context, x mat.Matrix, y gram.Labels, w, lambda []float64) ([]*krr.Classifier, error) {
	if err := learnClasses(ctx, &c.Widths, &c.Config, x, y, w); err != nil {
		return nil, err
	}
	return c.Config.FitClassesEach(ctx, x, y, w, lambda)
}

func newRidge() Fitter {
	f := of(krrFitter{}, byTask(classes(krrFitter.FitClasses), values(krrFitter.FitValues)))
	return sweep[krrFitter, *krrFitter, *krr.Model]{f().(*estimator[krrFitter, *krrFitter]), krr.Method}
}

// inducing is kernel ridge regression on landmarks for classes or for values.
type inducing struct {
	falkon.Config
	Widths
}

// Settings describes those of the fit and of widths.
func (c *inducing) Settings(s *settings.Fields) {
	c.Config.Settings(s)
	widths.Setting(s, &c.ARD, &c.ARDRows, c.Kernel, &c.Lambda)
}

// Plan returns what the functions of all classes cost together.
func (c inducing) Plan(s gram.Shape) (gram.Plan, error) {
	return planClasses(&c.Widths, c.Config, s)
}

// ChooseLambda keeps the kernel whose widths are learned with λ.
func (c *inducing) ChooseLambda(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (float64, error) {
	if !c.ARD {
		return c.Config.ChooseLambda(ctx, x, y, w)
	}
	err := learn(ctx, &c.Widths, &c.Config, x, y, w)
	return c.Lambda.Value(), err
}

// ChooseLambdaClasses keeps the kernel whose widths are learned with λ.
func (c *inducing) ChooseLambdaClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (float64, error) {
	if !c.ARD {
		return c.Config.ChooseLambdaClasses(ctx, x, y, w)
	}
	err := learnClasses(ctx, &c.Widths, &c.Config, x, y, w)
	return c.Lambda.Value(), err
}

// FitValues fits a regression to values, after it has learned the length scales if that is asked for.
func (c inducing) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*krr.Regressor, error) {
	if err := learnValues(ctx, &c.Widths, &c.Config, x, y, w); err != nil {
		return nil, err
	}
	m, err := c.Fit(ctx, x, y, w)
	return regressor(m, falkon.Method, err)
}

// FitClasses fits a classifier, after it has learned the length scales if that is asked for.
func (c inducing) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*krr.Classifier, error) {
	if err := learnClasses(ctx, &c.Widths, &c.Config, x, y, w); err != nil {
		return nil, err
	}
	return c.Config.FitClasses(ctx, x, y, w)
}

// FitEach trains on values for each λ, with the same widths.
func (c inducing) FitEach(ctx context.Context, x mat.Matrix, y *mat.Dense, w, lambda []float64) ([]*falkon.Model, error) {
	if err := learn(ctx, &c.Widths, &c.Config, x, y, w); err != nil {
		return nil, err
	}
	return c.Config.FitEach(ctx, x, y, w, lambda)
}

// FitClassesEach trains on classes for each λ, with the same widths.
func (c inducing) FitClassesEach(ctx context.Context, x mat.Matrix, y gram.Labels, w, lambda []float64) ([]*krr.Classifier, error) {
	if err := learnClasses(ctx, &c.Widths, &c.Config, x, y, w); err != nil {
		return nil, err
	}
	return c.Config.FitClassesEach(ctx, x, y, w, lambda)
}

func newFalkon() Fitter {
	f := of(inducing{}, byTask(classes(inducing.FitClasses), values(inducing.FitValues)))
	return inducingFitter{sweep[inducing, *inducing, *falkon.Model]{f().(*estimator[inducing, *inducing]), falkon.Method}}
}

// Sweeper is a Fitter for which several values of one setting cost less than one after the other.
type Sweeper interface {
	Fitter
	// Sweeps returns the name of the setting whose values FitEach takes.
	Sweeps() string
	// FitEach trains once for every value. As with Fit, models may come with a *gram.ConvergenceError.
	FitEach(ctx context.Context, d *dataset.Set, values []string, run gram.Run) ([]modelfile.Model, error)
}

// sweep is a Fitter that trains for several values of lambda at the cost of little more than one.
type sweep[C interface {
	FitEach(ctx context.Context, x mat.Matrix, y *mat.Dense, w, lambda []float64) ([]M, error)
	FitClassesEach(ctx context.Context, x mat.Matrix, y gram.Labels, w, lambda []float64) ([]*krr.Classifier, error)
}, P config[C], M krr.Functions] struct {
	*estimator[C, P]
	method string
}

// Sweeps returns the name of the setting that FitEach varies.
func (f sweep[C, P, M]) Sweeps() string { return "lambda" }

// FitEach returns one model for each value of lambda, in the order of values.
func (f sweep[C, P, M]) FitEach(ctx context.Context, d *dataset.Set, values []string, run gram.Run) ([]modelfile.Model, error) {
	if _, err := f.complete(d.X, run); err != nil {
		return nil, err
	}
	lambda := make([]float64, len(values))
	for i, v := range values {
		var err error
		if lambda[i], err = strconv.ParseFloat(v, 64); err != nil {
			return nil, err
		}
	}
	var out []modelfile.Model
	if d.Task() == dataset.Classes {
		models, err := f.config.FitClassesEach(ctx, d.X, d.Labels, d.Weight, lambda)
		for _, m := range models {
			out = append(out, m)
		}
		return out, err
	}
	if err := d.CheckTargets(); err != nil {
		return nil, err
	}
	n, _ := d.Dims()
	models, err := f.config.FitEach(ctx, d.X, mat.NewDense(n, 1, d.Value), d.Weight, lambda)
	for _, m := range models {
		out = append(out, krr.NewRegressor(m, f.method))
	}
	return out, err
}

// divided is kernel ridge regression in parts: clusters with a model each, or the mean of
// the models of random parts.
type divided struct {
	dckrr.Config
	By partition
}

// partition is a dckrr.Partition, or random for parts that are drawn and whose models are averaged.
type partition dckrr.Partition

const random = partition(dckrr.Voronoi) + 1

// String returns the name that the setting partition has for p.
func (p partition) String() string {
	if p == random {
		return "random"
	}
	return dckrr.Partition(p).String()
}

// Settings describes the setting partition and the settings of dckrr that hold for every partition.
func (c *divided) Settings(s *settings.Fields) {
	settings.Choice(s, &c.By, "partition", "how the rows are divided; random: the mean of the models of random parts",
		partition(dckrr.KMeans), partition(dckrr.KernelKMeans), partition(dckrr.Voronoi), random)
	s.Embedded(&c.Config, "partition")
}

func (c divided) average() dckrr.Random {
	return dckrr.Random{Local: c.Local, Parts: c.Parts, Run: c.Run}
}

func (c divided) clusters() dckrr.Config {
	c.Partition = dckrr.Partition(c.By)
	return c.Config
}

// Plan returns what the functions of all classes cost together.
func (c divided) Plan(s gram.Shape) (gram.Plan, error) {
	if c.By == random {
		return c.average().PlanClasses(s)
	}
	return c.clusters().PlanClasses(s)
}

// FitClasses fits a classifier: a model for each cluster, or the mean of the models of random parts.
func (c divided) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*krr.Classifier, error) {
	if c.By == random {
		return c.average().FitClasses(ctx, x, y, w)
	}
	return c.clusters().FitClasses(ctx, x, y, w)
}

// FitValues fits a regression to values: a model for each cluster, or the mean of the models of random parts.
func (c divided) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*krr.Regressor, error) {
	if c.By == random {
		m, err := c.average().Fit(ctx, x, y, w)
		return regressor(m, dckrr.Method, err)
	}
	m, err := c.clusters().Fit(ctx, x, y, w)
	return regressor(m, dckrr.Method, err)
}

// regressor returns the function m of that method as a regressor, nil of nil.
func regressor[M interface {
	*krr.Model | *dckrr.Model | *falkon.Model | *rfm.Model
	krr.Functions
}](m M, method string, err error) (*krr.Regressor, error) {
	if m == nil {
		return nil, err
	}
	return krr.NewRegressor(m, method), err
}
