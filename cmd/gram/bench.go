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
		Short: "Measure every kernel at every level, against ceilings of the same run",
		Long: `bench measures the kernels of the module at every level the CPU has, interleaved,
next to their pure-Go versions and to what the machine can do at all: the rate of
multiply-adds, additions or a mix of both from registers, and the speed of memory
at the same working set. A kernel above its ceiling is a failed measurement: it is
repeated, and if it stays there the exit code is 1, unless its runs or those of the
ceiling differ by as much: then its note is "noisy, repeat". A level that is slower
than the next lower one has a note that says so.

--json writes one object a line: kernel, type, n (length or order), shape, level,
threads, ns (median time of a call), gflops and gbs (0 where not counted),
vs_generic (speed-up over the generic version), pct_ceiling, ceiling: the one
that binds, with its figure, and note, if there is one.

GRAM_LEVEL sets the highest level that is measured, GOMAXPROCS the number of
threads beside one.`,
		Example: `  gram bench --quick
  gram bench --run '^gemm/float64' --json
  gram bench --run 'fwht|haar' --html bench.html`,
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.StringVar(&match, "run", "", "only kernels whose kernel/type/n matches the `REGEXP`")
	f.BoolVar(&quick, "quick", false, "fewer sizes and runs, under 30 s in all")
	f.BoolVar(&asJSON, "json", false, "one JSON object a line")
	f.StringVar(&html, "html", "", "write a page with plots to `FILE`, too")
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
