package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var goalNysMethod = Method{
	Name:    "goal-nys",
	Summary: "landmarks learned together with the linear model on their kernel values, for classes and values",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     newGoal(goal.Config{}),
	Decode:  goal.Decode,
}

var goalRFFMethod = Method{
	Name:    "goal-rff",
	Summary: "frequencies of Fourier features learned together with the linear model on them, for classes and values",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     newGoal(goal.Config{Features: goal.Fourier}),
	Decode:  goal.Decode,
}

// judgedGoal is the method with the choice of λ in its plan.
type judgedGoal struct{ goal.Config }

// Plan is that of the method with the choice.
func (c judgedGoal) Plan(s gram.Shape) (gram.Plan, error) {
	return judged(s.Outputs > 1 || c.Lambda.Given(), s)(c.Config.Plan(s))
}

// newGoal returns what makes a Fitter whose λ for values, unless it is given, is that of kernel
// ridge regression with the same kernel.
func newGoal(c goal.Config) func() Fitter {
	new := of(judgedGoal{c}, func(ctx context.Context, c judgedGoal, d *dataset.Set) (modelfile.Model, error) {
		if d.Task() == dataset.Regression && !c.Lambda.Given() {
			lambda, err := chosen(ctx, krr.Config{Kernel: c.Kernel, Bias: !c.NoBias, Run: c.Run}, d)
			if err != nil {
				return nil, err
			}
			c.Lambda = lambda
		}
		return byTask(classes(goal.Config.Fit), values(goal.Config.FitValues))(ctx, c.Config, d)
	})
	return choosing(new)
}
