package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/app/explain"
	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

// explanation is the output of gram explain --json.
type explanation struct {
	Metric  string          `json:"metric"`
	Value   float64         `json:"value"` // the metric of the model before any column is permuted
	Rows    int             `json:"rows"`
	Columns []columnFigures `json:"columns"`              // the most important first
	Along   []direction     `json:"directions,omitempty"` // of a learned metric, the most important first
	Partial []dependence    `json:"partial,omitempty"`

	drawn  []dependence // of the most important columns, for a page without Partial
	strips []page.Strip // Shapley values of one output by column, for a page
	output string       // the output that the Shapley values explain
	rows   *dataset.Set
}

// direction is an eigenvector of a learned metric.
type direction struct {
	Share   float64   `json:"share"`   // share of the eigenvalue in the trace of the metric
	Columns []loading `json:"columns"` // loadings of the columns, the largest first
}

// loading is the entry of a direction for a column; for a column that is encoded as several, the length of theirs.
type loading struct {
	Column int     `json:"column"`
	Name   string  `json:"name,omitempty"`
	Weight float64 `json:"weight"`
}

// title returns the name of the column, or its number.
func (l loading) title() string { return cmp.Or(l.Name, strconv.Itoa(l.Column)) }

// columnFigures says how a model uses a column.
type columnFigures struct {
	Column     int      `json:"column"`              // number of the column, from 1
	Name       string   `json:"name,omitempty"`      // name of the column; empty unless the data are a table
	Importance float64  `json:"importance"`          // what the metric loses when the column is permuted
	Std        float64  `json:"std"`                 // standard deviation of the importance between the permutations
	Shapley    *float64 `json:"shapley,omitempty"`   // mean of the absolute Shapley values, for trees
	Relevance  *float64 `json:"relevance,omitempty"` // root mean square slope times standard deviation, for Gaussian kernels
	Learned    *float64 `json:"learned,omitempty"`   // share of the column in the trace of a learned metric
}

// title returns the name of the column, or its number.
func (c columnFigures) title() string { return cmp.Or(c.Name, strconv.Itoa(c.Column)) }

// dependence is the mean prediction as a function of a column.
type dependence struct {
	Column  int         `json:"column"`
	Name    string      `json:"name,omitempty"` // name of the column; empty unless the data are a table
	Values  []float64   `json:"values"`
	Levels  []string    `json:"levels,omitempty"` // of a category, for each value
	Outputs []string    `json:"outputs"`          // what the numbers of Means are
	Means   [][]float64 `json:"means"`            // for each value

	probability bool // the numbers are probabilities
}

// explainer computes explanations of a model from rows with targets: importance is what the measure loses, a mean of so many
// repeats.
type explainer struct {
	model   *pipeline.Model
	rows    *dataset.Set
	measure metric.Measure
	repeats int
	run     gram.Run
	drawn   bool // on a page
}

const explainHelp = `explain measures how much a model depends on each column of a file with targets, which
should not be the file that the model was trained on.

importance is how much worse the metric becomes when the numbers of the column are permuted among
the rows, a mean of --repeats permutations; columns with the same information share it. For gbdt, and for
gbml with the settings of a label, shapley is the mean of the absolute Shapley values of the
column (TreeSHAP), in the unit of the scores; --shapley FILE writes those of every row. For
machines of a Gaussian kernel relevance is the root mean square slope along the column, times
its standard deviation. For rfm, and for widths of columns (ard=true), learned is the share of the
column in the trace of the metric that the model has learned, for widths 1/width², and the directions along which it sees rows far apart follow.

--partial COLUMN,... adds the mean prediction as a function of these columns: the value, or
the probabilities or scores of the classes.

Columns are numbered from 1. If the file has more than --rows rows, that many are drawn.`

// explaining holds the flags of gram explain.
type explaining struct {
	data                                 dataFlags
	runFlags                             runFlags
	model, measure, html, shares, output string
	repeats, rows, top                   int
	partial                              []string
	asJSON                               bool
}

func newExplain() *cobra.Command {
	var o explaining
	c := &cobra.Command{
		Use:   "explain --model MODEL --data FILE",
		Short: "Show which columns a stored model uses, and how",
		Long:  explainHelp,
		Example: `  gram explain --model model.gram --data test.csv --target price
  gram explain --model model.gram --data test.csv --target kind --metric auc --partial 3,5 --html why.html`,
		Args: cobra.NoArgs,
	}
	o.define(c.Flags())
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error { return o.run(ctx, c) }).runE
	return c
}

