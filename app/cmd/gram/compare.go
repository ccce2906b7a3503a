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
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// comparison is one line of the output of gram compare --json.
type comparison struct {
	Model          string   `json:"model"`
	M              int      `json:"m"`      // landmarks; 0: none
	Error          *float64 `json:"error"`  // relative error of the kernel matrix; null: no kernel
	Metric         string   `json:"metric"` // accuracy or rmse
	Value          float64  `json:"value"`
	Rows           int      `json:"rows"` // trained on
	FitSeconds     float64  `json:"fit_seconds"`
	PredictSeconds float64  `json:"predict_seconds"`
	Bytes          int64    `json:"bytes"` // of the model
	Note           string   `json:"note,omitempty"`
}

const (
	exactName = "kernel ridge, exact"
	errorRows = 512 // number of rows from which the error of the kernel matrix is estimated
)

// compareFlags holds the flags of gram compare.
type compareFlags struct {
	data       dataFlags
	how        runFlags
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
		Long: `compare trains, on the same rows and with the same squared loss,

  linear               ridge regression on the data as they are
  kernel ridge, exact  (K+λI)α = y by Cholesky's method, on at most --exact-rows rows
  nystrom uniform, m   ridge regression on Nyström features of m random rows
  nystrom kmeans, m    the same with the centers of m clusters

and shows for each an estimate of the relative error of the approximate kernel matrix,
the accuracy (or root mean squared error) on rows that were kept back, the seconds of
fit and prediction, and the bytes of the model. Classes are learned as values -1 and 1.
Below the table it says what each row buys, and with which commands to go on.

Without --data it uses a generated problem, two spirals. With --data FILE and without
--test FILE three rows in ten are kept back for the test. --set changes the kernel
(gram fit --list --method nystrom shows its settings) and lambda.`,
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
	o.how.define(f)
	f.StringVar(&o.test, "test", "", "`FILE` to test on")
	f.StringVar(&o.scale, "scale", "none", "scaling of the columns: none, minmax, unit, standard, rows")
	f.StringArrayVar(&o.settings, "set", nil, "setting of the kernel, or lambda, `NAME=VALUE`; may be repeated")
	f.IntSliceVar(&o.ms, "m", []int{16, 32, 64, 128, 256}, "numbers of landmarks")
	f.IntVar(&o.exactRows, "exact-rows", 3000, "largest number of rows for the exact model, which takes n² numbers and n³/3 flops; 0: leave it out")
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
	for _, step := range p.steps(o.ms, o.exactRows) {
		r, err := step(ctx)
		if err != nil {
			return err
		}
		rows = append(rows, r)
		if o.asJSON {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
	}
	b.close()
	data, kernel := o.again(c.Flags())
	s := p.story(rows, data, kernel)
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

// problem checks the flags, reads the data and returns the problem for all
// models.
func (o *compareFlags) problem(ctx context.Context, b *bar) (*problem, error) {
	var c compared
	set := settings.Bind(&c)
	if o.data.path == "" {
		if err := set.Set("gamma=60"); err != nil { // the width is a fraction of the distance between the arms of the spirals
			return nil, err
		}
	}
	if err := set.Set(o.settings...); err != nil {
		return nil, usageError{err}
	}
	c, err := settings.Resolved(c, gram.Shape{})
	if err != nil {
		return nil, set.Named(err)
	}
	scaling, err := training.ParseScale(o.scale)
	if err != nil {
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
	run, err := o.how.run(o.data.limit, b)
	if err != nil {
		return nil, err
	}
	p, err := problemOf(ctx, o.data.path, o.test, options, scaling, run.Seed)
	if err != nil {
		return nil, err
	}
	if err := set.Complete(p.train.X, run.Seed); err != nil {
		return nil, err
	}
	p.compared, p.run = c, run
	return p, nil
}

// compared holds the settings that all models of a comparison share.
type compared struct {
	Kernel kernel.Kernel
	Lambda float64
}

// Settings describes the settings.
func (c *compared) Settings(s *settings.Fields) {
	if !s.Resolving() {
		kernel.Setting(s, &c.Kernel)
	}
	s.Float(&c.Lambda, "lambda", "weight of the squared norm").Default(1e-2).Above(0)
}

// problem holds the data that all models of a comparison are trained and
// tested on.
type problem struct {
	compared
	train, test *dataset.Set
	target      *mat.Dense // of the training rows: values, or ±1 for each class (one column for two)
	run         gram.Run
}

func problemOf(ctx context.Context, path, test string, o dataset.Options, scale training.Scale, seed uint64) (*problem, error) {
	p := &problem{}
	switch {
	case path == "":
		p.train, p.test = dataset.TwoSpirals(2000, .02, seed), dataset.TwoSpirals(2000, .02, seed+1)
	case test != "":
		var err error
		if p.train, err = open(ctx, path, o); err != nil {
			return nil, err
		}
		_, o.Dim = p.train.Dims()
		o.Task, o.Schema = p.train.Task(), p.train.Schema
		if o.Task == dataset.Classes {
			o.Names = p.train.Labels.Names
		}
		if p.test, err = open(ctx, test, o); err != nil {
			return nil, err
		}
	default:
		all, err := open(ctx, path, o)
		if err != nil {
			return nil, err
		}
		if n, _ := all.Dims(); n < 2 {
			return nil, fmt.Errorf("%s: a single row cannot be split into training and test; --test names a file for that", path)
		}
		p.train, p.test = all.Split(.3, seed)
	}
	n, _ := p.train.Dims()
	ready, err := training.Prepare{Scale: scale}.Fit(p.train, seed)
	if err != nil {
		return nil, err
	}
	p.train, p.test.X = ready.Set, ready.Apply(p.test.X)
	switch p.train.Task() {
	case dataset.Regression:
		p.target = mat.NewDense(n, 1, p.train.Value)
	case dataset.Classes:
		names := len(p.train.Labels.Names)
		if names < 2 {
			return nil, fmt.Errorf("%s: all rows are of one class", path)
		}
		p.target = multiclass.Signs(p.train.Labels.Class, names)
	default:
		return nil, fmt.Errorf("%s: the task is %s, want classes or regression", path, p.train.Task())
	}
	return p, nil
}

// String describes the problem.
func (p *problem) String() string {
	n, d := p.train.Dims()
	t, _ := p.test.Dims()
	what := "regression"
	if k := len(p.train.Labels.Names); k > 0 {
		what = fmt.Sprintf("%d classes", k)
	}
	s := p.Kernel.Spec()
	params := ""
	names := make([]string, 0, len(s.Params))
	for name := range s.Params {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		params += fmt.Sprintf(" %s=%.4g", name, s.Params[name])
	}
	return fmt.Sprintf("%s: %d rows to train, %d to test, %d columns, %s; %s kernel%s, lambda=%g", p.train.Name, n, t, d, what, s.Name, params, p.Lambda)
}

// steps returns functions that fit and measure the models to compare, in order.
func (p *problem) steps(ms []int, exactRows int) []func(context.Context) (comparison, error) {
	steps := []func(context.Context) (comparison, error){p.linear}
	if exactRows > 0 {
		steps = append(steps, func(ctx context.Context) (comparison, error) { return p.exact(ctx, exactRows) })
	}
	for _, s := range []struct {
		name string
		sel  landmark.Selector
	}{{"uniform", landmark.Uniform{}}, {"kmeans", landmark.KMeans{}}} {
		for _, m := range ms {
			steps = append(steps, func(ctx context.Context) (comparison, error) { return p.nystrom(ctx, s.name, s.sel, m) })
		}
	}
	return steps
}

func (p *problem) ridge() linear.Ridge { return linear.Ridge{Lambda: gram.Set(p.Lambda), Run: p.run} }

func (p *problem) linear(ctx context.Context) (comparison, error) {
	n, _ := p.train.Dims()
	r := comparison{Model: "linear", Rows: n}
	start := time.Now()
	m, err := p.ridge().FitAll(ctx, nil, p.train.X, p.target, nil)
	if err = r.note(err, m != nil); err != nil {
		return r, err
	}
	r.FitSeconds = time.Since(start).Seconds()
	r.Bytes, err = encodedSize(m)
	p.score(&r, func() *mat.Dense { return m.PredictAll(nil, p.test.X) })
	return r, err
}

func (p *problem) nystrom(ctx context.Context, name string, sel landmark.Selector, m int) (comparison, error) {
	n, _ := p.train.Dims()
	r := comparison{Model: "nystrom " + name, M: m, Rows: n}
	start := time.Now()
	features, err := nystrom.Config{Kernel: p.Kernel, Landmarks: sel, M: m, Run: p.run}.Fit(ctx, p.train.X)
	if err != nil {
		return r, err
	}
	model, err := p.ridge().FitAll(ctx, features, p.train.X, p.target, nil)
	if err = r.note(err, model != nil); err != nil {
		return r, err
	}
	r.FitSeconds = time.Since(start).Seconds()
	if r.Bytes, err = encodedSize(features, model); err != nil {
		return r, err
	}
	p.score(&r, func() *mat.Dense { return model.PredictAll(nil, p.test.X) })
	e, err := solve.Certificate(ctx, p.Kernel, features, p.train.X, errorRows, p.run)
	r.Error = &e.Value
	return r, err
}

// exact solves (K+λI)α = y − mean(y) for at most --exact-rows rows, which are
// drawn at random if there are more.
func (p *problem) exact(ctx context.Context, rows int) (comparison, error) {
	n, d := p.train.Dims()
	r := comparison{Model: exactName, Rows: n}
	x, y := p.train.X, p.target
	if n > rows {
		chosen := dataset.Sample(n, rows, p.run.Seed)
		x, y = dataset.SelectRows(x, chosen), mat.DenseCopyOf(dataset.SelectRows(y, chosen))
		r.Rows, r.Note = rows, fmt.Sprintf("%d of %d rows", rows, n)
		n = rows
	}
	if err := p.run.Check(gram.Plan{PeakBytes: 8 * int64(n) * int64(n)}); err != nil {
		return r, fmt.Errorf("exact kernel model (--exact-rows 0 leaves it out): %w", err)
	}
	p.run.Report(gram.Event{Phase: exactName})
	zero := 0.0
	r.Error = &zero
	start := time.Now()
	block := kernel.Against[float64](p.Kernel, x).Limit(p.run.Workers)
	k := gram.MakeRows[float64](n, n)
	block.Fill(k, gram.Of(x))
	for i := range n {
		k.Row(i)[i] += p.Lambda
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	factor, positive := lapack64.Potrf(blas64.Symmetric{N: n, Stride: k.Stride, Data: k.Data, Uplo: blas.Upper})
	if !positive {
		return r, fmt.Errorf("exact kernel model: the kernel matrix with lambda=%g on its diagonal is not positive definite", p.Lambda)
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	alpha := mat.DenseCopyOf(y)
	_, outputs := alpha.Dims()
	mean := make([]float64, outputs)
	for i := range n {
		for j, v := range alpha.RawRowView(i) {
			mean[j] += v / float64(n)
		}
	}
	for i := range n {
		for j := range mean {
			alpha.RawRowView(i)[j] -= mean[j]
		}
	}
	lapack64.Potrs(factor, alpha.RawMatrix())
	r.FitSeconds = time.Since(start).Seconds()
	r.Bytes = 8 * int64(n) * int64(d+outputs)
	p.score(&r, func() *mat.Dense {
		t, _ := p.test.Dims()
		dst := mat.NewDense(t, outputs, nil)
		mul(block, gram.View(dst), p.test.X, gram.View(alpha))
		for i := range t {
			for j := range mean {
				dst.RawRowView(i)[j] += mean[j]
			}
		}
		return dst
	})
	return r, ctx.Err()
}

// mul sets dst = K(X,Z)·V for dense or sparse rows.
func mul(b *kernel.Block[float64], dst gram.Rows[float64], x mat.Matrix, v gram.Rows[float64]) {
	s := gram.Of(x)
	if !s.IsSparse() {
		b.Mul(dst, s, v)
		return
	}
	const rows = 256
	k := gram.MakeRows[float64](rows, v.N)
	for lo := 0; lo < s.N(); lo += rows {
		hi := min(lo+rows, s.N())
		part := k.Slice(0, hi-lo)
		b.Fill(part, s.Slice(lo, hi))
		to := dst.Slice(lo, hi)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(part), general(v), 0, general(to))
	}
}

func general(r gram.Rows[float64]) blas64.General {
	return blas64.General{Rows: r.N, Cols: r.D, Stride: r.Stride, Data: r.Data}
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
func (p *problem) score(r *comparison, predict func() *mat.Dense) {
	start := time.Now()
	got := predict()
	r.PredictSeconds = time.Since(start).Seconds()
	n, k := got.Dims()
	if p.test.Value != nil {
		r.Metric = "rmse"
		for i, want := range p.test.Value {
			e := got.At(i, 0) - want
			r.Value += e * e
		}
		r.Value = math.Sqrt(r.Value / float64(n))
		return
	}
	r.Metric = "accuracy"
	right := 0
	for i, want := range p.test.Labels.Class {
		best := 0
		row := got.RawRowView(i)
		if k == 1 && row[0] > 0 {
			best = 1
		}
		for c, v := range row {
			if v > row[min(best, k-1)] {
				best = c
			}
		}
		if best == want {
			right++
		}
	}
	r.Value = float64(right) / float64(n)
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

type counter int64

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
	quality := plotted{"Root mean squared error on the test rows", "rmse", false, true, func(r comparison) (float64, string) { return r.Value, "" }}
	if rows[0].Metric == "accuracy" {
		// Without a wrong row the logarithm does not exist: the point stands at half a row.
		quality = plotted{"Wrong answers on the test rows", "share of the rows", true, true, func(r comparison) (float64, string) {
			return max(1-r.Value, .5/float64(tested)), fmt.Sprintf("%.4g wrong", 1-r.Value)
		}}
	}
	for _, c := range []plotted{
		quality,
		{"Error of the kernel matrix", "relative error", true, false, func(r comparison) (float64, string) {
			if r.Error == nil {
				return math.NaN(), ""
			}
			return *r.Error, ""
		}},
		{"Time to fit", "seconds", true, true, func(r comparison) (float64, string) { return r.FitSeconds, "" }},
		{"Size of the model", "bytes", true, true, func(r comparison) (float64, string) { return float64(r.Bytes), num.FormatBytes(r.Bytes) }},
	} {
		if err := out.Chart(c.chart(rows, ends)); err != nil {
			return err
		}
	}
	out.Heading("All figures")
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, r.cells())
	}
	out.Table(comparisonHead(rows), cells)
	return out.Write(w)
}

// plotted is a figure of comparisons that is drawn over the number of landmarks.
type plotted struct {
	title, unit string
	log         bool
	exact       bool                               // models without landmarks are drawn as well, as lines
	of          func(comparison) (float64, string) // the figure, and its text if that is another
}

// chart draws the figure between the least and the largest number of landmarks.
func (c plotted) chart(rows []comparison, ends [2]float64) page.Chart {
	chart := page.Chart{Title: c.title, X: "landmarks m", Y: c.unit, LogX: true, LogY: c.log}
	for _, r := range rows {
		if r.M == 0 && !c.exact {
			continue
		}
		v, text := c.of(r)
		text = cmp.Or(text, fmt.Sprintf("%.4g", v))
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
