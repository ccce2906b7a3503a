package constraint_test

import (
	"fmt"

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
