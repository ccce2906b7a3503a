package catalog

import (
	"context"

	"github.com/gramworks/gram/algos/divide/aesvm"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// The models are those of svm, in their files too.
var aesvmMethod = Method{
	Name:    "aesvm",
	Summary: "kernel support vector machine on representative rows with the weights of all",
	Tasks:   []dataset.Task{dataset.Classes},
	New: choosing(of(aesvm.Config{}, func(ctx context.Context, c aesvm.Config, d *dataset.Set) (modelfile.Model, error) {
		m, _, err := c.Fit(ctx, d.X, d.Labels, d.Weight)
		return result(m, err)
	})),
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}
