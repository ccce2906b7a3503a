package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/safefile"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/pipeline"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// blockRows is how many rows of a file are predicted at a time.
const blockRows = 4096

// columns returns the options with which blocks of a file have the model's columns.
func columns(f *pipeline.Model, o dataset.Options) dataset.Options {
	o.Dim = f.Dim
	o.Storage = f.Storage
	return o
}

func newPredict() *cobra.Command {
	var (
		data          dataFlags
		model, output string
		scores        bool
		asJSON        bool
		top           int
	)
	c := &cobra.Command{
		Use:   "predict --model MODEL --data FILE -o OUT",
		Short: "Predict with a stored model, one line per row",
		Long: `predict writes one line per row of the data: the name of the class, the value, or the
best labels. With --scores the scores of the classes follow in the same line: a single
score for two classes (positive means the second class), otherwise one per class in the
order of the model.

The file is read in blocks, so it may be larger than memory. It must have the columns of
the data that the model was trained on; a LIBSVM file may lack the last ones. Labels in a
LIBSVM file are ignored. In CSV and NPY files all columns are features, except the one
that --target names. If predict fails, it leaves no output file. A name of a class with an end of
a line or another control character is written in quotes, as "two\nlines".`,
		Example: `  gram predict --model model.gram --data test.libsvm.gz -o predictions.txt
  gram predict --model model.gram --data new.csv --target price -o -`,
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.StringVar(&model, "model", "", "model `FILE`")
	f.StringVarP(&output, "output", "o", "", "`FILE` to write; - for standard output")
	f.BoolVar(&scores, "scores", false, "also write the scores of the classes")
	f.BoolVar(&asJSON, "json", false, "write one JSON object per line, as gram serve does; null for what is no number")
	f.IntVar(&top, "top", 5, "labels for a row, of a model of label sets")
	data.define(f)
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		switch {
		case model == "":
			return usagef("--model is missing")
		case data.path == "":
			return usagef("--data is missing")
		case output == "":
			return usagef("-o is missing: where to write the predictions")
		case top < 1:
			return usagef("--top is %d, want at least 1", top)
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
		if data.target == "" {
			o.Task = dataset.NoTarget
		}
		m, err := load(ctx, model)
		if err != nil {
			return err
		}
		if _, multi := m.Model.(gram.Classifier); scores && !multi {
			return usagef("--scores is for models of classes")
		}
		if err := distinct(output, model, data.path, data.targetFile); err != nil {
			return err
		}
		write := func(w io.Writer) error {
			b := newBar(c.ErrOrStderr())
			defer b.close()
			buf := bufio.NewWriter(w)
			names := m.JSONNames()
			var line []byte
			var n int64
			for block, err := range dataset.Blocks(ctx, data.path, columns(m, o), blockRows) {
				if err != nil {
					return err
				}
				p, err := m.Predict(block.X, scores, top)
				if err != nil {
					return fmt.Errorf("%s: %w", data.shown(), err)
				}
				rows, _ := block.Dims()
				if asJSON {
					for i := range rows {
						line, _ = p.AppendJSON(line[:0], i, names)
						buf.Write(append(line, '\n')) // Flush returns the error
					}
				} else if err := writePredictions(buf, m, p); err != nil {
					return err
				}
				n += int64(rows)
				b.event(gram.Event{Phase: "rows", Done: n})
			}
			return buf.Flush()
		}
		if output == "-" {
			return write(c.OutOrStdout())
		}
		return safefile.Write(output, write)
	}).runE
	return c
}

