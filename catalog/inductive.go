package catalog

import (
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var inductiveMethod = Method{
	Name:    "inductive",
	Summary: "nearest neighbors in a kernel learned from pairs of rows: LogDet (ITML), Frobenius, trace norm",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     of(itml.KNN{}, classes(itml.KNN.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return itml.DecodeClassifier(f) },
}
