package rfm_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
)

// Five of ten columns matter.
func ExampleConfig() {
	train, test := dataset.Friedman1(300, 10, 0, 1), dataset.Friedman1(300, 10, 0, 2)
	m, err := rfm.Config{}.Fit(context.Background(), train.X, train.Value, nil)
	if err != nil {
		panic(err)
	}
	var matter float64
	for _, v := range m.Importance()[:5] {
		matter += v
	}
	fmt.Println(metric.RMSE(m.Predict(nil, test.X), test.Value) < 1, matter > .9)
	// Output: true true
}
