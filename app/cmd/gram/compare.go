package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/stat"
)

// comparison is one line of the output of gram compare --json.
type comparison struct {
	Model          string   `json:"model"`
	M              int      `json:"m"`      // landmarks; 0: none
	Error          *float64 `json:"error"`  // relative error of the kernel matrix; null: no kernel
	Metric         string   `json:"metric"` // accuracy or rmse
	Value          float64  `json:"value"`
	Rows           int      `json:"rows"` // number of training rows
	FitSeconds     float64  `json:"fit_seconds"`
	PredictSeconds float64  `json:"predict_seconds"`
	Bytes          int64    `json:"bytes"` // size of the stored model, in bytes
	Note           string   `json:"note,omitempty"`

	entry entry
	model *pipeline.Model // nil once it is not needed
}

const (
	exactName = "kernel ridge, exact"
	errorRows = 512 // number of rows from which the error of the kernel matrix is estimated
)

type compareFlags struct {
	data       dataFlags
	runFlags   runFlags
	test, html string
	scale      string
	settings   []string
	ms         []int
	exactRows  int
	asJSON     bool
}

func newCompare() *cobra.Command {
	var o compareFlags
	c := &cobra.Command{
		Use:   "compare",
		Short: "Compare a linear model, an exact kernel model and approximations",
		Long: `compare trains, on the same rows and as gram fit does it,

  linear               a linear model of the columns
  kernel ridge, exact  kernel ridge regression (krr), on at most --exact-rows rows
  nystrom uniform, m   a linear model of Nyström features of m random rows
  nystrom kmeans, m    the same with the centers of m clusters

and shows for each an estimate of the relative error of the approximate kernel matrix,
the accuracy (or root mean squared error) on held-out rows, the seconds of
fit and prediction, and the bytes of the model. Scaling and settings are those that gram fit
takes by default; all models use the same kernel, whose width is chosen from the rows unless
--set gives it. Below the table compare says what each method gains and costs, and which commands
fit and measure it: on the same rows they give the same figures.

Without --data it uses a generated problem, two spirals. With --data FILE and without
--test FILE three rows in ten are held out for the test. --set changes the kernel
(gram fit --list --method nystrom shows its settings).`,
		Example: `  gram compare
  gram compare --html compare.html
  gram compare --data train.libsvm.gz --test test.libsvm.gz --scale minmax --set gamma=2 --m 64,256,1024`,
		Args: cobra.NoArgs,
	}
	o.define(c.Flags())
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error { return o.run(ctx, c) }).runE
	return c
}

func (o *compareFlags) define(f *pflag.FlagSet) {
	o.data.define(f)
	o.data.training(f)
	o.runFlags.define(f)
	f.StringVar(&o.test, "test", "", "`FILE` to test on")
	f.StringVar(&o.scale, "scale", "auto", "scaling of the columns, as in gram fit: none, minmax, unit, standard, rows, auto")
	f.StringArrayVar(&o.settings, "set", nil, "setting of the kernel, `NAME=VALUE`; may be repeated")
	f.IntSliceVar(&o.ms, "m", []int{16, 32, 64, 128, 256}, "numbers of landmarks")
	f.IntVar(&o.exactRows, "exact-rows", 3000, "largest number of rows for the exact model, which takes n² numbers; 0: leave it out")
	f.BoolVar(&o.asJSON, "json", false, "write one JSON object per line")
	f.StringVar(&o.html, "html", "", "also write a page with plots to `FILE`")
}

