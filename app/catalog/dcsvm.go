package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// A model of dc-svm is an svm.Model, in memory and in its file.
var dcsvmMethod = Method{
	Name:    "dc-svm",
	Summary: "exact kernel support vector machine, solved for clusters first, then for larger ones, at last for all rows",
	Tasks:   []dataset.Task{dataset.Classes},
	New: choosing(of(dcsvm.Config{}, classes(func(c dcsvm.Config, ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*svm.Model, error) {
		m, _, err := c.Fit(ctx, x, y, w)
		return m, err
	}))),
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}
