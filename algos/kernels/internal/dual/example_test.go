package dual_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/internal/dual"
	"gonum.org/v1/gonum/mat"
)

// X_11 ≤ ½ and X_22 ≥ 3 for the positive definite 2×2 matrix nearest to the identity in
// the divergence of Burg; X_11 ≥ 1 beside that contradicts the first.
func ExampleProblem_Newton() {
	p := &dual.Problem{F: dual.LogDet{}, T: mat.NewDense(2, 2, []float64{1, 0, 0, 1}), N: 2, Rows: []dual.Row{
		{At: 0, First: 0, Weight: []float64{1}, Relation: constraint.AtMost, Bound: dual.Bound{B: 0.5}},
		{At: 1, First: 1, Weight: []float64{1}, Relation: constraint.AtLeast, Bound: dual.Bound{B: 3}},
	}}
	o := dual.Options{Tol: 1e-9, MaxIter: 100, Progress: func(int, float64) {}}
	s, _, err := p.Newton(context.Background(), make([]float64, 2), o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("values %.3f, duals %.3f\n", s.Value, s.Y)

	p.N = 3
	p.Rows = append(p.Rows, dual.Row{At: 2, First: 0, Weight: []float64{1}, Relation: constraint.AtLeast, Bound: dual.Bound{B: 1}})
	var infeasible *constraint.InfeasibleError
	if _, _, err = p.Newton(context.Background(), make([]float64, 3), o); errors.As(err, &infeasible) {
		d := infeasible.Farkas
		fmt.Printf("proof: d·A ≤ 0: %t, d·b > 0: %t\n", d[0]+d[2] <= 0, 0.5*d[0]+3*d[1]+d[2] > 0)
	}
	// Output:
	// values [0.500 3.000], duals [-1.000 0.667]
	// proof: d·A ≤ 0: true, d·b > 0: true
}
