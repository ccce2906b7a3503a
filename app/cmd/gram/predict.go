package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// blockRows is how many rows of a file are predicted at a time.
const blockRows = 4096

const predictHelp = `predict writes one line per row of the data: the name of the class, the value, or the
best labels. With --scores the scores of the classes follow in the same line: a single
score for two classes (positive means the second class), otherwise one per class in the
order of the model. With --proba the probabilities of the classes follow, for models that
were fitted with gram fit --proba or have probabilities of their own. With --interval LEVEL,
for models that were fitted with --conformal, the bounds of an interval follow the value, or
the classes of a set follow the class, between braces: the truth lies in the interval or the
set with that probability.

If OUT ends with .csv, the predictions are a table: a header, then a row for each row, with
the columns class, score_NAME, probability_NAME and in_set_NAME (1 or 0), or value, low and
high, or label_1, score_1, label_2, …. --keep COLUMN,... puts columns of the data in front of
them, such as an identifier: a column that the model does not know is no feature then.

The file is read in blocks, so it may be larger than memory. It must have the columns of
the data that the model was trained on. In a table they are found by name, in any order; a
column that is missing, or that the model does not know, is an error. The target is not
needed, and ignored if it is there. A LIBSVM file may lack the last columns, and its labels
are ignored. A text that its column did not have in training is an unknown level; a line on
standard error says in how many rows there is one. Without names, all columns of a CSV or NPY file are features, except the one
that --target names. If predict fails, it leaves no output file. A name of a class with an end of
a line or another control character is written in quotes, as "two\nlines".`

// predicting holds the flags of gram predict.
type predicting struct {
	data          dataFlags
	model, output string
	want          pipeline.Want
	asJSON, asCSV bool
	keep          []string
}

func newPredict() *cobra.Command {
	var o predicting
	c := &cobra.Command{
		Use:   "predict --model MODEL --data FILE -o OUT",
		Short: "Predict with a stored model, one line per row",
		Long:  predictHelp,
		Example: `  gram predict --model model.gram --data test.libsvm.gz -o predictions.txt
  gram predict --model model.gram --data new.csv --target price -o -
  gram predict --model model.gram --data new.csv --interval .9 -o -
  gram predict --model model.gram --data new.csv --proba --keep id -o predictions.csv`,
		Args: cobra.NoArgs,
	}
	o.define(c.Flags())
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error { return o.run(ctx, c) }).runE
	return c
}

func (o *predicting) define(f *pflag.FlagSet) {
	f.StringVar(&o.model, "model", "", "model `FILE`")
	f.StringVarP(&o.output, "output", "o", "", "`FILE` to write; - for standard output")
	f.BoolVar(&o.want.Scores, "scores", false, "also write the scores of the classes")
	f.BoolVar(&o.want.Probability, "proba", false, "also write the probabilities of the classes")
	f.Float64Var(&o.want.Level, "interval", 0, "also write an interval of values, or a set of classes, that holds the truth with probability `LEVEL`, such as .9")
	f.BoolVar(&o.asJSON, "json", false, "write one JSON object per line, as gram serve does; null for what is no number")
	f.StringSliceVar(&o.keep, "keep", nil, "`COLUMNS` of the data, by name or number from 1, to write in front of the predictions, as CSV")
	f.IntVar(&o.want.Top, "top", 5, "labels for a row, of a model of label sets")
	o.data.define(f)
}

// run checks the flags and writes the predictions to the file -o or to standard output.
func (o *predicting) run(ctx context.Context, c *cobra.Command) error {
	switch {
	case o.model == "":
		return usagef("--model is missing")
	case o.data.path == "":
		return usagef("--data is missing")
	case o.output == "":
		return usagef("-o is missing: where to write the predictions, - for standard output")
	case o.want.Top < 1:
		return usagef("--top is %d, want at least 1", o.want.Top)
	}
	o.asCSV = o.keep != nil || strings.HasSuffix(strings.ToLower(o.output), ".csv")
	if o.asCSV && o.asJSON {
		return usagef("--json writes lines of JSON, --keep and a file %q want CSV: leave one out", "….csv")
	}
	m, read, done, err := o.data.stored(ctx, c, o.model)
	if err != nil {
		return err
	}
	defer done()
	read.Keep = o.keep
	if o.data.target == "" {
		read.Task = dataset.NoTarget
	}
	if _, multi := m.Model.(gram.Classifier); o.want.Scores && !multi {
		return usagef("--scores is for models of classes")
	}
	if c.Flags().Changed("top") && m.Task != dataset.MultiLabel {
		return usagef("--top is for models of label sets")
	}
	if err := m.Check(o.want); err != nil {
		return usageError{err}
	}
	if err := writable(o.output, o.model, o.data.path, o.data.targetFile); err != nil {
		return err
	}
	write := func(w io.Writer) error { return o.write(ctx, c, m, m.Options(read), w) }
	if o.output == "-" {
		return write(c.OutOrStdout())
	}
	return modelfile.WriteFile(o.output, write)
}

