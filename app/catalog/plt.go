package catalog

import (
	"github.com/gramworks/gram/algos/labels/plt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var pltMethod = Method{
	Name:    "plt",
	Summary: "label tree of linear functions for sets of very many labels (Parabel, Bonsai)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     of(plt.Config{}, tags(plt.Config.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return plt.Decode(f) },
}
