package catalog

import (
	"cmp"
	"context"

	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
)

var sideinfoMethod = Method{
	Name:    "sideinfo",
	Summary: "generalized Nyström features, learned from the classes, with a linear model: support vector machine or logistic regression",
	Tasks:   []dataset.Task{dataset.Classes},
	New: of(fromClasses{}, func(ctx context.Context, c fromClasses, d *dataset.Set) (modelfile.Model, error) {
		m, slow := c.Map.Fit(ctx, d.X, d.Labels)
		if m == nil {
			return nil, slow
		}
		l, err := fitLinear(ctx, "sideinfo", c.Linear, m, d)
		return l, cmp.Or(err, slow)
	}),
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "sideinfo", sideinfo.Decode)
	},
}

// fromClasses is a linear model on features that are learned from the classes.
type fromClasses = onFeatures[sideinfo.Either, *sideinfo.Either]
