package batch_test

import (
	"fmt"
	"log"

	"github.com/gramworks/gram/blas/batch"
	"gonum.org/v1/gonum/blas"
)

// Two products with the same matrix on the left.
func ExampleMul() {
	a := batch.Matrices{Count: 2, Rows: 2, Cols: 2, Stride: 2, Step: 0, Data: []float64{0, -1, 1, 0}}
	b, c := batch.New(2, 2, 1), batch.New(2, 2, 1)
	copy(b.Data, []float64{1, 2, 3, 4})
	batch.Mul(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
	fmt.Println(c.Data)
	// Output: [-2 1 -4 3]
}

// Two systems with positive definite matrices.
func ExampleSolve() {
	a, b := batch.New(2, 2, 2), batch.New(2, 2, 1)
	copy(a.Data, []float64{4, 2, 2, 5, 9, 0, 0, 1})
	copy(b.Data, []float64{10, 13, 18, 3})
	if err := batch.Cholesky(a); err != nil {
		log.Fatal(err)
	}
	batch.Solve(a, b)
	fmt.Println(b.Data)
	// Output: [1.5 2 2 3]
}

// A matrix that has no factor is named; the others have theirs.
func ExampleCholesky() {
	a := batch.New(3, 1, 1)
	copy(a.Data, []float64{4, -1, 9})
	fmt.Println(batch.Cholesky(a))
	fmt.Println(a.Data)
	// Output:
	// batch: matrix 1: not positive definite at pivot 0 (margin 0)
	// [2 -1 3]
}

// A matrix without inverse is named; the systems of the others are solved.
func ExampleLU() {
	a, b, pivots := batch.New(2, 2, 2), batch.New(2, 2, 1), make([]int, 4)
	copy(a.Data, []float64{0, 2, 4, 1, 1, 2, 2, 4})
	copy(b.Data, []float64{6, 11, 1, 1})
	err := batch.LU(a, pivots)
	fmt.Println(err)
	batch.SolveLU(a.Slice(0, 1), pivots, b.Slice(0, 1))
	fmt.Println(b.Data[:2], pivots[:2])
	// Output:
	// batch: matrix 1: singular: pivot 1 is zero
	// [2 3] [1 1]
}

// A system with the matrix [1 2; 3 4].
func ExampleSolveLU() {
	a, b, pivots := batch.New(1, 2, 2), batch.New(1, 2, 1), make([]int, 2)
	copy(a.Data, []float64{1, 2, 3, 4})
	copy(b.Data, []float64{5, 11})
	if err := batch.LU(a, pivots); err != nil {
		log.Fatal(err)
	}
	batch.SolveLU(a, pivots, b)
	fmt.Printf("%.3f\n", b.Data)
	// Output: [1.000 2.000]
}

func ExampleInverse() {
	a := batch.New(2, 2, 2)
	copy(a.Data, []float64{2, 0, 0, 4, 0, 1, 1, 0})
	if err := batch.Inverse(a); err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Data)
	// Output: [0.5 0 0 0.25 0 1 1 0]
}

func ExampleDet() {
	a, det := batch.New(2, 2, 2), make([]float64, 2)
	copy(a.Data, []float64{2, 1, 1, 3, 0, 1, 1, 0})
	if err := batch.Det(a, det); err != nil {
		log.Fatal(err)
	}
	fmt.Println(det)
	// Output: [5 -1]
}

func ExampleEigenSym() {
	a := batch.New(2, 2, 2)
	copy(a.Data, []float64{2, 1, 1, 2, 5, 0, 0, 3})
	values := make([]float64, 4)
	if err := batch.EigenSym(a, values, batch.Matrices{}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", values)
	// Output: [1.000 3.000 3.000 5.000]
}
