package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/internal/safefile"
	"github.com/spf13/cobra"
)

func newBench() *cobra.Command {
	var (
		match, html   string
		quick, asJSON bool
		list          bool
		compile       *regexp.Regexp
	)
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure every kernel at every level and compare it with ceilings of the same run",
		Long: `bench measures the kernels of the module in pure Go and at every level that the CPU
has, and compares them with ceilings of the machine: the rate of multiply-adds, of
additions or of a mix of both from registers, and the speed of memory for the same
working set. Everything is measured in turn. A kernel that is faster than its ceiling
is a failed measurement. It is repeated, and if it fails again the exit code is 1. If
the runs of the kernel or of the ceiling differ by as much, the note is "noisy, repeat"
instead. A note also says when a level is slower than the next lower level.

--json writes one object per line: kernel, type, n (length or order), shape, level,
threads, ns (median time of a call), gflops and gbs (0 if they are not counted),
vs_generic (speed-up over the generic version), pct_ceiling, ceiling (the lowest
ceiling, with its figure), and note, if there is one.

GRAM_LEVEL sets the highest level that is measured. Kernels with several threads are
measured with one thread and with GOMAXPROCS threads.`,
		Example: `  gram bench --quick
  gram bench --run '^gemm/float64' --json
  gram bench --run 'fwht|haar' --html bench.html`,
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.StringVar(&match, "run", "", "measure only kernels whose kernel/type/n matches the `REGEXP`")
	f.BoolVar(&quick, "quick", false, "measure fewer sizes and runs, in less than 30 s")
	f.BoolVar(&asJSON, "json", false, "write one JSON object per line")
	f.StringVar(&html, "html", "", "also write a page with plots to `FILE`")
	f.BoolVar(&list, "list", false, "list the cases and stop")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		var err error
		if match != "" {
			if compile, err = regexp.Compile(match); err != nil {
				return usagef("--run: %w", err)
			}
		}
		o := bench.Options{Match: compile, Quick: quick}
		cases := bench.Cases(o)
		if len(cases) == 0 {
			return usagef("--run %q matches no kernel; --list shows them", match)
		}
		out := c.OutOrStdout()
		if list {
			for _, k := range cases {
				fmt.Fprintf(out, "%s/%s/%d\t%s\n", k.Kernel, k.Type, k.N, k.Shape)
			}
			return nil
		}
		if err := writable(html); err != nil {
			return err
		}
		b := newBar(c.ErrOrStderr())
		defer b.close()
		o.Progress = b.step
		var rows []bench.Row
		enc := json.NewEncoder(out)
		runErr := bench.Run(ctx, o, func(r bench.Row) error {
			rows = append(rows, r)
			if asJSON {
				return enc.Encode(r)
			}
			return nil
		})
		b.close()
		var above *bench.CeilingError
		if runErr != nil && !errors.As(runErr, &above) {
			return runErr
		}
		m := bench.Here()
		if !asJSON {
			if err := bench.WriteTable(out, m, rows); err != nil {
				return err
			}
		}
		if html != "" {
			if err := safefile.Write(html, func(w io.Writer) error { return bench.WriteHTML(w, m, rows) }); err != nil {
				return err
			}
		}
		return runErr
	}).runE
	return c
}
