package smo_test

import (
	"fmt"
	"math"

	"github.com/gramworks/gram/asm/smo"
)

// A step along two rows of the kernel matrix finds the variable to raise
// next. The third variable cannot be raised.
func ExampleStep() {
	g := []float64{1, 1, 1}
	var least, most smo.Best
	smo.Step(g, []float64{0, 0, math.Inf(1)}, []float64{0, 0, 0}, []float64{1, 0.5, 0}, []float64{0, 0.5, 1}, -1, -2, &least, &most)
	value, index := least.Least()
	fmt.Println(g, value, index)
	// Output: [0 -0.5 -1] -0.5 1
}
