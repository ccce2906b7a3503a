package meka_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

// Two rings cannot be separated by a line, and can be with the features.
func ExampleConfig() {
	ctx := context.Background()
	s := dataset.Rings(400, 2, 0.05, 1)
	m, err := meka.Config{Kernel: kernel.Gaussian{Gamma: 1}, Clusters: 4, Rank: 10}.Fit(ctx, s.X)
	if err != nil {
		panic(err)
	}
	c, err := linear.SVM{C: 10}.Fit(ctx, m, s.X, s.Labels, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(metric.Accuracy(c.Predict(nil, s.X), s.Labels.Class) > 0.99)
	// Output: true
}

// The operator stands for the kernel matrix of the training rows.
func ExampleModel_Operator() {
	ctx := context.Background()
	x := dataset.Rings(1000, 2, 0.05, 1).X
	k := kernel.Gaussian{Gamma: 2}
	m, err := meka.Config{Kernel: k, Clusters: 5, Rank: 20}.Fit(ctx, x)
	if err != nil {
		panic(err)
	}
	e, err := solve.RelativeError(ctx, k, x, m.Operator(), solve.ErrorOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Operator().Dim(), e.Value < 0.03)
	// Output: 1000 true
}
