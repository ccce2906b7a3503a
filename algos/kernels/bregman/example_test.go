package bregman_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"gonum.org/v1/gonum/mat"
)

// Three points on a line: the first two are to come together, the last two apart.
func ExampleConfig_Fit() {
	x := mat.NewDense(3, 2, []float64{0, 1, 1, 1, 2, 1.5})
	m, err := bregman.Config{Tol: 1e-9}.Fit(context.Background(), x, []constraint.Linear{
		constraint.Distance(0, 1, constraint.AtMost, 0.5),
		constraint.Distance(1, 2, constraint.AtLeast, 2),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.Map(nil, x)
	distance := func(i, j int) (sum float64) {
		for k := range 2 {
			d := g.At(i, k) - g.At(j, k)
			sum += d * d
		}
		return sum
	}
	fmt.Printf("%.3f %.3f, duals %.3f, divergence %.3f\n", distance(0, 1), distance(1, 2), m.Stats().Duals, m.Stats().Divergence)
	// Output:
	// 0.500 2.000, duals [-4.062 1.734], divergence 1.562
}
