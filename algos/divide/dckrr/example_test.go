package dckrr_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

// A step function is learned better in parts.
func ExampleConfig() {
	train, _ := dataset.Steps.Draw(600, 1)
	test, clean := dataset.Steps.Draw(200, 2)
	local := krr.Config{Kernel: kernel.Gaussian{Gamma: 0.1}, Penalty: solve.PerRow}
	ctx := context.Background()
	whole, err := local.Fit(ctx, train.X, train.Value, nil)
	if err != nil {
		panic(err)
	}
	parts, err := dckrr.Config{Local: local, Parts: 3}.Fit(ctx, train.X, train.Value, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(metric.RMSE(parts.Predict(nil, test.X), clean) < 0.8*metric.RMSE(whole.Predict(nil, test.X), clean))
	// Output: true
}

func ExampleRandom() {
	train, _ := dataset.Sine.Draw(600, 1)
	m, err := dckrr.Random{Local: krr.Config{Kernel: kernel.Gaussian{Gamma: 1}}, Parts: 3}.Fit(context.Background(), train.X, train.Value, nil)
	if err != nil {
		panic(err)
	}
	points, _, _ := m.Expand()
	fmt.Println(points.N, "rows in one expansion")
	// Output: 600 rows in one expansion
}
