package chol_test

import (
	"fmt"

	"github.com/gramworks/gram/asm/chol"
)

// With β = 3 and w = (1, 0) the factor L of I + βwwᵀ is diag(2, 1), and a row
// b becomes b·L.
func ExampleSweep() {
	b := []float64{5, 7}
	chol.Sweep(b, 1, 2, []float64{1, 0}, []float64{2, 1}, []float64{0, 0})
	fmt.Println(b)
	// Output: [10 7]
}
