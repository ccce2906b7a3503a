// Command classify trains a linear support vector machine on Nyström features,
// saves it with its scaling and features as one file, and loads it again.
//
//	go run ./examples/classify -model rings.gram
//	go run ./examples/classify -data train.csv -m 512 -gamma 2 -model train.gram
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("classify", flag.ExitOnError)
	path := flags.String("data", "", "data `FILE` with classes; without it, three rings are drawn")
	file := flags.String("model", "model.gram", "`FILE` to write")
	m := flags.Int("m", 100, "landmarks")
	gamma := flags.Float64("gamma", 1, "γ of the Gaussian kernel, for columns of unit variance")
	c := flags.Float64("c", 10, "weight of the errors")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all := dataset.Rings(1000, 3, 0.05, 1)
	if *path != "" {
		var err error
		if all, err = dataset.Open(*path, dataset.Options{Task: dataset.Classes}); err != nil {
			return err
		}
	}
	train, test := all.Split(0.25, 1)

	// The columns are scaled by statistics of the training rows, then mapped.
	scaling, err := dataset.Standardize(train.X)
	if err != nil {
		return err
	}
	x := scaling.Apply(train.X)
	features, err := nystrom.Config{Kernel: kernel.Gaussian{Gamma: *gamma}, Landmarks: landmark.KMeans{}, M: *m}.Fit(ctx, x)
	if err != nil {
		return err
	}
	classifier, err := linear.SVM{C: *c}.Fit(ctx, features, x, train.Labels, nil)
	if err != nil {
		return err
	}

	_, d := x.Dims()
	model, err := pipeline.New(classifier, d, scaling)
	if err != nil {
		return err
	}
	if err := pipeline.Save(*file, model, catalog.Registry()); err != nil {
		return err
	}
	again, err := pipeline.Load(*file, catalog.Registry())
	if err != nil {
		return err
	}
	answer, err := again.Predict(test.X, false, 0) // unscaled rows: the model scales them
	if err != nil {
		return err
	}
	n, _ := test.Dims()
	fmt.Fprintf(out, "%d classes, %d test rows, accuracy %.2f\n", len(again.Names), n, metric.Accuracy(answer.Class, test.Labels.Class))
	return nil
}
