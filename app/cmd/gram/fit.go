package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/settings"
	"github.com/spf13/cobra"
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

	Proba    string `json:"proba,omitempty"`    // kind of the probabilities
	Held     int    `json:"held,omitempty"`     // rows that were held out for intervals or sets
	Streamed bool   `json:"streamed,omitempty"` // the rows were not in memory together; seconds include reading
	Passes   int    `json:"passes,omitempty"`   // over the rows, if streamed
	Parts    int    `json:"parts,omitempty"`    // of the rows, each with a model, if the fit was divided

	columns       string // what those of a table have become, if streamed
	decided       string // what the data have decided, if streamed
	clusters      int
	Search        *search.Found `json:"search,omitempty"`
	SearchSeconds float64       `json:"search_seconds,omitempty"`

	Compared *search.Compared `json:"compared,omitempty"` // without --method
}

// planned is the output of gram fit --plan --json.
type planned struct {
	Method      string  `json:"method"`
	N           int     `json:"n"`
	D           int     `json:"d"`
	Flops       float64 `json:"flops"`
	PeakBytes   int64   `json:"peak_bytes"`
	ModelBytes  int64   `json:"model_bytes"`
	FullKernel  bool    `json:"full_kernel"`
	Description string  `json:"description"`
}

// methods finds a method by its name; the command uses catalog.Find.
type methods func(name string) (catalog.Method, error)

