// Gram-beam fits models and predicts with them on Apache Beam.
//
//	gram part items --work DIR --data 'part-*.csv' --task regression --method nystrom --set m=512
//	gram-beam fit --work DIR --model MODEL
//	gram-beam predict --work DIR --model MODEL
//
// The command gram part items makes the folder, which says what is fitted to which data; to predict
// other data, it makes another folder. Without flags of Beam the pipeline runs in this process. The
// folder, the data and the model must be at the same path for all workers. A run that failed is
// continued by the same command line. The exit code is 0 for success, 1 for a failure, 2 for a mistake in the
// command line; an error is one line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
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
	work  string
	model string
	stall time.Duration
	loud  bool
)

func define() {
	flag.StringVar(&work, "work", "", "folder of a job, made by gram part items, that all workers share")
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

// Log drops the message, of whatever severity.
func (quiet) Log(context.Context, log.Severity, int, string) {}

type usageError struct{ error }

func run(ctx context.Context, command string) error {
	switch {
	case command != "fit" && command != "predict":
		return usageError{errors.New("the command is fit or predict; see gram-beam --help")}
	case flag.NArg() > 0:
		return usageError{fmt.Errorf("%q is no flag", flag.Arg(0))}
	case work == "":
		return usageError{errors.New("--work is missing: a folder that gram part items has made and all workers share")}
	case model == "":
		return usageError{errors.New("--model is missing")}
	case stall < 0:
		return usageError{fmt.Errorf("--stall is %v, want at least 0", stall)}
	}
	for _, path := range []*string{&work, &model} {
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	w, err := job.Open(work)
	if errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Errorf("%w: gram part items makes it", err)}
	}
	if err != nil {
		return err
	}
	if command == "predict" {
		if err := gramjobs.Predict(ctx, work, model, stall); err != nil {
			return err
		}
		fmt.Printf("%s: predictions of %d items\n", work, len(w.Job.Items))
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
	fmt.Printf("%s: %d rows, %d columns, %d items; %s\n", m.Method, f.Info.N, f.Info.D, len(w.Job.Items), model)
	return nil
}
