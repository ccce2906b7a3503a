package hadamard_test

import (
	"fmt"

	"github.com/gramworks/gram/asm/hadamard"
)

func ExampleRows() {
	x := []float64{1, 2, 3, 4, -1, 0, 0, 0, 1}
	hadamard.Rows(x, 2, 4, 5) // two rows of four at a distance of five
	fmt.Println(x)
	// Output: [10 -2 -4 0 -1 1 -1 -1 1]
}

func ExampleBase() {
	x := make([]float32, 12)
	x[0] = 1
	hadamard.Base(x, 12, 1, 1) // the first column of the matrix of order 12
	fmt.Println(x)
	// Output: [1 -1 1 1 1 1 1 1 1 1 1 1]
}
