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
