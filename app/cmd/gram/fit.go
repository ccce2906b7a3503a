package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/fit"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/store"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// fitted is the output of gram fit --json.
type fitted struct {
	Method     string  `json:"method"`
	N          int     `json:"n"`
	D          int     `json:"d"`
	Classes    int     `json:"classes"` // 0: values or sets of labels
	Labels     int     `json:"labels,omitempty"`
	Seconds    float64 `json:"seconds"` // of the fit without reading
	Converged  bool    `json:"converged"`
	ModelBytes int64   `json:"model_bytes"`

	Certificate string `json:"certificate,omitempty"` // how far the fit has come
	reaches     bool   // the fit goes on until it meets a tolerance

	Proba    string         `json:"proba,omitempty"`    // kind of the probabilities
	Held     int            `json:"held,omitempty"`     // rows that were held out for intervals or sets
	Ranked   *search.Ranked `json:"held_out,omitempty"` // another fit of sets of labels
	Streamed bool           `json:"streamed,omitempty"` // the rows were not in memory together; seconds include reading
	Passes   int            `json:"passes,omitempty"`   // over the rows, if streamed
	Parts    int            `json:"parts,omitempty"`    // of the rows, each with a model, if the fit was divided

	clusters      int
	unsupervised  bool          // without a target
	Search        *search.Found `json:"search,omitempty"`
	SearchSeconds float64       `json:"search_seconds,omitempty"`

	Compared *search.Compared `json:"compared,omitempty"` // without --method
}

// methods finds a method by its name; the command uses catalog.Find.
type methods func(name string) (catalog.Method, error)

