package catalog

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var sleecMethod = Method{
	Name:    "sleec",
	Summary: "nearest neighbors in embeddings that keep neighboring sets of labels (SLEEC)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	Lengths: true,
	New:     of(judgedSLEEC{}, fitSLEEC),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return sleec.Decode(f) },
}

// judgedSLEEC is the method with the choice of k in its plan.
type judgedSLEEC struct{ sleec.Config }

// triedNeighbors are the values of k that are tried.
var triedNeighbors = []int{20, 10, 5}

// Plan is that of the method with the choice.
func (c judgedSLEEC) Plan(s gram.Shape) (gram.Plan, error) {
	p, err := c.Config.Plan(s)
	if err != nil || c.K != 0 {
		return p, err
	}
	one := c.Config
	one.Learners = 1
	return planTries(p, s, fewestForC, mostForC, len(triedNeighbors), one.Plan), nil
}

// fitSLEEC chooses the number of neighbors of a prediction unless it is given.
func fitSLEEC(ctx context.Context, judged judgedSLEEC, d *dataset.Set) (modelfile.Model, error) {
	c := judged.Config
	if c.K == 0 {
		if err := affordable(judged, d, c.Run); err != nil {
			return nil, err
		}
		try := c
		try.Learners, try.Progress = 1, nil
		var err error
		seed := rng.Derive(c.Seed, "k")
		c.K, err = bestTags(ctx, d, seed, triedNeighbors, func(k int, x mat.Matrix, y *sparse.CSR) (*sleec.Model, error) {
			try.K, try.Seed = k, rng.Derive(seed, fmt.Sprint(k))
			return try.Fit(ctx, x, y)
		})
		if err != nil {
			return nil, err
		}
	}
	return tags(sleec.Config.Fit)(ctx, c, d)
}
