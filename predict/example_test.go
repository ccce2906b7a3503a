package predict_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
)

// Kernel ridge regression on 400 rows, compiled to a fifth of its cost and to
// float32, predicts one row without allocating anything.
func ExampleCompile() {
	d := dataset.Friedman1(400, 5, 0, 1)
	m, err := krr.Config{Kernel: kernel.Gaussian{Gamma: 0.1}}.Fit(context.Background(), d.X, d.Value, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fast, err := predict.Compile(context.Background(), m, predict.Options{
		Method: approx.Nystrom, Candidates: approx.Candidates(), M: 80, Precision: predict.Float32, Points: d.X, Run: gram.Run{Seed: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	row, out := make([]float32, 5), make([]float32, 1)
	fast.Float32().Row(out, row)
	fmt.Printf("%s; error below 5%%: %t\n", fast.Cost().Description, fast.Stats().Error < 0.05)
	// Output: 80 points of the gaussian kernel, 5 columns, 1 outputs; error below 5%: true
}