const fitHelp = `fit trains a method on a data file and stores the model, with the class names of the
data, in one file, which gram predict, eval, compile and serve read.

Without --method a few methods race with their default settings: linear, gbdt, nystrom, krr and
falkon, with svm for classes and svr for values; linear, leml, plt, fastxml, gimc-lff and gbml for
sets of labels. They are judged on rows that are held out of the training, three folds or one fifth
of more than 5000 rows, by the measure of --search or another with --metric. All are trained
on 500 rows or a few more before any gets twice as many, and so on; a method leaves the race
when four times the rows would not bring it to where the best is, or when it is behind and
three times as slow. The best is trained on all rows and stored. --budget is the CPU time of the
process for the race; a method whose fit to all rows would take longer leaves it, too. If
the budget ends the race, a line says with how many rows, and with --strict the fit fails.
A model is the same again only if no budget ended the race.

A model of classes or values that does no better than a linear one or a constant gets a warning, from a
fit to some of the rows that is judged on others. Of sets of labels the output has P@1 of such a fit, the share of rows whose
first label is right, beside that of a linear model and of the labels with the nearest centroids.

--list shows the methods, and --list --method NAME shows the settings of one, which
--set NAME=VALUE changes. The same data, settings, seed, level and backend give the
same model for any number of workers. A fit that fails or is interrupted leaves no
partial file. If the method stops before it reaches its tolerance, the model is stored
with a warning; with --strict the fit fails instead.

--data may be a pattern such as 'part-*.csv.gz', whose files are joined in the order of
their names. If the rows and the fit need more memory than --memory-limit, which counts the
memory of the whole process, models by linear, nystrom, rff, fastnys and pseudo are fitted
from a stream instead: two passes over the files for values and about ten for classes, with
a feature map that is fitted to a sample of 20000 rows, as are the settings that the data
choose. Texts and missing cells take one pass more, and mean targets of levels another one;
medians are then computed from the sample, means from all rows, and a column has at most 65536
levels. gram part does the same in pieces on several machines. falkon makes a pass for each product of
conjugate gradients, some tens, with landmarks from the sample. Where there are more than two
passes, the others read the rows as numbers from a file beside the model. gbdt keeps the bins of the cells,
a byte or two each, in a file beside the model, and reads it some eight times for each tree. For every other
method of classes or values the rows are divided by a tree of centers into parts of at most
3000, and each part gets a model: the file MODEL with the folder MODEL.parts. The output
says which of these was done.

With --work DIR the rows are read in pieces like that, or divided, even if they fit into memory, and
the result of each piece is kept in DIR: the same command continues a fit that was killed, and its
model has the same bytes. Another command, or data that have changed since, are refused. gram part
status --work DIR tells how far the fit has come. DIR stays when the fit is done; remove it yourself.
With --search, --proba, --conformal, --class-weights or --weights, and for plt, the rows are in memory,
and DIR keeps each training of the search, of the model and of what is fitted beside it.

--search NAME=V1,V2,...;NAME=... tries every combination of these values of settings
by cross-validation. The rows are divided into --folds parts with equal shares of the
classes. Each combination is trained on all parts but one and judged on that part, for
each part in turn. The score is the mean accuracy for classes, the mean root mean square
error for values, and the mean precision of the first label for label sets, or that of
another measure with --metric (gram eval --help lists them). The model is then trained on
all rows with the best combination. --json has the scores of all combinations.

--search auto needs no values: it draws --trials settings at random from the ranges that
gram fit --list --method NAME shows, the defaults first, and with --scale search the scaling
of the columns, too. Without --method it draws from the methods named above by turns.
--budget ends it after a time; it decides how many trials are made and nothing else. Numbers
of landmarks and frequencies, which more time always improves, stay at their defaults.
--repeats divides the rows into parts several times. --groups keeps rows together that
belong together, such as those of a person. With --journal FILE the score of every training
is kept as soon as it is known, and the same command goes on from there after Ctrl-C; more
trials may be asked for then. If the rows have no room in memory and the method learns from a stream,
the search is made on the sample of the stream, which costs a pass more; --groups needs all rows. If standard error is no terminal, a trial every ten seconds is a
line on it.

--halving trains all combinations on a part of the rows first, on at least 100 rows. The
better half goes on with twice the rows, until the last combinations are trained on all
rows; --halving=3 keeps the best third and takes three times the rows. Only a few of many
combinations are then trained on all rows. The best combination may be missed if few rows
mislead: a lambda that does not count once per row (--set per-row=true) is judged at the
wrong number of rows.

--proba stores probabilities of the classes with the model: the scores of rows that a model
was not trained on are turned into probabilities by Platt's sigmoid, an isotonic function
or a temperature. The method is trained five times more, on four fifths of the rows each.

--conformal holds out a fifth of the rows, or another share, and stores with the model how
far its predictions for them are from the truth. gram predict --interval .9 then gives an
interval, or a set of classes, that holds the truth with a probability of at least .9 for
rows that are drawn as these were. The sets are the smallest in the mean, and hold the truth of
hard rows less often than that of easy ones; with --adaptive (randomized adaptive prediction
sets, from the model's probabilities) they grow where a row is hard. Intervals of values are equally
wide; with --adaptive and gbdt they are made of two more models, of the quantiles .05 and .95, and
wide where the values scatter (conformalized quantile regression).

--warm MODEL goes on from a stored model on the rows of --data, which must have its columns
and classes: gbdt adds rounds of trees to those of the model, and the other methods with a
feature map, such as nystrom and rff, keep their landmarks or frequencies, and fit the linear
functions to these rows. The scaling stays. Other methods refuse it.

--plan says what a fit costs before it begins: floating-point operations, memory, the size of
the model, and the time on this machine, from rates that were measured on another one and the
speed of this one. Expect the time to be right within a factor of four, and worse for solvers
whose steps depend on the data. The time to read the file is not counted. For a search, and
for methods that are compared, --plan says what one fit takes, how many fits there are, and
what the budget allows.

--class-weights balanced lets all classes count the same in the fit, however many rows they
have; --weights FILE gives each row its own weight.

bregman, inductive and sideinfo learn a kernel, and pairwise learns clusters, from pairs of
rows. The pairs are drawn from the classes or read with --set pairs-file=FILE, a file of
lines

  i,j,same
  i,j,different
  i,j,same,bound

with row numbers from 0 and, for bregman and inductive, the squared distance in the learned
kernel that the pair must be within or beyond. Empty lines, lines that begin with #, and a
first line i,j,... are skipped. pairwise needs no target then (--task none).

one-class learns where rows lie, of all columns and without a target; its model tells rows
outside, of class -1, from rows inside, 1.`

