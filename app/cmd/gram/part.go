package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/store"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newPart() *cobra.Command {
	c := &cobra.Command{
		Use:   "part",
		Short: "Fit and predict in pieces that any scheduler can start",
		Long: `part does a fit, or the predictions for a large data set, in pieces. A piece is one call
of this command. The pieces share a folder, --work, and may run on several machines at the
same time. A piece whose result exists already does nothing, and a piece that was killed can be started again.
The model has the same bytes in whatever order the pieces run. The commands are

  items    cut the data into items and print how many there are
  survey   read item K of a table with texts or missing cells: kinds of columns, levels
  means    read item K: mean targets of levels
  scan     read item K: columns, targets, a sample of the rows
  sample   fit the scaling and the feature map to the sample
  normal   read item K: sums for the regression
  newton   read item K: sums for a step of Newton's method, for classes
  products read item K: sums for a product of conjugate gradients, for falkon
  bins     read item K: write the bins of its cells, for boosted trees
  trees    read the bins of item K: sums for the splits of the trees in hand
  assign   read item K: send its rows to the parts of a divided fit
  fit      fit the model of part K of a divided fit, or model K of a fit to rows in memory
  search   train and judge candidates of a search, in memory, on the rows of a fold
  divide   divide the labels of tree K among its nodes, for plt, or the rows among leaves, for rfm
  nodes    fit the functions of some nodes of the trees, for plt
  leaves   fit leaf K of the tree, for rfm
  next     print which of these passes is to be made and of how many pieces it consists
  merge    merge sums; the steps that need them merge what is left themselves
  finish   solve and write the model
  predict  predict the rows of item K
  eval     measure a model on item K, or on all items and print the measures
  status   say how far the pieces have come

survey and means are for tables with texts or missing cells alone; see gram part items --help.
Each step needs those before it, for all items. Without --item a step does all items that
are not done yet. A result of other data, settings or seeds, of a machine with
another level of the kernels, or that is damaged is refused; set GRAM_LEVEL to the
lowest level of all machines.

Values take the passes scan and normal; classes take scan and about ten times newton, each of
which needs the one before. With --cap N, and for the methods dc-krr and bka-svm, the rows are
divided by a tree of centers into parts of at most N rows, each with a model of its own: the
passes are scan, assign and fit. falkon takes scan and some tens of times products. Boosted trees take scan, bins and then, for each round, about
as many passes trees as a tree has levels. With --search the passes are search and fit, each piece of which is a training
in memory. plt takes divide, nodes and fit, and rfm divide, leaves and fit, in memory. A scheduler
asks gram part next for the pass that is to be made.

gram fit does the same in one process when the rows do not fit into memory.`,
		Example: `  gram part items --work w --data 'part-*.csv.gz' --task regression --method nystrom --set m=512
  gram part scan --work w --item 0
  gram part sample --work w
  gram part normal --work w --item 0
  gram part finish --work w -o model.gram`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newItems(), newPass("survey", "Read an item of a table with texts or missing cells: kinds of columns, levels"), newPass("means", "Read an item: mean targets of levels"),
		newPass("scan", "Read an item: columns, targets, a sample of the rows"), newSample(),
		newPass("normal", "Read an item: sums for the regression"), newNewton(), newProducts(), newPass("bins", "Read an item: write the bins of its cells, for boosted trees"), newTreesPass(), newPass("assign", "Read an item: send its rows to the parts of a divided fit"), newPass("fit", "Fit the model of a part of a divided fit, or one of a fit to rows in memory"), newSearchPass(),
		newPass("divide", "Divide the labels of a tree among its nodes, for plt, or the rows among leaves, for rfm"), newPass("nodes", "Fit the functions of some nodes of the trees of labels, for plt"),
		newPass("leaves", "Fit a leaf of the tree, for rfm"), newNext(), newMerge(), newFinish(), newPartPredict(), newPartEval(), newStatus())
	return c
}

