package catalog

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var fastnysMethod = Method{
	Name:    "fastnys",
	Summary: "Nyström features of landmarks made by fast transforms from a few seeds, with a linear model",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     choosing(folded("fastnys", fastnys.Config{}, fastnys.Config.Fit)),
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "fastnys", basis.DecodeStructured)
	},
}
