package fastnys_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

// Structured landmarks as features of a linear model.
func ExampleConfig() {
	ctx := context.Background()
	s := dataset.Rings(400, 2, 0.05, 1)
	m, err := fastnys.Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 40, Rows: 2}.Fit(ctx, s.X)
	if err != nil {
		panic(err)
	}
	c, err := linear.SVM{C: 10}.Fit(ctx, m, s.X, s.Labels, nil)
	if err != nil {
		panic(err)
	}
	_, v, rows := m.Landmarks().Seeds()
	seeds, d := v.Dims()
	fmt.Println(metric.Accuracy(c.Predict(nil, s.X), s.Labels.Class) > 0.99)
	fmt.Println(seeds, "seeds of", d, "columns,", rows, "rows each")
	// Output:
	// true
	// 20 seeds of 2 columns, 2 rows each
}

// For 784 columns and 20 seeds of which 8 rows are used, a product with all 160
// landmarks takes an eighth of the operations.
func ExampleModel_Landmarks() {
	m, err := fastnys.Config{Kernel: kernel.Gaussian{Gamma: .001}, M: 160}.Fit(context.Background(), dataset.Friedman1(50, 784, 1, 1).X)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Landmarks().Flops())
	// Output: 31640 250880
}