// spec returns the job that the flags of a fit describe.
func (d *dataFlags) spec(method string, settings []string, scale string, seed uint64, e encode.Config) job.Spec {
	s := job.Spec{
		Data: d.path, Format: d.format, Task: d.task, Target: d.target, TargetFile: d.targetFile, NoHeader: d.noHeader, Header: d.header, DecimalComma: d.decimalComma, FormattedNumbers: d.formatted, Dim: d.dim,
		Method: method, Settings: settings, Scale: scale, Seed: seed,
	}
	if len(d.ignore)+len(d.categories)+len(d.dropMissing) > 0 || e != (encode.Config{}) {
		s.Table = d.table(e)
	}
	return s
}

// table says how tables with categories and missing cells are read.
func (d *dataFlags) table(e encode.Config) *job.Table {
	return &job.Table{Categories: d.categories, Ignore: d.ignore, DropMissing: d.dropMissing, Encode: e}
}

const itemsHelp = `items cuts the files into items and prints their number. Text is cut between lines, text that is
compressed by gzip between the members that it consists of, and Parquet between groups of rows. A
file with one member or one group, or of another format, is one item; a line says so if it is
larger than --item-bytes. The members that bgzip writes are found at once; to find those of other
files, the file is unpacked once. Items decide the order of sums,
so that other items give another model, up to rounding.

If the beginning of the data has texts or missing cells, or with --table, they are read as by
gram fit, in a pass survey before scan; --categories target, which auto takes for more than 32
levels, adds the pass means after survey. A column may have 65536 levels. What missing numbers
become follows from all rows with --fill mean, and from the rows of the sample with median.

With --search, --proba, --conformal, --class-weights or --weights, which are those of gram fit, every
process reads all rows into memory, and a piece is a training: of the candidates of a search on a
fold, in the pass search; then, in the pass fit, of the model, and of each fold that --proba holds out.
items reads the rows, lists the trainings of the first pass and prints their number. The choice and the
bytes of the model are those of gram fit. With --halving each rung is a pass. --budget, which
decides by time, is not for pieces.

For plt every process reads all rows, too, and the model itself consists of pieces: the trees of labels
in the pass divide, and the functions of their nodes in the pass nodes. The pass fit joins them. The same
holds for rfm without --cap: the pass divide chooses the settings and divides the rows, and each leaf of the
tree is a piece of the pass leaves.`

// itemsFlags are the flags of gram part items.
type itemsFlags struct {
	data                         dataFlags
	work, method, scale, measure string
	settings                     []string
	seed                         uint64
	size                         byteSize
	sample, cap                  int
	columns                      columnFlags
	table                        bool
	search                       searchFlags
	trusted                      trustFlags
}

func (o *itemsFlags) define(f *pflag.FlagSet) {
	f.StringVar(&o.work, "work", "", "`DIR` that the pieces share")
	f.StringVar(&o.method, "method", "", "method `NAME`")
	f.StringArrayVar(&o.settings, "set", nil, "setting of the method, `NAME=VALUE`; may be repeated")
	f.StringVar(&o.scale, "scale", "auto", "scaling of the columns, as for gram fit")
	f.Uint64Var(&o.seed, "seed", 1, "seed of all random choices")
	f.Var(&o.size, "item-bytes", "size of an item, in bytes of the file (default: 64 MiB)")
	f.BoolVar(&o.table, "table", false, "the data have texts or missing cells, though their beginning has none")
	o.columns.define(f)
	f.IntVar(&o.sample, "sample", 0, "rows that the feature map or the tree of a divided fit is fitted to (default: 20000; more for many parts)")
	f.IntVar(&o.cap, "cap", 0, "divide the rows into parts of at most so many, each with a model of its own (default: 3000 for dc-krr and bka-svm, else not)")
	o.search.defineTrials(f)
	f.StringVar(&o.measure, "metric", "", "measure of --search, one of those of gram eval `NAME`")
	o.trusted.define(f)
	o.data.define(f)
	f.Lookup("data").Usage = "data `FILES`, a name or a pattern, in one of the formats of gram convert --help, plain or gzipped"
	o.data.training(f)
}

