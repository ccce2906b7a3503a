package catalog

import (
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/dataset"
)

var bregmanMethod = Method{
	Name:    "bregman",
	Summary: "low-rank kernel learned from pairs of rows in the Burg or von Neumann divergence, with a linear model, support vector machine or logistic regression, or nearest neighbors",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     learned("bregman", bregman.Features{}, bregman.Features.FitStatements),
	Decode:  decodeLearned("bregman", bregman.DecodeMap),
}
