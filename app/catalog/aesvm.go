package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/aesvm"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// A model of aesvm is an svm.Model, in memory and in its file.
var aesvmMethod = Method{
	Name:    "aesvm",
	Summary: "kernel support vector machine on representative rows with the weights of all",
	Tasks:   []dataset.Task{dataset.Classes},
	New: choosing(of(aesvm.Config{}, classes(func(c aesvm.Config, ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*svm.Model, error) {
		m, _, err := c.Fit(ctx, x, y, w)
		return m, err
	}))),
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}
