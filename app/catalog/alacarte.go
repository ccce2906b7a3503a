package catalog

import (
	"github.com/gramworks/gram/algos/learned/alacarte"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var alacarteMethod = Method{
	Name:    "alacarte",
	Summary: "Gaussian process regression on Fastfood features that are learned by marginal likelihood (FSARD, FSGBARD)",
	Tasks:   []dataset.Task{dataset.Regression},
	New:     of(alacarte.Config{}, values(alacarte.Config.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return alacarte.Decode(f) },
}
