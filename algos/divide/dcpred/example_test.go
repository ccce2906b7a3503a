package dcpred_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

func ExampleConfig() {
	train, test := dataset.Rings(2000, 2, .1, 1), dataset.Rings(500, 2, .1, 2)
	m, err := dcpred.Config{Kernel: kernel.Gaussian{Gamma: 2}, C: 10, Leaf: 500, M: 6, All: true}.Fit(context.Background(), train.X, train.Labels, nil)
	if err != nil {
		log.Fatal(err)
	}
	_, d := train.X.Dims()
	fmt.Printf("%d leaves\n", m.Machine().Leaves())
	fmt.Printf("more than 97 of 100 right: %v\n", metric.Accuracy(m.Predict(nil, test.X), test.Labels.Class) > .97)
	fmt.Printf("less than 40 times the operations of a linear model: %v\n", m.Machine().Cost().Flops < 40*float64(2*d))
	// Output:
	// 7 leaves
	// more than 97 of 100 right: true
	// less than 40 times the operations of a linear model: true
}
