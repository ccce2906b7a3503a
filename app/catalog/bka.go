package catalog

import (
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var bkaMethod = Method{
	Name:    "bka-svm",
	Summary: "kernel support vector machines of clusters: every row is predicted by that of its cluster, or by all together",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     choosing(of(bka.SVM{}, classes(bka.SVM.Fit))),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return bka.Decode(f) },
}
