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
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

// compiled describes one program, in one line of the curve.
type compiled struct {
	Method       string   `json:"method"`
	Precision    string   `json:"precision"`
	Size         int      `json:"m"`             // landmarks or frequencies; 0: exact
	Program      string   `json:"program"`       // what it computes
	FlopMultiple float64  `json:"flop_multiple"` // flops of a prediction, in multiples of a linear model's
	Multiple     float64  `json:"multiple"`      // of a linear model's time on this machine, one goroutine, blocks of 1024 rows
	Nanoseconds  float64  `json:"ns_per_row"`
	Bytes        int64    `json:"bytes"`     // memory of the program, in bytes
	Error        float64  `json:"error"`     // root mean square of the difference from the model, relative
	Agreement    *float64 `json:"agreement"` // rows of the same class as the model's; null: values
	Metric       string   `json:"metric,omitempty"`
	Value        *float64 `json:"value,omitempty"` // value of the metric on the test half of the data
	Seconds      float64  `json:"seconds"`         // time of the compilation
	Chosen       bool     `json:"chosen"`

	model *pipeline.Model
}

type compileFlags struct {
	data              dataFlags
	runFlags          runFlags
	model, output     string
	method, precision string
	m                 int
	budget            float64
	budgets           []float64
	unlabeled         bool
	asJSON            bool
}

// curveBudgets holds the budgets of the curve, in multiples of a linear model's
// flops.
var curveBudgets = []float64{5, 10, 20, 40, 80, 160}

func newCompile() *cobra.Command {
	var o compileFlags
	c := &cobra.Command{
		Use:   "compile --model MODEL [--data FILE] [-o OUT]",
		Short: "Turn a model into a fast program, and a kernel machine into a cheaper one",
		Long: `compile turns a stored model of any method into a program for prediction. For a kernel
machine it prints the accuracy and the cost of the exact program and of approximations
at several budgets. Costs are multiples of the cost of a linear model's prediction, in
flops and in time on this machine.

  exact     the model itself, without points of weight 0; a linear model on Nyström
            features no longer needs the product that turns kernel values into features
  nystrom   a few landmarks instead of all points
  rff       random frequencies, for gaussian and laplacian kernels
  fastnys   landmarks that a fast transform makes from a few seeds
  reduced   as nystrom, with a reduced set: points found one after the other
  dcpred    a few landmarks and products of two of their kernel values

With --data the approximations are fitted to agree with the model on half of its rows,
without use of the targets. The other half measures the agreement with the model and
the accuracy or rmse. Without --data the model's own points serve for both; they are
harder to predict than most rows.

-o stores a program, which gram predict, eval and serve take like any model. It is the
program of --method and --m, or the program of the curve within --budget that agrees
best with the model, or the exact program. A warning says that it is much worse than
the model.`,
		Example: `  gram compile --model svm.gram --data train.libsvm.gz
  gram compile --model svm.gram --data train.libsvm.gz --budget 20 --precision float32 -o fast.gram
  gram compile --model svm.gram --method nystrom --m 128 -o fast.gram`,
		Args: cobra.NoArgs,
	}
	o.define(c.Flags())
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error { return o.run(ctx, c) }).runE
	return c
}

func (o *compileFlags) define(f *pflag.FlagSet) {
	f.StringVar(&o.model, "model", "", "model `FILE`")
	f.StringVarP(&o.output, "output", "o", "", "`FILE` to write the program to (default: only print the curve)")
	f.StringVar(&o.method, "method", "auto", "method: auto, exact, nystrom, rff, fastnys, dcpred, reduced")
	f.StringVar(&o.precision, "precision", "float64", "numbers of the program: float64, float32")
	f.IntVar(&o.m, "m", 0, "landmarks or frequencies of --method (default: as many as --budget allows, or 256, for dcpred 32)")
	f.Float64Var(&o.budget, "budget", 0, "highest cost, as a multiple of a linear model's flops (default: no limit)")
	f.Float64SliceVar(&o.budgets, "budgets", curveBudgets, "`BUDGETS` of the curve, with commas between")
	f.BoolVar(&o.unlabeled, "unlabelled", false, "the rows of --data have no targets to measure accuracy with")
	f.BoolVar(&o.asJSON, "json", false, "write one JSON object per line of the curve")
	o.data.limit.define(f)
	o.runFlags.define(f)
	o.data.define(f)
}

