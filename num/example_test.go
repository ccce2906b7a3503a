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

// The columns of a matrix are views that have no number in common, though their memory is interleaved.
func ExampleOverlap() {
	all := num.MakeRows[float64](3, 4)
	left := num.Rows[float64]{Data: all.Data, N: 3, D: 2, Stride: 4}
	right := num.Rows[float64]{Data: all.Data[2:], N: 3, D: 2, Stride: 4}
	fmt.Println(num.Overlap(left, right), num.Overlap(left, all))
	// Output:
	// false true
}

func ExampleFormatBytes() {
	fmt.Println(num.FormatBytes(1000), num.FormatBytes(3<<29))
	// Output: 1000 B 1.5 GiB
}
