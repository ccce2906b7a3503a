package constraint_test

import (
	"fmt"
	"strings"

	"github.com/gramworks/gram/algos/kernels/constraint"
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
