package openblas_test

import (
	"fmt"

	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/blas/openblas"
	"gonum.org/v1/gonum/mat"
)

// A program takes OpenBLAS where it was built in, with -tags openblas, and the
// native backend otherwise.
func ExampleNew() {
	if b, err := openblas.New(); err == nil {
		defer blas.Use(blas.Current())
		blas.Use(b)
	}
	var c mat.Dense
	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	c.Mul(a, a)
	fmt.Println(mat.Formatted(&c))
	// Output:
	// ⎡ 7  10⎤
	// ⎣15  22⎦
}