func (o *compareFlags) run(ctx context.Context, c *cobra.Command) error {
	b := newBar(c.ErrOrStderr())
	defer b.close()
	if err := writable(o.html, o.data.path, o.data.targetFile, o.test); err != nil {
		return err
	}
	done, err := o.data.spool(ctx, c.InOrStdin())
	if err != nil {
		return err
	}
	defer done()
	p, err := o.problem(ctx, b)
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	if !o.asJSON {
		fmt.Fprintln(out, p)
	}
	var rows []comparison
	enc := json.NewEncoder(out)
	for _, e := range p.entries(o.ms, o.exactRows) {
		r, err := p.fit(ctx, e)
		if err != nil {
			return err
		}
		if o.html == "" {
			r.model = nil
		}
		rows = append(rows, r)
		if o.asJSON {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
	}
	b.close()
	s := p.story(rows, o.again(c.Flags()))
	if !o.asJSON {
		if err := writeComparison(out, rows); err != nil {
			return err
		}
		if err := s.write(out); err != nil {
			return err
		}
	}
	if o.html != "" {
		return modelfile.WriteFile(o.html, func(w io.Writer) error { return comparisonPage(w, p, rows, s) })
	}
	return nil
}

// problem checks the flags, reads the data and returns the problem for all models.
func (o *compareFlags) problem(ctx context.Context, b *bar) (*problem, error) {
	var c sharedKernel
	bound := settings.Bind(&c)
	p := &problem{kernel: o.settings}
	given := slices.ContainsFunc(o.settings, func(s string) bool {
		return strings.HasPrefix(s, "gamma=") || strings.HasPrefix(s, "kernel=") && s != "kernel=gaussian" && s != "kernel=laplacian" // others have no gamma
	})
	if o.data.path == "" && !given {
		p.kernel = append([]string{"gamma=16"}, o.settings...) // the width is a fraction of the distance between the arms of the spirals
	}
	if err := bound.Set(p.kernel...); err != nil {
		return nil, usageError{err}
	}
	var err error
	if p.prepare.Scale, err = training.ParseScale(o.scale); err != nil {
		return nil, usageError{err}
	}
	if o.exactRows < 0 || len(o.ms) == 0 {
		return nil, usagef("--exact-rows is %d and --m has %d values, want at least 0 and 1", o.exactRows, len(o.ms))
	}
	if o.test != "" && o.data.path == "" {
		return nil, usagef("--test needs --data")
	}
	options, err := o.data.options()
	if err != nil {
		return nil, err
	}
	if o.test != "" {
		options.Name = "" // there are two files
	}
	if p.run, err = o.runFlags.run(o.data.limit, b); err != nil {
		return nil, err
	}
	if err := p.read(ctx, o.data.path, o.test, options); err != nil {
		return nil, err
	}
	if err := bound.Complete(p.train.X, p.run.Seed); err != nil {
		return nil, err
	}
	return p, p.choose(ctx, slices.Max(o.ms))
}

// sharedKernel is the kernel of all models of a comparison.
type sharedKernel struct{ Kernel kernel.Kernel }

// Settings describes the setting kernel and the parameters of the kernels.
func (c *sharedKernel) Settings(s *settings.Fields) { kernel.Setting(s, &c.Kernel) }

// problem holds the data that all models of a comparison are trained and tested on, how they are made ready, and
// the settings NAME=VALUE of the kernel.
type problem struct {
	train, test *dataset.Set
	prepare     training.Prepare
	kernel      []string
	run         gram.Run
}

// read reads the rows to train and to test on.
func (p *problem) read(ctx context.Context, path, test string, o dataset.Options) error {
	var err error
	switch {
	case path == "":
		p.train, p.test = dataset.TwoSpirals(2000, .02, p.run.Seed), dataset.TwoSpirals(2000, .02, p.run.Seed+1)
	case test != "":
		if p.train, err = open(ctx, path, o); err != nil {
			return err
		}
		_, o.Dim = p.train.Dims()
		o.Task, o.Schema = p.train.Task(), p.train.Schema
		if o.Task == dataset.Classes {
			o.Names = p.train.Labels.Names
		}
		if p.test, err = open(ctx, test, o); err != nil {
			return err
		}
	default:
		all, err := open(ctx, path, o)
		if err != nil {
			return err
		}
		if n, _ := all.Dims(); n < 2 {
			return fmt.Errorf("%s: a single row cannot be split into training and test; --test names a file for that", path)
		}
		p.train, p.test = all.Split(.3, p.run.Seed)
	}
	switch task := p.train.Task(); {
	case task != dataset.Regression && task != dataset.Classes:
		return fmt.Errorf("%s: the task is %s, want classes or regression", path, task)
	case task == dataset.Classes && len(p.train.Labels.Names) < 2:
		return fmt.Errorf("%s: all rows are of one class", path)
	}
	return nil
}

// choose adds to the settings of the kernel what gram fit chooses by the rows for m landmarks.
func (p *problem) choose(ctx context.Context, m int) error {
	method := catalog.Must("nystrom")
	f := method.New()
	if err := f.Settings().Set(append(slices.Clone(p.kernel), fmt.Sprint("m=", m))...); err != nil {
		return err
	}
	ready, err := p.prepare.For(method).Fit(p.train, p.run.Seed)
	if err != nil {
		return err
	}
	n, _ := p.train.Dims()
	chosen, err := catalog.ChosenOn(ctx, f, ready.Set, n, p.run)
	p.kernel = append(slices.Clone(p.kernel), chosen...)
	return f.Settings().Named(err)
}

// String returns a line with the data, the numbers of rows and columns, the task, the scaling and the kernel.
func (p *problem) String() string {
	n, d := p.train.Dims()
	t, _ := p.test.Dims()
	what := "regression"
	if k := len(p.train.Labels.Names); k > 0 {
		what = fmt.Sprintf("%d classes", k)
	}
	return fmt.Sprintf("%s: %d rows to train, %d to test, %d columns, %s; %s", p.train.Name, n, t, d, what,
		strings.Join(append([]string{"scale=" + p.prepare.Scale.String()}, p.kernel...), " "))
}

// entry is a model of a comparison: a method with its settings NAME=VALUE.
type entry struct {
	name, method string
	settings     []string
	m            int // landmarks; 0: none
	rows         int // trained on at most; 0: all
}

// entries returns the models to compare, in order.
func (p *problem) entries(ms []int, exactRows int) []entry {
	list := []entry{{name: "linear", method: "linear"}}
	if exactRows > 0 {
		list = append(list, entry{name: exactName, method: "krr", settings: p.kernel, rows: exactRows})
	}
	for _, landmarks := range []string{"uniform", "kmeans"} {
		for _, m := range ms {
			list = append(list, entry{name: "nystrom " + landmarks, method: "nystrom", m: m,
				settings: append(slices.Clone(p.kernel), fmt.Sprint("m=", m), "landmarks="+landmarks)})
		}
	}
	return list
}

// fit trains a model as gram fit does and measures it.
func (p *problem) fit(ctx context.Context, e entry) (comparison, error) {
	train := p.train
	n, _ := train.Dims()
	r := comparison{Model: e.name, M: e.m, Rows: n, entry: e}
	if e.rows > 0 && n > e.rows {
		train = train.Select(dataset.Sample(n, e.rows, p.run.Seed))
		r.Rows, r.Note = e.rows, fmt.Sprintf("%d of %d rows", e.rows, n)
	}
	method := catalog.Must(e.method)
	f := method.New()
	if err := f.Settings().Set(e.settings...); err != nil {
		return r, err
	}
	start := time.Now()
	model, err := p.prepare.Train(ctx, method, f, train, p.run)
	if tooLarge(err) && e.rows > 0 {
		return r, fmt.Errorf("%s (--exact-rows 0 leaves it out): %w", exactName, err)
	}
	if err = r.note(err, model != nil); err != nil {
		return r, err
	}
	r.FitSeconds = time.Since(start).Seconds()
	if r.Bytes, err = encodedSize(model); err != nil {
		return r, err
	}
	if err := p.score(&r, model); err != nil {
		return r, err
	}
	r.model = model
	err = p.kernelError(ctx, &r, model)
	return r, err
}

// kernelError estimates the error of the approximate kernel matrix; the exact one has none.
func (p *problem) kernelError(ctx context.Context, r *comparison, model *pipeline.Model) error {
	if r.Model == exactName {
		r.Error = new(float64)
	}
	if r.M == 0 {
		return nil
	}
	features := model.Model.(interface{ FeatureMap() pipeline.Map }).FeatureMap().(*nystrom.Model)
	x, err := model.Scaled(p.train.X)
	if err != nil {
		return err
	}
	e, err := solve.Certificate(ctx, features.Config().Kernel, features, x, errorRows, p.run)
	r.Error = &e.Value
	return err
}

// note turns the error of a method that stopped early into a remark.
func (r *comparison) note(err error, usable bool) error {
	var c *gram.ConvergenceError
	if errors.As(err, &c) && usable {
		r.Note = err.Error()
		return nil
	}
	return err
}

// score predicts the test rows and fills in the metric.
func (p *problem) score(r *comparison, model *pipeline.Model) error {
	start := time.Now()
	x, err := model.Scaled(p.test.X)
	if err != nil {
		return err
	}
	wrong := stat.Mean(catalog.Losses(model.Model, x, p.test), nil)
	r.PredictSeconds = time.Since(start).Seconds()
	if r.Metric, r.Value = "accuracy", 1-wrong; p.test.Task() == dataset.Regression {
		r.Metric, r.Value = "rmse", math.Sqrt(wrong)
	}
	return nil
}

// encodedSize returns the size of a model file in bytes.
func encodedSize(models ...modelfile.Model) (int64, error) {
	var c counter
	for _, m := range models {
		if err := modelfile.Write(&c, m); err != nil {
			return 0, err
		}
	}
	return int64(c), nil
}

// counter counts the bytes that are written to it.
type counter int64

// Write adds the length of p to the count. It never fails.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func (r comparison) cells() []string {
	m, e := "-", "-"
	if r.M > 0 {
		m = fmt.Sprint(r.M)
	}
	if r.Error != nil {
		e = fmt.Sprintf("%.3g", *r.Error)
	}
	return []string{
		r.Model, m, e, fmt.Sprintf("%.4g", r.Value), fmt.Sprintf("%.3g", r.FitSeconds),
		fmt.Sprintf("%.3g", r.PredictSeconds), num.FormatBytes(r.Bytes), r.Note,
	}
}

