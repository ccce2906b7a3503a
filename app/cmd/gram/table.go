package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gramworks/gram/app/figures"
	"github.com/gramworks/gram/app/papers"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/app/papers/record"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type tableFlags struct {
	dir, html    string
	docs         string
	list, asJSON bool
	record       bool
	check        int
	maxSeconds   float64
	set          []string
	runFlags     runFlags
	repeats      int
	quick        bool
}

func newTable() *cobra.Command {
	var o tableFlags
	c := &cobra.Command{
		Use:   "table ID",
		Short: "Reproduce a table or figure of a paper",
		Long: `table runs the methods of a table or figure and prints, for each data set and method,
the paper's value and the value just computed. The data sets are those in the directory
--data, or in the directory that GRAM_DATA names. gram table --list names the papers.

--json writes one object: the table, a run with the processor, the level, the revision,
the date, the seed and the settings, and rows with dataset, method, metric, paper, got,
std, repeats, seconds, bytes and note. paper is null if the paper prints no figure, and
got is null if none could be computed; if a data set is missing, the note is "no data".
got is the mean over the repeats and std their standard deviation; paired holds mean
differences from other methods over the same repeats, with their standard errors.
Results that are stored in the repository have this form, and --docs writes the page
that shows them, together with the pages of the figures that gram bench --record stored.

--quick takes fewer repeats, rows or settings; every row says what was reduced. --set
only=NAME,NAME chooses the data sets.

--record and --check are for a checkout of the project. --record stores the run among the
results, with the revision that the program was built from and a hash of the code that the
table is computed with; the checkout must be as it is there. --check N says which stored
runs are older than their code or were not recorded, and runs N rows of the others again,
which --seed draws: a row that is not the stored one in five digits is an error.`,
		Example: `  gram table --list
  gram table 3.7 --data ~/data --quick
  gram table fig-3.8 --html fig-3.8.html
  gram table 3.7 --set k=64 --repeats 10 --seed 7 --json
  gram table --check 3 --data ~/data`,
		Args: cobra.MaximumNArgs(1),
	}
	o.define(c.Flags())
	c.RunE = action(func(ctx context.Context, c *cobra.Command, args []string) error { return o.run(ctx, c, args) }).runE
	return c
}

func (o *tableFlags) define(f *pflag.FlagSet) {
	f.BoolVar(&o.list, "list", false, "list the tables and stop")
	f.StringVar(&o.dir, "data", "", "`DIR` with the data sets")
	f.BoolVar(&o.asJSON, "json", false, "write the run and its rows as JSON")
	f.StringVar(&o.docs, "docs", "", "write tables.md, figures/ and their pictures, and the tables of choosing.md and performance.md there, from the stored results into `DIR`, and stop")
	f.BoolVar(&o.record, "record", false, "store the run in the checkout")
	f.IntVar(&o.check, "check", -1, "say which stored runs are old, and run `N` rows of the others again")
	f.Float64Var(&o.maxSeconds, "most", 20, "with --check, leave rows out whose run took more `SECONDS`")
	f.StringVar(&o.html, "html", "", "also write a page, with plots of figures, to `FILE`")
	f.IntVar(&o.repeats, "repeats", 0, "number of repeats with different seeds; 0: the number that the table states")
	f.BoolVar(&o.quick, "quick", false, "reduce repeats, rows or settings, for less than 40 s on two cores; the rows say what was reduced")
	f.Uint64Var(&o.runFlags.seed, "seed", 0, "seed of the first repeat")
	f.IntVar(&o.runFlags.workers, "workers", 0, "largest number of goroutines; 0: GOMAXPROCS")
	f.StringArrayVar(&o.set, "set", nil, "setting of the table, `NAME=VALUE`; may be repeated")
}

func (o *tableFlags) run(ctx context.Context, c *cobra.Command, args []string) error {
	out := c.OutOrStdout()
	if o.list {
		for _, t := range papers.All() {
			fmt.Fprintf(out, "%-12s %s\n", t.ID, t.Title)
		}
		return nil
	}
	if o.docs != "" {
		return writeDocs(o.docs)
	}
	b := newBar(c.ErrOrStderr())
	defer b.close()
	env, err := o.env(b)
	if err != nil {
		return err
	}
	if c.Flags().Changed("check") {
		root, err := record.Root()
		if err != nil {
			return err
		}
		return record.Check(ctx, out, root, env, bench.Here().Level, o.check, o.maxSeconds)
	}
	if c.Flags().Changed("most") {
		return usagef("--most is for --check")
	}
	if len(args) == 0 {
		return usagef("which table? --list names them")
	}
	t, err := papers.Find(args[0])
	if err != nil {
		return usageError{err}
	}
	var recorder *record.Recorder
	if o.record {
		root, err := record.Root()
		if err != nil {
			return err
		}
		if recorder, err = record.NewRecorder(root, bench.Revision(), t.ID); err != nil {
			return err
		}
	}
	if o.html != "" && env.Data != nil {
		data, _ := findData(o.dir)
		if err := writable(o.html, within(string(data))...); err != nil {
			return err
		}
	}
	var rows []papers.Row
	err = t.Run(ctx, env, func(r papers.Row) { rows = append(rows, r) })
	b.close()
	if err != nil {
		return err
	}
	if recorder != nil {
		if err := recorder.Record(o.stored(env, rows)); err != nil {
			return err
		}
	}
	if o.asJSON {
		err = papers.Results{Table: t.ID, Runs: []papers.Stored{o.stored(env, rows)}}.Write(out)
	} else {
		err = papers.WriteText(out, t, rows)
	}
	if err != nil {
		return err
	}
	if o.html != "" {
		return modelfile.WriteFile(o.html, func(w io.Writer) error { return papers.WriteHTML(w, t, rows) })
	}
	return nil
}

// writeDocs writes the pages that are made of stored results into a folder. The text of
// choosing.md and performance.md there stays, and their tables are written anew.
func writeDocs(dir string) error {
	more, err := figures.Docs(func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) })
	if err != nil {
		return err
	}
	files, err := papers.Docs()
	if err != nil {
		return err
	}
	maps.Copy(files, more)
	if err := os.Mkdir(filepath.Join(dir, "figures"), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := modelfile.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// within returns the files in a directory and below.
func within(dir string) []string {
	var files []string
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// stored describes the run that the rows come from.
func (o *tableFlags) stored(env papers.Env, rows []papers.Row) papers.Stored {
	here := bench.Here()
	return papers.Stored{
		CPU: here.CPU, Level: here.Level, Workers: env.NumWorkers(), Go: here.Go, Revision: bench.Revision(), Date: time.Now().UTC().Format(time.DateOnly),
		Seed: &env.Seed, Quick: env.Quick, Repeats: env.Repeats, Settings: env.Set, Rows: rows,
	}
}

// env checks the flags and returns how and on which data a table runs.
func (o *tableFlags) env(b *bar) (papers.Env, error) {
	var env papers.Env
	if o.repeats < 0 {
		return env, usagef("--repeats is %d, want at least 0", o.repeats)
	}
	run, err := o.runFlags.run(0, b)
	if err != nil {
		return env, err
	}
	env = papers.Env{Repeats: o.repeats, Quick: o.quick, Set: map[string]string{}, Run: run}
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

// findData returns the directory that --data names, or else GRAM_DATA, or "".
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
		return "", nil // all rows will have the note "no data"
	}
	return d, err
}
