package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var linearMethod = Method{
	Name:    "linear",
	Summary: "linear model on the data as they are: logistic regression, support vector machine or ridge regression",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression, dataset.MultiLabel},
	Scaled:  true,
	Lengths: true,
	New: func() Fitter {
		f := of(onData{}, func(ctx context.Context, c onData, d *dataset.Set) (modelfile.Model, error) {
			if d.Task() == dataset.MultiLabel {
				l, err := c.FitTags(ctx, d.X, d.Tags)
				return joined("linear", nil, l, err)
			}
			return fitLinear(ctx, "linear", c.of(d.Task() == dataset.Classes), nil, d)
		})().(*estimator[onData, *onData])
		f.bound.Lookup("model").Help = "linear model; auto: logistic for classes, ridge for values and sets of labels"
		f.bound.Lookup("lambda").Help += "; for sets of labels 1 if neither it nor per-row is given"
		return onDataFitter{f}
	},
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear[pipeline.Map](f, "linear", nil)
	},
}

// onData is a linear model on the data themselves. Their classes are learned by logistic regression,
// whose functions depend on each other, unless a kind is set.
type onData struct{ linear.Config }

// of returns the settings with the kind for classes or for values.
func (c onData) of(classes bool) linear.Config {
	if c.Kind == linear.Any && classes {
		c.Kind = linear.LogisticRegression
	}
	return c.Config
}

// Plan returns the expected cost of a fit to the columns themselves, without a feature map.
func (c onData) Plan(s gram.Shape) (gram.Plan, error) { return c.of(s.Outputs > 1).Plan(nil, s) }
