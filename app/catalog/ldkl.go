package catalog

import (
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var ldklMethod = Method{
	Name:    "ldkl",
	Summary: "local deep kernel learning: a tree of hyperplanes with linear functions in its nodes, for fast prediction",
	Tasks:   []dataset.Task{dataset.Classes},
	Scaled:  true,
	New:     choosing(of(ldkl.Config{}, classes(ldkl.Config.Fit))),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return ldkl.Decode(f) },
}
