package basis_test

import (
	"fmt"

	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The features of a row are its kernel values with two points. A program of a
// linear function of them predicts one row without allocating anything.
func ExampleExpansion() {
	points := mat.NewDense(2, 1, []float64{0, 1})
	f := basis.Expansion(kernel.Linear{}, points, mat.NewDense(2, 1, []float64{5, 2}), []float64{0.5})
	p := basis.With[float64](f.Basis, f.Coef, f.Bias)
	out := make([]float64, 1)
	p.Row(out, []float64{3})
	fmt.Println(out[0]) // 5·⟨3,0⟩ + 2·⟨3,1⟩ + 0.5
	// Output: 6.5
}