// whole says what is fitted to rows in memory, nil if the rows are read in pieces.
func (o *itemsFlags) whole(f *pflag.FlagSet) (*job.Whole, error) {
	var methods []catalog.Method
	if o.method != "" {
		m, err := catalog.Find(o.method)
		if err != nil {
			return nil, usageError{err}
		}
		methods = append(methods, m)
	}
	if _, err := o.search.parse(f, methods, o.settings, o.measure, 0); err != nil {
		return nil, err
	}
	if _, err := o.trusted.trust(f); err != nil {
		return nil, err
	}
	draw := o.scale == searched
	switch {
	case draw && !o.search.auto():
		return nil, usagef("--scale search is for --search auto")
	case o.search.spec == "" && o.trusted == (trustFlags{}) && (!job.CutsFit(o.method) || f.Changed("cap") && job.Divides(o.method) == nil):
		return nil, nil
	}
	for _, name := range []string{"cap", "sample", "item-bytes", "table"} {
		if f.Changed(name) {
			return nil, usagef("--%s is for rows that are read in pieces: with --search, --proba, --conformal and weights, and for plt and rfm, every process reads all rows", name)
		}
	}
	if draw {
		o.scale = training.AutoScale.String()
	}
	return wholeOf(o.search, o.trusted, o.measure, draw)
}

// wholeOf says what the flags ask for of a fit to rows in memory, whose pieces are trainings.
func wholeOf(tried searchFlags, trusted trustFlags, measure string, draw bool) (*job.Whole, error) {
	w := &job.Whole{Search: tried.spec, Trials: tried.trials, Halving: tried.halving, Metric: measure, Groups: tried.groups, Draw: draw,
		Proba: trusted.proba, Conformal: trusted.conformal, Adaptive: trusted.adaptive, Balanced: trusted.classWeights != ""}
	if tried.spec != "" {
		w.Folds, w.Repeats = tried.folds, tried.repeats
	}
	var err error
	if trusted.weights != "" {
		w.Weights, err = store.Abs(trusted.weights)
	}
	return w, err
}

// spec returns the job that the flags describe.
func (o *itemsFlags) spec(f *pflag.FlagSet) (s job.Spec, table *job.Table, err error) {
	e, err := o.columns.config()
	if err != nil {
		return s, nil, err
	}
	table = o.data.table(e)
	whole, err := o.whole(f)
	if err != nil {
		return s, nil, err
	}
	s = o.data.spec(o.method, o.settings, o.scale, o.seed, e)
	if s.Whole = whole; (o.table || whole != nil) && s.Table == nil {
		s.Table = table
	}
	o.data.limit.collect()
	s.MemoryLimit = o.data.limit.bytes()
	s.ItemBytes, s.Sample, s.Cap = int64(o.size), o.sample, o.cap
	s.Data, err = store.Abs(s.Data)
	return s, table, err
}

// begin makes the folder of the job and returns the number of its items, or of the trainings of its first pass, and
// which files were not cut.
func (o *itemsFlags) begin(ctx context.Context, s job.Spec, table *job.Table) (n int, uncut string, err error) {
	var j *job.Job
	if s.Whole == nil {
		// Ctrl-C must not wait until a large file is unpacked to find its members.
		j, err = par.Await(ctx, func() (*job.Job, error) { return job.NewMixed(s, table) })
	} else {
		j, err = job.NewWhole(ctx, s)
	}
	if err != nil {
		return 0, "", err
	}
	w, err := job.Create(o.work, j)
	if err != nil {
		return 0, "", err
	}
	if s.Whole == nil {
		return len(j.Items), j.Uncut(), nil
	}
	n, err = w.Begin(ctx, gram.Run{MemoryLimit: s.MemoryLimit})
	return n, "", err
}

