package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

// judging returns what makes the Fitters of new and says in their settings that λ is chosen.
func judging(new func() Fitter) func() Fitter {
	return func() Fitter {
		f := new()
		lambda := f.Settings().Lookup("lambda")
		lambda.Default, lambda.Search = "that of least leave-one-out error on at most 500 rows", nil
		return f
	}
}

// judged returns what adds the cost of the choice of λ, unless it is given, to a plan for
// data of shape s.
func judged(given bool, s gram.Shape) func(p gram.Plan, err error) (gram.Plan, error) {
	return func(p gram.Plan, err error) (gram.Plan, error) {
		if given || err != nil {
			return p, err
		}
		m := float64(min(s.N, mostMapped))
		p.Flops += 9*m*m*m + 2*m*m*float64(s.D)
		p.PeakBytes = max(p.PeakBytes, int64(8*(5*m*m+2*m*float64(s.D))))
		return p, nil
	}
}

// chosen is the λ of kernel ridge regression c on d that the command takes by default.
func chosen(ctx context.Context, c krr.Config, d *dataset.Set) (gram.Opt[float64], error) {
	var v float64
	var err error
	if d.Task() == dataset.Classes {
		v, err = c.ChooseLambdaClasses(ctx, d.X, d.Labels, d.Weight)
	} else {
		n, _ := d.Dims()
		if err := check.Target(d.Value, n); err != nil {
			return c.Lambda, err
		}
		v, err = c.ChooseLambda(ctx, d.X, mat.NewDense(n, 1, d.Value), d.Weight)
	}
	if err != nil {
		return c.Lambda, err
	}
	return gram.Set(v), nil
}

// mostMapped is the number of rows whose features decide on the λ of a ridge regression.
const mostMapped = 500

// chosenOn is the λ of ridge regression on the features of m.
func chosenOn(ctx context.Context, c linear.Ridge, m gram.FeatureMap, d *dataset.Set) (gram.Opt[float64], error) {
	n, _ := d.Dims()
	few := &dataset.Set{X: d.X, Value: d.Value, Weight: d.Weight}
	if n > mostMapped {
		few = few.Select(dataset.Sample(n, mostMapped, rng.Derive(c.Seed, "lambda")))
	}
	few.X = m.Map(nil, few.X)
	lambda, err := chosen(ctx, krr.Config{Kernel: kernel.Linear{}, Bias: !c.NoBias, Run: c.Run}, few)
	if err != nil {
		return c.Lambda, err
	}
	return gram.Set(lambda.Value() / c.Penalty.Scale(1, float64(n))), nil
}

// Lambda returns the weight of the squared norm that a model of kernel ridge regression, or
// of ridge regression on features, was trained with, and whether it has one.
func Lambda(m modelfile.Model) (lambda float64, ok bool) {
	switch m := m.(type) {
	case *krr.Regressor:
		return lambdaOf(m.Model())
	case *krr.Classifier:
		return lambdaOf(m.Model())
	case *dcpred.Regressor:
		return m.Config().Lambda, true
	case *pipeline.Regressor:
		return m.Config().Lambda.Value(), m.FeatureMap() != nil
	}
	return 0, false
}

func lambdaOf(m krr.Functions) (lambda float64, ok bool) {
	switch m := m.(type) {
	case *krr.Model:
		return m.Config().Lambda.Value(), true
	case *dckrr.Model:
		return m.Config().Local.Lambda.Value(), true
	}
	return 0, false
}
