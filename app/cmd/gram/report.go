package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	curveStep  = .005 // distance between points of a curve of the report, of its axes' length
	dotRows    = 1000 // rows that are drawn as dots at most
	curveLines = 8    // classes that have curves at most

	fewestInBin = 10 // rows of a point of a calibration curve

	reportColumns = 100  // columns of a report that has their importance at most
	reportRows    = 1000 // rows that the importance is computed on at most
	linearRows    = 2000 // rows that a linear model is fitted to at most
	linearCells   = 1 << 24
)

// modelReport is what the pages of gram fit and gram eval show: how good a model is on rows that it was not fitted to.
type modelReport struct {
	subject    string // which model, and which rows
	model      *pipeline.Model
	answers    *answerScorer
	figures    []figure
	linear     []float64    // losses of a linear model on such rows; nil: there is none
	linearNote string       // how the linear model was fitted, a sentence
	rows       *dataset.Set // some of the rows, for the coverage of intervals; nil: none
	columns    *explanation // nil: none
}

// add adds the report to a page: the headline, the measures, plots that depend on the task, and the columns if they were
// explained.
func (r *modelReport) add(p *page.Page) error {
	p.Lead(r.headline())
	if r.linear != nil {
		p.Text(r.linearNote)
	}
	var cells [][]string
	for _, f := range r.figures {
		cells = append(cells, []string{f.Metric, f.text()})
	}
	p.Table([]string{"measure", "value"}, cells)
	coverage := r.coverage()
	var err error
	if r.model.Task == dataset.Classes {
		err = r.answers.classPlots(p, r.model.Names, coverage)
	} else if r.model.Task == dataset.Regression {
		err = r.answers.valuePlots(p, coverage)
	}
	if err == nil && r.columns != nil {
		err = r.columns.page(p, 20)
	}
	return err
}

// text is the value as people read it: a share as a percentage.
func (f figure) text() string {
	switch f.Metric {
	case "accuracy", "balanced_accuracy", "macro_f1", "coverage":
		return page.Percent(f.Value)
	}
	return fmt.Sprintf("%.4g", f.Value)
}

// spread is twice the standard error of a share of n rows; without a row on one side, of a share with one there.
func spread(share float64, n int) float64 {
	v := min(max(share, 1/float64(n)), 1-1/float64(n))
	return 2 * math.Sqrt(v*(1-v)/float64(n))
}

// rmseSpread is twice the standard error of the root of the mean of squared errors.
func rmseSpread(squares []float64) float64 {
	mean, deviation := stat.MeanStdDev(squares, nil)
	if mean == 0 || len(squares) < 2 {
		return 0
	}
	return deviation / math.Sqrt(mean*float64(len(squares)))
}

// headline says how good the model is, beside a linear model and a constant, each with twice its standard error.
func (r *modelReport) headline() string {
	s := r.answers
	var text string
	switch n := len(s.Class) + len(s.Target); {
	case n == 0:
		return r.subject + "."
	case r.model.Task == dataset.Classes:
		count, right := make([]int, len(r.model.Names)), 0
		for i, c := range s.Class {
			count[c]++
			if s.Predicted[i] == c {
				right++
			}
		}
		share := float64(right) / float64(n)
		text = fmt.Sprintf("%s: %s (± %s) are right; ", r.subject, page.Percent(share), page.Percent(spread(share, n)))
		if r.linear != nil {
			share := 1 - stat.Mean(r.linear, nil)
			text += fmt.Sprintf("a linear model has %s (± %s), and ", page.Percent(share), page.Percent(spread(share, len(r.linear))))
		}
		text += fmt.Sprintf("the most frequent class alone has %s", page.Percent(float64(slices.Max(count))/float64(n)))
	default:
		squares := make([]float64, n)
		for i, v := range s.Value {
			squares[i] = (v - s.Target[i]) * (v - s.Target[i])
		}
		text = fmt.Sprintf("%s: the root mean squared error is %.4g (± %.2g); ", r.subject, metric.RMSE(s.Value, s.Target), rmseSpread(squares))
		if r.linear != nil {
			text += fmt.Sprintf("that of a linear model is %.4g (± %.2g), and ", math.Sqrt(stat.Mean(r.linear, nil)), rmseSpread(r.linear))
		}
		text += fmt.Sprintf("that of the mean alone is %.4g", stat.PopStdDev(s.Target, nil))
	}
	if s.rows > 0 {
		kind := "intervals"
		if r.model.Task == dataset.Classes {
			kind = "sets of classes"
		}
		held := s.held / s.rows
		text += fmt.Sprintf("; %s for %.4g %% hold the truth in %s (± %s)", kind, 100*s.level, page.Percent(held), page.Percent(spread(held, int(s.rows))))
	}
	return text + "."
}

