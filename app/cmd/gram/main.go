// Gram is the command line of the gram module: it trains kernel methods on files,
// predicts with stored models, compares methods and measures the kernels of this
// machine.
//
//	gram compare                              methods side by side on a generated problem
//	gram fit --method nystrom --data FILE -o MODEL
//	gram eval --model MODEL --data FILE
//	gram bench --quick                        kernels against their ceilings
//	gram info                                 CPU, level, caches, self-test
//	gram tune                                 block sizes for this CPU
//
// gram COMMAND --help explains the other commands and all flags. The exit code is
// 0 for success, 1 for a failure, 2 for a mistake in the command line or in
// GRAM_LEVEL, and 3 if gram tune --check cannot tell. An error is one line on
// standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/blas/openblas"
	"github.com/spf13/cobra"
)

func main() { os.Exit(process(os.Stderr)) }

// process executes the command line of this process and returns the exit code.
func process(stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	return run(ctx, os.Args[1:], os.Stdout, stderr)
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	return execute(ctx, newRoot(catalog.Find), args, stdout, stderr)
}

// execute runs the command line args of root.
func execute(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) (code int) {
	name := "gram"
	defer func() {
		// Input should cause errors and no panics. If there is a panic all the
		// same, the user gets one line.
		if p := recover(); p != nil {
			if os.Getenv("GOTRACEBACK") != "" {
				panic(p)
			}
			fmt.Fprintf(stderr, "%s: internal error: %v (GOTRACEBACK=all shows where)\n", name, oneLine(fmt.Sprint(p)))
			code = 1
		}
	}()
	out := &firstErrorWriter{w: stdout}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	name = cmd.CommandPath()
	if err == nil && out.err != nil {
		err = &failure{out.err}
	}
	if err == nil {
		return 0
	}
	var failed *failure
	if errors.As(err, &failed) {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			fmt.Fprintf(stderr, "%s: interrupted\n", name)
			return 1
		}
		fmt.Fprintf(stderr, "%s: %s%s\n", name, oneLine(err.Error()), remedies(cmd, err))
		var open *undecided
		if errors.As(err, &open) {
			return 3
		}
		return 1
	}
	fmt.Fprintf(stderr, "%s: %s (see %s --help)\n", name, oneLine(err.Error()), name)
	return 2
}

// firstErrorWriter is standard output that keeps its first error and writes nothing after
// it, so that commands need not check every line they print.
type firstErrorWriter struct {
	w   io.Writer
	err error
}

// Write writes p unless a write has failed before.
func (s *firstErrorWriter) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}

// failure marks an error of a command whose command line was right. All other
// errors are mistakes in the command line.
type failure struct{ error }

// Unwrap returns the marked error, for errors.Is and errors.As.
func (f *failure) Unwrap() error { return f.error }

// undecided is the failure of a check that could not tell the answer.
type undecided struct{ error }

// usageError is a mistake in the command line that only the command itself can find.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// action is the body of a command. Its errors are failures of the work, unless they are of type usageError.
type action func(ctx context.Context, cmd *cobra.Command, args []string) error

// runE runs the action and turns its error into a failure, unless it is a
// usageError.
func (a action) runE(cmd *cobra.Command, args []string) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // as memoryLimit.collect found it
	ctx := cmd.Context()
	run := func() (result struct{}, err error) { return result, a(ctx, cmd, args) }
	var err error
	if writesPipe(cmd, args) { // opening a pipe waits for its other end, whatever ctx says
		_, err = par.Await(ctx, run)
	} else {
		_, err = run()
	}
	if f := cmd.Flags().Lookup("memory-limit"); f != nil {
		f.Value.(*memoryLimit).whole(err)
	}
	var usage usageError
	if err == nil || errors.As(err, &usage) {
		return err
	}
	return &failure{err}
}

// writesPipe reports whether a file that the command writes is a pipe.
func writesPipe(cmd *cobra.Command, args []string) bool {
	var paths []string
	if len(args) > 1 {
		paths = append(paths, args[1:]...) // behind the input
	}
	for _, name := range []string{"output", "out", "html"} {
		if f := cmd.Flags().Lookup(name); f != nil {
			paths = append(paths, f.Value.String())
		}
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode()&fs.ModeNamedPipe != 0
	})
}

func newRoot(find methods) *cobra.Command {
	root := &cobra.Command{
		Use:   "gram",
		Short: "Kernel methods at scale",
		Long: `gram trains kernel methods on files, predicts with stored models, compares
methods and measures the kernels of this machine.

Data files are LIBSVM text or one of the other formats of gram convert --help, plain or
gzipped. The environment variable GRAM_LEVEL=generic|avx2|avx512|neon chooses the instructions
that the kernels may use. With another value, or one that the CPU lacks, no command runs and
the exit code is 2.`,
		Example: `  gram compare
  gram fit --method nystrom --data train.libsvm.gz -o model.gram --set m=512 --set gamma=0.5
  gram eval --model model.gram --data test.libsvm.gz
  gram bench --quick`,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	name := root.PersistentFlags().String("backend", "native", "backend of linear algebra: native, gonum, or openblas if it was built in")
	silent := root.PersistentFlags().BoolP("quiet", "q", false, "show no progress on standard error")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if *silent {
			root.SetErr(noProgress{root.ErrOrStderr()})
		}
		if err := cpu.EnvError(); err != nil {
			return usageError{err}
		}
		switch *name {
		case "native": // in force
		case "gonum":
			blas.Use(blas.Gonum)
		case "openblas":
			b, err := openblas.New()
			if err != nil {
				return &failure{err}
			}
			blas.Use(b)
		default:
			return usagef("--backend is %q, want native, gonum or openblas", *name)
		}
		return nil
	}
	root.Version = thisVersion().String()
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(
		newFit(find),
		newPredict(),
		newEval(),
		newExplain(),
		newCompile(),
		newServe(),
		newCompare(),
		newBench(),
		newInfo(),
		newInspect(),
		newTune(),
		newTable(),
		newConvert(),
		newSplit(),
		newPart(),
		newSignature(),
		newVersion(),
		newMan(),
	)
	sayMistakes(root)
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = func(_ *cobra.Command, args []string) error {
			if c, rest, err := root.Find(args); err != nil || len(rest) > 0 {
				return usagef("%s has no command %q", c.CommandPath(), rest[0])
			}
			return nil
		}
	}
	return root
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
