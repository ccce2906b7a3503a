package aesvm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/aesvm"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

func ExampleConfig() {
	train, test := dataset.Rings(2000, 2, .1, 1), dataset.Rings(500, 2, .1, 2)
	c := aesvm.Config{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 2}, C: 10}, Epsilon: gram.Set(.02)}
	m, stats, err := c.Fit(context.Background(), train.X, train.Labels, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("less than a third of the rows: %v\n", stats.Representatives < 2000/3)
	fmt.Printf("more than 97 of 100 right: %v\n", metric.Accuracy(m.Predict(nil, test.X), test.Labels.Class) > .97)
	// Output:
	// less than a third of the rows: true
	// more than 97 of 100 right: true
}
