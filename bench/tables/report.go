package tables

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gramworks/gram/internal/page"
)

// WriteText writes rows as an aligned table.
func WriteText(w io.Writer, t Table, rows []Row) error {
	fmt.Fprintf(w, "%s: %s\n\n", t.ID, t.Title)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(columns, "\t"))
	for _, c := range cells(rows) {
		for i, v := range c {
			if i > 0 {
				fmt.Fprint(tw, "\t")
			}
			fmt.Fprint(tw, v)
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

// WriteHTML writes a self-contained page with the rows and, for a figure, a
// plot per data set.
func WriteHTML(w io.Writer, t Table, rows []Row) error {
	p := page.Page{Title: t.ID + ": " + t.Title}
	for _, c := range charts(t, rows) {
		if err := p.Chart(c); err != nil {
			return err
		}
	}
	p.Table(columns, cells(rows))
	return p.Write(w)
}

// columns are those of the reports.
var columns = []string{"data set", "method", "metric", "paper", "got", "std", "n", "seconds", "MB", "note"}

func cells(rows []Row) [][]string {
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return fmt.Sprintf("%.4g", *v)
	}
	var out [][]string
	for _, r := range rows {
		seconds, mb := fmt.Sprintf("%.3g", r.Seconds), fmt.Sprintf("%.3g", float64(r.Bytes)/1e6)
		if r.Got == nil {
			seconds, mb = "", ""
		}
		n := ""
		if r.Repeats > 0 {
			n = fmt.Sprint(r.Repeats)
		}
		note := []string{r.Note, r.Seen}
		for _, p := range r.Paired {
			note = append(note, p.String())
		}
		if r.Duplicates > 0 {
			note = append(note, fmt.Sprintf("%.2g %% of the test rows are training rows, too", 100*r.Duplicates))
		}
		out = append(out, []string{r.Dataset, r.Method, r.Metric, number(r.Paper), number(r.Got), number(r.Std), n, seconds, mb, notes(note...)})
	}
	return out
}

// charts returns one chart per data set and metric, in the order of the rows.
func charts(t Table, rows []Row) []page.Chart {
	var out []page.Chart
	for _, r := range rows {
		if r.Cloud != nil {
			out = append(out, scatter(t, r))
		}
		if r.Series == "" || r.Got == nil {
			continue
		}
		title := r.Dataset + ", " + r.Metric
		c := slices.IndexFunc(out, func(c page.Chart) bool { return c.Title == title })
		if c < 0 {
			out = append(out, page.Chart{Title: title, X: t.X, Y: t.Y, LogX: t.LogX, LogY: t.LogY})
			c = len(out) - 1
		}
		s := slices.IndexFunc(out[c].Series, func(s page.Series) bool { return s.Name == r.Series })
		if s < 0 {
			out[c].Series = append(out[c].Series, page.Series{Name: r.Series})
			s = len(out[c].Series) - 1
		}
		line := &out[c].Series[s]
		line.X, line.Y = append(line.X, r.X), append(line.Y, *r.Got)
	}
	return out
}

// scatter draws the points of a row, one series per class.
func scatter(t Table, r Row) page.Chart {
	c := page.Chart{Title: r.Dataset + ", " + r.Method, X: t.X, Y: t.Y, Dots: true}
	names, x, y := r.Cloud.Plane()
	for k, name := range names {
		c.Series = append(c.Series, page.Series{Name: name, X: x[k], Y: y[k]})
	}
	return c
}
