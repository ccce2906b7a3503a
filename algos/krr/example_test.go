package krr_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

func ExampleConfig() {
	train, _ := dataset.Sine.Draw(300, 1)
	test, clean := dataset.Sine.Draw(100, 2)
	m, err := krr.Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(0.1)}.Fit(context.Background(), train.X, train.Value, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(metric.RMSE(m.Predict(nil, test.X), clean) < 0.05)
	// Output: true
}

// One eigendecomposition gives the leave-one-out error of every λ.
func ExamplePath() {
	train, _ := dataset.Sine.Draw(200, 1)
	y := mat.NewDense(200, 1, train.Value)
	path, err := krr.Config{Kernel: kernel.Gaussian{Gamma: 1}}.Path(context.Background(), train.X, y, nil)
	if err != nil {
		panic(err)
	}
	best := krr.Scores{LeaveOneOut: 1e9}
	for _, s := range path.Scores([]float64{1e-6, 1e-4, 1e-2, 1, 100}) {
		if s.LeaveOneOut < best.LeaveOneOut {
			best = s
		}
	}
	m := path.Model(best.Lambda)
	fmt.Println(best.Lambda, m.Config().Solver)
	// Output: 0.01 eigen
}

// Three rings, told apart by the largest of three regressions on ±1.
func ExampleClassifier() {
	train, test := dataset.Rings(300, 3, .1, 1), dataset.Rings(300, 3, .1, 2)
	m, err := krr.Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(0.1)}.FitClasses(context.Background(), train.X, train.Labels, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Classes(), metric.Accuracy(m.Predict(nil, test.X), test.Labels.Class) > .99)
	// Output: [0 1 2] true
}