func (o *explaining) define(f *pflag.FlagSet) {
	f.StringVar(&o.model, "model", "", "model `FILE`")
	f.StringVar(&o.measure, "metric", "", "measure that a column is judged by, one of those of gram eval `NAME`")
	f.IntVar(&o.repeats, "repeats", 5, "times that each column is permuted")
	f.IntVar(&o.rows, "rows", 2000, "rows that are used at most")
	f.IntVar(&o.top, "top", 20, "columns to print; 0: all")
	f.StringSliceVar(&o.partial, "partial", nil, "columns whose partial dependence is computed, by name or number from 1, `COLUMN,...`")
	f.StringVar(&o.output, "output", "", "class `NAME`, or number of a label, whose score Shapley values explain (default: all classes)")
	f.StringVar(&o.shares, "shapley", "", "`FILE` to write the Shapley values to, a row in a line: the mean, then a number for each column")
	f.StringVar(&o.html, "html", "", "also write a page with plots to `FILE`")
	f.BoolVar(&o.asJSON, "json", false, "write one JSON object")
	o.data.define(f)
	o.runFlags.define(f)
}

// check is the error of flags that are missing or out of range.
func (o *explaining) check() error {
	switch {
	case o.model == "":
		return usagef("--model is missing")
	case o.data.path == "":
		return usagef("--data is missing")
	case o.repeats < 1:
		return usagef("--repeats is %d, want at least 1", o.repeats)
	case o.rows < 2:
		return usagef("--rows is %d, want at least 2", o.rows)
	case o.top < 0:
		return usagef("--top is %d, want at least 0", o.top)
	}
	return nil
}

// run checks the flags and explains the model.
func (o *explaining) run(ctx context.Context, c *cobra.Command) error {
	if err := o.check(); err != nil {
		return err
	}
	m, read, done, err := o.data.stored(ctx, c, o.model)
	if err != nil {
		return err
	}
	defer done()
	dependent, err := o.columns(m)
	if err != nil {
		return err
	}
	if err := writable(o.html, o.model, o.data.path, o.data.targetFile, o.shares); err != nil {
		return err
	}
	if err := writable(o.shares, o.model, o.data.path, o.data.targetFile); err != nil {
		return err
	}
	if _, clusters := m.Model.(clusterer); clusters {
		return usagef("models of clusters are not explained")
	}
	b := newBar(c.ErrOrStderr())
	defer b.close()
	r, err := o.explain(ctx, m, read, dependent, b)
	if err != nil {
		return err
	}
	if o.html != "" {
		if err := o.page(ctx, m, r); err != nil {
			return err
		}
	}
	b.close()
	if o.asJSON {
		return json.NewEncoder(c.OutOrStdout()).Encode(r)
	}
	return r.text(c.OutOrStdout(), o.top)
}

// page writes the file of --html: how good the model is, and how it uses its columns.
func (o *explaining) page(ctx context.Context, m *pipeline.Model, r *explanation) error {
	p := &page.Page{Title: "Columns of " + filepath.Base(o.model)}
	first := r.Columns[0]
	counts := fmt.Sprintf("The column that counts most is %s: without it %s loses %s (± %s).", first.title(), r.Metric,
		figure{Metric: r.Metric, Value: first.Importance}.text(), figure{Metric: r.Metric, Value: 2 * first.Std / math.Sqrt(float64(o.repeats))}.text())
	subject := fmt.Sprintf("%s on %d rows of %s", m.Method, r.Rows, filepath.Base(o.data.shown()))
	if m.Task == dataset.MultiLabel {
		p.Lead(fmt.Sprintf("%s: %s is %s. %s", subject, r.Metric, figure{Metric: r.Metric, Value: r.Value}.text(), counts))
	} else {
		answers, _, err := answersOf(m, r.rows)
		if err != nil {
			return err
		}
		report := &modelReport{subject: subject, model: m, answers: answers}
		if err := report.linearly(ctx, r.rows, gram.Run{}); err != nil {
			return err
		}
		p.Lead(report.headline() + " " + counts)
		if report.linear != nil {
			p.Text(report.linearNote)
		}
	}
	if err := r.page(p, o.top); err != nil {
		return err
	}
	return modelfile.WriteFile(o.html, p.Write)
}

