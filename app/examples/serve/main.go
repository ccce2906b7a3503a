// Command serve trains a support vector machine, compiles it to a cheaper
// program in float32 and answers predictions over HTTP until it is interrupted.
//
//	go run ./examples/serve -addr 127.0.0.1:8080
//	curl --json '{"row": [1, 0]}' http://127.0.0.1:8080/v1/predict
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"

	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/serve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`ADDRESS` to listen on")
	path := flags.String("data", "", "data `FILE` with classes; without it, three rings are drawn")
	gamma := flags.Float64("gamma", 1, "γ of the Gaussian kernel, for columns of unit variance")
	budget := flags.Float64("budget", 50, "cost of a prediction, in multiples of a linear model's")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data := dataset.Rings(1000, 3, 0.05, 1)
	if *path != "" {
		var err error
		if data, err = dataset.Open(*path, dataset.Options{Task: dataset.Classes}); err != nil {
			return err
		}
	}
	scaling, err := dataset.Standardize(data.X)
	if err != nil {
		return err
	}
	machine, err := svm.Config{Kernel: kernel.Gaussian{Gamma: *gamma}, C: 10}.Fit(ctx, scaling.Apply(data.X), data.Labels, nil)
	if err != nil {
		return err
	}
	_, d := data.Dims()
	model, err := pipeline.New(machine, d, scaling)
	if err != nil {
		return err
	}
	fast, program, err := model.Compile(ctx, predict.Options{Precision: predict.Float32, Budget: *budget, Points: data.X})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %.0f linear models a prediction, error of the outputs %.2g\n",
		program.Options().Method, program.Multiple(), program.Stats().Error)
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "listening on http://%s\n", l.Addr())
	return serve.New(fast, serve.Config{}).Serve(ctx, l)
}
