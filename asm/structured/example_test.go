package structured_test

import (
	"fmt"

	"github.com/gramworks/gram/asm/structured"
)

// Elements with even and with odd indices go to two slices.
func ExampleDeal() {
	a, b := make([]float32, 3), make([]float32, 3)
	structured.Deal(a, b, []float32{0, 1, 2, 3, 4, 5})
	fmt.Println(a, b)
	// Output: [0 2 4] [1 3 5]
}

// A row of two columns is multiplied by as many seeds as fill 64 bytes, with
// both columns in one range.
func ExampleRanges() {
	s := structured.Lanes[float64]()
	v, t := make([]float64, 2*s), make([]float64, s)
	for l := range s {
		v[l], v[s+l] = float64(l), 10
	}
	structured.Ranges(t, []int{0}, []float64{2, 1}, 2, 1, v, s, 2, 2)
	fmt.Println(t)
	// Output: [10 12 14 16 18 20 22 24]
}
