package catalog

import (
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var sleecMethod = Method{
	Name:    "sleec",
	Summary: "nearest neighbors in embeddings that keep neighboring sets of labels (SLEEC)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	Lengths: true,
	New:     of(sleec.Config{}, tags(sleec.Config.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return sleec.Decode(f) },
}
