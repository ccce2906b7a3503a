package pairwise_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/cluster/pairwise"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
)

// Two rings, told apart by pairs of rows.
func ExampleConfig() {
	s := dataset.Rings(200, 2, .05, 1)
	pairs := constraint.Sample(s.Labels.Class, 1000, 1)
	c := pairwise.Config{K: 2, Map: completion.Side{Map: completion.Fourier, M: 30, Gamma: 1, Learn: true}, Lambda: []float64{.1}}
	m, err := c.Fit(context.Background(), s.X, pairs)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f\n", metric.PairError(m.Labels(), s.Labels.Class))
	// Output: 0.00
}
