package paley_test

import (
	"fmt"

	"github.com/gramworks/gram/asm/hadamard/paley"
)

// The rows of a conference matrix of order 6 are orthogonal and have length √5.
func ExampleConference() {
	s := paley.Conference(12)
	for _, row := range s {
		product := 0
		for j, v := range row {
			product += int(v) * int(s[0][j])
		}
		fmt.Print(product, " ")
	}
	// Output: 5 0 0 0 0 0
}