func newFit(find methods) *cobra.Command {
	var o fitFlags
	c := &cobra.Command{
		Use:   "fit [--method NAME] --data FILE -o MODEL",
		Short: "Train a method on a file and store the model",
		Long:  fitHelp,
		Example: `  gram fit --data house.csv --target price -o model.gram
  gram fit --list
  gram fit --list --method nystrom
  gram fit --method nystrom --data train.libsvm.gz -o model.gram --set m=512 --set c=10
  gram fit --method linear --data house.csv --target price --task regression -o model.gram
  gram fit --method krr --data house.csv -o model.gram --scale standard --search 'gamma=0.01,0.1,1;lambda=1e-3,1e-2,0.1'
  gram fit --method svm --data big.libsvm.gz -o model.gram --search 'c=0.1,1,10,100;gamma=0.01,0.1,1,10' --halving
  gram fit --data train.csv --target y --search auto --scale search --budget 10m --journal search.jsonl -o model.gram
  gram fit --method inductive --data train.csv -o model.gram --set pairs-file=pairs.csv --set svm=true
  gram fit --method pairwise --data rows.csv --task none -o clusters.gram --set pairs-file=pairs.csv --set k=5
  gram fit --warm model.gram --data new.csv --set rounds=20 -o model2.gram
  gram fit --method nystrom --data 'part-*.csv.gz' --task regression --memory-limit 1GiB -o model.gram
  gram fit --method nystrom --data 'part-*.csv.gz' --task regression --work w -o model.gram
  gram fit --method nystrom --data big.libsvm.gz --set m=2000 --plan`,
		Args: cobra.NoArgs,
	}
	o.define(c.Flags())
	completeFit(c)
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		return (&fitting{fitFlags: o, c: c, out: c.OutOrStdout(), find: find}).do(ctx)
	}).runE
	return c
}

type fitFlags struct {
	data                                     dataFlags
	runFlags                                 runFlags
	columns                                  columnFlags
	search                                   searchFlags
	trusted                                  trustFlags
	methodName, output, scale, measure, warm string
	html, work                               string
	settings                                 []string
	budget                                   time.Duration
	asJSON, plan, list, markdown, strict     bool
}

func (o *fitFlags) define(f *pflag.FlagSet) {
	f.StringVar(&o.methodName, "method", "", "method `NAME` (default: the best of a few that are tried)")
	f.DurationVar(&o.budget, "budget", time.Minute, "CPU time of the process: without --method or --search for comparing methods, with --search auto for its trials (default: none)")
	f.StringVarP(&o.output, "output", "o", "", "model `FILE` to write")
	f.StringArrayVar(&o.settings, "set", nil, "setting of the method, `NAME=VALUE`; may be repeated")
	o.search.define(f)
	f.StringVar(&o.scale, "scale", "auto", "scaling of the columns, stored with the model: none, minmax (to [0,1]), unit (variance 1), standard (mean 0, variance 1), rows (each row to length 1), auto (standard for a method with a kernel, linear and ldkl on dense data that are not all in [-1,1], rows for leml, linear and sleec on sparse data with sets of labels, else none), search (for --search auto: one of these, drawn)")
	f.StringVar(&o.measure, "metric", "", "measure of --search, and of methods without --method, one of those of gram eval `NAME`")
	f.StringVar(&o.work, "work", "", "fit in pieces and keep their states in `DIR`, from a stream, or with --search the scores of its trainings: the same command goes on there")
	f.StringVar(&o.warm, "warm", "", "go on from the model in `FILE`, of a method that can")
	o.trusted.define(f)
	o.data.define(f)
	o.data.training(f)
	o.runFlags.define(f)
	o.columns.define(f)
	f.BoolVar(&o.plan, "plan", false, "print what the fit, the search or the comparison of methods will cost, and stop")
	f.BoolVar(&o.list, "list", false, "list the methods, or the settings of --method, and stop")
	f.BoolVar(&o.markdown, "markdown", false, "with --list: write all methods and settings as a Markdown page")
	f.BoolVar(&o.strict, "strict", false, "fail, and store nothing, if the method does not reach its tolerance, or if --budget ends the comparison of methods")
	f.BoolVar(&o.asJSON, "json", false, "write the figures as one JSON object")
	f.StringVar(&o.html, "html", "", "also write a page to `FILE`: how good the method is on rows held out of a fit, beside a linear model and a constant")
}

