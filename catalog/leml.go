package catalog

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var lemlMethod = Method{
	Name:    "leml",
	Summary: "low-rank linear regression on sets of labels (LEML)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New: func() Fitter {
		f := of(leml.Config{}, fitLEML)()
		f.Settings().Lookup("lambda").Default = "of at least 100 rows the one of 1, 10 and 0.1 with the best first labels on a fifth held out of at most 2500; of fewer 1"
		return f
	},
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return leml.Decode(f) },
}

// fitLEML chooses λ unless it is given.
func fitLEML(ctx context.Context, c leml.Config, d *dataset.Set) (modelfile.Model, error) {
	if c.Lambda == 0 {
		try := c
		try.Progress = nil
		var err error
		seed := rng.Derive(c.Seed, "lambda")
		c.Lambda, err = bestTags(ctx, d, seed, []float64{1, 10, .1}, func(v float64, x mat.Matrix, y *sparse.CSR) (*leml.Model, error) {
			try.Lambda, try.Seed = v, rng.Derive(seed, fmt.Sprint(v))
			return try.Fit(ctx, x, y)
		})
		if err != nil {
			return nil, err
		}
	}
	return tags(leml.Config.Fit)(ctx, c, d)
}
