package catalog

import (
	"github.com/gramworks/gram/algos/labels/fastxml"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var fastxmlMethod = Method{
	Name:    "fastxml",
	Summary: "trees of linear separators for sets of many labels (FastXML)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     of(fastxml.Config{}, tags(fastxml.Config.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return fastxml.Decode(f) },
}
