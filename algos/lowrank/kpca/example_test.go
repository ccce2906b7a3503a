package kpca_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/gramworks/gram/algos/lowrank/kpca"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Points on a line: all of what the linear kernel sees of them lies in the first component.
func ExampleConfig_Fit() {
	x := mat.NewDense(4, 2, []float64{1, 2, 2, 4, 3, 6, 4, 8})
	f, err := kpca.Config{Kernel: kernel.Linear{}, Rank: 2, Center: true}.Fit(context.Background(), x)
	if err != nil {
		log.Fatal(err)
	}
	_, r := f.Dims()
	z := f.Features(nil, x)
	fmt.Printf("%d component, steps of %.3f and %.3f\n", r, math.Abs(z.At(1, 0)-z.At(0, 0)), math.Abs(z.At(3, 0)-z.At(2, 0)))
	// Output: 1 component, steps of 2.236 and 2.236
}
