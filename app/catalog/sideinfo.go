package catalog

import (
	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/dataset"
)

var sideinfoMethod = Method{
	Name:    "sideinfo",
	Summary: "generalized Nyström features, learned from the classes or from pairs of rows, with a linear model, support vector machine or logistic regression, or nearest neighbors",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     learned("sideinfo", sideinfo.Either{}, sideinfo.Either.FitStatements),
	Decode:  decodeLearned("sideinfo", sideinfo.Decode),
}
