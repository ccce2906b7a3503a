package gbdt_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

func ExampleConfig() {
	s := dataset.Rings(600, 3, 0.05, 1)
	m, err := gbdt.Config{Rounds: 30}.Fit(context.Background(), s.X, s.Labels, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Stats().Trees, metric.Accuracy(m.Predict(nil, s.X), s.Labels.Class) > 0.95)
	// Output: 90 true
}

// The rounds are kept that were best on the rows that were held out.
func ExampleConfig_FitValues() {
	train, test := dataset.Friedman1(500, 10, 1, 1), dataset.Friedman1(500, 10, 0, 2)
	m, err := gbdt.Config{Rounds: 1000, Holdout: 0.2}.FitValues(context.Background(), train.X, train.Value, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Stats().Rounds < 1000, metric.R2(m.Predict(nil, test.X), test.Value) > 0.8)
	// Output: true true
}

// Trees as new features: the leaf of each tree that a row reaches, and what it is worth.
func ExampleRegressor_Leaves() {
	x, y := mat.NewDense(4, 1, []float64{1, 2, 3, 4}), []float64{0, 0, 8, 8}
	m, err := gbdt.Config{Rounds: 2, MinRows: 1, MaxLeaves: 2, Lambda: gram.Set(0.)}.FitValues(context.Background(), x, y, nil)
	if err != nil {
		panic(err)
	}
	for i, leaves := range m.Leaves(x) {
		fmt.Println(x.At(i, 0), leaves, m.Tree(0)[leaves[0]].Value)
	}
	// Output:
	// 1 [1 1] -0.4
	// 2 [1 1] -0.4
	// 3 [2 2] 0.4
	// 4 [2 2] 0.4
}
