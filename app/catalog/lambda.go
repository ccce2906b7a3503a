package catalog

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

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
		if err := d.CheckTargets(); err != nil {
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

// chosenOn is the λ of ridge regression on the features of m for all rows, of which d holds a sample or
// all.
func chosenOn(ctx context.Context, c linear.Ridge, m gram.FeatureMap, d *dataset.Set, all int) (gram.Opt[float64], error) {
	n, _ := d.Dims()
	_, features := m.Dims()
	// Before the rows are mapped, which takes half of that memory.
	need, err := judged(false, gram.Shape{N: n, D: features})(gram.Plan{}, nil)
	if err == nil {
		err = c.Check(need)
	}
	if err != nil {
		return c.Lambda, err
	}
	few := &dataset.Set{X: d.X, Value: d.Value, Weight: d.Weight}
	if n > mostMapped {
		few = few.Select(dataset.Sample(n, mostMapped, rng.Derive(c.Seed, "lambda")))
	}
	few.X = m.Map(nil, few.X)
	lambda, err := chosen(ctx, krr.Config{Kernel: kernel.Linear{}, Bias: !c.NoBias, Run: c.Run}, few)
	if err != nil {
		return c.Lambda, err
	}
	return gram.Set(lambda.Value() / c.Penalty.Scale(1, float64(all))), nil
}

// A linear machine on features tries the first of these weights of the loss and then, of at
// least fewestForC rows, the others, on a part of the rows held out of at most mostForC.
var triedC = []float64{1, .1, 10, 100}

const (
	fewestForC = 100
	mostForC   = 2500
	heldForC   = .2
)

// openC reports whether the weight of the loss of c is not given.
func openC(c linear.Config) bool { return c.SVM.C == 0 && c.Logistic.C == 0 }

// chosenC is the weight of the loss of a linear machine on the features of m with the most
// held-out rows right.
func chosenC(ctx context.Context, c linear.Config, m gram.FeatureMap, d *dataset.Set) (float64, error) {
	n, _ := d.Dims()
	if n < fewestForC {
		return triedC[0], nil
	}
	seed := rng.Derive(c.Seed, "c")
	few := &dataset.Set{X: d.X, Labels: d.Labels, Weight: d.Weight}
	if n > mostForC {
		few = few.Select(dataset.Sample(n, mostForC, seed))
		n = mostForC
	}
	few.X = m.Map(nil, few.X)
	split := crossval.Share(n, heldForC, few.Labels.Class, seed)
	return bestC(ctx, c, few.Select(split.Train), few.Select(split.Held), seed)
}

// bestC is the one of triedC with the most weight of rows of held right, after a fit to train.
func bestC(ctx context.Context, c linear.Config, train, held *dataset.Set, seed uint64) (float64, error) {
	c.Progress = nil
	best := crossval.Best[float64]{Larger: true, Value: triedC[0]}
	for _, v := range triedC {
		c.SVM.C, c.Logistic.C, c.Seed = v, v, rng.Derive(seed, fmt.Sprint(v))
		l, err := c.Fit(ctx, nil, train.X, train.Labels, train.Weight)
		if l == nil || err != nil && !crossval.Unfinished(err) {
			if ctx.Err() != nil {
				return 0, ctx.Err()
			}
			continue // the fit on all rows says why
		}
		var right float64
		for i, p := range l.Predict(nil, held.X) {
			if p == held.Labels.Class[i] {
				right += weightOf(held, i)
			}
		}
		best.Offer(v, right)
	}
	return best.Value, nil
}

// weightOf is the weight of row i of d.
func weightOf(d *dataset.Set, i int) float64 {
	if d.Weight == nil {
		return 1
	}
	return d.Weight[i]
}

// HeldOut returns the name and the value of the setting that held-out rows choose where it is not
// given: c of linear machines on features, lambda of leml and k of sleec. The name is empty for
// other models, and for a value that is the default of few rows, too.
func HeldOut(m modelfile.Model) (name string, value float64) {
	var c settings.Described
	switch m := m.(type) {
	case *pipeline.Classifier:
		if m.FeatureMap() == nil {
			return "", 0
		}
		switch l := m.Config().(type) {
		case linear.SVM:
			name, value, c = "c", l.C, &linear.SVM{}
		case linear.Logistic:
			name, value, c = "c", l.C, &linear.Logistic{}
		}
	case *leml.Model:
		name, value, c = "lambda", m.Config().Lambda.Value(), &leml.Config{}
	case *sleec.Model:
		name, value, c = "k", float64(m.Config().K), &sleec.Config{}
	}
	if c == nil || fmt.Sprint(value) == settings.Bind(c).Lookup(name).Default {
		return "", 0
	}
	return name, value
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
		return m.Config().Lambda.Value(), true
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
	case *falkon.Model:
		return m.Config().Lambda.Value(), true
	}
	return 0, false
}
