package rff_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Inner products of features estimate the kernel.
func ExampleConfig() {
	x := mat.NewDense(2, 3, []float64{0, 0, 0, 1, 0, 0})
	k := kernel.Gaussian{Gamma: 0.5}
	m, err := rff.Config{Kernel: k, M: 4096, Frequencies: rff.Orthogonal}.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	phi := m.Map(nil, x)
	fmt.Printf("kernel %.2f, estimate %.2f\n", k.Eval(x.RawRowView(0), x.RawRowView(1)), mat.Dot(phi.RowView(0), phi.RowView(1)))
	// Output:
	// kernel 0.61, estimate 0.60
}