// fitting is a run of gram fit: its flags, and the request and the search that they ask for.
type fitting struct {
	fitFlags
	c    *cobra.Command
	out  io.Writer
	find methods
	bar  *bar

	request fit.Request
	method  catalog.Method // without a name it is chosen when the data are known
	fitter  catalog.Fitter // nil without a name
	tuned   search.Config

	scanSeconds float64 // that reading the file for a plan has taken
}

// do does what the flags ask for: it lists methods or settings, prints a plan, or fits.
func (f *fitting) do(ctx context.Context) error {
	switch {
	case f.markdown && (!f.list || f.methodName != ""):
		return usagef("--markdown is for --list without --method")
	case f.markdown:
		return reference(f.out)
	case f.list && f.methodName == "":
		return listMethods(f.out)
	}
	if err := f.goesOn(ctx); err != nil {
		return err
	}
	if err := f.named(); err != nil {
		return err
	}
	if f.list {
		return listSettings(f.out, f.method)
	}
	if err := f.check(); err != nil {
		return err
	}
	done, err := f.data.spool(ctx, f.c.InOrStdin())
	if err != nil {
		return err
	}
	defer done()
	if err := f.prepare(); err != nil {
		return err
	}
	f.bar = newBar(f.c.ErrOrStderr())
	defer f.bar.close()
	if f.request.Run, err = f.runFlags.run(f.data.limit, f.bar); err != nil {
		return err
	}
	if f.plan {
		return f.printPlan(ctx)
	}
	return f.fit(ctx)
}

// goesOn reads the model of --warm, with which the fit continues, and refuses flags that do not go with it.
func (f *fitting) goesOn(ctx context.Context) error {
	if f.warm == "" {
		return nil
	}
	for _, name := range []string{"search", "scale", "proba", "conformal", "plan", "list", "budget", "metric"} {
		if f.c.Flags().Changed(name) {
			return usagef("--%s is not for --warm, which goes on from a model as it is", name)
		}
	}
	from, err := load(ctx, f.warm, f.data.limit.bytes())
	if err != nil {
		return err
	}
	if m := f.methodName; m != "" && m != from.Method {
		return usagef("--method is %s, but the model of --warm is one of %s", m, from.Method)
	}
	f.request.From, f.methodName = from, from.Method
	return nil
}

// named finds the method and gives it its settings, if it has a name.
func (f *fitting) named() error {
	name := f.methodName
	if name == "" {
		return unnamed(f.c.Flags(), f.budget, f.search.auto())
	}
	var err error
	if f.method, err = f.find(name); err != nil {
		return usageError{err}
	}
	if f.method.WithoutTarget() && !f.c.Flags().Changed("task") {
		f.data.task = dataset.NoTarget.String()
	}
	if f.list {
		return nil
	}
	if f.c.Flags().Changed("budget") && !f.search.auto() {
		return usagef("--budget is for a fit without --method, or with --search auto")
	}
	f.fitter = f.method.New()
	if err := f.fitter.Settings().Set(f.settings...); err != nil {
		return usageError{err}
	}
	return nil
}

// check is the error of flags that do not go together, or of a file that would be written over another.
func (f *fitting) check() (err error) {
	var methods []catalog.Method
	inputs := []string{f.data.targetFile, f.trusted.weights}
	if f.fitter != nil {
		methods = append(methods, f.method)
		for _, s := range f.fitter.Settings().Settings {
			if s.Kind == "file" {
				inputs = append(inputs, s.String())
			}
		}
	}
	if f.tuned, err = f.search.parse(f.c.Flags(), methods, f.settings, f.measure, f.budget); err != nil {
		return err
	}
	if f.request.Trust, err = f.trusted.trust(f.c.Flags()); err != nil {
		return err
	}
	switch {
	case f.data.path == "":
		return usagef("--data is missing")
	case f.work != "" && f.data.path == standardInput:
		return usagef("--data is standard input, which a fit in --work %s could not read again", f.work)
	case f.plan && f.html != "":
		return usagef("--plan fits nothing: --html is for a fit")
	case f.output == "" && !f.plan:
		return usagef("-o is missing: where to write the model")
	}
	if err := writable(f.html, append(inputs, f.data.path, f.output)...); err != nil {
		return err
	}
	return writable(f.output, append(inputs, f.data.path)...)
}

