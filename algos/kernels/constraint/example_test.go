package constraint_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"gonum.org/v1/gonum/mat"
)

// Rows 0 and 1 belong together, 0 and 2 do not; row 3 is nearer to 1 than to 2.
func ExampleFromPairs() {
	cs := constraint.FromPairs([]constraint.Pair{{I: 0, J: 1, Same: true}, {I: 0, J: 2}}, constraint.Bounds{Low: 0.5, High: 4})
	cs = append(cs, constraint.FromTriplets([][3]int{{3, 1, 2}}, 1)...)
	for _, c := range cs {
		for _, t := range c.Terms {
			fmt.Printf("%+g·|x%d-x%d|² ", t.Weight, t.Z.Index[0], t.Z.Index[1])
		}
		fmt.Println(c.Relation, c.Bound)
	}
	// Output:
	// +1·|x0-x1|² ≤ 0.5
	// +1·|x0-x2|² ≥ 4
	// +1·|x3-x1|² -1·|x3-x2|² ≤ -1
}

// Statements on pairs of rows come from a file; what is wrong in it is named by its place.
func ExampleRead() {
	statements, err := constraint.Read(strings.NewReader("0,1,same\n0,2,different,4\n"), "pairs.csv", 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range statements {
		fmt.Println(s.I, s.J, s.Same, s.Bound.Given())
	}
	_, err = constraint.Read(strings.NewReader("0,1,same\n0,4,same\n"), "pairs.csv", 4)
	fmt.Println(err)
	// Output:
	// 0 1 true false
	// 0 2 false true
	// pairs.csv:2:3: "4" is not a row, want a number from 0 to 3
}

// Every constraint is on Σ weight·zᵀKz: here those that are more than distances and similarities, and
// their values for a kernel matrix.
func ExampleLinear() {
	k := mat.NewDense(3, 3, []float64{4, 1, 0, 1, 2, 1, 0, 1, 2})
	general, err := constraint.General(context.Background(), mat.NewSymDense(3, []float64{0, 1, 0, 1, 0, 0, 0, 0, 1}), constraint.Equal, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range []constraint.Linear{
		constraint.Quadratic(constraint.Vector{Index: []int{0, 2}, Value: []float64{1, 2}}, constraint.AtMost, 5),
		constraint.LowRank(mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 1}), []float64{2, -1}, constraint.AtLeast, 0),
		general,
		constraint.RelativeSimilarity(0, 1, 1, 2, constraint.AtLeast, 0),
		constraint.Probability(0, []int{0, 1}, []int{0, 1, 2}, 0.75),
	} {
		var value float64
		for _, t := range c.Terms {
			for a, v := range t.Z.Value {
				for b, u := range t.Z.Value {
					i, j := a, b // a vector without an index has a value for each row
					if t.Z.Index != nil {
						i, j = t.Z.Index[a], t.Z.Index[b]
					}
					value += t.Weight * v * u * k.At(i, j)
				}
			}
		}
		fmt.Printf("%d terms: %.3g %v %.3g\n", len(c.Terms), value, c.Relation, c.Bound)
	}
	// Output:
	// 1 terms: 12 ≤ 5
	// 2 terms: 2 ≥ 0
	// 3 terms: 4 = 1
	// 4 terms: 0 ≥ 0
	// 2 terms: 1.25 ≥ 0
}
