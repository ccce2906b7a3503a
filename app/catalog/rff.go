package catalog

import (
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var rffMethod = Method{
	Name:    "rff",
	Summary: "random Fourier features or Fastfood with a linear model: support vector machine, logistic or ridge regression",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     features("rff", rff.Config{}, rff.Config.Fit),
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "rff", rff.Decode)
	},
}
