package protocol_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
)

// A model learns from training rows and is scored without seeing the others. The
// score cannot be read; a row is published when all repeats are in.
func ExampleSplit() {
	x, y := dataset.Blobs(200, 4, 2, 12, 1)
	pool := protocol.Generated(&dataset.Set{X: x, Labels: y})
	figure := protocol.NewFigure(3)
	for seed := range uint64(3) {
		split, err := pool.Random(.2, seed)
		if err != nil {
			panic(err)
		}
		model, err := linear.SVM{}.Fit(context.Background(), nil, split.Train.X, split.Train.Labels, nil)
		if err != nil {
			panic(err)
		}
		score, err := split.Accuracy(model)
		if err != nil {
			panic(err)
		}
		fmt.Println(score)
		figure.Add(score, 0, 0)
	}
	row, err := protocol.Publish(protocol.Row{Method: "linear SVM"}.Of(figure))
	fmt.Println(row.Method, *row.Got, *row.Std, row.Repeats, err)
	// Output:
	// sealed
	// sealed
	// sealed
	// linear SVM 1 0 3 <nil>
}
