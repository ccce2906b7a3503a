package solve_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/solve"
	"gonum.org/v1/gonum/mat"
)

// CG solves (Φ·Φᵀ + I)·x = b without forming Φ·Φᵀ.
func ExampleCG() {
	a := &solve.LowRank{Phi: mat.NewDense(3, 1, []float64{1, 1, 1})}
	x := mat.NewDense(3, 1, nil)
	stats, err := solve.CG(context.Background(), x, a, 1, mat.NewDense(3, 1, []float64{4, 4, 4}), solve.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f after %d product\n", x.RawMatrix().Data, stats.Iter)
	// Output: [1.000 1.000 1.000] after 1 product
}

func ExampleInvSqrt() {
	b, values, err := solve.InvSqrt(context.Background(), mat.NewSymDense(2, []float64{4, 0, 0, 16}), 0, 0)
	if err != nil {
		panic(err)
	}
	var inverse mat.Dense
	inverse.Mul(b, b.T())
	fmt.Printf("%.4f %.4f %.4f\n", values, inverse.At(0, 0), inverse.At(1, 1))
	// Output: [16.0000 4.0000] 0.2500 0.0625
}
