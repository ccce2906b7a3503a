package catalog

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var sleecMethod = Method{
	Name:    "sleec",
	Summary: "nearest neighbors in embeddings that keep neighboring sets of labels (SLEEC)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New: func() Fitter {
		f := of(sleec.Config{}, fitSLEEC)()
		f.Settings().Lookup("k").Default = "of at least 100 rows the one of 20, 10 and 5 with the best first labels of one learner on a fifth held out of at most 2500; of fewer 20"
		return f
	},
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return sleec.Decode(f) },
}

// fitSLEEC chooses the number of neighbors of a prediction unless it is given.
func fitSLEEC(ctx context.Context, c sleec.Config, d *dataset.Set) (modelfile.Model, error) {
	if c.K == 0 {
		try := c
		try.Learners, try.Progress = 1, nil
		var err error
		seed := rng.Derive(c.Seed, "k")
		c.K, err = bestTags(ctx, d, seed, []int{20, 10, 5}, func(k int, x mat.Matrix, y *sparse.CSR) (*sleec.Model, error) {
			try.K, try.Seed = k, rng.Derive(seed, fmt.Sprint(k))
			return try.Fit(ctx, x, y)
		})
		if err != nil {
			return nil, err
		}
	}
	return tags(sleec.Config.Fit)(ctx, c, d)
}
