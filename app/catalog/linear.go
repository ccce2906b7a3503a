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
	Summary: "linear model on the data as they are: support vector machine, logistic or ridge regression",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New: func() Fitter {
		f := of(onData{}, func(ctx context.Context, c onData, d *dataset.Set) (modelfile.Model, error) {
			return fitLinear(ctx, "linear", c.Config, nil, d)
		})
		return onDataFitter{f().(*estimator[onData, *onData])}
	},
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear[pipeline.Map](f, "linear", nil)
	},
}

// onData is a linear model on the data themselves.
type onData struct{ linear.Config }

// Plan is that without a feature map.
func (c onData) Plan(s gram.Shape) (gram.Plan, error) { return c.Config.Plan(nil, s) }
