package trees_test

import (
	"fmt"

	"github.com/gramworks/gram/asm/trees"
)

// A tree of one split: rows whose key is less than 0 reach leaf 0, others leaf 1.
func ExampleProgram() {
	const line = trees.Lanes
	p := trees.New([]trees.Choice{{Key: 0, Low: line, High: 2 * line, To: 3 * line, Limit: 0}}, 4)
	buffer := make([]uint8, 4*line)
	for i := range line {
		buffer[2*line+i] = 1
	}
	buffer[0], buffer[1], buffer[2] = 0x80, 0, 0xff // keys −128, 0 and −1
	p.Run(buffer)
	fmt.Println(buffer[3*line : 3*line+3])
	// Output: [0 1 0]
}

// A row alone: 2.5 exceeds two thresholds of column 1, and the root sends keys of more than one to leaf 1.
func ExampleRow() {
	ranks := trees.NewRanks([]trees.Column[float64]{{Feature: 1, Key: 0, Thresholds: []float64{1, 2, 3}}})
	tree := trees.Splits{Limit: [trees.MostLeaves]int8{1 - 128}, Low: [trees.MostLeaves]uint8{trees.MostLeaves}, High: [trees.MostLeaves]uint8{trees.MostLeaves + 1}}
	row := trees.NewRow([]trees.Splits{tree}, []int32{1}, 1)
	keys, leaves := make([]uint8, row.Keys()), make([]uint8, row.Leaves())
	ranks.Put(keys, 1, []float64{9, 2.5}, 2, 1)
	row.Run(leaves, row.Places(), keys)
	fmt.Println(int(int8(keys[0]))+128, leaves[0]-trees.MostLeaves)
	// Output: 2 1
}

// The sums of the first two rows, which reach other leaves of two trees.
func ExampleAdd() {
	value := append([]float64{1, 2, 10, 20}, make([]float64, trees.Leaves)...)
	leaves := make([]uint8, 2*trees.Lanes)
	leaves[1], leaves[trees.Lanes] = 1, 1
	var sums [trees.Lanes]float64
	trees.Add(&sums, leaves, value, []int32{0, 2}, 1, 2)
	fmt.Println(sums[:2])
	// Output: [21 12]
}
