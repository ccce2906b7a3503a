package rfm_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// Five of ten columns matter.
func ExampleConfig() {
	train, test := dataset.Friedman1(300, 10, 0, 1), dataset.Friedman1(300, 10, 0, 2)
	m, err := rfm.Config{}.Fit(context.Background(), train.X, train.Value, nil)
	if err != nil {
		panic(err)
	}
	var matter float64
	for _, v := range m.Importance()[:5] {
		matter += v
	}
	fmt.Println(metric.RMSE(m.Predict(nil, test.X), test.Value) < 1, matter > .9)
	// Output: true true
}

// Processes make the division and the leaves, whose states Exchange writes to files and reads; here there is one process.
func ExampleConfig_Pieces() {
	ctx, run := context.Background(), gram.Run{}
	train := dataset.Friedman1(300, 5, 0, 1)
	p, err := rfm.Config{Leaf: gram.Set(60)}.Pieces(train.X, mat.NewDense(300, 1, train.Value), nil)
	if err != nil {
		panic(err)
	}
	division, err := p.Divide(ctx, run)
	if err != nil {
		panic(err)
	}
	if err := p.SetDivision(division); err != nil {
		panic(err)
	}
	m, err := p.Join(ctx, func(k int) (*rfm.Leaf, error) { return p.Train(ctx, k, run) }, run)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Number() == len(m.Leaves()), p.Number())
	// Output: true 4
}

// The targets of classes are signs.
func ExampleConfig_PiecesClasses() {
	ctx, run := context.Background(), gram.Run{}
	train := dataset.Rings(100, 2, .1, 1)
	p, err := rfm.Config{}.PiecesClasses(train.X, train.Labels, nil)
	if err != nil {
		panic(err)
	}
	division, err := p.Divide(ctx, run)
	if err != nil {
		panic(err)
	}
	if err := p.SetDivision(division); err != nil {
		panic(err)
	}
	m, err := p.Join(ctx, func(k int) (*rfm.Leaf, error) { return p.Train(ctx, k, run) }, run)
	if err != nil {
		panic(err)
	}
	c := krr.NewClassifier(m, rfm.Method, train.Labels.Names)
	fmt.Println(p.Number(), len(c.Classes()))
	// Output: 1 2
}