func newItems() *cobra.Command {
	var o itemsFlags
	c := &cobra.Command{
		Use:   "items --work DIR --data FILES --method NAME",
		Short: "Cut the data into items",
		Long:  itemsHelp,
		Example: `  gram part items --work w --data 'part-*.csv.gz' --task regression --method nystrom --set m=512
  gram part items --work w --data house.csv --target price --method svr --search 'c=1,10,100;gamma=0.1,1' --conformal`,
		Args: cobra.NoArgs,
	}
	o.define(c.Flags())
	completeFit(c)
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		switch {
		case o.work == "":
			return usagef("--work is missing")
		case o.data.path == "":
			return usagef("--data is missing")
		case o.method == "" && !o.search.auto():
			return usagef("--method is missing; gram fit --list shows the methods")
		case o.data.path == standardInput:
			return usagef("--data is standard input, which cannot be read in pieces")
		case o.sample < 0:
			return usagef("--sample is %d, want at least 1", o.sample)
		case o.cap < 0:
			return usagef("--cap is %d, want at least 10", o.cap)
		}
		s, table, err := o.spec(c.Flags())
		if err != nil {
			return err
		}
		n, uncut, err := o.begin(ctx, s, table)
		if refused := (*gram.ConfigError)(nil); errors.As(err, &refused) {
			return usageError{err}
		}
		if err != nil {
			return err
		}
		if uncut != "" {
			fmt.Fprintf(c.ErrOrStderr(), "%s: warning: %s\n", c.CommandPath(), uncut)
		}
		fmt.Fprintln(c.OutOrStdout(), n)
		return nil
	}).runE
	return c
}

// pieceFlags are the flags that all steps share which work on a piece in a folder.
type pieceFlags struct {
	work    string
	item    int
	workers int
	limit   memoryLimit
}

func (p *pieceFlags) define(c *cobra.Command, items bool) {
	f := c.Flags()
	f.StringVar(&p.work, "work", "", "`DIR` that the pieces share")
	f.IntVar(&p.workers, "workers", 0, "largest number of goroutines (default: GOMAXPROCS); changes no result")
	p.limit.define(f)
	if items {
		f.IntVar(&p.item, "item", -1, "number of the item, from 0 (default: all that are not done)")
	}
}

// open reads the job in the folder of --work, makes it and the garbage collector keep to the memory limit, and returns how its
// pieces run.
func (p *pieceFlags) open() (w *job.Work, run gram.Run, err error) {
	if p.work == "" {
		return nil, run, usagef("--work is missing")
	}
	p.limit.collect()
	if w, err = job.Open(p.work); err == nil {
		w.Job.Limit(p.limit.bytes())
	}
	return w, gram.Run{Workers: p.workers, MemoryLimit: p.limit.bytes()}, err
}

// pieces returns the numbers of the pieces to be worked on, of n.
func (p *pieceFlags) pieces(n int) ([]int, error) {
	if p.item < -1 || p.item >= n {
		return nil, usagef("--item is %d, want one from 0 to %d", p.item, n-1)
	}
	if p.item >= 0 {
		return []int{p.item}, nil
	}
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all, nil
}

// model opens the folder and reads the model in the file path. items are those to be worked on.
func (p *pieceFlags) model(path string) (w *job.Work, m *pipeline.Model, items []int, run gram.Run, err error) {
	if path == "" {
		return nil, nil, nil, run, usagef("--model is missing")
	}
	if w, run, err = p.open(); err != nil {
		return nil, nil, nil, run, err
	}
	if items, err = p.pieces(len(w.Job.Items)); err != nil {
		return nil, nil, nil, run, err
	}
	m, err = catalog.LoadFitted(path)
	return w, m, items, run, err
}

func newPass(name, short string) *cobra.Command {
	var piece pieceFlags
	c := &cobra.Command{
		Use:     name + " --work DIR --item K",
		Short:   short,
		Example: "  gram part " + name + " --work w --item 0",
		Args:    cobra.NoArgs,
	}
	piece.define(c, true)
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error { return piece.pass(ctx, name, false) }).runE
	return c
}

func newSearchPass() *cobra.Command {
	var piece pieceFlags
	var forgo bool
	c := &cobra.Command{
		Use:   "search --work DIR --item K",
		Short: "Train and judge candidates of a search on the rows of a fold",
		Long: `search makes training K of the rung of the search that gram part next has printed, and keeps its scores.
A training that needs more than --memory-limit ends with an error, and another machine may make it;
without --item the others are made first. With --forgo such a training counts as failed: its
combination of settings cannot be chosen, and the search goes on without it.`,
		Example: `  gram part search --work w --item 0
  gram part search --work w --forgo`,
		Args: cobra.NoArgs,
	}
	piece.define(c, true)
	c.Flags().BoolVar(&forgo, "forgo", false, "go on without trainings that need more than --memory-limit")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error { return piece.pass(ctx, "search", forgo) }).runE
	return c
}

