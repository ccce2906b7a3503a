package machine_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/machine"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

// A support vector machine on Nyström features, whose C is chosen. With crossval.Tune the width of the kernel is chosen, too.
func ExampleOn() {
	train, test := dataset.Rings(200, 3, .3, 1), dataset.Rings(500, 3, .3, 2)
	c := machine.On(nystrom.Config{M: 50, Kernel: kernel.Gaussian{Gamma: .5}}, nystrom.Config.Fit, linear.Config{})
	m, err := c.Fit(context.Background(), train.X, train.Labels, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("accuracy above 0.85: %v\n", metric.Accuracy(m.Predict(nil, test.X), test.Labels.Class) > .85)

	c = machine.On(nystrom.Config{}, nystrom.Config.Fit, linear.Config{})
	c.Run = gram.Run{Seed: 5}
	m, err = crossval.Tune(c, machine.Config[nystrom.Config, *nystrom.Model, *nystrom.Config].Fit).Fit(context.Background(), train.X, train.Labels, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("accuracy above 0.85: %v\n", metric.Accuracy(m.Predict(nil, test.X), test.Labels.Class) > .85)
	// Output:
	// accuracy above 0.85: true
	// accuracy above 0.85: true
}
