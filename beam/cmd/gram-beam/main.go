// Gram-beam fits models and predicts with them on Apache Beam.
//
//	gram-beam fit --data 'part-*.csv' --task regression --method nystrom --set m=512 --work DIR --model MODEL
//	gram-beam predict --data 'new-*.csv' --work DIR --model MODEL
//
// Without flags of Beam it runs the pipeline in this process. The folder --work, the data and
// the model must be at the same path for all workers. A run that failed is continued by the
// same command line. The exit code is 0 for success, 1 for a failure, 2 for a mistake in the
// command line; an error is one line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/job"
	gramjobs "github.com/gramworks/gram/beam"
	"github.com/gramworks/gram/blas"
)

var (
	spec  job.Spec
	work  string
	model string
	stall time.Duration
	loud  bool
)

func define() {
	flag.StringVar(&spec.Data, "data", "", "file or pattern of files")
	flag.StringVar(&spec.Format, "format", "", "format of the data (default: by the files)")
	flag.StringVar(&spec.Task, "task", "", "kind of the target (default: by the files)")
	flag.StringVar(&spec.Target, "target", "", "column of the target of CSV files")
	flag.BoolVar(&spec.NoHeader, "no-header", false, "the first line of a CSV file is a row")
	flag.BoolVar(&spec.DecimalComma, "decimal-comma", false, "numbers of a CSV file are written as 3,5")
	flag.BoolVar(&spec.FormattedNumbers, "formatted-numbers", false, "numbers of a CSV file may be written as 1,234.50, 12 % or $ 3")
	flag.IntVar(&spec.Dim, "dim", 0, "number of columns of LIBSVM files (default: by the files)")
	flag.StringVar(&spec.Method, "method", "linear", "method: linear, nystrom, rff, fastnys, pseudo, dc-krr, bka-svm, or another one with --cap")
	flag.Func("set", "setting of the method, NAME=VALUE; may be repeated", func(s string) error {
		spec.Settings = append(spec.Settings, s)
		return nil
	})
	flag.StringVar(&spec.Scale, "scale", "auto", "scaling of the columns, as for gram fit: auto, none, minmax, unit, standard or rows")
	flag.Uint64Var(&spec.Seed, "seed", 1, "seed of all random choices")
	flag.Int64Var(&spec.ItemBytes, "item-bytes", 0, "size of an item (default: 64 MiB)")
	flag.IntVar(&spec.Sample, "sample", 0, "rows that the feature map is fitted to (default: 20000)")
	flag.IntVar(&spec.Cap, "cap", 0, "divide the rows into parts of at most so many, each with a model of its own (default: 3000 for dc-krr and bka-svm, else not)")
	flag.StringVar(&work, "work", "", "folder that all workers share")
	flag.StringVar(&model, "model", "", "model file")
	flag.DurationVar(&stall, "stall", 15*time.Minute, "end when no state has been made for so long, because an engine may wait for a dead worker for ever; 0: never")
	flag.BoolVar(&loud, "verbose", false, "show the messages of Beam")
}

func main() {
	define()
	// A worker is started with the flags of Beam alone.
	command := ""
	args := os.Args[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	if err := flag.CommandLine.Parse(args); err != nil {
		os.Exit(2)
	}
	if self, err := os.Executable(); err == nil && flag.Lookup("worker_binary").Value.String() == "" {
		_ = flag.Set("worker_binary", self) // or else Beam compiles the program anew
	}
	blas.SetThreads(1)     // the engine has many pieces at a time
	debug.SetGCPercent(25) // states are few and large: looking for garbage costs little
	beam.Init()            // does not return in a worker
	if !loud {
		log.SetLogger(quiet{})
		slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, command); err != nil {
		fmt.Fprintln(os.Stderr, "gram-beam:", gramjobs.Cause(err))
		var usage usageError
		if errors.As(err, &usage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// quiet is a logger of Beam that writes nothing.
type quiet struct{}

// Log drops the message.
func (quiet) Log(context.Context, log.Severity, int, string) {}

type usageError struct{ error }

func run(ctx context.Context, command string) error {
	switch {
	case command != "fit" && command != "predict":
		return usageError{errors.New("the command is fit or predict; see gram-beam --help")}
	case flag.NArg() > 0:
		return usageError{fmt.Errorf("%q is no flag", flag.Arg(0))}
	case spec.Data == "":
		return usageError{errors.New("--data is missing")}
	case work == "":
		return usageError{errors.New("--work is missing: a folder that all workers share")}
	case model == "":
		return usageError{errors.New("--model is missing")}
	case stall < 0:
		return usageError{fmt.Errorf("--stall is %v, want at least 0", stall)}
	}
	for _, path := range []*string{&spec.Data, &work, &model} {
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	j, err := job.NewMixed(spec, &job.Table{})
	if refused := (*gram.ConfigError)(nil); errors.As(err, &refused) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if _, err := job.Create(work, j); err != nil {
		return err
	}
	if command == "predict" {
		if err := gramjobs.Predict(ctx, work, model, stall); err != nil {
			return err
		}
		fmt.Printf("%s: predictions of %d items\n", work, len(j.Items))
		return nil
	}
	m, f, err := gramjobs.Fit(ctx, work, gram.Run{}, stall)
	if short := (*gram.ConvergenceError)(nil); m != nil && errors.As(err, &short) {
		fmt.Fprintf(os.Stderr, "gram-beam: warning: %v; the model is stored all the same\n", err)
		err = nil
	}
	if err != nil {
		return err
	}
	if err := job.Save(model, m); err != nil {
		return err
	}
	fmt.Printf("%s: %d rows, %d columns, %d items; %s\n", m.Method, f.Info.N, f.Info.D, len(j.Items), model)
	return nil
}