// sparing makes the garbage collector run earlier until the function that it returns is called. States
// are few, large and without pointers: looking for garbage costs little, and keeping it much memory.
func sparing() (restore func()) {
	before := debug.SetGCPercent(25)
	return func() { debug.SetGCPercent(before) }
}

// pass works on the items of a pass. With forgo the pieces of a search that lack memory are done without. An error of the first of several
// pieces that lack memory comes after the others.
func (p *pieceFlags) pass(ctx context.Context, name string, forgo bool) error {
	defer sparing()()
	w, run, err := p.open()
	if err != nil {
		return err
	}
	pass, err := w.Pass(ctx, name, run)
	if err == nil && forgo {
		pass, err = pass.Forgoing()
	}
	if err != nil {
		return err
	}
	items, err := p.pieces(pass.Pieces())
	if err != nil {
		return err
	}
	var first error
	for _, k := range items {
		err := w.Item(ctx, pass, k, run)
		if err != nil && !tooLarge(err) {
			return err
		}
		first = cmp.Or(first, err)
	}
	if _, may := pass.Forgoing(); first != nil && may == nil {
		return fmt.Errorf("%w; a machine with more memory may make it, and gram part search --forgo goes on without it", first)
	}
	return first
}

func newNewton() *cobra.Command {
	var piece pieceFlags
	var step int
	c := &cobra.Command{
		Use:   "newton --work DIR --item K",
		Short: "Read an item: sums for a step of Newton's method",
		Long: `newton makes the sums of item K for a step of Newton's method, which learns classes. Without
--step it is the step that gram part next has printed. A scheduler that cannot wait for that
runs a fixed number of steps, each after all items of the one before: 0, 1, and so on, up to
--step 15, say. Steps that are not needed do nothing. If more are needed, gram part finish
warns.`,
		Example: `  gram part newton --work w --item 0
  gram part newton --work w --item 0 --step 3`,
		Args: cobra.NoArgs,
	}
	piece.define(c, true)
	c.Flags().IntVar(&step, "step", -1, "number of the step, from 0 (default: the one that is next)")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		if step < 0 {
			return piece.pass(ctx, "newton", false)
		}
		return piece.pass(ctx, fmt.Sprintf("newton-%02d", step), false)
	}).runE
	return c
}

func newProducts() *cobra.Command {
	c := newPass("products", "Read an item: sums for a product of conjugate gradients, for falkon")
	c.Long = `products makes the sums of item K for the pass that gram part next has printed last: the targets in
the first one, and in each further one the kernel values of the rows times the coefficients that
gram part next has left in the folder.`
	return c
}

func newTreesPass() *cobra.Command {
	c := newPass("trees", "Read the bins of an item: sums for the splits of the trees in hand")
	c.Long = `trees makes the sums of item K for the pass that gram part next has printed last. It reads the
bins of the item's cells from the folder, and its scores before the round, which the first pass
of a round writes. Both files are made again if they are gone. When a round is made, the sums of
the rounds before it are removed.`
	return c
}

func newNext() *cobra.Command {
	var piece pieceFlags
	c := &cobra.Command{
		Use:   "next --work DIR",
		Short: "Print the pass that is to be made",
		Long: `next prints the step of gram part that is to be made now and the number of its pieces, such as
scan 64; when all passes are made it prints finish 0. It fits the scaling and the feature map
or the tree of a divided fit, makes the steps of Newton's method and of conjugate gradients and splits trees, so that a scheduler
needs nothing else: it asks, runs that step with --item 0, 1, and so on, and asks again.`,
		Example: `  gram part next --work w`,
		Args:    cobra.NoArgs,
	}
	piece.define(c, false)
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		w, run, err := piece.open()
		if err != nil {
			return err
		}
		name, err := w.Next(ctx, run)
		if err != nil {
			return err
		}
		if name == "" {
			fmt.Fprintln(c.OutOrStdout(), "finish 0")
			return nil
		}
		pass, err := w.Pass(ctx, name, run)
		if err != nil {
			return err
		}
		step, _, _ := strings.Cut(name, "-")
		fmt.Fprintln(c.OutOrStdout(), step, pass.Pieces())
		return nil
	}).runE
	return c
}

