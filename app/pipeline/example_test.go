package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

// A model is stored with its scaling and its feature map, and predicts
// unscaled rows.
func ExampleSave() {
	ctx := context.Background()
	s := dataset.Rings(300, 2, 0.05, 1)
	scaling, err := dataset.Standardize(s.X)
	if err != nil {
		panic(err)
	}
	x := scaling.Apply(s.X)
	features, err := nystrom.Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 30}.Fit(ctx, x)
	if err != nil {
		panic(err)
	}
	classifier, err := linear.SVM{C: 10}.Fit(ctx, features, x, s.Labels, nil)
	if err != nil {
		panic(err)
	}
	p, err := pipeline.New(classifier, 2, scaling)
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "pipeline")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rings.gram")
	if err := pipeline.Save(path, p, catalog.Registry()); err != nil {
		panic(err)
	}
	again, err := pipeline.Load(path, catalog.Registry())
	if err != nil {
		panic(err)
	}
	answer, err := again.Predict(s.X, false, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(again.Task, again.Names, metric.Accuracy(answer.Class, s.Labels.Class) > 0.99)
	// Output: classes [-1 1] true
}