// write predicts the rows block by block, so that the data may be larger than memory, and writes the predictions to w.
func (o *predicting) write(ctx context.Context, c *cobra.Command, m *pipeline.Model, read dataset.Options, w io.Writer) error {
	b := newBar(c.ErrOrStderr())
	defer b.close()
	out := &predictionWriter{predicting: o, model: m, quoted: m.JSONNames(), buf: bufio.NewWriter(w)}
	out.table = csv.NewWriter(out.buf)
	var n int64
	var unknown unknowns
	for block, err := range dataset.Blocks(ctx, o.data.path, read, blockRows) {
		if err != nil {
			return err
		}
		p, err := m.Answer(block.X, o.want)
		if err != nil {
			return fmt.Errorf("%s: %w", o.data.shown(), err)
		}
		unknown.add(block)
		if err := out.block(block, p, n == 0); err != nil {
			return err
		}
		rows, _ := block.Dims()
		n += int64(rows)
		b.event(gram.Event{Phase: "rows", Done: n})
	}
	out.table.Flush()
	b.close()
	unknown.report(c, o.data.shown(), m.Schema)
	return cmp.Or(out.table.Error(), out.buf.Flush())
}

// predictionWriter writes the predictions of blocks of rows.
type predictionWriter struct {
	*predicting
	model  *pipeline.Model
	quoted [][]byte
	buf    *bufio.Writer
	table  *csv.Writer
	line   []byte
	record []string
}

// block writes the predictions of a block, before the first of a table its header.
func (w *predictionWriter) block(block *dataset.Set, p pipeline.Predictions, first bool) error {
	rows, _ := block.Dims()
	names := w.model.Names
	switch {
	case w.asCSV:
		if first {
			for _, c := range block.Kept {
				w.record = append(w.record, c.Name)
			}
			_ = w.table.Write(append(w.record, p.Columns(names, w.want.Top)...)) // table.Error returns the error
		}
		for i := range rows {
			w.record = w.record[:0]
			for _, c := range block.Kept {
				w.record = append(w.record, c.Cells[i])
			}
			_ = w.table.Write(p.Record(w.record, i, names, w.want.Top))
		}
	case w.asJSON:

		for i := range rows {
			w.line, _ = p.AppendJSON(w.line[:0], i, w.quoted)
			w.buf.Write(append(w.line, '\n')) // Flush returns the error
		}
	default:
		return p.WriteText(w.buf, names)
	}
	return nil
}

// figure is one line of the output of gram eval --json.
type figure struct {
	Metric        string  `json:"metric"`
	Value         float64 `json:"value"`
	N             int     `json:"n"`
	Seconds       float64 `json:"seconds"` // of prediction without reading
	RowsPerSecond float64 `json:"rows_per_second"`
}

