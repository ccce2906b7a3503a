package pseudo_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
)

// Products of kernel values with twelve landmarks make the approximation of a
// kernel matrix better at no cost in kernel values.
func ExampleConfig() {
	x := dataset.Rings(500, 3, 0.1, 1).X
	c := pseudo.Config{Kernel: kernel.Gaussian{Gamma: 0.5}, M: 12, P: 1}
	one, err := c.Fit(context.Background(), x)
	if err != nil {
		panic(err)
	}
	c.P, c.All = 0, true
	all, err := c.Fit(context.Background(), x)
	if err != nil {
		panic(err)
	}
	_, columns := all.Columns().Dims()
	fmt.Println(columns, "columns,", all.Stats().SampleError < one.Stats().SampleError/5)
	// Output: 90 columns, true
}