func newFit(find methods) *cobra.Command {
	var (
		data                                 dataFlags
		how                                  runFlags
		columns                              columnFlags
		method, output, scale                string
		tried                                searchFlags
		settings                             []string
		asJSON, plan, list, markdown, strict bool
		trusted                              trustFlags
		measure, warm                        string
		budget                               time.Duration
	)
	c := &cobra.Command{
		Use:   "fit [--method NAME] --data FILE -o MODEL",
		Short: "Train a method on a file and store the model",
		Long: `fit trains a method on a data file and stores the model, with the class names of the
data, in one file, which gram predict, eval, compile and serve read.

Without --method a few methods are tried with their default settings: linear, gbdt and
nystrom, of up to 10000 rows also svm for classes, of up to 5000 rows also krr for values;
leml and fastxml for sets of labels. They are judged on rows that are held out of the
training, three folds or one fifth of more than 20000 rows, by the measure of --search or
another with --metric. The best is trained on all rows and stored. --budget is the wall
time for trying: a method is left out if less is left than the longest so far took, or
stopped at the end; the first always runs. The fit on all rows comes on top. A model is
the same again only if the same methods were tried.

--list shows the methods, and --list --method NAME shows the settings of one, which
--set NAME=VALUE changes. The same data, settings, seed, level and backend give the
same model for any number of workers. A fit that fails or is interrupted leaves no
partial file. If the method stops before it reaches its tolerance, the model is stored
with a warning; with --strict the fit fails instead.

--data may be a pattern such as 'part-*.csv.gz', whose files are joined in the order of
their names. If the rows, or the fit with them, need more memory than --memory-limit, which
is that of the whole process, models by linear, nystrom, rff, fastnys and pseudo are fitted
from a stream instead: two passes over the files for values and about ten for classes, with
a feature map that is fitted to a sample of 20000 rows, as are the settings that the data
choose. Texts and missing cells take one pass more, and mean targets of levels another one;
medians are then those of the sample, means those of all rows, and a column has at most 65536
levels. gram part does the same in pieces on several machines. gbdt keeps the bins of the cells,
a byte or two each, in a file beside the model, and reads it some eight times for each tree. For every other
method of classes or values the rows are divided by a tree of centers into parts of at most
3000, and each part gets a model: the file MODEL with the folder MODEL.parts. The output
says which of these was done.

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
trials may be asked for then. If standard error is no terminal, a trial every ten seconds is a
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
rows that are drawn as these were.

--warm MODEL goes on from a stored model on the rows of --data, which must have its columns
and classes: gbdt adds rounds of trees to those of the model, and the other methods with a
feature map, such as nystrom and rff, keep their landmarks or frequencies, and fit the linear
functions to these rows. The scaling stays. Other methods refuse it.

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
first line i,j,... are skipped. pairwise needs no target then (--task none).`,
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
  gram fit --method nystrom --data big.libsvm.gz --set m=2000 --plan`,
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.StringVar(&method, "method", "", "method `NAME` (default: the best of a few that are tried)")
	f.DurationVar(&budget, "budget", time.Minute, "wall time: without --method or --search for trying methods, with --search auto for its trials (default: none)")
	f.StringVarP(&output, "output", "o", "", "model `FILE` to write")
	f.StringArrayVar(&settings, "set", nil, "setting of the method, `NAME=VALUE`; may be repeated")
	tried.define(f)
	f.StringVar(&scale, "scale", "auto", "scaling of the columns, stored with the model: none, minmax (to [0,1]), unit (variance 1), standard (mean 0, variance 1), rows (each row to length 1), auto (standard for a method with a kernel, linear and ldkl on dense data that are not all in [-1,1], rows for leml and sleec on sparse data, else none), search (for --search auto: one of these, drawn)")
	f.StringVar(&measure, "metric", "", "measure of --search, and of methods without --method, one of those of gram eval `NAME`")
	f.StringVar(&warm, "warm", "", "go on from the model in `FILE`, of a method that can")
	trusted.define(f)
	data.define(f)
	data.training(f)
	how.define(f)
	columns.define(f)
	f.BoolVar(&plan, "plan", false, "print what the fit will cost, and stop")
	f.BoolVar(&list, "list", false, "list the methods, or the settings of --method, and stop")
	f.BoolVar(&markdown, "markdown", false, "with --list: write all methods and settings as a Markdown page")
	f.BoolVar(&strict, "strict", false, "fail, and store nothing, if the method does not reach its tolerance")
	f.BoolVar(&asJSON, "json", false, "write the figures as one JSON object")
	completeFit(c)
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		out := c.OutOrStdout()
		switch {
		case markdown && (!list || method != ""):
			return usagef("--markdown is for --list without --method")
		case markdown:
			return reference(out)
		case list && method == "":
			return listMethods(out)
		}
		var from *pipeline.Model
		if warm != "" {
			for _, name := range []string{"search", "scale", "proba", "conformal", "plan", "list", "budget", "metric"} {
				if c.Flags().Changed(name) {
					return usagef("--%s is not for --warm, which goes on from a model as it is", name)
				}
			}
			var err error
			if from, err = load(ctx, warm, data.limit.bytes()); err != nil {
				return err
			}
			if method != "" && method != from.Method {
				return usagef("--method is %s, but the model of --warm is one of %s", method, from.Method)
			}
			method = from.Method
		}
		var m catalog.Method // without a name it is chosen when the data are known
		var fitter catalog.Fitter
		inputs := []string{data.targetFile, trusted.weights}
		if method == "" {
			if err := unnamed(c.Flags(), budget, tried.auto()); err != nil {
				return err
			}
		} else {
			var err error
			if m, err = find(method); err != nil {
				return usageError{err}
			}
			if list {
				return listSettings(out, m)
			}
			if c.Flags().Changed("budget") && !tried.auto() {
				return usagef("--budget is for a fit without --method, or with --search auto")
			}
			fitter = m.New()
			if err := fitter.Settings().Set(settings...); err != nil {
				return usageError{err}
			}
			for _, s := range fitter.Settings().Settings {
				if s.Kind == "file" {
					inputs = append(inputs, s.String())
				}
			}
		}
		var named []catalog.Method
		if method != "" {
			named = append(named, m)
		}
		tuned, err := tried.parse(c.Flags(), named, settings, measure, budget)
		if err != nil {
			return err
		}
		if plan && tried.spec != "" {
			return usagef("--plan is for one fit, without --search")
		}
		trust, err := trusted.trust(c.Flags())
		if err != nil {
			return err
		}
		if data.path == "" {
			return usagef("--data is missing")
		}
		if output == "" && !plan {
			return usagef("-o is missing: where to write the model")
		}
		if err := writable(output, append(inputs, data.path)...); err != nil {
			return err
		}
		done, err := data.spool(ctx, c.InOrStdin())
		if err != nil {
			return err
		}
		defer done()
		o, err := data.options()
		if err != nil {
			return err
		}
		var ready training.Prepare
		draws := scale == searched
		if draws {
			if scale = training.AutoScale.String(); !tried.auto() {
				return usagef("--scale search is for --search auto")
			}
		}
		if ready.Scale, err = training.ParseScale(scale); err != nil {
			return usageError{err}
		}
		if ready.Encode, err = columns.config(); err != nil {
			return err
		}
		b := newBar(c.ErrOrStderr())
		defer b.close()
		run, err := how.run(data.limit, b)
		if err != nil {
			return err
		}
		if plan {
			return printPlan(ctx, out, asJSON, m, fitter, data.path, o, ready, run)
		}
		if from != nil {
			o.Task = from.Task
			if from.Task == dataset.Classes {
				o.Names = from.Names
			}
			o = from.Options(o)
			ready.Scale = training.NoScale // beside that of the model
		}
		if tried.groups != "" {
			o.Ignore = append(slices.Clone(o.Ignore), tried.groups)
		}
		spec := data.spec(method, settings, scale, how.seed, ready.Encode)
		streams := from == nil && method != "" && tried.spec == "" && trusted == (trustFlags{})
		if streams && job.Streams(method) != nil {
			streams, spec.Cap = job.Divides(method) == nil && spec.Table == nil, job.DefaultCap
		}
		stream := func(tooMuch error) error {
			start := time.Now()
			r, err := data.stream(ctx, c, spec, ready.Encode, output, run, strict, tooMuch)
			b.close()
			if parse := (*dataset.ParseError)(nil); spec.Cap > 0 && errors.As(err, &parse) {
				return fmt.Errorf("%w (a fit that is divided takes tables of numbers alone)", err)
			}
			if err != nil {
				return err
			}
			r.Seconds = time.Since(start).Seconds()
			for _, line := range []string{r.columns, r.decided} {
				if line != "" && !asJSON {
					fmt.Fprintln(out, line)
				}
			}
			return r.print(out, asJSON, output)
		}
		if streams {
			if err := data.exceeds(ctx, spec, run.MemoryLimit); err != nil {
				return stream(err)
			}
		}
		set, err := open(ctx, data.path, o)
		beside := run // for what is done while set is held
		if err == nil {
			beside, err = run.Beside(set.Bytes())
		}
		if streams && tooLarge(err) {
			return stream(err)
		}
		if method == "" && tooLarge(err) {
			return inMemory(err)
		}
		if err != nil {
			return inParts(err, method)
		}
		note := ""
		if o.Task == dataset.AutoTask {
			note = taken(set)
		}
		if method != "" && !slices.Contains(m.Tasks, set.Task()) && set.Task() != dataset.NoTarget {
			return fmt.Errorf("%s: method %s does not learn %s: %s", data.shown(), m.Name, set.Task(), cmp.Or(note, data.unnamedTarget(set), learners(set.Task())))
		}
		if err := learnable(set); err != nil && !slices.Contains(m.Tasks, dataset.NoTarget) {
			return fmt.Errorf("%s: %w", data.shown(), err)
		}
		if err := trusted.weigh(set); err != nil {
			return err
		}
		trust.Encode = ready.Encode
		var compared *search.Compared
		if method == "" && tried.spec == "" {
			if m, compared, err = choose(ctx, find, set, search.Compare{Budget: budget, Scale: ready.Scale, Metric: measure, Trust: trust, Run: beside}); err != nil {
				return data.blame(err)
			}
		}
		var found *search.Found
		start := time.Now()
		if tried.spec != "" {
			tuned.Scale, tuned.Encode, tuned.Run = ready.Scale, ready.Encode, beside
			if draws {
				tuned.Scales = search.Scales(set)
			}
			var log io.Writer
			if b.w == nil && !asJSON {
				log = c.ErrOrStderr()
			}
			if found, err = tried.do(ctx, tuned, data.path, o, set, log); err != nil {
				return fmt.Errorf("--search: %w", err)
			}
			best := found.Trials[found.Best]
			if method == "" {
				if m, err = find(best.Method); err != nil {
					return err
				}
			}
			if ready.Scale, err = training.ParseScale(best.Scale); err != nil {
				return err
			}
			settings = append(slices.Clone(settings), best.Settings...)
		}
		took := time.Since(start).Seconds()
		start = time.Now()
		var chosen []string
		trust.Chosen = func(settings []string) {
			if chosen == nil { // the first time is that of the model
				chosen = append([]string{}, settings...)
			}
		}
		var model *pipeline.Model
		if from != nil {
			model, err = training.Continue(ctx, from, settings, set, beside)
		} else {
			model, err = trust.Train(ctx, m, settings, set, ready.Scale, beside)
		}
		seconds := time.Since(start).Seconds()
		if streams && tooLarge(err) {
			set = nil
			return stream(err)
		}
		b.close()
		var notConverged *gram.ConvergenceError
		if errors.As(err, &notConverged) && model != nil && !strict && !math.IsNaN(notConverged.Residual) {
			fmt.Fprintf(c.ErrOrStderr(), "%s: warning: %v; the model is stored all the same%s\n", c.CommandPath(), err, advice(m, err))
			err = nil
		}
		if err != nil {
			return inParts(data.blame(err), m.Name)
		}
		if err := modelfile.Save(output, model); err != nil {
			return err
		}
		poor := search.Poor(model, set, how.seed)
		if poor != "" {
			fmt.Fprintf(c.ErrOrStderr(), "%s: warning: the model is no better than a constant: %s; other settings, another scaling or another method may help\n", c.CommandPath(), poor)
		}
		n, d := set.Dims()
		r := fitted{Method: m.Name, N: n, D: d, Classes: len(set.Labels.Names), Seconds: seconds, Converged: notConverged == nil}
		if set.Tags != nil {
			r.Labels = set.Tags.D
		}
		if found != nil {
			r.Search, r.SearchSeconds = found, took
		}
		r.Compared = compared
		r.Certificate, r.reaches = catalog.Certificate(model.Model)
		if model.Calibration != nil {
			r.Proba = model.Calibration.Kind().String()
		}
		if model.Conformal != nil {
			r.Held = model.Conformal.Rows()
		}
		if found != nil && !asJSON {
			if err := tried.print(out, tuned, found, took); err != nil {
				return err
			}
		}
		if m.Clusters {
			r.clusters = len(model.Names)
		}
		if !asJSON {
			if compared != nil {
				if err := printCompared(out, compared); err != nil {
					return err
				}
			}
			for _, line := range []string{cmp.Or(note, data.unnamedTarget(set)), data.dropped(set), rowNumbers(set), describeColumns(model), decided(model, ready.Scale, settings, chosen)} {
				if line != "" {
					fmt.Fprintln(out, line)
				}
			}
		}
		if poor == "" && compared == nil && from == nil {
			model = nil
			runtime.GC() // what follows fits another one within the limit of memory, at once
			if worse := search.WorseThanLinear(ctx, training.Prepare{Scale: ready.Scale, Encode: trust.Encode}, m, slices.Concat(settings, chosen), set, beside); worse != "" {
				fmt.Fprintf(c.ErrOrStderr(), "%s: warning: a linear model does better: %s; --method linear --scale standard fits one, --search auto looks for better settings\n", c.CommandPath(), worse)
			}
		}
		return r.print(out, asJSON, output)
	}).runE
	return c
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

// learnable returns an error if the set has no target.
func learnable(s *dataset.Set) error {
	if s.Task() == dataset.NoTarget {
		return errors.New("there is no target to learn (--target or --target-file names one)")
	}
	return nil
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

// printPlan prints what a fit will cost. It reads the file without storing its rows.
func printPlan(ctx context.Context, out io.Writer, asJSON bool, m catalog.Method, f catalog.Fitter, path string, o dataset.Options, ready training.Prepare, run gram.Run) error {
	info, err := dataset.Scan(ctx, path, o)
	if err != nil {
		return err
	}
	s := gram.Shape{N: info.N, D: max(info.D, o.Dim), Outputs: 1}
	switch info.Task {
	case dataset.Classes:
		s.Outputs = len(info.Names)
	case dataset.MultiLabel:
		s.Outputs = info.Tags
	}
	if info.Schema.Mixed() {
		s.D = ready.For(m).Encode.Width(info.Schema, multiclass.Functions(s.Outputs))
	}
	if info.Options(o).Storage == dataset.Sparse {
		s.NNZ = info.NNZ
	}
	data := 8 * int64(s.N) * int64(s.D)
	if s.NNZ > 0 {
		data = 12 * s.NNZ
	}
	if run, err = run.Beside(data); err != nil {
		return err
	}
	p, err := f.Plan(s, run)
	if err != nil {
		return err
	}
	r := planned{m.Name, s.N, s.D, p.Flops, p.PeakBytes, p.ModelBytes, p.FullKernel, p.Description}
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	kernel := ""
	if p.FullKernel {
		kernel = ", the full kernel matrix among them"
	}
	fmt.Fprintf(out, "%s on %d rows, %d columns: %s\n", m.Name, s.N, s.D, p.Description)
	fmt.Fprintf(out, "about %.3g flops; %s of memory beyond the data%s; model of %s\n",
		p.Flops, num.FormatBytes(p.PeakBytes), kernel, num.FormatBytes(p.ModelBytes))
	return nil
}
