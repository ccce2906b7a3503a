package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var dcpredMethod = Method{
	Name:    "dcpred",
	Summary: "kernel machine for fast prediction: a tree of clusters with a local model of few landmarks in each leaf",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New: choosing(of(judgedPred{}, func(ctx context.Context, c judgedPred, d *dataset.Set) (modelfile.Model, error) {
		if d.Task() == dataset.Regression && !c.Lambda.Given() {
			lambda, err := chosen(ctx, krr.Config{Kernel: c.Kernel, Penalty: c.Penalty, Bias: true, Run: c.Run}, d)
			if err != nil {
				return nil, err
			}
			c.Lambda = lambda
		}
		return byTask(classes(dcpred.Config.Fit), values(dcpred.Config.FitValues))(ctx, c.Config, d)
	})),
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		if f.Has("classes") {
			return dcpred.DecodeClassifier(f)
		}
		return dcpred.DecodeRegressor(f)
	},
}

// judgedPred is dcpred with the choice of λ in its plan.
type judgedPred struct{ dcpred.Config }

// Plan is that of the method with the choice.
func (c judgedPred) Plan(s gram.Shape) (gram.Plan, error) {
	return judged(s.Outputs > 1 || c.Lambda.Given(), s)(c.Config.Plan(s))
}
