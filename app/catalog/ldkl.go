package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var ldklMethod = Method{
	Name:    "ldkl",
	Summary: "local deep kernel learning: a tree of hyperplanes with linear functions in its nodes, for fast prediction",
	Tasks:   []dataset.Task{dataset.Classes},
	Scaled:  true,
	New:     trying(newLDKL, openly("c", dataset.Classes, "the one of 1, 10, 100, 0.1 and 0.01", []string{"10", "100"}, []string{"0.1", "0.01"})),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return ldkl.Decode(f) },
}

// newLDKL returns the Fitter of the method with ten times its ridge, without which the tree fits
// many columns, and few rows, by heart.
func newLDKL() Fitter {
	f := of(ldkl.Config{}, func(ctx context.Context, c ldkl.Config, d *dataset.Set) (modelfile.Model, error) {
		if !c.Ridge.Given() {
			c.Ridge = gram.Set(1.)
		}
		return classes(ldkl.Config.Fit)(ctx, c, d)
	})()
	f.Settings().Lookup("ridge").Default = "1"
	return f
}
