package catalog

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

var pseudoMethod = Method{
	Name:    "pseudo",
	Summary: "Nyström features of few landmarks and pseudo-landmarks computed from their kernel values, with a linear model",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New: features("pseudo", pseudo.Config{}, pseudo.Config.Fit, func(m *pseudo.Model) (pipeline.Map, *mat.Dense) {
		return m.Columns(), m.Root()
	}),
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "pseudo", basis.DecodePseudo)
	},
}