// prepare turns the flags into the request for package fit.
func (f *fitting) prepare() (err error) {
	r := &f.request
	r.Path, r.Name, r.Output, r.Work = f.data.path, f.data.shown(), f.output, f.work
	r.Method, r.Find, r.Settings = f.method, f.find, f.settings
	r.Groups, r.Budget, r.Metric, r.Strict = f.search.groups, f.budget, f.measure, f.strict
	r.Weigh, r.Streaming, r.Spare = f.trusted.weigh, f.streaming, sparing
	if r.Read, err = f.data.options(); err != nil {
		return err
	}
	if r.Draw = f.scale == searched; r.Draw {
		if f.scale = training.AutoScale.String(); !f.search.auto() {
			return usagef("--scale search is for --search auto")
		}
	}
	if r.Prepare.Scale, err = training.ParseScale(f.scale); err != nil {
		return usageError{err}
	}
	if r.Prepare.Encode, err = f.columns.config(); err != nil {
		return err
	}
	if f.search.spec != "" {
		r.Search, r.Report = &f.tuned, f.logTrials
	}
	if err := f.beyond(); err != nil {
		return err
	}
	if f.work != "" {
		if r.Stream == nil {
			return usagef("--work is for a fit in pieces: with --method or --search auto, and without --warm")
		}
		if r.Stream.Data, err = store.Abs(f.data.path); err != nil {
			return err
		}
	}
	if r.From != nil {
		r.Read.Task = r.From.Task
		if r.From.Task == dataset.Classes {
			r.Read.Names = r.From.Names
		}
		r.Read = r.From.Options(r.Read)
		r.Prepare.Scale = training.NoScale // beside that of the model
	}
	if f.search.groups != "" {
		r.Read.Ignore = append(slices.Clone(r.Read.Ignore), f.search.groups)
	}
	return nil
}

// beyond sets what is fitted in pieces: rows that have no room in memory, or with --work all rows, or trainings.
func (f *fitting) beyond() (err error) {
	r := &f.request
	if r.From != nil || f.methodName == "" && (f.work == "" || !f.search.auto()) {
		return nil
	}
	spec := f.data.spec(f.methodName, f.settings, f.scale, f.runFlags.seed, r.Prepare.Encode)
	streams := f.methodName != "" && job.Streams(f.methodName) == nil
	plain := f.search.spec == "" && f.trusted == (trustFlags{})
	switch {
	case f.work != "" && (!plain || !streams && job.Divides(f.methodName) != nil && job.CutsFit(f.methodName)):
		switch {
		case f.c.Flags().Changed("budget"):
			return usagef("--budget is not for --work, whose result does not depend on the time: --trials bounds the number of candidates")
		case f.search.journal != "":
			return usagef("--journal is not for --work, whose folder keeps the score of each training")
		}
		if spec.Whole, err = wholeOf(f.search, f.trusted, f.measure, r.Draw); spec.Table == nil {
			spec.Table = f.data.table(r.Prepare.Encode)
		}
	case f.trusted != (trustFlags{}) || f.search.groups != "" || f.search.spec != "" && !streams:
		return nil
	case !streams:
		if spec.Cap = job.DefaultCap; job.Divides(f.methodName) != nil || spec.Table != nil {
			return nil
		}
	}
	r.Stream = &spec
	return err
}

// logTrials returns a function that writes a trial every ten seconds where a terminal has a bar.
func (f *fitting) logTrials(larger bool) func(search.Trial) {
	if f.asJSON || f.bar.w != nil {
		return nil
	}
	return logTrials(f.c.ErrOrStderr(), larger)
}

// streaming says that the rows are not in memory together.
func (f *fitting) streaming(description string) {
	if f.work != "" {
		fmt.Fprintf(f.c.ErrOrStderr(), "%s: in %s: %s\n", f.c.CommandPath(), f.work, description)
		return
	}
	fmt.Fprintf(f.c.ErrOrStderr(), "%s: the fit needs more than %s with all rows in memory: %s\n", f.c.CommandPath(), num.FormatBytes(f.data.limit.total()), description)
}

