package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	curveStep  = .005 // distance between points of a curve of the report, of its axes' length
	dotRows    = 1000 // rows that are drawn as dots at most
	curveLines = 8    // classes that have curves at most

	reportColumns = 100  // columns of a report that has their importance at most
	reportRows    = 1000 // rows that the importance is computed on at most
)

// writeReport writes the page of gram eval --html: the figures, the curves of classes or the
// residuals of values, and the columns if r is not nil.
func writeReport(path, title string, m *pipeline.Model, s *answerScorer, figures []figure, r *explanation) error {
	p := &page.Page{Title: title}
	var cells [][]string
	for _, f := range figures {
		cells = append(cells, []string{f.Metric, f.text()})
	}
	p.Lead(s.headline(m, figures))
	p.Table([]string{"measure", "value"}, cells)
	var err error
	if m.Task == dataset.Classes {
		err = s.classPlots(p, m.Names)
	} else if m.Task == dataset.Regression {
		err = s.valuePlots(p)
	}
	if err == nil && r != nil {
		err = r.page(p, 20)
	}
	if err != nil {
		return err
	}
	return modelfile.WriteFile(path, func(w io.Writer) error { return p.Write(w) })
}

// text is the value as people read it: a share as a percentage.
func (f figure) text() string {
	switch f.Metric {
	case "accuracy", "balanced_accuracy", "coverage":
		return page.Percent(f.Value)
	}
	return fmt.Sprintf("%.6g", f.Value)
}

// headline says how good the model is, beside a constant.
func (s *answerScorer) headline(m *pipeline.Model, figures []figure) string {
	text := fmt.Sprintf("%s, %d rows: %s %s", m.Method, figures[0].N, figures[0].Metric, figures[0].text())
	n := float64(figures[0].N)
	switch {
	case m.Task == dataset.Classes && len(s.Class) > 0:
		count := make([]int, len(m.Names))
		right := 0.0
		for i, c := range s.Class {
			count[c]++
			if s.Predicted[i] == c {
				right += 1 / n
			}
		}
		text = fmt.Sprintf("%s, %d rows: %s (± %s) are right; the most frequent class alone has %s", m.Method, figures[0].N,
			page.Percent(right), page.Percent(2*math.Sqrt(right*(1-right)/n)), page.Percent(float64(slices.Max(count))/n))
	case m.Task == dataset.Regression && len(s.Target) > 0:
		mean := stat.Mean(s.Target, nil)
		flat := slices.Repeat([]float64{mean}, len(s.Target))
		text = fmt.Sprintf("%s, %d rows: the root mean squared error is %.4g; that of the mean of these rows is %.4g", m.Method, figures[0].N,
			metric.RMSE(s.Value, s.Target), metric.RMSE(flat, s.Target))
	}
	for _, f := range figures {
		if f.Metric == "coverage" {
			text += fmt.Sprintf("; intervals or sets for %s hold the truth in %s", page.Percent(s.level), f.text())
		}
	}
	return text + "."
}

// confusions adds the shaded matrix and the most frequent confusions.
func confusions(p *page.Page, names []string, count [][]int) {
	p.Confusion("Rows by class, from above, and by the class that was predicted, from the left", names, count)
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

// classPlots adds the confusion and the curves of classes, each against the rest.
func (s *answerScorer) classPlots(p *page.Page, names []string) error {
	c := metric.NewConfusion(len(names))
	c.Add(s.Predicted, s.Class)
	p.Heading("Classes")
	confusions(p, names, c.Count)
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
	p.Table([]string{"class", "rows", "precision", "recall", "F1", "AUC"}, cells)

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
		if ordered != s.Probability {
			continue
		}
		r := metric.NewReliability(classColumn(s.Probability, k), positive, 10)
		calibrated.Series = append(calibrated.Series, page.Series{Name: name, X: r.Mean, Y: r.Frequency})
	}
	diagonal := page.Series{Name: "chance", X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true}
	if drawn > 0 {
		roc.Series = append(roc.Series, diagonal)
	}
	if len(calibrated.Series) > 0 {
		diagonal.Name, diagonal.Like = "calibrated", "chance"
		calibrated.Series = append(calibrated.Series, diagonal)
	}
	for _, chart := range []page.Chart{roc, pr, calibrated} {
		if err := p.Chart(chart); err != nil {
			return err
		}
	}
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

// classColumn returns the numbers of a class; two classes may have one column, which is that of the second.
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

// area is that below a curve.
func area(c metric.Curve) (sum float64) {
	for k := 1; k < len(c.X); k++ {
		sum += (c.X[k] - c.X[k-1]) * (c.Y[k] + c.Y[k-1]) / 2
	}
	return sum
}

// valuePlots adds the plots of predicted values against the truth and of residuals.
func (s *answerScorer) valuePlots(p *page.Page) error {
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
		{Title: "Distribution of the residuals", X: "residual / rmse", Y: "share of the rows", Zero: true, Series: []page.Series{histogram}},
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
