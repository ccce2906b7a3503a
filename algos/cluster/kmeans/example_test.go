package kmeans_test

import (
	"fmt"

	"github.com/gramworks/gram/algos/cluster/kmeans"
	"gonum.org/v1/gonum/mat"
)

// An iteration of Lloyd's method on rows that two machines hold: each adds its own rows to sums for the
// same centers, which are merged.
func ExampleSums() {
	centers := kmeans.NewModel(mat.NewDense(2, 1, []float64{0, 10}))
	here, there := kmeans.NewSums(centers), kmeans.NewSums(centers)
	if err := here.Add(mat.NewDense(3, 1, []float64{0, 1, 8}), nil); err != nil {
		fmt.Println(err)
		return
	}
	if err := there.Add(mat.NewDense(2, 1, []float64{2, 9}), []float64{1, 3}); err != nil {
		fmt.Println(err)
		return
	}
	if err := here.Merge(there); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(here.Rows(), here.Weights(), here.Objective())
	fmt.Println(mat.Formatted(here.Next().Centers().T()))
	// Output:
	// 5 [3 4] 12
	// [   1  8.75]
}

// A tree of two levels with known centers: the root divides at 5, its first child at 2.
func ExampleNewTree() {
	t, err := kmeans.NewTree(2, []int{1, 3, 0, 0, 0}, mat.NewDense(5, 1, []float64{0, 1, 9, 0, 4}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Leaves(), t.Assign(nil, mat.NewDense(4, 1, []float64{1, 3, 6, 4.5})))
	// Output:
	// 3 [1 2 0 2]
}
