package sparse_test

import (
	"fmt"

	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func ExampleCSR() {
	a := &sparse.CSR{N: 2, D: 3, Ptr: []int{0, 2, 3}, Col: []int32{0, 2, 1}, Val: []float64{1, 2, 3}}
	fmt.Println(mat.Formatted(a))
	fmt.Println(a.NNZ(), a.SquaredNorms(nil), a.Transpose().Col)
	// Output:
	// ⎡1  0  2⎤
	// ⎣0  3  0⎦
	// 3 [5 9] [0 1 0]
}

func ExampleFromTriplets() {
	a, err := sparse.FromTriplets(2, 2, []sparse.Triplet{{Row: 1, Col: 0, Val: 2}, {Row: 0, Col: 1, Val: 1}, {Row: 1, Col: 0, Val: 3}}, sparse.Sum)
	fmt.Println(mat.Formatted(a), err)
	// Output:
	// ⎡0  1⎤
	// ⎣5  0⎦ <nil>
}

func ExampleTriplet() {
	_, err := sparse.FromTriplets(2, 2, []sparse.Triplet{{Row: 2, Col: 0, Val: 2}}, sparse.Reject)
	fmt.Println(err)
	// Output: sparse: entry 0 is at row 2, column 0 of a 2×2 matrix
}

func ExampleFromDense() {
	a := sparse.FromDense(mat.NewDense(2, 3, []float64{0, 5, 0, 7, 0, 0}))
	fmt.Println(a.NNZ(), a.Col, a.Val)
	// Output: 2 [1 0] [5 7]
}
