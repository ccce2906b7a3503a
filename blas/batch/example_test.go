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
