package catalog

import (
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var lemlMethod = Method{
	Name:    "leml",
	Summary: "low-rank linear regression on sets of labels (LEML)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	Lengths: true,
	New:     of(leml.Config{}, tags(leml.Config.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return leml.Decode(f) },
}
