package fwht_test

import (
	"fmt"

	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/num"
)

func ExampleTransform() {
	x := []float64{1, 2, 3, 4}
	fwht.Transform(x)
	fmt.Println(x)
	fwht.Inverse(x)
	fmt.Println(x)
	// Output:
	// [10 -2 -4 0]
	// [1 2 3 4]
}

func ExampleTransformRows() {
	// Two rows of four elements with stride five; the element between them is
	// not changed.
	x := num.Rows[float32]{Data: []float32{1, 0, 0, 0, 99, 0, 1, 0, 0}, N: 2, D: 4, Stride: 5}
	fwht.TransformRows(x, 0)
	fmt.Println(x.Data)
	// Output: [1 1 1 1 99 1 -1 1 -1]
}

func ExampleSequency() {
	x := []float64{4, 3, 2, 1, -1, -2, -3, -4} // one sign change
	fwht.Sequency(x)
	fmt.Println(x)
	fmt.Println(fwht.SequencyRow(8, 1), fwht.SequencyRow(8, 7))
	// Output:
	// [0 20 0 8 0 0 0 4]
	// 4 1
}

func ExamplePadRows() {
	src := num.Rows[float64]{Data: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, N: 2, D: 5, Stride: 5}
	dst := num.MakeRows[float64](2, fwht.NextLength(5))
	fwht.PadRows(dst, src)
	fwht.OrthonormalRows(dst, 0)
	fmt.Printf("%.3f\n", dst.Row(0))
	fmt.Println(fwht.NextLength(9), fwht.Pad(9), fwht.NextLength(100), fwht.Pad(100))
	// Output:
	// [5.303 1.061 0.354 1.768 1.768 -2.475 -3.182 -1.768]
	// 12 16 112 128
}

// The orthonormal transform keeps lengths and is its own inverse.
func ExampleOrthonormal() {
	x := []float64{3, 1, 1, 3}
	fwht.Orthonormal(x)
	fmt.Println(x)
	fwht.Orthonormal(x)
	fmt.Println(x)
	// Output:
	// [4 0 0 2]
	// [3 1 1 3]
}

// Lengths are m·2^k with m = 1, 12, 20 or 28; others are padded.
func ExampleSupported() {
	for _, n := range []int{24, 25, 40} {
		fmt.Println(n, fwht.Supported(n), fwht.NextLength(n))
	}
	// Output:
	// 24 true 24
	// 25 false 28
	// 40 true 40
}

// The columns of a matrix are transformed without a transposition, and the rows of the result are
// those of H.
func ExampleTransformColumns() {
	x := num.Rows[float64]{Data: []float64{1, 0, 0, 1, 0, 0, 0, 0}, N: 4, D: 2, Stride: 2}
	fwht.TransformColumns(x, 1)
	for i := range x.N {
		fmt.Println(x.Row(i))
	}
	// Output:
	// [1 1]
	// [1 -1]
	// [1 1]
	// [1 -1]
}

// The inverse of the rows, and their transform in sequency order.
func ExampleInverseRows() {
	x := num.Rows[float64]{Data: []float64{10, -2, -4, 0}, N: 1, D: 4, Stride: 4}
	fwht.InverseRows(x, 1)
	fmt.Println(x.Data)
	fwht.SequencyRows(x, 1)
	fmt.Println(x.Data)
	// Output:
	// [1 2 3 4]
	// [10 -4 0 -2]
}

// A length of 144 = 36·4 without padding to 160 or 256.
func ExampleMatrix() {
	fmt.Println(fwht.HasMatrix(144), fwht.NextLength(144))
	a := fwht.NewMatrix[float64](144)
	x := make([]float64, a.Len())
	x[5] = 1
	a.Transform(x)
	square := 0.
	for _, v := range x {
		square += v * v
	}
	fmt.Println(x[:5], square)
	a.Inverse(x)
	fmt.Printf("%.2f\n", x[4:7])
	// Output:
	// true 160
	// [-1 1 -1 1 -1] 144
	// [0.00 1.00 0.00]
}
