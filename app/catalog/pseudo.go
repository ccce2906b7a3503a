package catalog

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var pseudoMethod = Method{
	Name:    "pseudo",
	Summary: "Nyström features of few landmarks and pseudo-landmarks computed from their kernel values, with a linear model",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     choosing(folded("pseudo", pseudo.Config{}, pseudo.Config.Fit)),
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "pseudo", basis.DecodePseudo)
	},
}
