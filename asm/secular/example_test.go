package secular_test

import (
	"fmt"

	"github.com/gramworks/gram/asm/secular"
)

// The poles 1 and 3 have weights 4 and 1, and the point is λ = 2 = 1 + 1.
func ExampleSums() {
	var t secular.Terms
	secular.Sums(&t, []float64{1, 3}, []float64{4, 1}, 1, 1, 1)
	fmt.Printf("%.3f %.3f %.3f %.3f\n", t.Psi, t.DPsi, t.Phi, t.DPhi)
	// Output: -4.000 4.000 1.000 1.000
}