// coverage draws the share of the rows whose truth is in the interval or the set, by what was asked for; without intervals, nothing.
func (r *modelReport) coverage() page.Chart {
	if !r.model.Intervals() || r.rows == nil {
		return page.Chart{}
	}
	held := page.Series{Name: "rows"}
	for _, level := range []float64{.5, .6, .7, .8, .9, .95, .99} {
		out, err := r.model.Answer(r.rows.X, pipeline.Want{Level: level, Top: 1})
		if err != nil {
			continue // too few rows were held out for this level
		}
		s := &answerScorer{}
		s.score(r.rows, out)
		held.X, held.Y = append(held.X, level), append(held.Y, s.held/s.rows)
	}
	if held.X == nil {
		return page.Chart{}
	}
	ends := []float64{held.X[0], held.X[len(held.X)-1]}
	return page.Chart{Title: "Coverage", X: "asked for", Y: "truth in the interval or set", Unit: page.Shares, UnitX: page.Shares,
		Series: []page.Series{held, {Name: "as asked", Like: "chance", X: ends, Y: ends, Dashed: true}}}
}

// linearly fits linear models to parts of the rows, which the model was not fitted to, and notes what they lose on the others.
func (r *modelReport) linearly(ctx context.Context, rows *dataset.Set, run gram.Run) error {
	if r.model.Method == "linear" || r.model.Task != dataset.Classes && r.model.Task != dataset.Regression {
		return nil
	}
	losses, err := search.LinearLosses(ctx, rows, run)
	if err != nil {
		return ctx.Err() // else a linear model cannot be fitted to these rows
	}
	r.linear = losses
	r.linearNote = fmt.Sprintf("The linear model is learned from %d of these rows: from four fifths of them for each other fifth.", len(losses))
	return nil
}

// answersOf returns the answers of a model about rows, with the figures of its default measures.
func answersOf(m *pipeline.Model, d *dataset.Set) (*answerScorer, []figure, error) {
	s := &answerScorer{plotted: m.Task == dataset.Classes, probable: m.Probabilities() != nil}
	s.Classes = len(m.Names)
	var err error
	if s.measures, err = measuresOf(m, nil); err != nil {
		return nil, nil, err
	}
	p, err := m.Answer(d.X, s.want())
	if err != nil {
		return nil, nil, err
	}
	s.score(d, p)
	return s, s.figures(), nil
}

