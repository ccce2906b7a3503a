package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gramworks/gram/app/fit"
	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
)

// fitPage is what the page of gram fit --html shows.
type fitPage struct {
	*fit.Result
	figures   fitted
	lines     []string // what was chosen, and what the data are taken for
	held      *search.HeldOut
	noHeldOut error // there are no rows held out
}

// page writes the file of --html: how good the model is, which methods and settings it was chosen from, and how to go on.
func (f *fitting) page(ctx context.Context, r fitPage) error {
	p := &page.Page{Title: filepath.Base(f.output) + ", learned from " + filepath.Base(f.data.shown())}
	report, err := f.judged(ctx, r)
	if err != nil {
		return err
	}
	if report == nil {
		p.Lead(fmt.Sprintf("%s learned from %d rows of %s. How good the model is was not measured: %v.", r.Method.Name, r.figures.N, filepath.Base(f.data.shown()), r.noHeldOut))
	} else if err := report.add(p); err != nil {
		return err
	}
	if r.Compared != nil {
		comparedMethods(p, r.Compared)
	}
	if r.Found != nil {
		if err := trials(p, r.Found); err != nil {
			return err
		}
	}
	p.Heading("The model")
	var text bytes.Buffer
	if err := r.figures.print(&text, false, f.output); err != nil {
		return err
	}
	p.List(append(strings.Split(strings.TrimSpace(text.String()), "\n"), r.lines...))
	p.Heading("How to go on")
	p.Command(command("eval --model", []string{f.output}, "--data", "TEST", "--html", "report.html"),
		command("explain --model", []string{f.output}, "--data", "TEST", "--html", "columns.html"),
		command("serve --model", []string{f.output}))
	return modelfile.WriteFile(f.html, p.Write)
}

// judged reports how good the method is on the rows that were held out; nil if there are none.
func (f *fitting) judged(ctx context.Context, r fitPage) (*modelReport, error) {
	if r.held == nil {
		return nil, ctx.Err()
	}
	m := r.held.Model
	answers, figures, err := answersOf(m, r.held.Held)
	if err != nil {
		return nil, err
	}
	n, _ := r.held.Held.Dims()
	out := &modelReport{model: m, answers: answers, figures: figures, rows: r.held.Held,
		subject: fmt.Sprintf("%s, fitted to %d rows of %s and judged by %d others", r.Method.Name, r.held.Trained, filepath.Base(f.data.shown()), n)}
	if ranked := r.held.Ranked(); ranked != nil {
		out.subject = fmt.Sprintf("%s: %s", r.Method.Name, ranked)
	} else if r.Method.Name != "linear" {
		out.linear, out.linearNote = r.held.Linear, "The linear model is fitted to and judged by the same rows."
	}
	out.linearNote += fmt.Sprintf(" The stored model has learned from all %d rows with the same settings.", r.figures.N)
	if m.Dim <= reportColumns {
		if n > reportRows {
			out.rows = out.rows.Select(dataset.Sample(n, reportRows, 1))
		}
		e := &explainer{model: m, measure: answers.measures[0], repeats: 3, rows: out.rows}
		if out.columns, err = e.explain(ctx, nil, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// heldOut holds rows out of a fit like that of r, with another model's memory given back.
func (f *fitting) heldOut(ctx context.Context, r *fit.Result) (*search.HeldOut, error) {
	run, err := f.request.Run.Beside(r.Set.Bytes())
	if err != nil {
		return nil, err
	}
	return search.HoldOut(ctx, r.Prepare, r.Method, slices.Concat(r.Settings, r.Chosen), r.Set, run)
}

// comparedMethods adds the results of a race of methods to a page; a method that failed has no bar, but its reason in the table.
func comparedMethods(p *page.Page, c *search.Compared) {
	p.Heading("Methods")
	held := fmt.Sprintf("the mean over %d folds, with its standard deviation", c.Folds)
	if c.Folds == 1 {
		held = "on rows that were held out"
	}
	p.Text(fmt.Sprintf("The methods ran on more and more rows, and the worse left the race. Each bar is %s %s, in the last round of the method.", c.Metric, held))
	var bars []page.Bar
	var cells [][]string
	for i, m := range c.Methods {
		name, note := m.Method, m.Out
		if i == c.Best {
			note = "best"
		}
		if m.Failed != "" {
			cells = append(cells, []string{name, "", "", page.Seconds(m.Seconds), m.Failed})
			continue
		}
		bars = append(bars, page.Bar{Name: name, Text: figure{Metric: c.Metric, Value: m.Score}.text(), Value: m.Score, Deviation: m.Std})
		cells = append(cells, []string{name, figure{Metric: c.Metric, Value: m.Score}.text(), fmt.Sprint(m.Rows), page.Seconds(m.Seconds), note})
	}
	p.Bars(c.Metric, bars)
	p.Table([]string{"method", c.Metric, "rows", "time", "note"}, cells)
}

// bestTrials is the number of trials of a search in a table.
const bestTrials = 15

// trials adds a search to a page: a chart of the scores in the order of the trials, and a table of the best ones.
func trials(p *page.Page, found *search.Found) error {
	p.Heading("Search")
	p.Text(fmt.Sprintf("%d candidates were tried in %d folds. The best is %s.", len(found.Trials), found.Folds, strings.Join(found.Trials[found.Best].Settings, " ")))
	all, best := page.Series{Name: "trial"}, page.Series{Name: "best so far", Dashed: true}
	var ranked []search.Trial
	for i, t := range found.Trials {
		if t.Failed != "" {
			continue
		}
		ranked = append(ranked, t)
		all.X, all.Y, all.Values = append(all.X, float64(i+1)), append(all.Y, t.Score), append(all.Values, fmt.Sprintf("%.4g, %s", t.Score, strings.Join(t.Settings, " ")))
		so := t.Score
		if k := len(best.Y); k > 0 && (best.Y[k-1] > so) == found.Larger {
			so = best.Y[k-1]
		}
		best.X, best.Y = append(best.X, float64(i+1)), append(best.Y, so)
	}
	chart := page.Chart{Title: "Score of the trials", X: "trial", Y: found.Metric, Dots: true, Series: []page.Series{all, best}}
	if m, err := metric.Find(found.Metric); err == nil && (figure{Metric: m.Name, Value: .5}).text() == page.Percent(.5) {
		chart.Unit = page.Shares
	}
	if err := p.Chart(chart); err != nil {
		return err
	}
	slices.SortStableFunc(ranked, func(a, b search.Trial) int {
		if found.Larger {
			a, b = b, a
		}
		switch {
		case a.Score < b.Score:
			return -1
		case a.Score > b.Score:
			return 1
		}
		return 0
	})
	var cells [][]string
	for _, t := range ranked[:min(bestTrials, len(ranked))] {
		cells = append(cells, []string{t.Method, strings.Join(t.Settings, " "), figure{Metric: found.Metric, Value: t.Score}.text(), fmt.Sprintf("%.2g", t.Std), page.Seconds(t.Seconds)})
	}
	p.Table([]string{"method", "settings", found.Metric, "std", "time"}, cells)
	return nil
}
