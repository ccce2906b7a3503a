package hist_test

import (
	"fmt"
	"math"

	"github.com/gramworks/gram/asm/hist"
)

// Rows 0 and 2 are in bin 1 of the column, row 1 in bin 0.
func ExampleAdd() {
	h := [hist.Most][]hist.Cell{make([]hist.Cell, 2)}
	code := [hist.Most][]uint8{{1, 0, 1}}
	hist.Add(1, &h, &code, []int32{0, 1, 2}, []hist.Cell{{5, 1}, {7, 1}, {9, 1}})
	fmt.Println(h[0])
	// Output: [[7 1] [14 2]]
}

// Row 0 is in bin 2 alone, row 1 in bins 0 and 2.
func ExampleAddLists() {
	h := make([]hist.Cell, 3)
	hist.AddLists(h, []uint32{2, 0, 2}, []int{0, 1, 3}, []int32{0, 1}, []hist.Cell{{5, 1}, {7, 1}})
	fmt.Println(h)
	// Output: [[7 1] [0 0] [12 2]]
}

// The rows of codes of at most 1, and the others.
func ExampleDivide() {
	left, right := make([]int32, 4), make([]int32, 4)
	l := hist.Divide(left, right, []int32{0, 1, 2, 3}, []uint8{1, 2, 0, 7}, 1)
	fmt.Println(left[:l], right[:4-l])
	// Output: [0 2] [1 3]
}

// In units of 1/4, with three bits for the number of rows.
func ExampleWords() {
	dst := make([]hist.Cell, 2)
	t := hist.Words(dst, []float64{.5, 1}, []float64{.25, .75}, hist.Units{G: 4, C: 4, Count: 3})
	fmt.Println(dst, t.Sum[1]>>3, t.Sum[1]&7, t.G)
	// Output: [[2 9] [4 25]] 4 2 1
}

// A score of 0 is a probability of one half.
func ExampleLogistic() {
	g, c, value := make([]float64, 1), make([]float64, 1), []float64{math.Log(2)}
	hist.Logistic(g, c, value, []float64{0}, []float64{1}, []float64{1}, []int{1})
	fmt.Printf("%v %v %.4f\n", g, c, value)
	// Output: [-0.5] [0.25] [0.6931]
}

// Cells minus cells.
func ExampleSubtract() {
	h := []hist.Cell{{5, 3}, {7, 4}}
	hist.Subtract(h, []hist.Cell{{1, 1}, {7, 2}})
	fmt.Println(h)
	// Output: [[4 2] [0 2]]
}

// Two rows of gradients 3 and 1 in the first bin, one row of −2 behind it.
func ExampleScan() {
	s := hist.NewScan(2, 3, 0, 0, 3, 1, 8)
	bin, gain := s.Best([]hist.Cell{{4, 2<<8 | 2}}, hist.Cell{})
	fmt.Printf("%d %.4f\n", bin, gain)
	// Output: 0 10.6667
}