// columns returns the numbers, from 1, of the columns of --partial.
func (o *explaining) columns(m *pipeline.Model) ([]int, error) {
	dependent := make([]int, len(o.partial))
	for i, name := range o.partial {
		if dependent[i] = m.Schema.Find(name) + 1; dependent[i] > 0 {
			continue
		}
		var err error
		if dependent[i], err = strconv.Atoi(name); err != nil || dependent[i] < 1 || dependent[i] > m.Dim {
			return nil, usagef("--partial has column %q, the model has columns 1 to %d", name, m.Dim)
		}
	}
	return dependent, nil
}

// explain draws the rows and computes what the model makes of their columns.
func (o *explaining) explain(ctx context.Context, m *pipeline.Model, read dataset.Options, dependent []int, b *bar) (*explanation, error) {
	e := &explainer{model: m, repeats: o.repeats, drawn: o.html != ""}
	var err error
	if e.run, err = o.runFlags.run(0, b); err != nil {
		return nil, err
	}
	if e.measure, err = measureOf(m, o.measure); err != nil {
		return nil, err
	}
	if read.Task = m.Task; m.Task == dataset.Classes {
		read.Names = m.Names
	}
	if e.rows, err = drawRows(ctx, o.data.path, m.Options(read), o.rows, e.run.Seed); err != nil {
		return nil, err
	}
	outputs, err := e.outputs(o.output)
	if err != nil {
		return nil, err
	}
	if o.shares != "" {
		if len(outputs) != 1 {
			return nil, usagef("--shapley is for one output: --output names a class or a label")
		}
		if err := e.writeShapley(ctx, o.shares, outputs[0]); err != nil {
			return nil, err
		}
	}
	r, err := e.explain(ctx, outputs, dependent)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.data.shown(), err)
	}
	r.rows = e.rows
	return r, nil
}

// measureOf returns the measure of that name, or the first one for the model.
func measureOf(m *pipeline.Model, name string) (metric.Measure, error) {
	if name == "" && m.Task == dataset.MultiLabel {
		return metric.Find("p@1")
	}
	var names []string
	if name != "" {
		names = []string{name}
	}
	if m.Task == dataset.MultiLabel {
		found, err := metric.Find(name, metric.NeedTop)
		if err != nil {
			return found, usageError{err}
		}
		return found, nil
	}
	list, err := measuresOf(m, names)
	if err != nil {
		return metric.Measure{}, err
	}
	return list[0], nil
}

// drawRows reads a file block by block and returns at most the given number of its rows, each
// with the same probability, by reservoir sampling.
func drawRows(ctx context.Context, path string, o dataset.Options, rows int, seed uint64) (*dataset.Set, error) {
	r := rand.New(rand.NewPCG(seed, 0x6578706c61696e))
	var out *dataset.Set
	n := 0
	for block, err := range dataset.Blocks(ctx, path, o, blockRows) {
		if err != nil {
			return nil, err
		}
		if block.Task() != o.Task {
			return nil, fmt.Errorf("%s: the targets are of task %s, the model's of %s", cmp.Or(o.Name, path), block.Task(), o.Task)
		}
		have := min(n, rows)
		index := make([]int, have) // rows of out, then of the block
		for i := range index {
			index[i] = i
		}
		size, d := block.Dims()
		if d > 0 && rows > (1<<27)/d {
			return nil, fmt.Errorf("%s: %d rows of %d columns are too many to be permuted (--rows takes fewer)", cmp.Or(o.Name, path), rows, d)
		}
		for i := range size {
			if at := r.IntN(n + 1); len(index) < rows {
				index = append(index, have+i)
			} else if at < rows {
				index[at] = have + i
			}
			n++
		}
		if out == nil {
			out = block.Select(index)
			continue
		}
		both, err := out.Append(block)
		if err != nil {
			return nil, err
		}
		if o.Names != nil {
			both.Labels, _ = both.Labels.Rename(o.Names)
		}
		out = both.Select(index)
	}
	if n < 2 {
		return nil, fmt.Errorf("%s: %d rows, want at least 2", cmp.Or(o.Name, path), n)
	}
	return out, nil
}

