package falkon_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

func ExampleConfig() {
	train, _ := dataset.Sine.Draw(20_000, 1)
	test, clean := dataset.Sine.Draw(1_000, 2)
	m, err := falkon.Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(0.1), M: 100}.Fit(context.Background(), train.X, train.Value, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(metric.RMSE(m.Predict(nil, test.X), clean) < 0.01)
	// Output: true
}
