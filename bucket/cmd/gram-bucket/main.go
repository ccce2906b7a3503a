// Gram-bucket fits a model to files in buckets of objects, with the folder of the job and the model there, too:
//
//	gram-bucket --data 's3://b/part-*.csv.gz' --task regression --method nystrom --set m=512 --work s3://b/w --model s3://b/m.gram
//
// The same command line may run on any number of machines at the same time, and again if it has ended: each makes the pieces that are
// missing, from --first on, and the last one writes the model. Paths of the disk may stand in place of each of the three. See package
// bucket for credentials.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/bucket"
	"github.com/gramworks/gram/store"
)

// list is a flag that may be repeated.
type list struct{ all *[]string }

// String returns the values in order, separated by spaces.
func (l list) String() string {
	if l.all == nil {
		return ""
	}
	return strings.Join(*l.all, " ")
}

// Set adds a value: the flag may be repeated.
func (l list) Set(s string) error {
	*l.all = append(*l.all, s)
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(os.Stderr, "gram-bucket:", err)
		if refused := (*gram.ConfigError)(nil); errors.As(err, &refused) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// run executes the command line args, without the name of the program, until it is done or ctx ends.
func run(ctx context.Context, args []string) error {
	spec := job.Spec{Scale: "auto", Seed: 1}
	var work, model string
	var workers, first int
	f := flag.NewFlagSet("gram-bucket", flag.ExitOnError)
	f.StringVar(&spec.Data, "data", "", "file or pattern")
	f.StringVar(&spec.Task, "task", "", "classes or regression (default: by the targets)")
	f.StringVar(&spec.Target, "target", "", "column of the target")
	f.StringVar(&spec.Method, "method", "", "a method that learns from a stream of rows")
	f.Var(list{&spec.Settings}, "set", "setting of the method, NAME=VALUE; may be repeated")
	f.StringVar(&spec.Scale, "scale", spec.Scale, "scaling of the columns")
	f.Uint64Var(&spec.Seed, "seed", spec.Seed, "seed of all random choices")
	f.Int64Var(&spec.ItemBytes, "item-bytes", 0, "bytes of an item (default: 64 MiB)")
	f.StringVar(&work, "work", "", "folder or prefix that all workers share")
	f.StringVar(&model, "model", "", "model file")
	f.IntVar(&workers, "workers", 0, "largest number of goroutines (default: all)")
	f.IntVar(&first, "first", 0, "number of the item that this process begins with, so that workers begin with different ones")
	if err := f.Parse(args); err != nil {
		return err
	}
	if spec.Data == "" || work == "" || model == "" || spec.Method == "" || f.NArg() > 0 {
		return errors.New("--data, --method, --work and --model are needed; see gram-bucket --help")
	}
	bucket.Register(ctx)
	for _, path := range []*string{&spec.Data, &work, &model} {
		var err error
		if *path, err = store.Abs(*path); err != nil {
			return err
		}
	}
	j, err := job.NewMixed(spec, &job.Table{})
	if err != nil {
		return err
	}
	if uncut := j.Uncut(); uncut != "" {
		fmt.Fprintln(os.Stderr, "gram-bucket: warning:", uncut)
	}
	w, err := job.Create(work, j)
	if err != nil {
		return err
	}
	return fit(ctx, w, model, first, gram.Run{Workers: workers})
}

// fit makes the pieces that are missing, each pass from item first on, and writes the model.
func fit(ctx context.Context, w *job.Work, model string, first int, run gram.Run) error {
	for {
		name, err := w.Next(ctx, run)
		if err != nil {
			return err
		}
		if name == "" {
			break
		}
		pass, err := w.Pass(ctx, name, run)
		if err != nil {
			return err
		}
		n := pass.Pieces()
		for k := range n {
			if err := w.Item(ctx, pass, (first+k)%n, run); err != nil {
				return err
			}
		}
	}
	m, f, err := w.Model(ctx, run)
	if short := (*gram.ConvergenceError)(nil); m != nil && errors.As(err, &short) {
		fmt.Fprintf(os.Stderr, "gram-bucket: warning: %v; the model is stored all the same\n", err)
		err = nil
	}
	if err != nil {
		return err
	}
	if err := job.Save(model, m); err != nil {
		return err
	}
	fmt.Printf("%s: %d rows, %d columns, %d items; %s\n", m.Method, f.Info.N, f.Info.D, len(w.Job.Items), model)
	return nil
}
