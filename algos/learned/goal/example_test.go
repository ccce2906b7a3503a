package goal_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

// Six landmarks are too few for two rings, until they are learned.
func ExampleConfig_Fit() {
	s := dataset.Rings(600, 2, 0.05, 1)
	c := goal.Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 3, C: 10}
	for _, c.MaxIter = range []gram.Opt[int]{gram.Set(0), {}} {
		m, err := c.Fit(context.Background(), s.X, s.Labels, nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(metric.Accuracy(m.Predict(nil, s.X), s.Labels.Class) > 0.99)
	}
	// Output:
	// false
	// true
}

// Learned frequencies for a function of five of its ten arguments.
func ExampleConfig_FitValues() {
	train, test := dataset.Friedman1(500, 10, 1, 1), dataset.Friedman1(500, 10, 0, 2)
	c := goal.Config{Kernel: kernel.Gaussian{Gamma: .5}, Features: goal.Fourier, M: 40, Lambda: gram.Set(1e-3)}
	var rmse [2]float64
	for i, turns := range []gram.Opt[int]{gram.Set(0), {}} {
		c.MaxIter = turns
		m, err := c.FitValues(context.Background(), train.X, train.Value, nil)
		if err != nil {
			panic(err)
		}
		rmse[i] = metric.RMSE(m.Predict(nil, test.X), test.Value)
	}
	fmt.Println(rmse[1] < .75*rmse[0])
	// Output: true
}
