package falkon_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
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

// Rows that come in blocks, as from a file, are read again for each product.
func ExamplePasses() {
	ctx := context.Background()
	block := func(k int) *dataset.Set { d, _ := dataset.Sine.Draw(1000, uint64(k)); return d }
	const blocks = 20
	first := block(0)
	c := falkon.Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(0.1), M: 100}
	passes, factors, err := c.Passes(ctx, first.X, mat.NewDense(1000, 1, first.Value), 1000*blocks)
	if err != nil {
		panic(err)
	}
	m, err := passes.Solve(ctx, factors, gram.Run{}, func(_ int, v *falkon.Coefficients) (*falkon.Sums, error) {
		sums := passes.Sums(v)
		for k := range blocks {
			d := block(k)
			if err := sums.Add(ctx, d.X, mat.NewDense(1000, 1, d.Value)); err != nil {
				return nil, err
			}
		}
		return sums, nil
	})
	if err != nil {
		panic(err)
	}
	test, clean := dataset.Sine.Draw(1_000, 100)
	fmt.Println(metric.RMSE(m.Predict(nil, test.X), clean) < 0.01)
	// Output: true
}
