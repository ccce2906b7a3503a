package catalog

import (
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var gbmlMethod = Method{
	Name:    "gbml",
	Summary: "boosted trees with sparse leaves for sets of many labels (GBML), on the columns that LEML projects to",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     of(gbml.Config{}, tags(gbml.Config.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return gbml.Decode(f) },
}