func newSample() *cobra.Command {
	var piece pieceFlags
	c := &cobra.Command{
		Use:     "sample --work DIR",
		Short:   "Fit the scaling and the feature map to the sample",
		Example: "  gram part sample --work w",
		Args:    cobra.NoArgs,
	}
	piece.define(c, false)
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		w, run, err := piece.open()
		if err != nil {
			return err
		}
		f, err := w.Features(ctx, run)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("%d features", f.Width())
		if f.Parts > 0 {
			what = fmt.Sprintf("%d parts", f.Parts)
		}
		fmt.Fprintf(c.OutOrStdout(), "%d rows, %d columns, %s\n", f.Info.N, f.Info.D, what)
		return nil
	}).runE
	return c
}

func newMerge() *cobra.Command {
	var (
		piece        pieceFlags
		pass         string
		depth, state int
	)
	c := &cobra.Command{
		Use:   "merge --work DIR --pass NAME",
		Short: "Merge the sums of a pass",
		Long: `merge merges the states of a pass, eight at a time, in the order of the items: state K of
depth D is merged of the states 8K to 8K+7 of depth D-1, where depth 0 are the items.
Without --depth it merges all that are not merged yet.`,
		Example: `  gram part merge --work w --pass normal
  gram part merge --work w --pass normal --depth 1 --state 3`,
		Args: cobra.NoArgs,
	}
	piece.define(c, false)
	f := c.Flags()
	f.StringVar(&pass, "pass", "", "survey, means, scan, normal, bins; newton, products or trees for the step that is next, or newton-T for step T")
	f.IntVar(&depth, "depth", 0, "depth of the state to make, from 1 (default: all)")
	f.IntVar(&state, "state", 0, "number of the state to make, from 0")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		defer sparing()()
		w, run, err := piece.open()
		if err != nil {
			return err
		}
		p, err := w.Pass(ctx, pass, run)
		if refused := (*gram.ConfigError)(nil); errors.As(err, &refused) {
			return usageError{err}
		}
		if err != nil {
			return err
		}
		if depth == 0 {
			_, err = w.Sum(ctx, p)
			return err
		}
		return w.Merge(ctx, p, depth, state)
	}).runE
	return c
}

func newFinish() *cobra.Command {
	var (
		piece  pieceFlags
		output string
	)
	c := &cobra.Command{
		Use:   "finish --work DIR -o MODEL",
		Short: "Solve for the model of all items",
		Long: `finish writes the model. That of a divided fit consists of MODEL and the folder MODEL.parts
with a file for each part, which gram predict, eval and serve read when rows reach the part. Of a fit to
rows in memory finish makes the trainings behind the search that are missing, and says what the search has found.`,
		Example: "  gram part finish --work w -o model.gram",
		Args:    cobra.NoArgs,
	}
	piece.define(c, false)
	c.Flags().StringVarP(&output, "output", "o", "", "model `FILE` to write")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		if output == "" {
			return usagef("-o is missing: where to write the model")
		}
		defer sparing()()
		w, run, err := piece.open()
		if err != nil {
			return err
		}
		m, f, err := w.Model(ctx, run)
		if m != nil {
			if err := printFound(ctx, c.OutOrStdout(), w, run); err != nil {
				return err
			}
		}
		if short := (*gram.ConvergenceError)(nil); m != nil && errors.As(err, &short) {
			fmt.Fprintf(c.ErrOrStderr(), "%s: warning: %v; the model is stored all the same\n", c.CommandPath(), err)
			err = nil
		}
		if err != nil {
			return err
		}
		if err := job.Save(output, m); err != nil {
			return err
		}
		what := "values"
		switch f.Info.Task {
		case dataset.Classes:
			what = fmt.Sprintf("%d classes", len(f.Info.Names))
		case dataset.MultiLabel:
			what = "sets of labels"
			if l, is := m.Model.(interface{ NumLabels() int }); is {
				what = "sets of " + plural(l.NumLabels(), "label")
			}
		}
		if f.Parts > 0 {
			what += fmt.Sprintf(", %d parts", f.Parts)
		}
		fmt.Fprintf(c.OutOrStdout(), "%s: %d rows, %d columns, %s; %s\n", m.Method, f.Info.N, f.Info.D, what, output)
		return nil
	}).runE
	return c
}

