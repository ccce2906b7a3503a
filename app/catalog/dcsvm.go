package catalog

import (
	"context"

	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// The models are those of svm, in their files too.
var dcsvmMethod = Method{
	Name:    "dc-svm",
	Summary: "exact kernel support vector machine, solved for clusters first, then for larger ones, at last for all rows",
	Tasks:   []dataset.Task{dataset.Classes},
	New: choosing(of(dcsvm.Config{}, func(ctx context.Context, c dcsvm.Config, d *dataset.Set) (modelfile.Model, error) {
		m, _, err := c.Fit(ctx, d.X, d.Labels, d.Weight)
		return result(m, err)
	})),
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}