func (o *compileFlags) run(ctx context.Context, c *cobra.Command) error {
	if err := writable(o.output, o.model, o.data.path, o.data.targetFile); err != nil {
		return err
	}
	done, err := o.data.spool(ctx, c.InOrStdin())
	if err != nil {
		return err
	}
	defer done()
	b := newBar(c.ErrOrStderr())
	defer b.close()
	curve, err := o.curve(ctx, b)
	if err != nil {
		return err
	}
	lines, err := curve.lines(ctx, o.budgets, b)
	b.close()
	if err != nil {
		return err
	}
	at, err := curve.choose(lines)
	if err != nil {
		return err
	}
	lines[at].Chosen = true
	if worse := curve.worse(lines[0], lines[at]); worse != "" && o.output != "" {
		fmt.Fprintf(c.ErrOrStderr(), "%s: warning: %s; a larger --budget or --m comes nearer\n", c.CommandPath(), worse)
	}
	if err := o.print(c.OutOrStdout(), curve, lines); err != nil {
		return err
	}
	if o.output == "" {
		return nil
	}
	if err := modelfile.Save(o.output, lines[at].model); err != nil {
		return err
	}
	if o.asJSON {
		return nil
	}
	size := ""
	if info, err := os.Stat(o.output); err == nil {
		size = ": " + num.FormatBytes(info.Size())
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: %s, %s%s\n", o.output, lines[at].Method, lines[at].Program, size)
	if curve.model.Intervals() && !lines[at].model.Intervals() {
		fmt.Fprintf(c.OutOrStdout(), "the program has no intervals or sets: those of the model are not about it\n")
	}
	return nil
}

// curve checks the flags and reads the model and the data.
func (o *compileFlags) curve(ctx context.Context, b *bar) (*curve, error) {
	if o.model == "" {
		return nil, usagef("--model is missing")
	}
	method, err := predict.ParseMethod(o.method, approx.Candidates())
	if err != nil {
		return nil, usageError{err}
	}
	precision, err := predict.ParsePrecision(o.precision)
	if err != nil {
		return nil, usageError{err}
	}
	if o.m != 0 && (method == predict.Auto || method == predict.Exact) {
		return nil, usagef("--m is for --method nystrom, rff, fastnys, dcpred or reduced")
	}
	for _, b := range append([]float64{o.budget}, o.budgets...) {
		if !(b >= 0) || math.IsInf(b, 0) {
			return nil, usagef("a budget is %g, want a number ≥ 0", b)
		}
	}
	run, err := o.runFlags.run(o.data.limit, b)
	if err != nil {
		return nil, err
	}
	m, err := load(ctx, o.model, o.data.limit.bytes())
	if err != nil {
		return nil, err
	}
	curve := &curve{model: m, budget: 100 * time.Millisecond, options: predict.Options{Method: method, Precision: precision, M: o.m, Budget: o.budget, Run: run}}
	if o.data.path == "" {
		return curve, nil
	}
	return curve, o.rows(ctx, curve)
}

// rows reads the data and splits them into halves.
func (o *compileFlags) rows(ctx context.Context, c *curve) error {
	options, err := o.data.options()
	if err != nil {
		return err
	}
	options.Task = c.model.Task
	switch {
	case o.unlabeled:
		options.Task = dataset.NoTarget
	case c.model.Task == dataset.Classes:
		options.Names = c.model.Names
	}
	set, err := open(ctx, o.data.path, c.model.Options(options))
	if err != nil {
		return err
	}
	n, _ := set.Dims()
	if n < 2 {
		return fmt.Errorf("%s: there are %d rows, want at least 2", o.data.shown(), n)
	}
	order := rng.New(rng.Derive(c.options.Seed, "halves"), 0).Perm(n)
	c.options.Points, c.test = set.Select(order[:n/2]).X, set.Select(order[n/2:])
	c.labeled = !o.unlabeled
	return nil
}

// curve compiles a model to programs and measures them.
type curve struct {
	model   *pipeline.Model
	options predict.Options
	test    *dataset.Set // nil: the model's own points are used
	labeled bool
	budget  time.Duration // time for the measurement of a program
	linear  float64       // seconds that a linear model took for a row in the last measurement
	bytes   int           // bytes that the linear model reads for a row
	refused []string      // why methods have no program within Options.Budget
}

// lines returns the exact program and the approximations, or the programs of the
// method that was asked for.
func (c *curve) lines(ctx context.Context, budgets []float64, b *bar) ([]compiled, error) {
	methods, err := predict.Methods(c.model.Model, approx.Candidates())
	if errors.Is(err, predict.ErrNoProgram) {
		return nil, fmt.Errorf("a model of method %s cannot be compiled; gram predict and gram serve take it as it is: %w", c.model.Method, err)
	}
	if err != nil {
		return nil, err
	}
	exact := c.options
	exact.Method, exact.M, exact.Budget = predict.Exact, 0, 0
	first, err := c.line(ctx, exact)
	if err != nil {
		return nil, err
	}
	lines := []compiled{first}
	if c.options.Method == predict.Exact {
		return lines, nil
	}
	if c.options.Method != predict.Auto {
		l, err := c.line(ctx, c.options)
		return append(lines, l), err
	}
	budgets = slices.Clone(budgets)
	if c.options.Budget > 0 {
		budgets = append(budgets, c.options.Budget)
	}
	// What may cost as much as the exact program is of no use.
	budgets = slices.DeleteFunc(budgets, func(b float64) bool { return b >= first.FlopMultiple })
	slices.Sort(budgets)
	if len(methods) == 0 {
		c.refused = append(c.refused, "there are no approximations of a model of method "+c.model.Method)
	}
	total := len(methods) * len(budgets)
	for i, m := range methods {
		before := 0
		for j, budget := range budgets {
			b.step(i*len(budgets)+j, total, fmt.Sprintf("%s at %g", m, budget))
			o := c.options
			o.Method, o.Budget, o.Candidates = m, budget, approx.Candidates()
			// Progress of a fit would overwrite the bar.
			o.Progress = nil
			size, err := predict.Size(c.model.Model, o)
			if err == nil && size == before {
				continue // the largest size there is, again
			}
			before = size
			l, err := c.line(ctx, o)
			var config *gram.ConfigError
			if errors.As(err, &config) { // too few points, or a budget below one landmark
				if budget == c.options.Budget {
					c.refused = append(c.refused, fmt.Sprintf("%s: %v", m, err))
				}
				continue
			}
			if err != nil {
				return nil, err
			}
			if l.FlopMultiple < first.FlopMultiple {
				lines = append(lines, l)
			}
		}
	}
	return lines, nil
}

// line compiles a program with the options o, compares it with the model on the test rows if there are any, and times it.
func (c *curve) line(ctx context.Context, o predict.Options) (compiled, error) {
	model, program, err := c.model.Compile(ctx, o)
	if err != nil {
		return compiled{}, err
	}
	stats, done := program.Stats(), program.Options()
	l := compiled{
		Method: string(done.Method), Precision: done.Precision.String(), Size: done.M, Program: program.Cost().Description,
		FlopMultiple: program.Multiple(), Bytes: program.Cost().ModelBytes, Error: stats.Error, Seconds: stats.Seconds, model: model,
	}
	if done.Method == predict.Exact {
		l.Error = stats.Rounding
	}
	if _, is := c.model.Model.(gram.Classifier); is {
		l.Agreement = &stats.Agreement
	}
	var x mat.Matrix
	if c.test != nil {
		if err := c.compare(&l); err != nil {
			return compiled{}, err
		}
		if x, err = c.model.Scaled(c.test.X); err != nil {
			return compiled{}, err
		}
	}
	t, err := c.measure(program, x)
	if err != nil {
		return compiled{}, err
	}
	l.Multiple, l.Nanoseconds, c.linear = t.Multiple(), 1e9*t.Seconds, t.Linear
	return l, ctx.Err()
}

// timedRows returns the number of rows of d columns that programs are timed on:
// 1024, or as many as fit 32 MiB.
func timedRows(d int) int { return min(1024, max(1, 4<<20/d)) }

// measure times a program on rows of x, or on made-up rows if x is nil. The rows are dense, and
// there must be memory for them and for the linear model that the program is compared with.
func (c *curve) measure(p predict.Compiled, x mat.Matrix) (predict.Timing, error) {
	d, outputs := p.Float64().Dims()
	n := timedRows(d)
	if x != nil {
		have, _ := x.Dims()
		n = min(n, have)
	}
	if err := c.options.Check(gram.Plan{PeakBytes: int64(8 * float64(d) * float64(2*n+3*outputs))}); err != nil {
		return predict.Timing{}, fmt.Errorf("timing programs of %d columns: %w", d, err)
	}
	r := rng.New(1, 0)
	rows := gram.MakeRows[float64](n, d)
	for i := range n {
		row := rows.Row(i)
		for j := range row {
			if x != nil {
				row[j] = x.At(i, j)
			} else {
				row[j] = r.Float64()
			}
		}
	}
	if p.Options().Precision == predict.Float64 {
		c.bytes = 8 * d
		return predict.Measure(p.Float64(), gram.Dense(rows), c.budget), nil
	}
	c.bytes = 4 * d
	return predict.Measure(p.Float32(), gram.As[float32](gram.Dense(rows), nil), c.budget), nil
}

// compare fills in the agreement and the accuracy on the test rows.
func (c *curve) compare(l *compiled) error {
	want, err := c.model.Predict(c.test.X, true, 1)
	if err != nil {
		return err
	}
	got, err := l.model.Predict(c.test.X, true, 1)
	if err != nil {
		return err
	}
	n, _ := c.test.Dims()
	if want.Class != nil {
		equal, right := 0, 0
		for i, k := range got.Class {
			if k == want.Class[i] {
				equal++
			}
			if c.labeled && k == c.test.Labels.Class[i] {
				right++
			}
		}
		agreement, accuracy := float64(equal)/float64(n), float64(right)/float64(n)
		l.Agreement, l.Error = &agreement, relative(got.Scores, want.Scores)
		if c.labeled {
			l.Metric, l.Value = "accuracy", &accuracy
		}
		return nil
	}
	l.Error = relative(mat.NewDense(n, 1, got.Value), mat.NewDense(n, 1, want.Value))
	if c.labeled {
		var sum float64
		for i, v := range got.Value {
			sum += (v - c.test.Value[i]) * (v - c.test.Value[i])
		}
		rmse := math.Sqrt(sum / float64(n))
		l.Metric, l.Value = "rmse", &rmse
	}
	return nil
}

// relative returns the root mean square of got−want divided by that of want about the
// means of its columns.
func relative(got, want *mat.Dense) float64 {
	n, k := want.Dims()
	var off, spread float64
	for c := range k {
		mean := mat.Sum(want.ColView(c)) / float64(n)
		for i := range n {
			e, v := got.At(i, c)-want.At(i, c), want.At(i, c)-mean
			off += e * e
			spread += v * v
		}
	}
	if off == 0 {
		return 0
	}
	return math.Sqrt(off / spread)
}

// choose returns the line of the program to store.
func (c *curve) choose(lines []compiled) (int, error) {
	if c.options.Method != predict.Auto {
		return len(lines) - 1, nil
	}
	if c.options.Budget == 0 {
		return 0, nil
	}
	best := -1
	for i, l := range lines {
		if l.FlopMultiple > c.options.Budget {
			continue
		}
		if best < 0 || better(l, lines[best]) {
			best = i
		}
	}
	if best < 0 {
		cheapest := slices.MinFunc(lines, func(a, b compiled) int { return cmp.Compare(a.FlopMultiple, b.FlopMultiple) })
		why := ""
		switch {
		case cheapest.FlopMultiple < lines[0].FlopMultiple:
			why = fmt.Sprintf(", the cheapest one, %s, %.3g", cheapest.Method, cheapest.FlopMultiple)
		case len(c.refused) > 0:
			why = "; " + strings.Join(c.refused, "; ")
		}
		return 0, fmt.Errorf("there is no program within the budget of %g: the exact one costs %.3g times as much as a linear model%s", c.options.Budget, lines[0].FlopMultiple, why)
	}
	return best, nil
}

// A program is much worse than the exact one if it has so many fewer rows right, if its root mean squared error is larger by
// this factor, or, without targets, if it agrees with it on fewer rows or differs from it by more of its spread.
const (
	muchAccuracy  = .03
	muchError     = 1.1
	muchAgreement = .9
	muchSpread    = .5
)

// worse says in a phrase that program l is much worse than the exact one, "" if it is not.
func (c *curve) worse(exact, l compiled) string {
	where := "of the model's own points"
	if c.test != nil {
		n, _ := c.test.Dims()
		where = fmt.Sprintf("of %d rows that it was not fitted to", n)
	}
	switch {
	case l.Metric == "accuracy" && *l.Value < *exact.Value-muchAccuracy:
		return fmt.Sprintf("the program has %.3f %s right, the model %.3f", *l.Value, where, *exact.Value)
	case l.Metric == "rmse" && *l.Value > muchError**exact.Value:
		return fmt.Sprintf("the root mean squared error %s is %.4g with the program and %.4g with the model", where, *l.Value, *exact.Value)
	case l.Metric == "" && l.Agreement != nil && *l.Agreement < muchAgreement:
		return fmt.Sprintf("the program agrees with the model on %.3f %s", *l.Agreement, where)
	case l.Metric == "" && l.Agreement == nil && l.Error > muchSpread:
		return fmt.Sprintf("the program's values %s differ from the model's by %.2g of their spread", where, l.Error)
	}
	return ""
}

// better reports whether a agrees better with the model than b, or agrees as well and
// costs less.
func better(a, b compiled) bool {
	if a.Agreement != nil && *a.Agreement != *b.Agreement {
		return *a.Agreement > *b.Agreement
	}
	if a.Error != b.Error {
		return a.Error < b.Error
	}
	return a.FlopMultiple < b.FlopMultiple
}

func (o *compileFlags) print(out io.Writer, c *curve, lines []compiled) error {
	if o.asJSON {
		enc := json.NewEncoder(out)
		for _, l := range lines {
			if err := enc.Encode(l); err != nil {
				return err
			}
		}
		return nil
	}
	where := "the model's own points"
	if c.test != nil {
		n, _ := c.test.Dims()
		where = fmt.Sprintf("%d rows that programs were not fitted to", n)
	}
	fmt.Fprintf(out, "agreement and error on %s; a linear model takes %.3g ns a row (%.3g GB/s of rows)\n",
		where, 1e9*c.linear, float64(c.bytes)/c.linear/1e9)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "method\tm\tflops/linear\ttime/linear\tns/row\tsize\tagreement\terror")
	if lines[0].Metric != "" {
		fmt.Fprintf(t, "\t%s", lines[0].Metric)
	}
	fmt.Fprintln(t)
	for _, l := range lines {
		size, agreement := "-", "-"
		if l.Size > 0 {
			size = fmt.Sprint(l.Size)
		}
		if l.Agreement != nil {
			agreement = fmt.Sprintf("%.4f", *l.Agreement)
		}
		fmt.Fprintf(t, "%s\t%s\t%.1f\t%.1f\t%.0f\t%s\t%s\t%.2g", l.Method, size, l.FlopMultiple, l.Multiple, l.Nanoseconds,
			num.FormatBytes(l.Bytes), agreement, l.Error)
		if l.Value != nil {
			fmt.Fprintf(t, "\t%.5g", *l.Value)
		}
		if l.Chosen && o.output != "" {
			fmt.Fprint(t, "\t<- stored")
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
