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

// The inverse of the orthonormal transform is its transpose.
func ExampleInverseOrthonormal() {
	x := []float64{3, 1, 2, 2}
	haar.Orthonormal(x)
	haar.InverseOrthonormal(x)
	fmt.Printf("%.4f\n", x)
	// Output:
	// [3.0000 1.0000 2.0000 2.0000]
}

// Two rows there and back, by orthonormal matrices.
func ExampleOrthonormalRows() {
	x := num.Rows[float32]{Data: []float32{1, 1, 3, 5}, N: 2, D: 2, Stride: 2}
	haar.OrthonormalRows(x, 1)
	fmt.Printf("%.3f\n", x.Data)
	haar.InverseOrthonormalRows(x, 1)
	fmt.Printf("%.3f\n", x.Data)
	// Output:
	// [1.414 0.000 5.657 -1.414]
	// [1.000 1.000 3.000 5.000]
}

// The adjoint of the transform spreads coefficients over the elements.
func ExampleTranspose() {
	x := []float64{1, 0, 2, 0}
	haar.Transpose(x)
	fmt.Println(x)
	// Output:
	// [3 -1 1 1]
}

// Rows are taken back by the inverse; the transpose is that up to the squared norms of
// the rows of H.
func ExampleInverseRows() {
	x := num.Rows[float64]{Data: []float64{3, -1, 12, -2}, N: 2, D: 2, Stride: 2}
	y := num.Rows[float64]{Data: []float64{3, -1, 12, -2}, N: 2, D: 2, Stride: 2}
	haar.InverseRows(x, 1)
	haar.TransposeRows(y, 1)
	fmt.Println(x.Data, y.Data)
	// Output:
	// [1 2 5 7] [2 4 10 14]
}
