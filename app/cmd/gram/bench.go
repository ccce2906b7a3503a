package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/gramworks/gram/app/page"
	"io"
	"regexp"
	"slices"

	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/modelfile"
	"github.com/spf13/cobra"
)

const benchHelp = `bench measures the kernels of the module in pure Go and at every level that the CPU
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
measured with one thread and with GOMAXPROCS threads.`

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
		Long:  benchHelp,
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
		if list && (asJSON || html != "") {
			return usagef("--list measures nothing: --json and --html are for measurements")
		}
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
			if err := modelfile.WriteFile(html, func(w io.Writer) error { return writeBench(w, m, rows) }); err != nil {
				return err
			}
		}
		return runErr
	}).runE
	return c
}

// writeBench writes rows as a page with a plot per kernel and type: GFLOP/s
// where flops are counted, else GB/s, for every level. The axis ends at the highest
// ceiling, which is the peak where a case is bound by arithmetic.
func writeBench(w io.Writer, m bench.Machine, rows []bench.Row) error {
	p := page.Page{Title: "gram bench"}
	p.Text(m.String())
	p.Text("Medians of interleaved runs. A ceiling is what the same level and number of threads reach with nothing but " +
		"multiply-adds (fma), additions (add) or both (add+fma) in registers, or in moving as much memory; the one that binds is shown.")
	type chart struct {
		kernel, typ string
		threads     int
	}
	var order []chart
	for _, r := range rows {
		if c := (chart{r.Kernel, r.Type, r.Threads}); !slices.Contains(order, c) {
			order = append(order, c)
		}
	}
	for _, c := range order {
		var mine []bench.Row
		for _, r := range rows {
			if r.Kernel == c.kernel && r.Type == c.typ && r.Threads == c.threads {
				mine = append(mine, r)
			}
		}
		if err := p.Chart(plotBench(c.kernel, c.typ, c.threads, mine)); err != nil {
			return err
		}
	}
	p.Heading("All figures")
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, r.Cells())
	}
	p.Table(bench.Head(), cells)
	return p.Write(w)
}

// plotBench returns the chart of one kernel and type.
func plotBench(kernel, typ string, threads int, rows []bench.Row) page.Chart {
	unit, value := "GB/s", func(r bench.Row) float64 { return r.GBs }
	if rows[0].GFlops > 0 {
		unit, value = "GFLOP/s", func(r bench.Row) float64 { return r.GFlops }
	}
	c := page.Chart{Title: fmt.Sprintf("%s, %s, threads: %d", kernel, typ, threads), Y: unit, Zero: true}
	var levels []string
	for _, r := range rows {
		if !slices.Contains(c.Ticks, r.Shape) {
			c.Ticks = append(c.Ticks, r.Shape)
		}
		if !slices.Contains(levels, r.Level) {
			levels = append(levels, r.Level)
		}
	}
	for i, l := range levels {
		s := page.Series{Name: l}
		top := page.Series{Name: "ceiling of " + l, Like: l, Dashed: true}
		for _, r := range rows {
			if r.Level == l {
				x := float64(slices.Index(c.Ticks, r.Shape))
				s.X, s.Y = append(s.X, x), append(s.Y, value(r))
				ceiling := 100 * value(r) / r.PctCeiling
				top.X, top.Y = append(top.X, x), append(top.Y, ceiling)
				c.Top = max(c.Top, ceiling)
			}
		}
		c.Series = append(c.Series, s)
		if i == len(levels)-1 {
			c.Series = append(c.Series, top)
		}
	}
	return c
}
