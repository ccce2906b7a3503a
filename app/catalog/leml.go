package catalog

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var lemlMethod = Method{
	Name:    "leml",
	Summary: "low-rank linear regression on sets of labels (LEML)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	Lengths: true,
	New:     of(judgedLEML{}, fitLEML),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return leml.Decode(f) },
}

// judgedLEML is the method with the choice of λ in its plan.
type judgedLEML struct{ leml.Config }

// triedPenalties are the values of λ that are tried.
var triedPenalties = []float64{1, 10, .1}

// Plan is that of the method with the choice.
func (c judgedLEML) Plan(s gram.Shape) (gram.Plan, error) {
	p, err := c.Config.Plan(s)
	if err != nil || c.Lambda.Given() {
		return p, err
	}
	return planTries(p, s, fewestForC, mostForC, len(triedPenalties), c.Config.Plan), nil
}

// fitLEML chooses λ unless it is given.
func fitLEML(ctx context.Context, judged judgedLEML, d *dataset.Set) (modelfile.Model, error) {
	c := judged.Config
	if !c.Lambda.Given() {
		if err := affordable(judged, d, c.Run); err != nil {
			return nil, err
		}
		try := c
		try.Progress = nil
		seed := rng.Derive(c.Seed, "lambda")
		lambda, err := bestTags(ctx, d, seed, triedPenalties, func(v float64, x mat.Matrix, y *sparse.CSR) (*leml.Model, error) {
			try.Lambda, try.Seed = gram.Set(v), rng.Derive(seed, fmt.Sprint(v))
			return try.Fit(ctx, x, y)
		})
		if err != nil {
			return nil, err
		}
		c.Lambda = gram.Set(lambda)
	}
	return tags(leml.Config.Fit)(ctx, c, d)
}
