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

// Two levels of a vector whose length is not a power of two.
func ExampleDecomposition() {
	d := haar.NewDecomposition[float64](6, 2, haar.Symmetric)
	x := []float64{1, 3, 2, 2, 5, 1}
	y := make([]float64, d.Len())
	d.Forward(y, x)
	fmt.Printf("approximations %.3f\n", y[:d.Approximations()])
	for level := d.Levels(); level > 0; level-- {
		lo, hi := d.Details(level)
		fmt.Printf("level %d %.3f\n", level, y[lo:hi])
	}
	clear(y[4:]) // without the finest details
	d.Inverse(x, y)
	fmt.Printf("%.3f\n", x)
	// Output:
	// approximations [4.000 6.000]
	// level 2 [0.000 0.000]
	// level 1 [-1.414 0.000 2.828]
	// [2.000 2.000 2.000 2.000 3.000 3.000]
}

// The standard decomposition of a matrix: all levels of the rows, then all of the columns.
func ExampleDecomposition_ForwardColumns() {
	x := num.Rows[float64]{Data: []float64{1, 2, 3, 4, 5, 6, 7, 8}, N: 2, D: 4, Stride: 4}
	haar.NewDecomposition[float64](4, haar.AllLevels, haar.Symmetric).ForwardRows(x, x, 1)
	haar.NewDecomposition[float64](2, haar.AllLevels, haar.Symmetric).ForwardColumns(x, x, 1)
	fmt.Printf("%.3f\n%.3f\n", x.Row(0), x.Row(1))
	// Output:
	// [12.728 -2.828 -1.000 -1.000]
	// [-5.657 0.000 0.000 0.000]
}

// A level of a small picture: its means, and its edges from left to right and from top to bottom.
func ExamplePyramid() {
	x := num.Rows[float64]{Data: []float64{
		1, 1, 1, 5,
		1, 1, 1, 5,
		1, 1, 1, 1,
		3, 3, 1, 1,
	}, N: 4, D: 4, Stride: 4}
	p := haar.NewPyramid[float64](4, 4, 1, haar.Symmetric)
	y := num.MakeRows[float64](p.Columns().Len(), p.Rows().Len())
	p.Forward(y, x, 1)
	for i := range y.N {
		fmt.Println(y.Row(i))
	}
	// Output:
	// [2 6 0 -4]
	// [4 2 0 0]
	// [0 0 0 0]
	// [-2 0 0 0]
}
