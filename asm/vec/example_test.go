package vec_test

import (
	"fmt"
	"math"

	"github.com/gramworks/gram/asm/vec"
)

func ExampleExp() {
	x := []float64{0, 1, -1, math.Inf(-1)}
	vec.Exp(x, x) // in place
	fmt.Printf("%.4f\n", x)
	// Output: [1.0000 2.7183 0.3679 0.0000]
}

func ExampleSinCos() {
	sin, cos := make([]float32, 2), make([]float32, 2)
	vec.SinCos(sin, cos, []float32{0, math.Pi / 6})
	fmt.Printf("%.4f %.4f\n", sin, cos)
	// Output: [0.0000 0.5000] [1.0000 0.8660]
}

func ExampleSameExp() {
	x := []float64{0, 1, -1, math.Inf(-1)}
	vec.SameExp(x, x)
	fmt.Printf("%.4f\n", x)
	// Output: [1.0000 2.7183 0.3679 0.0000]
}

func ExampleSameLog() {
	x := []float64{1, math.E, 0}
	vec.SameLog(x, x)
	fmt.Printf("%.4f\n", x)
	// Output: [0.0000 1.0000 -Inf]
}
