package bka_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

func ExampleSVM() {
	board := dataset.Checkerboard(2000, 4, 0, 1)
	c := bka.SVM{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 20}, C: 10}, Partition: bka.Partition{Clusters: 8}}
	m, err := c.Fit(context.Background(), board.X, board.Labels, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	wrong := 0
	for i, c := range m.Predict(nil, board.X) {
		if c != board.Labels.Class[i] {
			wrong++
		}
	}
	fmt.Println(m.Clusters(), "clusters;", wrong < 100)
	// Output: 8 clusters; true
}

func ExampleOf() {
	x := mat.NewDense(3, 1, []float64{0, 1, 5})
	a := bka.Of(kernel.Linear{}, x, []int{0, 0, 1})
	g := mat.NewDense(3, 3, nil)
	a.Rows(g, []int{0, 1, 2})
	fmt.Println(mat.Formatted(g))
	// Output:
	// ⎡ 0   0   0⎤
	// ⎢ 0   1   0⎥
	// ⎣ 0   0  25⎦
}
