package haar_test

import (
	"fmt"

	"github.com/gramworks/gram/asm/haar"
)

func ExampleForward() {
	x := []float64{4, 2, 5, 1}
	scratch := make([]float64, haar.Scratch(4))
	haar.Forward(x, 4, x, 4, 1, 4, haar.Ones, scratch)
	fmt.Println(x)
	haar.Backward(x, 4, x, 4, 1, 4, haar.Inverse, scratch)
	fmt.Println(x)
	// Output:
	// [12 0 2 4]
	// [4 2 5 1]
}