// score returns the measure of the model's answers about x, which has the rows of e.rows.
func (e *explainer) score(x *mat.Dense) (float64, error) {
	want := pipeline.Want{Order: e.measure.Needs == metric.NeedScores, Probability: e.measure.Needs == metric.NeedProbability, Top: max(1, e.measure.K)}
	p, err := e.model.Answer(x, want)
	if err != nil {
		return 0, err
	}
	a := metric.Answers{Class: e.rows.Labels.Class, Classes: len(e.model.Names), Predicted: p.Class, Scores: p.Order, Probability: p.Probability,
		Target: e.rows.Value, Value: p.Value, Top: p.Top}
	if e.rows.Tags != nil {
		truth := *e.rows.Tags
		truth.D = max(truth.D, e.model.Model.(gram.Ranker).NumLabels())
		a.Truth = &truth
	}
	return e.measure.Of(a), nil
}

// outputs returns the numbers of the outputs that Shapley values explain.
func (e *explainer) outputs(name string) ([]int, error) {
	switch m := e.model.Model.(type) {
	case gram.Ranker:
		if name == "" {
			return nil, nil
		}
		l, err := strconv.Atoi(name)
		if err != nil || l < 0 || l >= m.NumLabels() {
			return nil, usagef("--output is %q, want a label from 0 to %d", name, m.NumLabels()-1)
		}
		return []int{l}, nil
	case gram.Classifier:
		k := slices.Index(e.model.Names, name)
		functions := multiclass.Functions(len(e.model.Names))
		switch {
		case name != "" && k < 0:
			return nil, usagef("--output is %q, which is no class of the model", name)
		case functions == 1:
			return []int{0}, nil // of the second class; that of the first has the opposite signs
		case name != "":
			return []int{k}, nil
		}
		all := make([]int, functions)
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	if name != "" {
		return nil, usagef("--output is for models of classes and labels")
	}
	return []int{0}, nil
}

// writeShapley writes the mean and the Shapley values of every row.
func (e *explainer) writeShapley(ctx context.Context, path string, output int) error {
	phi, mean, err := explain.Contributions(ctx, e.model, output, e.rows.X, e.rows.X, e.run.Workers)
	if err != nil {
		return err
	}
	return modelfile.WriteFile(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		var line []byte
		n, _ := phi.Dims()
		for i := range n {
			line = strconv.AppendFloat(line[:0], mean, 'g', -1, 64)
			for _, v := range phi.RawRowView(i) {
				line = strconv.AppendFloat(append(line, ','), v, 'g', -1, 64)
			}
			b.Write(append(line, '\n')) // Flush returns the error
		}
		return b.Flush()
	})
}

// explain computes the figures of all columns and the dependence on those in partial, which
// are counted from 1.
func (e *explainer) explain(ctx context.Context, outputs, partial []int) (*explanation, error) {
	n, d := e.rows.Dims()
	r := &explanation{Metric: e.measure.Name, Rows: n, Columns: make([]columnFigures, d)}
	var err error
	if r.Value, err = e.score(gram.Matrix(gram.Of(e.rows.X))); err != nil {
		return nil, err
	}
	if r.Value-r.Value != 0 {
		return nil, fmt.Errorf("%s is not defined for these rows", e.measure.Name)
	}
	importance, err := explain.Permutation(ctx, e.rows.X, e.repeats, e.measure.Larger, e.run, e.score)
	if err != nil {
		return nil, err
	}
	for c, v := range importance {
		r.Columns[c] = columnFigures{Column: c + 1, Importance: v.Mean, Std: v.Std}
		if e.model.Schema.Named() {
			r.Columns[c].Name = e.model.Schema.Columns[c].Name
		}
	}
	if err := e.shapley(ctx, r, outputs); err != nil {
		return nil, err
	}
	if err := e.relevance(ctx, r); err != nil {
		return nil, err
	}
	if err := e.learned(ctx, r); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.Columns, func(a, b columnFigures) int { return cmp.Compare(b.Importance, a.Importance) })
	for _, column := range partial {
		p, err := e.dependence(ctx, column)
		if err != nil {
			return nil, err
		}
		r.Partial = append(r.Partial, *p)
	}
	for _, c := range r.Columns[:min(drawnColumns, len(r.Columns))] {
		if !e.drawn || len(partial) > 0 || e.model.Task == dataset.MultiLabel {
			break
		}
		p, err := e.dependence(ctx, c.Column)
		if err != nil {
			return nil, err
		}
		r.drawn = append(r.drawn, *p)
	}
	return r, nil
}