func comparisonHead(rows []comparison) []string {
	return []string{"model", "m", "kernel error", rows[0].Metric, "fit s", "predict s", "model", "note"}
}

func writeComparison(w io.Writer, rows []comparison) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cells []string) {
		for _, c := range cells[:len(cells)-1] {
			fmt.Fprintf(t, "%s\t", c)
		}
		fmt.Fprintln(t, cells[len(cells)-1])
	}
	line(comparisonHead(rows))
	for _, r := range rows {
		line(r.cells())
	}
	return t.Flush()
}

// comparisonPage writes a page with what the rows say, plots over m and the table.
func comparisonPage(w io.Writer, p *problem, rows []comparison, s story) error {
	out := page.Page{Title: "gram compare"}
	if err := p.picture(&out, rows); err != nil {
		return err
	}
	out.Text(p.String())
	out.Text(bench.Here().String())
	out.Heading("What each row buys")
	out.List(s.says)
	out.Heading("The same on your file")
	out.Command(s.commands...)
	out.Heading("Over the number of landmarks")
	var ends [2]float64
	for _, r := range rows {
		if r.M > 0 {
			if ends[0] == 0 || float64(r.M) < ends[0] {
				ends[0] = float64(r.M)
			}
			ends[1] = max(ends[1], float64(r.M))
		}
	}
	tested, _ := p.test.Dims()
	quality := plotted{"Root mean squared error on the test rows", "rmse", page.Plain, false, true, func(r comparison) (float64, string) { return r.Value, "" }}
	if rows[0].Metric == "accuracy" {
		// Without a wrong row the logarithm does not exist: the point stands at half a row.
		quality = plotted{"Wrong answers on the test rows", "of the rows", page.Shares, true, true, func(r comparison) (float64, string) {
			return max(1-r.Value, .5/float64(tested)), page.Percent(1-r.Value) + " wrong"
		}}
	}
	for _, c := range []plotted{
		quality,
		{"Error of the kernel matrix", "relative error", page.Shares, true, false, func(r comparison) (float64, string) {
			if r.Error == nil {
				return math.NaN(), ""
			}
			return *r.Error, ""
		}},
		{"Time to fit", "time", page.Times, true, true, func(r comparison) (float64, string) { return r.FitSeconds, "" }},
		{"Size of the model", "size", page.Sizes, true, true, func(r comparison) (float64, string) { return float64(r.Bytes), "" }},
	} {
		if err := out.Chart(c.chart(rows, ends)); err != nil {
			return err
		}
	}
	out.Heading("All figures")
	var cells [][]string
	for _, r := range rows {
		row := r.cells()
		if r.Metric == "accuracy" {
			row[3] = page.Percent(r.Value)
		}
		row[4], row[5] = page.Seconds(r.FitSeconds), page.Seconds(r.PredictSeconds)
		cells = append(cells, row)
	}
	head := comparisonHead(rows)
	head[4], head[5] = "fit", "predict"
	out.Table(head, cells)
	return out.Write(w)
}

