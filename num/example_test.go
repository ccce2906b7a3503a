package num_test

import (
	"fmt"

	"github.com/gramworks/gram/num"
)

// Two rows of two numbers that lie three apart.
func ExampleRows() {
	r := num.Rows[float64]{Data: []float64{1, 2, -1, 3, 4}, N: 2, D: 2, Stride: 3}
	fmt.Println(r.Valid(), r.Row(0), r.Row(1))
	r.Slice(1, 2).Row(0)[0] = 5
	fmt.Println(r.Data)
	// Output:
	// true [1 2] [3 4]
	// [1 2 -1 5 4]
}
