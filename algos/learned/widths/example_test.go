package widths_test

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram/algos/learned/widths"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Only the first of two columns matters.
func ExampleConfig_Learn() {
	x, y := mat.NewDense(60, 2, nil), mat.NewDense(60, 1, nil)
	for i := range 60 {
		x.SetRow(i, []float64{float64(i) / 10, float64(i * 37 % 60)})
		y.Set(i, 0, math.Sin(x.At(i, 0)))
	}
	got, err := widths.Config{Kernel: kernel.Gaussian{Gamma: 0.5}}.Learn(context.Background(), x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := got.Kernel.Scale()
	fmt.Printf("width of the first column %.0f, of the second more than %v\n", 1/s[0], math.Floor(min(1/s[1], 100)))
	// Output:
	// width of the first column 2, of the second more than 100
}
