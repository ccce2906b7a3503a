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
		cells = append(cells, []string{f.Metric, fmt.Sprintf("%.6g", f.Value)})
	}
	p.Text(fmt.Sprintf("%s, %d rows.", m.Method, figures[0].N))
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
	p.Text("Rows by class, in the lines, and by the class that was predicted, in the columns.")
	var cells [][]string
	for k, name := range names {
		row := []string{name, fmt.Sprintf("%.4f", c.Precision(k)), fmt.Sprintf("%.4f", c.Recall(k)), fmt.Sprintf("%.4f", c.F1(k))}
		for _, n := range c.Count[k] {
			row = append(row, fmt.Sprint(n))
		}
		cells = append(cells, row)
	}
	p.Table(append([]string{"class", "precision", "recall", "F1"}, names...), cells)

	roc := page.Chart{Title: "ROC", X: "false positive rate", Y: "true positive rate", Zero: true, Top: 1}
	pr := page.Chart{Title: "Precision and recall", X: "recall", Y: "precision", Zero: true, Top: 1}
	calibrated := page.Chart{Title: "Calibration", X: "mean probability", Y: "frequency", Zero: true, Top: 1}
	column := func(x *mat.Dense, class int) []float64 {
		if _, k := x.Dims(); k == 1 {
			return mat.Col(nil, 0, x)
		}
		return mat.Col(nil, class, x)
	}
	drawn := 0
	for k, name := range names {
		if len(names) == 2 && k == 0 {
			continue // it mirrors the other
		}
		positive := make([]bool, len(s.Class))
		for i, c := range s.Class {
			positive[i] = c == k
		}
		if drawn == curveLines || !slices.Contains(positive, true) || !slices.Contains(positive, false) {
			continue
		}
		drawn++
		score := column(s.Scores, k)
		roc.Series = append(roc.Series, curveOf(name, metric.ROC(score, positive)))
		pr.Series = append(pr.Series, curveOf(name, metric.PrecisionRecall(score, positive)))
		if s.Probability == nil || slices.ContainsFunc(s.Probability.RawMatrix().Data, func(v float64) bool { return v != v }) {
			continue
		}
		r := metric.NewReliability(column(s.Probability, k), positive, 10)
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

// valuePlots adds the plots of predicted values against the truth and of residuals.
func (s *answerScorer) valuePlots(p *page.Page) error {
	p.Heading("Residuals")
	step := max(1, (len(s.Value)+dotRows-1)/dotRows)
	fitted, residual := page.Series{Name: "rows"}, page.Series{Name: "rows"}
	for i := 0; i < len(s.Value); i += step {
		fitted.X, fitted.Y = append(fitted.X, s.Target[i]), append(fitted.Y, s.Value[i])
		residual.X, residual.Y = append(residual.X, s.Value[i]), append(residual.Y, s.Target[i]-s.Value[i])
	}
	// The distribution of the residuals, in units of their root mean square.
	scale := metric.RMSE(s.Value, s.Target)
	const bins, wide = 24, 3.0
	histogram := page.Series{Name: "rows", X: make([]float64, bins), Y: make([]float64, bins)}
	for b := range histogram.X {
		histogram.X[b] = -wide + (float64(b)+.5)*2*wide/bins
	}
	for i, v := range s.Value {
		b := math.Floor(((s.Target[i]-v)/scale + wide) / (2 * wide) * bins)
		if b == b {
			histogram.Y[int(min(max(b, 0), bins-1))] += 1 / float64(len(s.Value))
		}
	}
	for _, chart := range []page.Chart{
		{Title: "Predicted and true values", X: "true", Y: "predicted", Dots: true, Series: []page.Series{fitted}},
		{Title: "Residuals", X: "predicted", Y: "true - predicted", Dots: true, Series: []page.Series{residual}},
		{Title: "Distribution of the residuals", X: "residual / rmse", Y: "share of the rows", Zero: true, Series: []page.Series{histogram}},
	} {
		if err := p.Chart(chart); err != nil {
			return err
		}
	}
	return nil
}
