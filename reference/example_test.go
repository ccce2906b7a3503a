package reference_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// A model gives back what it was made of, in the form in which a Config takes it. One
// ingredient is exchanged here: the rows that the links of the first cluster are fitted to.
func Example() {
	x, _ := groups(1, 60, 2, 3)
	c := meka.Config{Kernel: kernel.Gaussian{Gamma: 0.2}, Clusters: 3, Rank: 4, Run: gram.Run{Seed: 1}}
	first, err := c.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Given = first.Given()
	again, err := c.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, h := solve.Matrix(first.Operator()), solve.Matrix(again.Operator())
	fmt.Println("the same ingredients, the same matrix:", mat.EqualApprox(g, h, 1e-10))

	rows, _ := first.Operator().Basis(0)
	c.Given.Samples[0] = meka.Sample{Rows: rows}
	other, err := c.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("links fitted to all rows of a cluster:", !mat.EqualApprox(g, solve.Matrix(other.Operator()), 1e-10))
	// Output:
	// the same ingredients, the same matrix: true
	// links fitted to all rows of a cluster: true
}
