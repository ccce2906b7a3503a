package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
)

// linearFlags are the settings of a linear model on features.
type linearFlags struct {
	kind       string
	c          float64
	loss       string
	lambda     float64
	perRow     bool
	bias       float64
	noBias     bool
	tol        float64
	iterations int
}

func (l *linearFlags) define(fs *flag.FlagSet) {
	oneOf(fs, &l.kind, "model", "linear model; auto: svm for classes, ridge for values", "auto", "svm", "logistic", "ridge")
	fs.Float64Var(&l.c, "c", 1, "svm, logistic: weight of the loss against the norm")
	oneOf(fs, &l.loss, "loss", "svm: loss", "squared-hinge", "hinge")
	fs.Float64Var(&l.lambda, "lambda", 1e-3, "ridge: weight of the squared norm; 0: none")
	fs.BoolVar(&l.perRow, "per-row", false, "ridge: count lambda once per row")
	fs.Float64Var(&l.bias, "bias", 1, "svm, logistic: value of the constant feature")
	fs.BoolVar(&l.noBias, "no-bias", false, "no constant")
	fs.Float64Var(&l.tol, "tol", 0, "svm: relative duality gap (default 1e-3); logistic: relative gradient (1e-5)")
	fs.IntVar(&l.iterations, "max-iter", 0, "svm: passes over the rows (default 1000); logistic: Newton steps (100)")
}

// kindFor resolves auto and refuses a model that does not fit the task.
func (l *linearFlags) kindFor(classes bool) (string, error) {
	switch {
	case l.kind == "auto" && classes:
		return "svm", nil
	case l.kind == "auto":
		return "ridge", nil
	case l.kind == "ridge" && classes:
		return "", &gram.ConfigError{Field: "model", Value: l.kind, Want: "svm or logistic: the data have classes (--task regression reads numbers as values)"}
	case l.kind != "ridge" && !classes:
		return "", &gram.ConfigError{Field: "model", Value: l.kind, Want: "ridge: the data have values, not classes (--task classes reads them as classes)"}
	}
	return l.kind, nil
}

func (l *linearFlags) check() error {
	if err := positive("c", l.c); err != nil {
		return err
	}
	if err := positive("bias", l.bias); err != nil {
		return err
	}
	if l.lambda != 0 {
		return positive("lambda", l.lambda)
	}
	return nil
}

// constant is the value of the constant feature, which there is none of with
// no-bias.
func (l *linearFlags) constant() float64 {
	if l.noBias {
		return 0
	}
	return l.bias
}

func (l *linearFlags) svm(run gram.Run) linear.SVM {
	c := linear.SVM{C: l.c, Bias: l.constant(), NoBias: l.noBias, Tol: l.tol, MaxIter: l.iterations, Run: run}
	if l.loss == "hinge" {
		c.Loss = linear.Hinge
	}
	return c
}

func (l *linearFlags) logistic(run gram.Run) linear.Logistic {
	return linear.Logistic{C: l.c, Bias: l.constant(), NoBias: l.noBias, Tol: l.tol, MaxIter: l.iterations, Run: run}
}

func (l *linearFlags) ridge(run gram.Run) linear.Ridge {
	c := linear.Ridge{Lambda: gram.Set(l.lambda), NoBias: l.noBias, Run: run}
	if l.perRow {
		c.Penalty = solve.PerRow
	}
	return c
}

// plan is that of the linear model on features of m, nil meaning the data.
// Outputs of s tells classes (at least two) from values.
func (l *linearFlags) plan(m gram.FeatureMap, s gram.Shape, run gram.Run) (gram.Plan, error) {
	if err := l.check(); err != nil {
		return gram.Plan{}, err
	}
	kind, err := l.kindFor(s.Outputs > 1)
	if err != nil {
		return gram.Plan{}, err
	}
	switch kind {
	case "svm":
		return l.svm(run).Plan(m, s)
	case "logistic":
		return l.logistic(run).Plan(m, s)
	}
	return l.ridge(run).Plan(m, s)
}

// planOn is the plan of a feature map with m features, p, together with that of
// the linear model on them.
func (l *linearFlags) planOn(p gram.Plan, m int, s gram.Shape) (gram.Plan, error) {
	q, err := l.plan(dims{s.D, m}, s, gram.Run{})
	if err != nil {
		return gram.Plan{}, err
	}
	return gram.Plan{
		Flops:       p.Flops + q.Flops,
		PeakBytes:   max(p.PeakBytes, p.ModelBytes+q.PeakBytes),
		ModelBytes:  p.ModelBytes + q.ModelBytes,
		FullKernel:  p.FullKernel,
		Description: p.Description + "; " + q.Description,
	}, nil
}

// fit trains the linear model for a method on features of m, nil meaning the
// data.
func (l *linearFlags) fit(ctx context.Context, method string, m pipeline.Map, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	kind, err := l.kindFor(d.Task() == dataset.Classes)
	if err != nil {
		return nil, err
	}
	var features gram.FeatureMap
	if m != nil {
		features = m
	}
	if kind == "ridge" {
		r, err := l.ridge(run).Fit(ctx, features, d.X, d.Value, nil)
		if r == nil {
			return nil, err
		}
		return pipeline.On(method, m, r), err
	}
	var c *linear.Classifier
	if kind == "svm" {
		c, err = l.svm(run).Fit(ctx, features, d.X, d.Labels, nil)
	} else {
		c, err = l.logistic(run).Fit(ctx, features, d.X, d.Labels, nil)
	}
	if c == nil {
		return nil, err
	}
	return pipeline.On(method, m, c), err
}
