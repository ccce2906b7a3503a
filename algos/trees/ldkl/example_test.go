package ldkl_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
)

func ExampleConfig() {
	train, test := dataset.Rings(1500, 2, .1, 1), dataset.Rings(500, 2, .1, 2)
	m, err := ldkl.Config{Depth: 4, C: 10, Ridge: gram.Set(.1)}.Fit(context.Background(), train.X, train.Labels, nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Program64()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("more than 97 of 100 right: %v\n", metric.Accuracy(m.Predict(nil, test.X), test.Labels.Class) > .97)
	fmt.Printf("operations for a row of 2 numbers: %v\n", p.Cost().Flops)
	// Output:
	// more than 97 of 100 right: true
	// operations for a row of 2 numbers: 66
}