// evalHelp returns the help text of gram eval with the table of all measures.
func evalHelp() string {
	return `eval predicts the rows of a file and compares them with its targets.

For classes it prints accuracy (the fraction of rows predicted correctly), macro_f1 (the
mean over the classes of the harmonic mean of precision and recall) and balanced_accuracy
(the mean over the classes of the fraction of their rows predicted correctly); for two
classes auc (the area under the ROC curve); and, if the model has probabilities, log_loss,
brier and calibration_error. For clusters it compares with the classes of the file and prints nmi (normalized mutual
information), purity (the fraction of rows whose class is the most frequent one of their
cluster) and pair_error (the fraction of pairs of rows that are together in one of the two
alone). For values it prints rmse, mae (mean absolute error) and r2 (1 - residual / total
sum of squares).
For label sets it prints, for k = 1, 3 and 5, p@k (the mean fraction of the k best labels
that are true) and ndcg@k (the sum of 1/log2(place+1) over the places of true labels,
divided by the sum of the best ranking). With --train it also prints psp@k and psndcg@k,
in which a label counts by the reciprocal of its propensity 1/(1+C*(count+1.5)^-0.55)
with C = (ln rows-1)*2.5^0.55 and the label's count in the training file. The
seconds are the time of the prediction alone.

--metric NAME,... prints these measures alone. For classes and values there are

` + measureTable() + `
--confusion adds precision, recall and F1 of each class and the confusion matrix.
--interval LEVEL adds coverage, the fraction of rows whose truth lies in the interval or the
set, and the mean width of the intervals or number of classes of the sets. --html FILE
writes a page: for classes the confusion matrix and the ROC, precision-recall and calibration
curves, for values the residuals, and for up to 100 columns their importance for the first
measure on up to 1000 of the rows, as gram explain computes it.

The columns of a table are found by name, as by gram predict, and the target is that of the
training file unless --target names another. The file is read in blocks, so it may be larger
than memory; of each row the predictions are
kept. A label that the model does not know is an error; a line on standard error says in how
many rows a column has a text that was not in training.`
}

// evaluating holds the flags of gram eval.
type evaluating struct {
	data                        dataFlags
	model, train, metrics, html string
	confusion, asJSON           bool
	level                       float64
}

func newEval() *cobra.Command {
	var o evaluating
	c := &cobra.Command{
		Use:   "eval --model MODEL --data FILE",
		Short: "Measure a stored model on a file with targets",
		Long:  evalHelp(),
		Example: `  gram eval --model model.gram --data test.libsvm.gz
  gram eval --model model.gram --data test.libsvm.gz --metric auc,average_precision --confusion
  gram eval --model model.gram --data test.libsvm.gz --html report.html
  gram eval --model model.gram --data test.csv --target price --json`,
		Args: cobra.NoArgs,
	}
	o.define(c.Flags())
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error { return o.run(ctx, c) }).runE
	return c
}

func (o *evaluating) define(f *pflag.FlagSet) {
	f.StringVar(&o.model, "model", "", "model `FILE`")
	f.StringVar(&o.train, "train", "", "training `FILE` of a model of label sets, for propensity-scored figures")
	f.StringVar(&o.metrics, "metric", "", "measures to print, `NAME,...`")
	f.BoolVar(&o.confusion, "confusion", false, "also print precision, recall and F1 of each class, and how many of its rows were predicted as which class")
	f.Float64Var(&o.level, "interval", 0, "also print the coverage and size of intervals or sets that hold the truth with probability `LEVEL`")
	f.StringVar(&o.html, "html", "", "also write a page with plots, and the importance of the columns, to `FILE`")
	f.BoolVar(&o.asJSON, "json", false, "write one JSON object per line: metric, value, n, seconds, rows_per_second")
	o.data.define(f)
}

// run checks the flags and measures the model.
func (o *evaluating) run(ctx context.Context, c *cobra.Command) error {
	switch {
	case o.model == "":
		return usagef("--model is missing")
	case o.data.path == "":
		return usagef("--data is missing")
	}
	m, read, done, err := o.data.stored(ctx, c, o.model)
	if err != nil {
		return err
	}
	defer done()
	if o.train != "" && m.Task != dataset.MultiLabel {
		return usagef("--train is for models of label sets")
	}
	answers, err := o.answers(m)
	if err != nil {
		return err
	}
	read.Task = m.Task
	if _, clusters := m.Model.(clusterer); m.Task == dataset.Classes && !clusters {
		read.Names = m.Names
	}
	b := newBar(c.ErrOrStderr())
	defer b.close()
	var unknown unknowns
	figures, err := evaluate(ctx, m, answers, o.data.path, o.train, m.Options(read), b, &unknown)
	if err != nil {
		return err
	}
	if o.html != "" {
		if err := o.page(ctx, m, m.Options(read), answers, figures); err != nil {
			return err
		}
	}
	b.close()
	unknown.report(c, o.data.shown(), m.Schema)
	if err := o.print(c.OutOrStdout(), figures); err != nil || !o.confusion {
		return err
	}
	return writeConfusion(c.OutOrStdout(), answers, m.Names, o.asJSON)
}

