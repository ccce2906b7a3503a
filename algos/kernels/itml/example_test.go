package itml_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Two pairs of points are the corners of a square. The rows of a pair are to be
// close, and rows of different pairs far apart; the learned kernel answers for
// points that were not among them.
func ExampleConfig_Fit() {
	x := mat.NewDense(4, 2, []float64{0, 0, 0, 1, 1, 0, 1, 1})
	pairs := []constraint.Pair{{I: 0, J: 1, Same: true}, {I: 2, J: 3, Same: true}, {I: 0, J: 2}, {I: 1, J: 3}}
	constraints := constraint.FromPairs(pairs, constraint.Bounds{Low: 0.25, High: 4})
	m, err := itml.Config{Kernel: kernel.Linear{}}.Fit(context.Background(), x, constraints)
	if err != nil {
		log.Fatal(err)
	}
	k := m.Kernel()
	squared := func(a, b []float64) float64 { return k.Eval(a, a) + k.Eval(b, b) - 2*k.Eval(a, b) }
	fmt.Printf("along the pairs %.2f, across %.2f\n",
		squared([]float64{5, 5}, []float64{5, 6}), squared([]float64{5, 5}, []float64{6, 5}))
	// Output: along the pairs 0.25, across 4.00
}

// Row 0 is to be closer to row 1 than to row 2, by at least 3 in squared distance.
func ExampleConfig_Fit_triplets() {
	x := mat.NewDense(3, 2, []float64{0, 0, 0, 1, 1, 0})
	m, err := itml.Config{Kernel: kernel.Linear{}}.Fit(context.Background(), x, constraint.FromTriplets([][3]int{{0, 1, 2}}, 3))
	if err != nil {
		log.Fatal(err)
	}
	k := m.Kernel()
	gap := k.Eval(x.RawRowView(2), x.RawRowView(2)) - k.Eval(x.RawRowView(1), x.RawRowView(1))
	fmt.Printf("%.2f\n", gap)
	// Output: 3.00
}

// What is learned lies in the span of a given J: here it can change the sum of the rows alone, and not
// their difference.
func ExampleGiven() {
	x := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	sum := itml.Given{J: mat.NewDense(2, 1, []float64{1, 1})}
	z := constraint.Vector{Index: []int{0, 1}, Value: []float64{1, 1}}
	m, err := itml.Config{Kernel: kernel.Linear{}, Given: sum, Tol: 1e-9}.Fit(context.Background(), x, []constraint.Linear{constraint.Quadratic(z, constraint.Equal, 8)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", mat.Formatted(m.Kernel().Gram(nil, x, x)))
	fmt.Println("points are rows", m.Kernel().Index())
	// Output:
	// ⎡2.50  1.50⎤
	// ⎣1.50  2.50⎦
	// points are rows [0 1]
}