// plotted is a figure of comparisons that is drawn over the number of landmarks.
type plotted struct {
	title, name string
	unit        page.Unit
	log         bool
	exact       bool                               // models without landmarks are drawn as well, as lines
	of          func(comparison) (float64, string) // the figure, and its text if that is another
}

// chart draws the figure between the least and the largest number of landmarks.
func (c plotted) chart(rows []comparison, ends [2]float64) page.Chart {
	chart := page.Chart{Title: c.title, X: "landmarks m", Y: c.name, LogX: true, LogY: c.log, Unit: c.unit}
	for _, r := range rows {
		if r.M == 0 && !c.exact {
			continue
		}
		v, text := c.of(r)
		text = cmp.Or(text, c.unit.Text(v))
		i := slices.IndexFunc(chart.Series, func(s page.Series) bool { return s.Name == r.Model })
		if i < 0 {
			chart.Series = append(chart.Series, page.Series{Name: r.Model, Dashed: r.M == 0})
			i = len(chart.Series) - 1
		}
		s := &chart.Series[i]
		if r.M == 0 {
			s.X, s.Y, s.Values = ends[:], []float64{v, v}, []string{text, text}
			continue
		}
		s.X, s.Y, s.Values = append(s.X, float64(r.M)), append(s.Y, v), append(s.Values, text)
	}
	return chart
}
