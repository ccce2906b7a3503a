package catalog

import (
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var nystromMethod = Method{
	Name:    "nystrom",
	Summary: "Nyström features from landmarks with a linear model: support vector machine, logistic or ridge regression",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     choosing(features("nystrom", nystrom.Config{}, nystrom.Config.Fit)),
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "nystrom", nystrom.Decode)
	},
}
