package haar_test

import (
	"fmt"

	"github.com/gramworks/gram/haar"
	"github.com/gramworks/gram/num"
)

func ExampleTransform() {
	x := []float64{1, 2, 3, 4}
	haar.Transform(x)
	fmt.Println(x)
	haar.Inverse(x)
	fmt.Println(x)
	// Output:
	// [10 -4 -1 -1]
	// [1 2 3 4]
}

func ExampleOrthonormal() {
	x := []float64{3, 1, 2, 2}
	haar.Orthonormal(x)
	fmt.Printf("%.4f\n", x)
	// Output:
	// [4.0000 0.0000 1.4142 0.0000]
}

func ExampleTransformRows() {
	x := num.Rows[float32]{Data: []float32{1, 2, 0, 5, 7}, N: 2, D: 2, Stride: 3}
	haar.TransformRows(x, 1)
	fmt.Println(x.Data)
	// Output:
	// [3 -1 0 12 -2]
}

func ExamplePad() {
	row := make([]float64, haar.Pad(5))
	copy(row, []float64{1, 2, 3, 4, 5})
	haar.Transform(row)
	fmt.Println(row)
	// Output:
	// [15 5 -4 5 -1 -1 5 0]
}
