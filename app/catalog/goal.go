package catalog

import (
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/dataset"
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

// newGoal returns what makes a Fitter of the configuration.
func newGoal(c goal.Config) func() Fitter {
	return choosing(of(c, byTask(classes(goal.Config.Fit), values(goal.Config.FitValues))))
}
