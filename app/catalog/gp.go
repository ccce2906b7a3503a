package catalog

import (
	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var gpMethod = Method{
	Name:    "gp",
	Summary: "Gaussian process regression: kernel ridge regression whose values have a variance, with lambda, and with ard=true a width for each column, by marginal likelihood; on all rows or on landmarks (DTC, FITC)",
	Tasks:   []dataset.Task{dataset.Regression},
	New:     of(gp.Config{}, values(gp.Config.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return gp.Decode(f) },
}
