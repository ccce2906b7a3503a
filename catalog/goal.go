package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/goal"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

var goalNysMethod = Method{
	Name:    "goal-nys",
	Summary: "landmarks learned together with the linear model on their kernel values, for classes and values",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &goalFitter{features: goal.Nystrom} },
	Decode:  goal.Decode,
}

var goalRFFMethod = Method{
	Name:    "goal-rff",
	Summary: "frequencies of Fourier features learned together with the linear model on them, for classes and values",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &goalFitter{features: goal.Fourier} },
	Decode:  goal.Decode,
}

type goalFitter struct {
	features   goal.Features
	kernel     kernelFlags
	m          int
	landmarks  string
	loss       string
	c, lambda  float64
	noBias     bool
	iterations int
	steps      int
	tol        float64
	holdout    float64
	folds      int
	patience   int
}

func (f *goalFitter) Flags(fs *flag.FlagSet) {
	if f.features == goal.Fourier {
		f.kernel.defineNames(fs, "gaussian", "laplacian")
		fs.IntVar(&f.m, "m", 0, "frequencies; there are twice as many features (default 64, or the number of rows if that is less)")
	} else {
		f.kernel.defineNames(fs, "gaussian")
		fs.IntVar(&f.m, "m", 0, "landmarks (default 64, or the number of rows if that is less)")
		oneOf(fs, &f.landmarks, "landmarks", "where the landmarks start", "kmeans", "uniform")
	}
	oneOf(fs, &f.loss, "loss", "classes: loss; that of values is squared", goal.SquaredHinge.String(), goal.Logistic.String(), goal.Squared.String())
	fs.Float64Var(&f.c, "c", 1, "squared-hinge, logistic: weight of the loss against the norm")
	fs.Float64Var(&f.lambda, "lambda", 1e-3, "squared: weight of the squared norm")
	fs.BoolVar(&f.noBias, "no-bias", false, "no constant")
	fs.IntVar(&f.iterations, "max-iter", 50, "turns of the learning; 0: the points stay as they are")
	fs.IntVar(&f.steps, "steps", 5, "gradient steps in each turn")
	fs.Float64Var(&f.tol, "tol", 1e-5, "relative decrease of the objective in a turn at which to stop")
	fs.Float64Var(&f.holdout, "holdout", .2, "`SHARE` of the rows that decide when to stop; 0: none")
	fs.IntVar(&f.folds, "folds", 1, "such parts of the rows, held out one after the other; for few rows")
	fs.IntVar(&f.patience, "patience", 10, "turns without a better one on these rows after which to stop")
}

func (f *goalFitter) config(x mat.Matrix, run gram.Run) (goal.Config, error) {
	k, err := f.kernel.kernel(x, run.Seed)
	if err != nil {
		return goal.Config{}, err
	}
	for _, s := range []struct {
		name  string
		value float64
	}{{"c", f.c}, {"lambda", f.lambda}, {"tol", f.tol}, {"steps", float64(f.steps)}, {"folds", float64(f.folds)}, {"patience", float64(f.patience)}} {
		if err := positive(s.name, s.value); err != nil {
			return goal.Config{}, err
		}
	}
	c := goal.Config{Kernel: k, Features: f.features, M: f.m, C: f.c, Lambda: f.lambda, NoBias: f.noBias,
		MaxIter: f.iterations, NoLearn: f.iterations == 0, Steps: f.steps, Tol: f.tol,
		Holdout: f.holdout, NoHoldout: f.holdout == 0, Folds: f.folds, Patience: f.patience, Run: run}
	if f.landmarks == "uniform" {
		c.Landmarks = landmark.Uniform{}
	}
	for _, l := range []goal.Loss{goal.SquaredHinge, goal.Logistic, goal.Squared} {
		if l.String() == f.loss {
			c.Loss = l
		}
	}
	return c, nil
}

func (f *goalFitter) Plan(s gram.Shape) (gram.Plan, error) { return planOf(f.config, s) }

func (f *goalFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	if d.Task() == dataset.Classes {
		return result(c.Fit(ctx, d.X, d.Labels, nil))
	}
	return result(c.FitValues(ctx, d.X, d.Value, nil))
}
