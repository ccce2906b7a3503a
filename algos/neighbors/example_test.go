package neighbors_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/neighbors"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Three of the five nearest rows of (2, 2) are blue.
func ExampleConfig_Fit() {
	x := mat.NewDense(6, 2, []float64{0, 0, 0, 1, 1, 0, 3, 3, 3, 4, 4, 3})
	y := gram.Labels{Class: []int{0, 0, 0, 1, 1, 1}, Names: []string{"red", "blue"}}
	m, err := neighbors.Config{Kernel: kernel.Gaussian{Gamma: 1}}.Fit(context.Background(), x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Names[m.Predict(nil, mat.NewDense(1, 2, []float64{2, 2}))[0]])
	// Output: blue
}