// writePredictions writes one line per row.
func writePredictions(w *bufio.Writer, m *pipeline.Model, p pipeline.Predictions) error {
	var line []byte
	for i, c := range p.Class {
		line = line[:0]
		if c < 0 {
			line = append(line, "NaN"...)
		} else {
			line = appendName(line, m.Names[c])
		}
		if p.Scores != nil {
			for _, v := range p.Scores.RawRowView(i) {
				line = strconv.AppendFloat(append(line, ' '), v, 'g', -1, 64)
			}
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	for _, v := range p.Value {
		line = strconv.AppendFloat(line[:0], v, 'g', -1, 64)
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	for _, top := range p.Top {
		line = line[:0]
		for k, t := range top {
			if k > 0 {
				line = append(line, ' ')
			}
			line = strconv.AppendInt(line, int64(t.Label), 10)
			line = strconv.AppendFloat(append(line, ':'), t.Score, 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// appendName appends the name of a class. A name with an end of a line or another control
// character is quoted as in Go, and so is one that begins with a quote.
func appendName(line []byte, name string) []byte {
	if strings.HasPrefix(name, `"`) || strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.AppendQuote(line, name)
	}
	return append(line, name...)
}

// figure is one line of the output of gram eval --json.
type figure struct {
	Metric        string  `json:"metric"`
	Value         float64 `json:"value"`
	N             int     `json:"n"`
	Seconds       float64 `json:"seconds"` // of prediction without reading
	RowsPerSecond float64 `json:"rows_per_second"`
}

func newEval() *cobra.Command {
	var (
		data   dataFlags
		model  string
		train  string
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "eval --model MODEL --data FILE",
		Short: "Measure a stored model on a file with targets",
		Long: `eval predicts the rows of a file and compares them with its targets.

For classes it prints accuracy (the fraction of rows predicted correctly) and macro_f1
(the mean over the classes of the harmonic mean of precision and recall). For
clusters it compares with the classes of the file and prints nmi (normalized mutual
information), purity (the fraction of rows whose class is the most frequent one of their
cluster) and pair_error (the fraction of pairs of rows that are together in one of the two
alone). For values it prints rmse, mae (mean absolute error) and r2 (1 - residual / total
sum of squares).
For label sets it prints, for k = 1, 3 and 5, p@k (the mean fraction of the k best labels
that are true) and ndcg@k (the sum of 1/log2(place+1) over the places of true labels,
divided by that of the best ranking). With --train it also prints psp@k and psndcg@k,
in which a label counts by the reciprocal of its propensity 1/(1+C*(count+1.5)^-0.55)
with C = (ln rows-1)*2.5^0.55 and the label's count in the training file. Seconds are
those of prediction alone.

The file is read in blocks, so it may be larger than memory. A label that the model does
not know is an error.`,
		Example: `  gram eval --model model.gram --data test.libsvm.gz
  gram eval --model model.gram --data test.csv --target price --json`,
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.StringVar(&model, "model", "", "model `FILE`")
	f.StringVar(&train, "train", "", "training `FILE` of a model of label sets, for propensity-scored figures")
	f.BoolVar(&asJSON, "json", false, "write one JSON object per line: metric, value, n, seconds, rows_per_second")
	data.define(f)
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		switch {
		case model == "":
			return usagef("--model is missing")
		case data.path == "":
			return usagef("--data is missing")
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
		m, err := load(ctx, model)
		if err != nil {
			return err
		}
		o.Task = m.Task
		if _, clusters := m.Model.(clusterer); m.Task == dataset.Classes && !clusters {
			o.Names = m.Names
		}
		b := newBar(c.ErrOrStderr())
		defer b.close()
		figures, err := evaluate(ctx, m, data.path, train, columns(m, o), b)
		if err != nil {
			return err
		}
		b.close()
		enc := json.NewEncoder(c.OutOrStdout())
		for _, f := range figures {
			if asJSON {
				if err := enc.Encode(f); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(c.OutOrStdout(), "%-10s %.6g\n", f.Metric, f.Value)
		}
		if !asJSON && len(figures) > 0 {
			fmt.Fprintf(c.OutOrStdout(), "%d rows in %.3g s, %.4g rows a second\n", figures[0].N, figures[0].Seconds, figures[0].RowsPerSecond)
		}
		return nil
	}).runE
	return c
}

// evaluate predicts the rows of the file and returns all figures of the task.
func evaluate(ctx context.Context, m *pipeline.Model, path, train string, o dataset.Options, b *bar) ([]figure, error) {
	var (
		s   scorer
		err error
	)
	switch model := m.Model.(type) {
	case clusterer:
		s = &clusterScorer{model: model}
	case gram.Classifier:
		s = &classScorer{model: model}
	case gram.Regressor:
		s = &valueScorer{model: model}
	case gram.Ranker:
		if s, err = newRankScorer(ctx, model, train, o); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("models of method %s do not predict", m.Method)
	}
	n := 0
	var seconds time.Duration
	shown := cmp.Or(o.Name, path)
	for block, err := range dataset.Blocks(ctx, path, o, blockRows) {
		if err != nil {
			return nil, err
		}
		x, err := m.Scaled(block.X)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown, err)
		}
		if block.Task() != m.Task {
			return nil, fmt.Errorf("%s: the targets are of task %s, the model's of %s", shown, block.Task(), m.Task)
		}
		start := time.Now()
		s.predict(x)
		seconds += time.Since(start)
		s.score(block)
		rows, _ := block.Dims()
		n += rows
		b.event(gram.Event{Phase: "rows", Done: int64(n)})
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: there are no rows", shown)
	}
	figures := s.figures()
	for i := range figures {
		figures[i].N, figures[i].Seconds, figures[i].RowsPerSecond = n, seconds.Seconds(), float64(n)/max(seconds.Seconds(), 1e-9)
	}
	return figures, nil
}

// scorer computes the figures of one task block by block.
type scorer interface {
	predict(x mat.Matrix)
	score(d *dataset.Set)
	figures() []figure
}

type classScorer struct {
	model                    gram.Classifier
	got                      []int
	n, right                 int
	actual, predicted, agree []int // rows per class
}

func (s *classScorer) predict(x mat.Matrix) { s.got = s.model.Predict(nil, x) }

func (s *classScorer) score(d *dataset.Set) {
	if s.actual == nil {
		k := len(s.model.Classes())
		s.actual, s.predicted, s.agree = make([]int, k), make([]int, k), make([]int, k)
	}
	for i, want := range d.Labels.Class {
		s.n++
		s.actual[want]++
		got := s.got[i]
		if got >= 0 {
			s.predicted[got]++
		}
		if got == want {
			s.right++
			s.agree[want]++
		}
	}
}

func (s *classScorer) figures() []figure {
	var f1 float64
	classes := 0
	for c := range s.actual {
		if s.actual[c]+s.predicted[c] == 0 {
			continue // neither in the file nor predicted: does not count
		}
		classes++
		f1 += 2 * float64(s.agree[c]) / float64(s.actual[c]+s.predicted[c])
	}
	return []figure{
		{Metric: "accuracy", Value: float64(s.right) / float64(s.n)},
		{Metric: "macro_f1", Value: f1 / float64(classes)},
	}
}

// clusterer is a model whose classes are clusters.
type clusterer interface {
	gram.Classifier
	Assign(dst []int, x mat.Matrix) []int
}

// clusterScorer compares clusters with classes; a row without a cluster, with NaN, is one of
// its own.
type clusterScorer struct {
	model               clusterer
	got, cluster, class []int
}

func (s *clusterScorer) predict(x mat.Matrix) { s.got = s.model.Predict(nil, x) }

func (s *clusterScorer) score(d *dataset.Set) {
	for i, c := range s.got {
		if c < 0 {
			c = len(s.model.Classes()) + len(s.cluster) + i
		}
		s.got[i] = c
	}
	s.cluster, s.class = append(s.cluster, s.got...), append(s.class, d.Labels.Class...)
}

func (s *clusterScorer) figures() []figure {
	return []figure{
		{Metric: "nmi", Value: metric.NMI(s.cluster, s.class)},
		{Metric: "purity", Value: metric.Purity(s.cluster, s.class)},
		{Metric: "pair_error", Value: metric.PairError(s.cluster, s.class)},
	}
}

type valueScorer struct {
	model    gram.Regressor
	got      []float64
	n        int
	sq, abs  float64
	mean, m2 float64 // of the targets, by Welford's method
}

func (s *valueScorer) predict(x mat.Matrix) { s.got = s.model.Predict(nil, x) }

func (s *valueScorer) score(d *dataset.Set) {
	for i, want := range d.Value {
		e := s.got[i] - want
		s.n++
		s.sq += e * e
		s.abs += math.Abs(e)
		delta := want - s.mean
		s.mean += delta / float64(s.n)
		s.m2 += delta * (want - s.mean)
	}
}

func (s *valueScorer) figures() []figure {
	out := []figure{
		{Metric: "rmse", Value: math.Sqrt(s.sq / float64(s.n))},
		{Metric: "mae", Value: s.abs / float64(s.n)},
	}
	if s.m2 > 0 { // r2 is not defined if all targets are equal
		out = append(out, figure{Metric: "r2", Value: 1 - s.sq/s.m2})
	}
	return out
}

type rankScorer struct {
	model      gram.Ranker
	got        [][]gram.Scored
	propensity bool
	ranking    *metric.Ranking
}

// newRankScorer returns a scorer with the counts of labels in the training file, if there is one.
func newRankScorer(ctx context.Context, model gram.Ranker, train string, o dataset.Options) (*rankScorer, error) {
	ks := []int{1, 3, 5}
	if train == "" {
		return &rankScorer{model: model, ranking: metric.NewRanking(ks, nil)}, nil
	}
	d, err := dataset.Open(train, o)
	if err != nil {
		return nil, err
	}
	if d.Tags == nil {
		return nil, fmt.Errorf("%s: the targets are of task %s, want sets of labels", train, d.Task())
	}
	if d.Tags.D > model.NumLabels() {
		return nil, fmt.Errorf("%s: %d labels, the model has %d", train, d.Tags.D, model.NumLabels())
	}
	p := metric.Propensities(d.Tags, model.NumLabels(), metric.PropensityA, metric.PropensityB)
	return &rankScorer{model: model, propensity: true, ranking: metric.NewRanking(ks, p)}, nil
}

func (s *rankScorer) predict(x mat.Matrix) { s.got = s.model.Top(nil, x, 5) }

func (s *rankScorer) score(d *dataset.Set) {
	truth := *d.Tags
	truth.D = max(truth.D, s.model.NumLabels())
	s.ranking.Add(s.got, &truth)
}

func (s *rankScorer) figures() []figure {
	var out []figure
	add := func(name string, values []float64) {
		for i, k := range []int{1, 3, 5} {
			out = append(out, figure{Metric: fmt.Sprintf("%s@%d", name, k), Value: values[i]})
		}
	}
	add("p", s.ranking.Precision())
	add("ndcg", s.ranking.NDCG())
	if s.propensity {
		add("psp", s.ranking.PSPrecision())
		add("psndcg", s.ranking.PSNDCG())
	}
	return out
}