// fit fits the model, stores it and says what it is.
func (f *fitting) fit(ctx context.Context) error {
	r, err := fit.Do(ctx, f.request)
	f.bar.close()
	if err != nil {
		return err
	}
	if r.Short != nil {
		f.warn("%v; the model is stored all the same%s", r.Short, advice(r.Method, r.Short))
	}
	return f.report(ctx, r)
}

// warn writes a line to standard error that begins with the command and the word warning.
func (f *fitting) warn(format string, args ...any) {
	fmt.Fprintf(f.c.ErrOrStderr(), "%s: warning: %s\n", f.c.CommandPath(), fmt.Sprintf(format, args...))
}

// report says what was fitted and how good it is beside a constant and a linear model.
func (f *fitting) report(ctx context.Context, r *fit.Result) error {
	poor := ""
	if r.Set != nil {
		poor = search.Poor(r.Model, r.Set, f.runFlags.seed)
	}
	if poor != "" {
		f.warn("the model is no better than a constant: %s; other settings, another scaling or another method may help", poor)
	}
	shown := fitPage{Result: r, figures: f.figures(r), lines: f.lines(r)}
	if !f.asJSON {
		if err := f.describe(r, shown.lines); err != nil {
			return err
		}
	}
	ranks := r.Set != nil && r.Set.Task() == dataset.MultiLabel
	warns := poor == "" && r.Compared == nil && f.request.From == nil && r.Method.Name != "linear"
	switch {
	case r.Set == nil:
		shown.noHeldOut = errors.New("the rows were not in memory together")
	case f.request.From != nil:
		shown.noHeldOut = errors.New("the model goes on from another, which may know all rows")
	case warns || ranks || f.html != "":
		r.Model = nil
		runtime.GC() // what follows fits another one within the limit of memory, at once
		shown.held, shown.noHeldOut = f.heldOut(ctx, r)
	}
	if warns && shown.held != nil {
		if worse := shown.held.WorseThanLinear(); worse != "" {
			f.warn("a linear model does better: %s; --method linear fits one, --search auto looks for better settings", worse)
		}
	}
	if shown.held != nil {
		shown.figures.Ranked = shown.held.Ranked()
	}
	if f.html != "" {
		if err := f.page(ctx, shown); err != nil {
			return err
		}
	}
	return shown.figures.print(f.out, f.asJSON, f.output)
}

// figures returns what the output says about a fit.
func (f *fitting) figures(r *fit.Result) fitted {
	m := r.Model
	out := fitted{Method: r.Method.Name, Seconds: r.Seconds, Converged: r.Short == nil, Compared: r.Compared, Search: r.Found, SearchSeconds: r.Searched}
	if s := r.Streamed; s != nil {
		out.N, out.D, out.Classes, out.Streamed, out.Passes, out.Parts = s.N, s.D, len(s.Classes), true, s.Passes, s.Parts
		return out
	}
	out.N, out.D = r.Set.Dims()
	out.Classes = len(r.Set.Labels.Names)
	if r.Set.Tags != nil {
		out.Labels = r.Set.Tags.D
	}
	out.Certificate, out.reaches = catalog.Certificate(m.Model)
	if m.Calibration != nil {
		out.Proba = m.Calibration.Kind().String()
	}
	if m.Conformal != nil {
		out.Held = m.Conformal.Rows()
	}
	if out.unsupervised = r.Method.WithoutTarget(); r.Method.Clusters {
		out.clusters = len(m.Names)
	}
	return out
}

// describe writes what was chosen, and what the data are taken for, in lines.
func (f *fitting) describe(r *fit.Result, lines []string) error {
	if r.Found != nil {
		if err := f.search.print(f.out, *r.Search, r.Found, r.Searched); err != nil {
			return err
		}
	}
	if r.Compared != nil {
		if err := printCompared(f.out, r.Compared); err != nil {
			return err
		}
	}
	for _, line := range lines {
		fmt.Fprintln(f.out, line)
	}
	return nil
}

