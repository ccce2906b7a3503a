package hist_test

import (
	"fmt"

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
