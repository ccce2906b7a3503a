package catalog

import (
	"github.com/gramworks/gram/algos/labels/multilabel"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var lemlMethod = Method{
	Name:    "leml",
	Summary: "low-rank linear regression on sets of labels (LEML)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     of(multilabel.LEML{}, tags(multilabel.LEML.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return multilabel.DecodeLEML(f) },
}