// printFound writes what the search of a job has found, if it has one.
func printFound(ctx context.Context, out io.Writer, w *job.Work, run gram.Run) error {
	found, err := w.Found(ctx, run)
	if found == nil {
		return err
	}
	of := w.Job.Spec.Whole
	tuned := search.Config{}
	if of.Search != "auto" {
		if tuned.Grid, err = search.ParseGrid(of.Search); err != nil {
			return err
		}
	}
	seconds := 0.
	for _, t := range found.Trials {
		seconds += t.Seconds
	}
	return (&searchFlags{spec: of.Search, halving: of.Halving}).print(out, tuned, found, seconds)
}

func newPartPredict() *cobra.Command {
	var (
		piece pieceFlags
		model string
	)
	c := &cobra.Command{
		Use:   "predict --work DIR --model MODEL --item K",
		Short: "Predict the rows of an item",
		Long: `predict writes one line per row of item K, as gram predict does, to the file
predictions-KKKKKK.txt of the folder. The files of all items, in the order of their names,
are what gram predict writes for the whole data. A file that is there is not written
again. In a folder whose data have no other use than predictions, the steps scan, sample and
normal are not needed; columns and targets are then read as gram predict reads them.`,
		Example: `  gram part predict --work w --model model.gram --item 0`,
		Args:    cobra.NoArgs,
	}
	piece.define(c, true)
	c.Flags().StringVar(&model, "model", "", "model `FILE`")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		w, m, items, _, err := piece.model(model)
		if err != nil {
			return err
		}
		for _, k := range items {
			if err := w.Predict(ctx, m, k); err != nil {
				return err
			}
		}
		return nil
	}).runE
	return c
}

func newPartEval() *cobra.Command {
	var (
		piece          pieceFlags
		model, metrics string
		asJSON         bool
	)
	c := &cobra.Command{
		Use:   "eval --work DIR --model MODEL [--item K]",
		Short: "Measure a model on an item, or on all items and print the measures",
		Long: `eval predicts the rows of item K and leaves sums of what the measures need. Without --item it
makes the items that are not done, merges all and prints the measures: those that gram eval
prints for all rows, up to rounding. --metric chooses others. The measures auc and
average_precision need the scores of all rows, in the states and in the process that prints
them, 16 bytes or more for a row; --metric accuracy leaves them out. As with predict, the
folder may be one of its own.`,
		Example: `  gram part eval --work w --model model.gram --item 0
  gram part eval --work w --model model.gram`,
		Args: cobra.NoArgs,
	}
	piece.define(c, true)
	c.Flags().StringVar(&model, "model", "", "model `FILE`")
	c.Flags().StringVar(&metrics, "metric", "", "measures to print, `NAME,...`; the same for all items")
	c.Flags().BoolVar(&asJSON, "json", false, "write one JSON object per line: metric, value, n")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		defer sparing()()
		w, m, items, run, err := piece.model(model)
		if err != nil {
			return err
		}
		measures, err := measuresOf(m, splitNames(metrics))
		if err != nil {
			return err
		}
		pass, err := w.Eval(m, model, measures)
		if err != nil {
			return err
		}
		for _, k := range items {
			if err := w.Item(ctx, pass, k, run); err != nil {
				return err
			}
		}
		if piece.item >= 0 {
			return nil
		}
		figures, err := w.Figures(ctx, pass, measures)
		if err != nil {
			return err
		}
		enc := json.NewEncoder(c.OutOrStdout())
		for _, f := range figures {
			if !asJSON {
				fmt.Fprintf(c.OutOrStdout(), "%-17s %.6g\n", f.Metric, f.Value)
			} else if err := enc.Encode(f); err != nil {
				return err
			}
		}
		if !asJSON && len(figures) > 0 {
			fmt.Fprintf(c.OutOrStdout(), "%d rows\n", figures[0].N)
		}
		return nil
	}).runE
	return c
}

// tooLarge reports whether err says that the memory limit does not suffice.
func tooLarge(err error) bool {
	var m *gram.MemoryError
	return errors.As(err, &m)
}
