package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"github.com/gramworks/gram/app/figures"
	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/app/papers/record"
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

gram bench methods fits the methods of docs/choosing.md to four data sets of --data by the
commands listed there: test scores, user and system time of gram fit, operations of a
prediction in multiples of a linear model's, and bytes of the model. gram bench defaults
compares the defaults of every method with the best of eight settings drawn from its ranges,
on 1000 rows of eight data sets in three folds. It fails if the defaults of a method are worse
than a constant. All three take minutes on two cores, defaults half an hour.

--record is for a checkout of the project and a program that go build -buildvcs=true made of
it. It stores the run, with what other programs did meanwhile, in app/figures/results, and
gram table --docs docs writes the pages. A later run takes the place of the earlier one.

GRAM_LEVEL sets the highest level that is measured. Kernels with several threads are
measured with one thread and with GOMAXPROCS threads.`

type benchFlags struct {
	match, html   string
	dir           string
	record, peers string
	quick, asJSON bool
	list          bool
	pattern       *regexp.Regexp // match, compiled; nil if match is empty
}

func newBench() *cobra.Command {
	var o benchFlags
	c := &cobra.Command{
		Use:   "bench [kernels | methods | defaults]",
		Short: "Measure every kernel at every level and compare it with ceilings of the same run",
		Long:  benchHelp,
		Example: `  gram bench --quick
  gram bench --run '^gemm/float64' --json
  gram bench --run 'fwht|haar' --html bench.html
  gram bench --record epyc-zen3
  gram bench methods --data ~/data --record epyc-zen3`,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"kernels", "methods", "defaults"},
	}
	f := c.Flags()
	f.StringVar(&o.match, "run", "", "measure only kernels whose kernel/type/n, or defaults whose data/method, matches the `REGEXP`")
	f.BoolVar(&o.quick, "quick", false, "measure fewer sizes and runs, in less than 30 s; for defaults fewer data sets")
	f.BoolVar(&o.asJSON, "json", false, "write one JSON object per line")
	f.StringVar(&o.html, "html", "", "also write a page with plots of the kernels to `FILE`")
	f.BoolVar(&o.list, "list", false, "list the cases of the kernels and stop")
	f.StringVar(&o.dir, "data", "", "`DIR` with the data sets of methods and defaults")
	f.StringVar(&o.record, "record", "", "store the run in the checkout, under the `NAME` of this machine")
	f.StringVar(&o.peers, "peers", "", "with --record, measure nothing and store the comparisons in `FILE`, which bench/peers -json has written")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, args []string) error {
		what := "kernels"
		if len(args) > 0 {
			what = args[0]
		}
		return o.run(ctx, c, what)
	}).runE
	return c
}

func (o *benchFlags) run(ctx context.Context, c *cobra.Command, suite string) error {
	if err := o.check(suite); err != nil {
		return err
	}
	root := ""
	if o.record != "" {
		var err error
		if root, err = record.Root(); err == nil {
			err = record.Unchanged(root, bench.Revision())
		}
		if err != nil {
			return err
		}
	}
	b := newBar(c.ErrOrStderr())
	defer b.close()
	var runs []figures.Run
	var err error
	switch {
	case o.peers != "":
		runs, err = readPeers(o.peers)
	case suite == "methods":
		runs, err = o.methods(ctx, c.OutOrStdout(), b)
	case suite == "defaults":
		runs, err = o.defaults(ctx, c.OutOrStdout(), b)
	default:
		runs, err = o.kernels(ctx, c.OutOrStdout(), b)
	}
	if err != nil || o.record == "" {
		return err
	}
	return figures.Record(root, o.record, bench.Revision(), runs...)
}

// check says which flags do not go together.
func (o *benchFlags) check(suite string) error {
	if o.match != "" {
		var err error
		if o.pattern, err = regexp.Compile(o.match); err != nil {
			return usagef("--run: %w", err)
		}
	}
	switch {
	case suite != "kernels" && (o.list || o.html != ""):
		return usagef("--list and --html are for kernels alone")
	case o.list && (o.asJSON || o.html != "" || o.record != ""):
		return usagef("--list measures nothing: --json, --html and --record are for measurements")
	case suite == "methods" && (o.match != "" || o.quick):
		return usagef("--run and --quick are for kernels and defaults")
	case o.record == "" && o.peers != "":
		return usagef("--peers needs --record: the comparisons are stored")
	case o.record != "" && o.match != "":
		return usagef("--record stores whole runs: leave --run out")
	}
	if o.record != "" {
		if err := figures.CheckName(o.record); err != nil {
			return usagef("--record: %w", err)
		}
	}
	return nil
}

func readPeers(name string) ([]figures.Run, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	runs, err := figures.ReadPeers(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return runs, nil
}

// kernels measures the kernels that --run selects and writes the speeds to out and to the page of --html; --list only names them.
// A *bench.CeilingError comes with the run.
func (o *benchFlags) kernels(ctx context.Context, out io.Writer, b *bar) ([]figures.Run, error) {
	how := bench.Options{Match: o.pattern, Quick: o.quick, Progress: b.step}
	cases := bench.Cases(how)
	if len(cases) == 0 {
		return nil, usagef("--run %q matches no kernel; --list shows them", o.match)
	}
	if o.list {
		for _, k := range cases {
			fmt.Fprintf(out, "%s/%s/%d\t%s\n", k.Kernel, k.Type, k.N, k.Shape)
		}
		return nil, nil
	}
	if err := writable(o.html); err != nil {
		return nil, err
	}
	run := &figures.Kernels{Quick: o.quick}
	stamp := bench.Watch()
	enc := json.NewEncoder(out)
	runErr := bench.Run(ctx, how, func(r bench.Row) error {
		run.Rows = append(run.Rows, r)
		if o.asJSON {
			return enc.Encode(r)
		}
		return nil
	})
	run.Stamp = stamp()
	b.close()
	var above *bench.CeilingError
	if runErr != nil && !errors.As(runErr, &above) {
		return nil, runErr
	}
	if !o.asJSON {
		if err := bench.WriteTable(out, run.Machine, run.Rows); err != nil {
			return nil, err
		}
	}
	if o.html != "" {
		if err := modelfile.WriteFile(o.html, func(w io.Writer) error { return writeBench(w, run.Machine, run.Rows) }); err != nil {
			return nil, err
		}
	}
	return []figures.Run{run}, runErr
}

// methods measures whole fits to the data sets by running this program.
func (o *benchFlags) methods(ctx context.Context, out io.Writer, b *bar) ([]figures.Run, error) {
	dir, err := findData(o.dir)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return nil, usagef("--data or GRAM_DATA must name the folder of the data sets")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	all, err := figures.MeasureMethods(ctx, figures.Process(self), dir, b.step)
	b.close()
	if err != nil {
		return nil, err
	}
	var runs []figures.Run
	for _, m := range all {
		runs = append(runs, m)
		for _, f := range m.Rows {
			if err := o.print(out, f, "%s %s: %v, %.3g CPU seconds, %.4g operations, %d bytes\n", m.Data, f.Flags, f.Scores, f.Seconds, f.Operations, f.Bytes); err != nil {
				return nil, err
			}
		}
	}
	return runs, nil
}

// print writes a row as JSON or as a line.
func (o *benchFlags) print(out io.Writer, row any, format string, args ...any) error {
	if o.asJSON {
		return json.NewEncoder(out).Encode(row)
	}
	_, err := fmt.Fprintf(out, format, args...)
	return err
}

// defaults compares the defaults of methods with settings drawn from their ranges.
func (o *benchFlags) defaults(ctx context.Context, out io.Writer, b *bar) ([]figures.Run, error) {
	dir, err := findData(o.dir)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return nil, usagef("--data or GRAM_DATA must name the folder of the data sets")
	}
	run, err := figures.MeasureDefaults(ctx, dir, o.quick, o.pattern, func(d figures.Default) error {
		fixed := "none chosen by folds"
		if d.Fixed != nil {
			fixed = fmt.Sprintf("%.5g fixed", *d.Fixed)
		}
		return o.print(out, d, "%s %s: default %.5g, %s, best %.5g, %.3g s\n", d.Data, d.Method, d.Default, fixed, d.Best, d.Seconds)
	})
	if err != nil {
		return nil, err
	}
	return []figures.Run{run}, nil
}

// writeBench writes rows as a page with a plot per kernel and type: GFLOP/s
// where flops are counted, else GB/s, for every level. The axis ends at the highest
// ceiling, which is the peak where a case is bound by arithmetic.
func writeBench(w io.Writer, m bench.Machine, rows []bench.Row) error {
	p := page.Page{Title: "gram bench"}
	benchOverview(&p, rows)
	p.Text(m.String())
	p.Text("Medians of interleaved runs. A ceiling is what the same level and number of threads reach with nothing but " +
		"multiply-adds (fma), additions (add) or both (add+fma) in registers, or in moving as much memory; the one that binds is shown.")
	p.Heading("Kernels by size")
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
		if err := p.Chart(figures.Chart(mine)); err != nil {
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

// benchOverview adds the headline of a page of rows, and bars of how near the highest level comes to its ceilings, and of how
// many times as fast as pure Go it is, each for the best size of a kernel with one thread.
func benchOverview(p *page.Page, rows []bench.Row) {
	highest := "generic"
	for _, r := range rows {
		if r.Level != "generic" {
			highest = r.Level // the levels of a kernel ascend
		}
	}
	var best []bench.Row // the row nearest to its ceiling of each kernel and type
	for _, r := range rows {
		if r.Level != highest || r.Threads != rows[0].Threads {
			continue
		}
		i := slices.IndexFunc(best, func(b bench.Row) bool { return b.Kernel == r.Kernel && b.Type == r.Type })
		switch {
		case i < 0:
			best = append(best, r)
		case r.PctCeiling > best[i].PctCeiling:
			best[i] = r
		}
	}
	median := func(of func(bench.Row) float64) float64 {
		var v []float64
		for _, r := range best {
			v = append(v, of(r))
		}
		slices.Sort(v)
		return v[len(v)/2]
	}
	noisy := 0
	for _, r := range rows {
		if r.Note != "" {
			noisy++
		}
	}
	ceiling, speedup := func(r bench.Row) float64 { return r.PctCeiling }, func(r bench.Row) float64 { return r.VsGeneric }
	text := fmt.Sprintf("%s: at level %s half of them reach %.0f %% or more of what the machine can do at their best size", plural(len(best), "kernel"), highest, median(ceiling))
	if highest != "generic" {
		text += fmt.Sprintf(", and are %.3g times as fast as pure Go or more", median(speedup))
	}
	if noisy > 0 {
		text += fmt.Sprintf("; %d of %d measurements have a note, see the table", noisy, len(rows))
	}
	p.Lead(text + ".")
	bars := func(title, form string, of func(bench.Row) float64) {
		var all []page.Bar
		slices.SortStableFunc(best, func(a, b bench.Row) int { return cmp.Compare(of(b), of(a)) })
		for _, r := range best {
			all = append(all, page.Bar{Name: r.Kernel + " " + r.Type, Text: fmt.Sprintf(form, of(r)), Value: of(r)})
		}
		p.Bars(title, all)
	}
	bars("Percent of the ceiling at the best size", "%.0f %%", ceiling)
	if highest != "generic" {
		bars("Times as fast as pure Go there", "%.3gx", speedup)
	}
}