// lines say what the data are taken for and what the defaults came to.
func (f *fitting) lines(r *fit.Result) []string {
	lines := []string{r.Taken}
	if r.Set != nil {
		lines = append(lines, f.data.dropped(r.Set), r.Numbered)
	}
	if r.Streamed == nil || r.Streamed.Parts == 0 {
		lines = append(lines, describeColumns(r.Model), decided(r))
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// print writes what was fitted and where it is stored.
func (r fitted) print(out io.Writer, asJSON bool, path string) error {
	if info, err := os.Stat(path); err == nil {
		r.ModelBytes = info.Size()
	}
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	what := "values"
	switch {
	case r.unsupervised:
		what = "no target"
	case r.clusters > 0:
		what = plural(r.clusters, "cluster")
	case r.Classes > 0:
		what = fmt.Sprintf("%d classes", r.Classes)
	case r.Labels > 0:
		what = "sets of " + plural(r.Labels, "label")
	}
	if r.Parts > 0 {
		what += ", " + plural(r.Parts, "part")
	}
	if r.Passes > 0 {
		what += fmt.Sprintf(", %d passes", r.Passes)
	}
	fmt.Fprintf(out, "%s: %s, %s, %s; %.3g s; %s: %s\n",
		r.Method, plural(r.N, "row"), plural(r.D, "column"), what, r.Seconds, path, num.FormatBytes(r.ModelBytes))
	switch {
	case r.Certificate == "":
	case !r.Converged:
		fmt.Fprintf(out, "not converged: %s\n", r.Certificate)
	case r.reaches:
		fmt.Fprintf(out, "converged: %s\n", r.Certificate)
	default:
		fmt.Fprintln(out, r.Certificate)
	}
	if r.Ranked != nil {
		fmt.Fprintln(out, r.Ranked)
	}
	if r.Held > 0 {
		fmt.Fprintf(out, "intervals or sets: from %d rows that were held out of the fit\n", r.Held)
	}
	return nil
}

// advice says, behind a message, what lets a fit of m go on that ended with err.
func advice(m catalog.Method, err error) string {
	if text := catalog.Advice(m, err); text != "" {
		return ": " + text
	}
	return ""
}

func listMethods(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, m := range catalog.Methods() {
		fmt.Fprintf(t, "%s\t%s\n", m.Name, m.Summary)
	}
	fmt.Fprintf(t, "\ngram fit --list --method NAME shows the settings of one.\n")
	return t.Flush()
}

func listSettings(out io.Writer, m catalog.Method) error {
	fmt.Fprintf(out, "%s: %s\n\nSettings, --set NAME=VALUE, with their defaults:\n", m.Name, m.Summary)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range m.New().Settings().Settings {
		def, help := cmp.Or(s.Default, "-"), explained(s)
		if len(def) > 16 { // a rule, not a value
			def, help = "-", help+" (default "+def+")"
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", s.Name, def, help)
	}
	return t.Flush()
}

// reference writes the page of all methods and their settings.
func reference(out io.Writer) error {
	fmt.Fprint(out, "# Settings of the methods\n\nThis page is written by `gram fit --list --markdown`. A setting is given as `--set NAME=VALUE`; in Go it is the field\n"+
		"of the method's configuration. `gram fit --list --method NAME` prints the settings of one method.\n")
	for _, m := range catalog.Methods() {
		fmt.Fprintf(out, "\n## %s\n\n%s.\n\n| setting | default | range | searched | meaning | field |\n|---|---|---|---|---|---|\n", m.Name, m.Summary)
		for _, s := range m.New().Settings().Settings {
			within := s.Range
			if len(s.Choices) > 0 {
				within = strings.TrimSuffix(strings.Join(s.Choices, ", ")+"; "+s.Range, "; ")
			}
			drawn := ""
			if s.Search != nil {
				drawn = s.Search.String()
			}
			_, err := fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", s.Name, s.Default, within, drawn, strings.ReplaceAll(s.Help, "|", "\\|"), s.Field)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// explained returns the help of a setting with its values or its range, and what a search draws
// from.
func explained(s *settings.Setting) string {
	help := s.Help
	switch {
	case len(s.Choices) > 0:
		help = strings.TrimSuffix(s.Help+": "+strings.Join(s.Choices, "|")+"; "+s.Range, "; ")
	case s.Range != "":
		help += " (" + s.Range + ")"
	}
	if s.Search != nil {
		help += " [searched: " + s.Search.String() + "]"
	}
	return help
}
