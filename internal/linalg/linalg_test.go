package linalg_test

import (
	"fmt"

	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

func Example() {
	a := mat.NewDense(2, 2, []float64{1, 2, 4, 3})
	fmt.Println(linalg.Dot([]float64{1, 2}, []float64{3, 4}), linalg.Inner(a, a), blas64.Nrm2(linalg.Elements(a)) == blas64.Nrm2(linalg.Vector([]float64{1, 2, 4, 3})))
	fmt.Println(mat.Formatted(linalg.Symmetric(a)))
	// Output:
	// 11 30 true
	// ⎡1  3⎤
	// ⎣3  3⎦
}