// shapley adds the mean sizes of the Shapley values of the outputs, if the model is trees on columns.
func (e *explainer) shapley(ctx context.Context, r *explanation, outputs []int) error {
	n := r.Rows
	for k, output := range outputs {
		phi, _, err := explain.Contributions(ctx, e.model, output, e.rows.X, e.rows.X, e.run.Workers)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			break // no trees on columns
		}
		if e.drawn && len(outputs) == 1 {
			e.strips(r, phi, output)
		}
		for c := range r.Columns {
			if k == 0 {
				r.Columns[c].Shapley = new(float64)
			}
			for i := range n {
				*r.Columns[c].Shapley += max(phi.At(i, c), -phi.At(i, c)) / float64(n*len(outputs))
			}
		}
	}
	return nil
}

// relevance adds what the model's Gaussian kernel says of the columns, if the model has one.
func (e *explainer) relevance(ctx context.Context, r *explanation) error {
	x, err := e.model.Scaled(e.rows.X)
	if err != nil {
		return err
	}
	if relevance, err := explain.Relevance(ctx, e.model.Model, x); err == nil { // else there is no Gaussian kernel
		if e.model.Encoding != nil {
			own := make([]float64, len(r.Columns))
			for k, c := range e.model.Encoding.Places() {
				own[c] = math.Hypot(own[c], relevance[k])
			}
			relevance = own
		}
		for c, v := range relevance {
			r.Columns[c].Relevance = &v
		}
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}

// Of the most important columns so many have their partial dependence on a page, and so many, and so many rows, have points
// for their Shapley values.
const (
	drawnColumns = 3
	stripColumns = 12
	stripRows    = 250
)

// strips notes the Shapley values of some of the rows, whose shade is the rank of the row's number in the column.
func (e *explainer) strips(r *explanation, phi *mat.Dense, output int) {
	n, d := phi.Dims()
	r.output = "value"
	switch {
	case e.model.Task == dataset.Classes && len(e.model.Names) == 2:
		r.output = "score of " + e.model.Names[1]
	case e.model.Task == dataset.Classes:
		r.output = "score of " + e.model.Names[output]
	case e.model.Task == dataset.MultiLabel:
		r.output = fmt.Sprintf("score of label %d", output)
	case e.model.Schema != nil && e.model.Schema.Target != "":
		r.output = e.model.Schema.Target
	}
	x := gram.Of(e.rows.X)
	row := make([]float64, d)
	for c := range d {
		s := page.Strip{Name: r.Columns[c].title()}
		ordered := e.model.Schema == nil || e.model.Schema.Columns[c].Kind != dataset.Category
		var own []float64
		for i := 0; i < n; i += max(1, (n+stripRows-1)/stripRows) {
			own = append(own, x.Row(row, i)[c])
			s.Values = append(s.Values, phi.At(i, c))
		}
		sorted := slices.Sorted(slices.Values(own))
		for _, v := range own {
			shade := math.NaN()
			if low, _ := slices.BinarySearch(sorted, v); ordered && v == v && len(own) > 1 {
				shade = float64(low) / float64(len(own)-1)
			}
			s.Shade = append(s.Shade, shade)
		}
		r.strips = append(r.strips, s)
	}
}

// Of a learned metric so many directions are shown, with so many columns each.
const (
	topDirections = 3
	topLoadings   = 5
)

// learned adds the metric of a model that has learned one.
func (e *explainer) learned(ctx context.Context, r *explanation) error {
	m, err := explain.Learned(ctx, e.model.Model)
	if err != nil {
		return ctx.Err() // else there is no metric
	}
	places := make([]int, len(m.Share))
	for k := range places {
		places[k] = k
	}
	if e.model.Encoding != nil {
		places = e.model.Encoding.Places()
	}
	for c := range r.Columns {
		r.Columns[c].Learned = new(float64)
	}
	for k, v := range m.Share {
		*r.Columns[places[k]].Learned += v
	}
	for k := 0; k < min(topDirections, len(m.Values)) && m.Values[k] > 0.005; k++ {
		weight := make([]float64, len(r.Columns))
		for i, c := range places {
			if v := m.Directions.At(i, k); weight[c] == 0 {
				weight[c] = v
			} else {
				weight[c] = math.Hypot(weight[c], v)
			}
		}
		d := direction{Share: m.Values[k]}
		for c, v := range weight {
			d.Columns = append(d.Columns, loading{c + 1, r.Columns[c].Name, v})
		}
		slices.SortStableFunc(d.Columns, func(a, b loading) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
		d.Columns = d.Columns[:min(topLoadings, len(d.Columns))]
		r.Along = append(r.Along, d)
	}
	return nil
}

// text returns a line with the share of the direction in the learned metric and the weights of its columns.
func (d direction) text() string {
	parts := make([]string, len(d.Columns))
	for k, l := range d.Columns {
		parts[k] = fmt.Sprintf("%.2g of %s", l.Weight, l.title())
	}
	return fmt.Sprintf("Direction with %.0f %% of the learned metric: %s.", 100*d.Share, strings.Join(parts, ", "))
}

// gridPoints is the number of values of a partial dependence at most.
const gridPoints = 20

// dependence computes the partial dependence on a column, counted from 1.
func (e *explainer) dependence(ctx context.Context, column int) (*dependence, error) {
	want := pipeline.Want{Probability: e.model.Probabilities() != nil, Scores: e.model.Task == dataset.Classes && e.model.Probabilities() == nil, Top: 1}
	out := &dependence{Column: column, probability: want.Probability, Values: explain.Grid(e.rows.X, column-1, gridPoints)}
	out.Values = slices.DeleteFunc(out.Values, math.IsNaN) // cells that are missing
	if s := e.model.Schema; s.Named() {
		out.Name = s.Columns[column-1].Name
		if s.Columns[column-1].Kind != dataset.Number {
			for _, v := range out.Values {
				level, _ := s.Text(column-1, v)
				out.Levels = append(out.Levels, level)
			}
		}
	}
	switch {
	case e.model.Task == dataset.MultiLabel:
		return nil, usagef("--partial is for models of classes and values")
	case e.model.Task == dataset.Regression:
		out.Outputs = []string{"value"}
	case want.Scores && len(e.model.Names) == 2:
		out.Outputs = e.model.Names[1:]
	default:
		out.Outputs = e.model.Names
	}
	means, err := explain.Partial(ctx, e.rows.X, column-1, out.Values, func(x *mat.Dense) (*mat.Dense, error) {
		p, err := e.model.Answer(x, want)
		switch {
		case err != nil:
			return nil, err
		case p.Probability != nil:
			return p.Probability, nil
		case p.Scores != nil:
			return p.Scores, nil
		}
		return mat.NewDense(len(p.Value), 1, p.Value), nil
	})
	if err != nil {
		return nil, err
	}
	for g := range out.Values {
		out.Means = append(out.Means, means.RawRowView(g))
	}
	return out, nil
}

// title returns the name of the column, or its number.
func (d *dependence) title() string { return cmp.Or(d.Name, fmt.Sprintf("column %d", d.Column)) }

// head returns the first columns; top 0 stands for all.
func (r *explanation) head(top int) []columnFigures {
	if top == 0 {
		top = len(r.Columns)
	}
	return r.Columns[:min(top, len(r.Columns))]
}

// table returns the columns as the cells of a table.
func (r *explanation) table(top int) (head []string, cells [][]string) {
	head = []string{"column", "importance", "std"}
	first := r.Columns[0]
	if first.Shapley != nil {
		head = append(head, "shapley")
	}
	if first.Relevance != nil {
		head = append(head, "relevance")
	}
	if first.Learned != nil {
		head = append(head, "learned")
	}
	for _, c := range r.head(top) {
		row := []string{c.title(), fmt.Sprintf("%.4g", c.Importance), fmt.Sprintf("%.2g", c.Std)}
		for _, v := range []*float64{c.Shapley, c.Relevance, c.Learned} {
			if v != nil {
				row = append(row, fmt.Sprintf("%.4g", *v))
			}
		}
		cells = append(cells, row)
	}
	return head, cells
}

// text writes the figures of the top columns, the directions of a learned metric and the mean predictions as aligned text.
func (r *explanation) text(out io.Writer, top int) error {
	fmt.Fprintf(out, "%s %.6g of %d rows\n", r.Metric, r.Value, r.Rows)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(cells []string) {
		for _, c := range cells {
			fmt.Fprintf(t, "%s\t", c)
		}
		fmt.Fprintln(t)
	}
	head, cells := r.table(top)
	line(head)
	for _, row := range cells {
		line(row)
	}
	if r.Along != nil {
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, d := range r.Along {
		fmt.Fprintln(out, d.text())
	}
	for _, p := range r.Partial {
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(out)
		line(append([]string{p.title()}, p.Outputs...))
		for g, v := range p.Values {
			row := []string{fmt.Sprintf("%.6g", v)}
			if p.Levels != nil {
				row[0] = p.Levels[g]
			}
			for _, m := range p.Means[g] {
				row = append(row, fmt.Sprintf("%.4g", m))
			}
			line(row)
		}
	}
	return t.Flush()
}

// page adds charts of at most 20 columns and the figures of the top columns to a page.
func (r *explanation) page(p *page.Page, top int) error {
	p.Heading("Columns")
	p.Text(fmt.Sprintf("Importance is what %s, %s of %d rows, loses when the numbers of the column are exchanged between the rows. Columns that tell the same share it.",
		r.Metric, figure{Metric: r.Metric, Value: r.Value}.text(), r.Rows))
	const most = 20
	bars := func(title string, of func(c columnFigures) (value *float64, deviation float64, text string)) {
		var all []page.Bar
		for _, c := range r.head(top)[:min(most, len(r.head(top)))] {
			if v, deviation, text := of(c); v != nil {
				all = append(all, page.Bar{Name: c.title(), Text: text, Value: *v, Deviation: deviation})
			}
		}
		p.Bars(title, all)
	}
	short := func(v *float64) string {
		if v == nil {
			return ""
		}
		return fmt.Sprintf("%.3g", *v)
	}
	bars("Importance: loss of "+r.Metric+", with its standard deviation", func(c columnFigures) (*float64, float64, string) {
		return &c.Importance, c.Std, figure{Metric: r.Metric, Value: c.Importance}.text()
	})
	bars("Mean absolute Shapley value", func(c columnFigures) (*float64, float64, string) { return c.Shapley, 0, short(c.Shapley) })
	bars("Relevance: slope times the deviation of the column", func(c columnFigures) (*float64, float64, string) { return c.Relevance, 0, short(c.Relevance) })
	bars("Share of the learned metric", func(c columnFigures) (*float64, float64, string) {
		text := ""
		if c.Learned != nil {
			text = page.Percent(*c.Learned)
		}
		return c.Learned, 0, text
	})
	var strips []page.Strip
	for _, c := range r.head(top)[:min(stripColumns, len(r.head(top)))] {
		if r.strips != nil {
			strips = append(strips, r.strips[c.Column-1])
		}
	}
	p.Strips("Shapley values of rows", "contribution to the "+r.output, "low in the column", "high", strips)
	for _, d := range slices.Concat(r.Partial, r.drawn) {
		if err := p.Chart(d.chart()); err != nil {
			return err
		}
	}
	for _, d := range r.Along {
		p.Text(d.text())
	}
	p.Table(r.table(top))
	return nil
}

// chart draws the dependence; of two classes the second, as the other mirrors it.
func (d *dependence) chart() page.Chart {
	chart := page.Chart{Title: "Partial dependence on " + d.title(), X: d.title(), Y: "mean prediction", Ticks: d.Levels, Dots: d.Levels != nil}
	first := 0
	if d.probability {
		chart.Y, chart.Unit = "mean probability", page.Shares
		if len(d.Outputs) == 2 {
			first, chart.Y = 1, "mean probability of "+d.Outputs[1]
		}
	}
	for k, name := range d.Outputs[first:] {
		s := page.Series{Name: name, X: d.Values}
		if d.Levels != nil {
			s.X = nil
			for g := range d.Levels {
				s.X = append(s.X, float64(g)) // the place of its name
			}
		}
		for g := range d.Values {
			s.Y = append(s.Y, d.Means[g][first+k])
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}
