package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/gramworks/gram/bench/tables"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/safefile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// tableFlags are the settings of gram table.
type tableFlags struct {
	dir, html    string
	list, asJSON bool
	set          []string
	how          runFlags
	repeats      int
	quick        bool
}

func newTable() *cobra.Command {
	var o tableFlags
	c := &cobra.Command{
		Use:   "table ID",
		Short: "Reproduce a table or figure of a paper",
		Long: `table runs the methods of a table or figure on the data sets at hand and prints,
for each data set and method, the paper's value and the one just computed.
gram table --list names the tables.

--json writes one object a line: table, dataset, method, metric, paper, got, std,
seconds, bytes, note. paper is null where the paper prints no figure, got where
none could be computed; a data set that is not at hand gives rows with the note
"no data". got is the mean over the repeats and std the standard deviation
between them.

The data sets are those of --data, or of the directory that GRAM_DATA names.`,
		Example: `  gram table --list
  gram table 3.7 --data ~/data --quick
  gram table fig-3.8 --html fig-3.8.html
  gram table 3.7 --set k=64 --repeats 10 --seed 7 --json`,
		Args: cobra.MaximumNArgs(1),
	}
	o.define(c.Flags())
	c.RunE = action(func(ctx context.Context, c *cobra.Command, args []string) error { return o.run(ctx, c, args) }).runE
	return c
}

func (o *tableFlags) define(f *pflag.FlagSet) {
	f.BoolVar(&o.list, "list", false, "list the tables and stop")
	f.StringVar(&o.dir, "data", "", "`DIR` with the data sets")
	f.BoolVar(&o.asJSON, "json", false, "one JSON object a line")
	f.StringVar(&o.html, "html", "", "write a page, with plots of figures, to `FILE`, too")
	f.IntVar(&o.repeats, "repeats", 0, "repeats with other seeds; 0: as the table says")
	f.BoolVar(&o.quick, "quick", false, "fewer repeats or rows, under 40 s on two cores")
	f.Uint64Var(&o.how.seed, "seed", 0, "seed of the first repeat")
	f.IntVar(&o.how.workers, "workers", 0, "goroutines; 0: one per core")
	f.StringArrayVar(&o.set, "set", nil, "a setting of the table, `k=v`; may be repeated")
}

func (o *tableFlags) run(ctx context.Context, c *cobra.Command, args []string) error {
	out := c.OutOrStdout()
	if o.list {
		for _, t := range tables.All() {
			fmt.Fprintf(out, "%-12s %s\n", t.ID, t.Title)
		}
		return nil
	}
	if len(args) == 0 {
		return usagef("which table? --list names them")
	}
	t, err := tables.Find(args[0])
	if err != nil {
		return usageError{err}
	}
	b := newBar(c.ErrOrStderr())
	defer b.close()
	env, err := o.env(b)
	if err != nil {
		return err
	}
	var rows []tables.Row
	enc := json.NewEncoder(out)
	var writeErr error
	runCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = t.Run(runCtx, env, func(r tables.Row) {
		rows = append(rows, r)
		if o.asJSON && writeErr == nil {
			b.close()
			if writeErr = enc.Encode(r); writeErr != nil {
				cancel()
			}
		}
	})
	b.close()
	if writeErr != nil {
		return writeErr
	}
	if err != nil {
		return err
	}
	if !o.asJSON {
		if err := tables.WriteText(out, t, rows); err != nil {
			return err
		}
	}
	if o.html != "" {
		return safefile.Write(o.html, func(w io.Writer) error { return tables.WriteHTML(w, t, rows) })
	}
	return nil
}

// env checks the settings and says how and on what a table runs.
func (o *tableFlags) env(b *bar) (tables.Env, error) {
	var env tables.Env
	if o.repeats < 0 {
		return env, usagef("--repeats is %d, want at least 0", o.repeats)
	}
	run, err := o.how.run(0, b)
	if err != nil {
		return env, err
	}
	env = tables.Env{Repeats: o.repeats, Quick: o.quick, Set: map[string]string{}, Run: run}
	for _, kv := range o.set {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return env, usagef("--set %q, want k=v", kv)
		}
		env.Set[k] = v
	}
	dir, err := findData(o.dir)
	if dir != "" {
		env.Data = protocol.At(dir)
	}
	return env, err
}

// findData returns the directory named by --data, else the one that GRAM_DATA
// names, else none.
func findData(dir string) (dataset.Dir, error) {
	if dir != "" {
		info, err := os.Stat(dir)
		if err != nil {
			return "", err
		}
		if !info.IsDir() {
			return "", &fs.PathError{Op: "open", Path: dir, Err: fmt.Errorf("not a directory")}
		}
		return dataset.Dir(dir), nil
	}
	d, err := dataset.FindDir()
	if os.Getenv("GRAM_DATA") == "" {
		return "", nil // all rows will say so
	}
	return d, err
}
