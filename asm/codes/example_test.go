package codes_test

import (
	"fmt"

	"github.com/gramworks/gram/asm/codes"
)

func ExampleHamming() {
	fmt.Println(codes.Hamming([]uint64{0b1100}, []uint64{0b1010}))
	// Output: 2
}

// Two bytes hold four numbers of 4 bits: 1, 2 in the lower halves, 3, 4 in the upper.
func ExampleDot4() {
	fmt.Println(codes.Dot4([]uint8{0x31, 0x42}, []int8{1, 10, 100, -100}))
	// Output: -79
}