// answers returns what collects the answers of the model, with the measures that are asked for.
func (o *evaluating) answers(m *pipeline.Model) (*answerScorer, error) {
	answers := &answerScorer{level: o.level, plotted: o.html != "" && m.Task == dataset.Classes, probable: m.Probabilities() != nil}
	if err := writable(o.html, o.model, o.data.path, o.data.targetFile, o.train); err != nil {
		return nil, err
	}
	var err error
	if _, clusters := m.Model.(clusterer); clusters || m.Task == dataset.MultiLabel {
		if o.metrics != "" || o.confusion || o.level != 0 || o.html != "" {
			return nil, usagef("--metric, --confusion, --interval and --html are for models of classes and values")
		}
	} else if answers.measures, err = measuresOf(m, splitNames(o.metrics)); err != nil {
		return nil, err
	}
	if o.confusion && m.Task != dataset.Classes {
		return nil, usagef("--confusion is for models of classes")
	}
	if err := m.Check(answers.want()); err != nil {
		return nil, usageError{err}
	}
	return answers, nil
}

// page writes the file of --html: how good the model is on the rows, and, if they are few, how it uses its columns.
func (o *evaluating) page(ctx context.Context, m *pipeline.Model, read dataset.Options, answers *answerScorer, figures []figure) error {
	r := &modelReport{subject: fmt.Sprintf("%s on %d rows of %s", m.Method, figures[0].N, filepath.Base(o.data.shown())), model: m, answers: answers, figures: figures}
	if most := min(linearRows, linearCells/max(1, m.Dim)); most >= 2 {
		rows, err := drawRows(ctx, o.data.path, read, most, 1)
		if err != nil {
			return err
		}
		if err := r.linearly(ctx, rows, gram.Run{}); err != nil {
			return err
		}
		if n, _ := rows.Dims(); n > reportRows {
			rows = rows.Select(dataset.Sample(n, reportRows, 1))
		}
		r.rows = rows
	}
	if m.Dim <= reportColumns {
		var err error
		e := &explainer{model: m, measure: answers.measures[0], repeats: 3, rows: r.rows}
		if r.columns, err = e.explain(ctx, nil, nil); err != nil {
			return err
		}
	}
	p := &page.Page{Title: fmt.Sprintf("%s on %s", filepath.Base(o.model), filepath.Base(o.data.shown()))}
	if err := r.add(p); err != nil {
		return err
	}
	return modelfile.WriteFile(o.html, p.Write)
}

// print writes the figures, a line each, as JSON or as text; text ends with the number of rows and the speed of prediction.
func (o *evaluating) print(out io.Writer, figures []figure) error {
	enc := json.NewEncoder(out)
	width := 10
	for _, f := range figures {
		width = max(width, len(f.Metric))
	}
	for _, f := range figures {
		if o.asJSON {
			if err := enc.Encode(f); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(out, "%-*s %.6g\n", width, f.Metric, f.Value)
	}
	if !o.asJSON && len(figures) > 0 {
		fmt.Fprintf(out, "%d rows in %.3g s, %.4g rows a second\n", figures[0].N, figures[0].Seconds, figures[0].RowsPerSecond)
	}
	return nil
}

// evaluate predicts the rows of the file and returns all figures of the task; those of classes
// and values are computed by answers. The rows with unknown texts are added to unknown.
func evaluate(ctx context.Context, m *pipeline.Model, answers *answerScorer, path, train string, o dataset.Options, b *bar, unknown *unknowns) ([]figure, error) {
	var (
		s   scorer
		err error
	)
	switch model := m.Model.(type) {
	case clusterer:
		s = &clusterScorer{clusters: len(model.Classes())}
	case gram.Classifier, gram.Regressor:
		answers.Classes = len(m.Names)
		s = answers
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
		if block.Task() != m.Task {
			return nil, fmt.Errorf("%s: the targets are of task %s, the model's of %s", shown, block.Task(), m.Task)
		}
		start := time.Now()
		p, err := m.Answer(block.X, s.want())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown, err)
		}
		seconds += time.Since(start)
		s.score(block, p)
		unknown.add(block)
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