// confusions adds a table of the pairs of classes that the model confuses most often.
func confusions(p *page.Page, names []string, count [][]int) {
	type pair struct{ from, to int }
	var pairs []pair
	for i := range count {
		for j, n := range count[i] {
			if i != j && n > 0 {
				pairs = append(pairs, pair{i, j})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return count[b.from][b.to] - count[a.from][a.to] })
	var items []string
	for _, c := range pairs[:min(5, len(pairs))] {
		rows := 0
		for _, n := range count[c.from] {
			rows += n
		}
		n := count[c.from][c.to]
		items = append(items, fmt.Sprintf("%s was taken for %s in %d of %d rows, %s", names[c.from], names[c.to], n, rows, page.Percent(float64(n)/float64(rows))))
	}
	if items != nil {
		p.Text("The most frequent confusions:")
		p.List(items)
	}
}

// curveOf leaves out the points of a curve in the unit square that are too near to the last
// one to be told from it.
func curveOf(name string, c metric.Curve) page.Series {
	s := page.Series{Name: name}
	for k := range c.X {
		if last := len(s.X) - 1; last >= 0 && k < len(c.X)-1 && math.Abs(c.X[k]-s.X[last]) < curveStep && math.Abs(c.Y[k]-s.Y[last]) < curveStep {
			continue
		}
		s.X, s.Y = append(s.X, c.X[k]), append(s.Y, c.Y[k])
	}
	return s
}

// classPlots adds the confusion, the curves of classes, each against the rest, and the coverage of sets.
func (s *answerScorer) classPlots(p *page.Page, names []string, coverage page.Chart) error {
	c := metric.NewConfusion(len(names))
	c.Add(s.Predicted, s.Class)
	p.Heading("Classes")
	p.Confusion("Rows by class, in lines, and by the predicted class", names, c.Count)
	ordered := s.Scores
	if s.Probability != nil && !slices.ContainsFunc(s.Probability.RawMatrix().Data, func(v float64) bool { return v != v }) {
		ordered = s.Probability
	}
	var cells [][]string
	for k, name := range names {
		auc := "-"
		if positive := s.of(k); slices.Contains(positive, true) && slices.Contains(positive, false) {
			auc = fmt.Sprintf("%.4f", area(metric.ROC(classColumn(ordered, k), positive)))
		}
		cells = append(cells, []string{name, fmt.Sprint(c.Actual(k)), page.Percent(c.Precision(k)), page.Percent(c.Recall(k)), page.Percent(c.F1(k)), auc})
	}
	roc := page.Chart{Title: "ROC", X: "false positive rate", Y: "true positive rate", Zero: true, Top: 1}
	pr := page.Chart{Title: "Precision and recall", X: "recall", Y: "precision", Zero: true, Top: 1}
	calibrated := page.Chart{Title: "Calibration", X: "mean probability", Y: "frequency", Zero: true, Top: 1}
	drawn := 0
	for k, name := range names {
		if len(names) == 2 && k == 0 {
			continue // it mirrors the other
		}
		positive := s.of(k)
		if drawn == curveLines || !slices.Contains(positive, true) || !slices.Contains(positive, false) {
			continue
		}
		drawn++
		score := classColumn(ordered, k)
		curve := metric.ROC(score, positive)
		one := curveOf(name, curve)
		one.Name, one.Like = fmt.Sprintf("%s, AUC %.4f", name, area(curve)), name
		roc.Series = append(roc.Series, one)
		pr.Series = append(pr.Series, curveOf(name, metric.PrecisionRecall(score, positive)))
		if len(names) == 2 {
			share := float64(c.Actual(k)) / float64(len(s.Class))
			pr.Series = append(pr.Series, page.Series{Name: "all rows as " + name, Like: "chance", X: []float64{0, 1}, Y: []float64{share, share}, Dashed: true})
		}
		if ordered != s.Probability {
			continue
		}
		r := metric.NewReliability(classColumn(s.Probability, k), positive, 10)
		line := page.Series{Name: name}
		for b, rows := range r.Rows {
			if rows >= fewestInBin {
				line.X, line.Y = append(line.X, r.Mean[b]), append(line.Y, r.Frequency[b])
			}
		}
		if len(line.X) > 0 {
			calibrated.Series = append(calibrated.Series, line)
		}
	}
	diagonal := page.Series{Name: "chance", X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true}
	if drawn > 0 {
		roc.Series = append(roc.Series, diagonal)
	}
	if len(calibrated.Series) > 0 {
		diagonal.Name, diagonal.Like = "calibrated", "chance"
		calibrated.Series = append(calibrated.Series, diagonal)
	}
	for _, chart := range []page.Chart{roc, pr, calibrated, coverage} {
		if err := p.Chart(chart); err != nil {
			return err
		}
	}
	confusions(p, names, c.Count)
	p.Table([]string{"class", "rows", "precision", "recall", "F1", "AUC"}, cells)
	if drawn == curveLines && len(names) > curveLines {
		p.Text(fmt.Sprintf("Curves are those of the first %d classes.", curveLines))
	}
	return nil
}

// of reports for each row whether it is of class k.
func (s *answerScorer) of(k int) []bool {
	positive := make([]bool, len(s.Class))
	for i, c := range s.Class {
		positive[i] = c == k
	}
	return positive
}

// classColumn returns the scores or probabilities of a class. Two classes may share one column of scores, those of the second
// class; the scores of the first class are then the negatives.
func classColumn(x *mat.Dense, class int) []float64 {
	if _, k := x.Dims(); k > 1 {
		return mat.Col(nil, class, x)
	}
	v := mat.Col(nil, 0, x)
	if class == 0 {
		for i := range v {
			v[i] = -v[i]
		}
	}
	return v
}

// area returns the area under a curve, by trapezoids.
func area(c metric.Curve) (sum float64) {
	for k := 1; k < len(c.X); k++ {
		sum += (c.X[k] - c.X[k-1]) * (c.Y[k] + c.Y[k-1]) / 2
	}
	return sum
}

// valuePlots adds the plots of predicted values against the truth, of residuals, and of the coverage of intervals.
func (s *answerScorer) valuePlots(p *page.Page, coverage page.Chart) error {
	p.Heading("Residuals")
	step := max(1, (len(s.Value)+dotRows-1)/dotRows)
	fitted, residual := page.Series{Name: "rows"}, page.Series{Name: "rows"}
	for i := 0; i < len(s.Value); i += step {
		fitted.X, fitted.Y = append(fitted.X, s.Target[i]), append(fitted.Y, s.Value[i])
		residual.X, residual.Y = append(residual.X, s.Value[i]), append(residual.Y, s.Target[i]-s.Value[i])
	}
	line := func(name string, x, y []float64) page.Series {
		return page.Series{Name: name, Like: "truth", X: x, Y: y, Dashed: true}
	}
	across := []float64{slices.Min(fitted.X), slices.Max(fitted.X)}
	along := []float64{slices.Min(residual.X), slices.Max(residual.X)}
	histogram, beyond := s.residuals()
	for _, chart := range []page.Chart{
		{Title: "Predicted and true values", X: "true", Y: "predicted", Dots: true, Series: []page.Series{fitted, line("predicted = true", across, across)}},
		{Title: "Residuals", X: "predicted", Y: "true - predicted", Dots: true, Series: []page.Series{residual, line("no residual", along, []float64{0, 0})}},
		{Title: "Distribution of the residuals", X: "residual / rmse", Y: "of the rows", Zero: true, Unit: page.Shares, Series: []page.Series{histogram}},
		coverage,
	} {
		if err := p.Chart(chart); err != nil {
			return err
		}
	}
	if beyond > 0 {
		p.Text(fmt.Sprintf("%d of %d rows have residuals beyond the ends of their distribution.", beyond, len(s.Value)))
	}
	return nil
}

// residuals returns the distribution of the residuals, in units of their root mean square, as steps, and the
// number of rows that lie beyond its ends.
func (s *answerScorer) residuals() (page.Series, int) {
	scale := metric.RMSE(s.Value, s.Target)
	const bins, wide = 40, 5.0
	var share [bins]float64
	beyond := 0
	for i, v := range s.Value {
		b := math.Floor(((s.Target[i]-v)/scale + wide) / (2 * wide) * bins)
		if b >= 0 && b < bins {
			share[int(b)] += 1 / float64(len(s.Value))
		} else if b == b {
			beyond++
		}
	}
	out := page.Series{Name: "rows"}
	for b, v := range share {
		left := -wide + float64(b)*2*wide/bins
		out.X, out.Y = append(out.X, left, left+2*wide/bins), append(out.Y, v, v)
	}
	return out, beyond
}
