package papers

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/num"
)

// Docs returns the files of the page by name.
func Docs() (map[string][]byte, error) {
	files := map[string][]byte{}
	var body bytes.Buffer
	var all []tally
	var leaders []lead
	for _, t := range All() {
		r, about, err := t.Stored()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&body, "\n## %s: %s\n", t.ID, t.Title)
		if about != "" {
			fmt.Fprintf(&body, "\n%s\n", strings.TrimSpace(about))
		}
		if r.Reason != "" {
			fmt.Fprintf(&body, "\nNo results are stored: %s\n", r.Reason)
		}
		for _, run := range r.Runs {
			fmt.Fprintf(&body, "\n%s\n\n", run.Source(t.ID))
			run.table(&body, !t.drawn)
		}
		all, leaders = append(all, tallyOf(t, r)), append(leaders, t.leads(r)...)
		if !t.picture {
			continue
		}
		var colors page.Palette
		for _, c := range r.charts(t) {
			set, _, _ := strings.Cut(c.Title, ",")
			name := strings.ReplaceAll(t.ID+"-"+set, " ", "-") + ".svg"
			if files[name] != nil { // of another metric
				name = strings.NewReplacer(", ", "-", " ", "-").Replace(t.ID+"-"+c.Title) + ".svg"
			}
			if files[name], err = c.SVG(&colors); err != nil {
				return nil, err
			}
			fmt.Fprintf(&body, "\n![%s](%s)\n", c.Title, name)
		}
	}
	var out bytes.Buffer
	fmt.Fprint(&out, pageHead)
	writeSummary(&out, all)
	writeLeads(&out, leaders)
	out.Write(body.Bytes())
	files["tables.md"] = out.Bytes()
	return files, nil
}

const pageHead = `# What the tables give

<!-- Written by "gram table --docs docs" from app/papers/results. -->

Every table and figure of the papers that ` + "`gram table --list`" + ` names stands here with the results of past runs. A run says
which processor, level, revision, date and seed it had, and what of this was not recorded. The machines did other work at the time, so
compare seconds within a run alone. *n* is the number of repeats,
each with other seeds, and *deviation* the standard deviation between them. Rows with the note "no data" belong to data sets
that are not at hand. Differences between methods are claimed where they are taken repeat by repeat, as *below* says in the
notes, with the standard error of the mean difference.
`

// Source is the line about where a run of the table comes from, in Markdown.
func (s Stored) Source(id string) string {
	command := "gram table " + id
	if s.Quick {
		command += " --quick"
	}
	for _, k := range slices.Sorted(maps.Keys(s.Settings)) {
		command += fmt.Sprintf(" --set %s=%s", k, s.Settings[k])
	}
	workers, seed := "", ""
	if s.Workers > 0 {
		workers = fmt.Sprint(s.Workers)
	}
	if s.Seed != nil {
		seed = fmt.Sprint(*s.Seed)
	}
	var known, missing []string
	for _, f := range [][2]string{{"processor", s.CPU}, {"level", s.Level}, {"goroutines", workers}, {"revision", s.Revision}, {"date", s.Date}, {"seed", seed}} {
		if f[1] == "" {
			missing = append(missing, f[0])
		} else {
			known = append(known, f[0]+" "+f[1])
		}
	}
	out := fmt.Sprintf("`%s`: %s.", command, strings.Join(known, ", "))
	switch {
	case len(known) == 0:
		out = fmt.Sprintf("`%s`: %s not recorded.", command, strings.Join(missing, ", "))
	case len(missing) > 0:
		out += " Not recorded: " + strings.Join(missing, ", ") + "."
	}
	return strings.TrimSpace(out + " " + s.Note)
}

// table writes the rows, with or without the points of lines.
func (s Stored) table(w *bytes.Buffer, points bool) {
	head := slices.Clone(columns)
	head[5] = "deviation"
	rows := cells(slices.DeleteFunc(slices.Clone(s.Rows), func(r Row) bool { return !points && r.Series != "" }))
	shared := ""
	if len(rows) > 1 && !slices.ContainsFunc(rows, func(r []string) bool { return r[9] != rows[0][9] }) {
		shared = rows[0][9]
	}
	keep := make([]bool, len(head))
	for i := range head {
		keep[i] = slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "" && (r[i] != "0" || columns[i] == "got") }) && !(i == 9 && shared != "")
	}
	if shared != "" {
		fmt.Fprintf(w, "All rows: %s.\n\n", shared)
	}
	for _, cells := range append([][]string{head, slices.Repeat([]string{"---"}, len(head))}, rows...) {
		for i, cell := range cells {
			if keep[i] {
				fmt.Fprintf(w, "| %s ", strings.ReplaceAll(cell, "|", "\\|"))
			}
		}
		fmt.Fprintln(w, "|")
	}
}

// Quality is 1 for metrics of which more is better, -1 for those of which less
// is, and 0 for those that are no measure of quality or belong to a machine.
func Quality(metric string) float64 {
	switch metric {
	case "accuracy", "P@1", "P@3", "P@5", "NMI":
		return 1
	case "rel_error", "rmse", "pair_error", "error, %":
		return -1
	}
	return 0
}

// charts are the pictures of the first run that has any.
func (r Results) charts(t Table) []page.Chart {
	for _, run := range r.Runs {
		if out := charts(t, run.Rows); out != nil {
			return out
		}
	}
	return nil
}

// WriteText writes the number and the title of the table and its rows, as text in aligned columns.
func WriteText(w io.Writer, t Table, rows []Row) error {
	fmt.Fprintf(w, "%s: %s\n\n", t.ID, t.Title)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(columns, "\t"))
	for _, c := range cells(rows) {
		fmt.Fprintln(tw, strings.Join(c, "\t"))
	}
	return tw.Flush()
}

// WriteHTML writes a self-contained page: what the rows say of the paper's figures, a plot of both, for a figure its plots by
// data set, and the rows.
func WriteHTML(w io.Writer, t Table, rows []Row) error {
	p := page.Page{Title: t.ID + ": " + t.Title}
	p.Lead(headline(rows))
	for _, c := range append(besidePaper(rows), charts(t, rows)...) {
		if err := p.Chart(c); err != nil {
			return err
		}
	}
	p.Heading("All rows")
	body := cells(rows)
	for i, r := range rows {
		if r.Got != nil {
			body[i][7], body[i][8] = page.Seconds(r.Seconds), num.FormatBytes(r.Bytes)
		}
	}
	head := slices.Clone(columns)
	head[7], head[8] = "time", "memory"
	p.Table(head, body)
	return p.Write(w)
}

// worse returns by how much of the paper's figure the row is worse, negative if it is better; false if the metric has no
// better side or one of the figures is missing.
func worse(r Row) (share float64, known bool) {
	sign := Quality(r.Metric)
	if r.Got == nil || r.Paper == nil || sign == 0 || *r.Paper == 0 {
		return 0, false
	}
	return sign * (*r.Paper - *r.Got) / math.Abs(*r.Paper), true
}

// headline says how many rows reach the paper's figures.
func headline(rows []Row) string {
	computed, both, reached := 0, 0, 0
	var worst Row
	most := 0.0
	for _, r := range rows {
		if r.Got != nil {
			computed++
		}
		share, told := worse(r)
		if !told {
			continue
		}
		both++
		spread := 0.0
		if r.Std != nil && r.Repeats > 1 {
			spread = 2 * *r.Std / math.Sqrt(float64(r.Repeats)) / math.Abs(*r.Paper)
		}
		if share <= spread {
			reached++
		} else if share > most {
			most, worst = share, r
		}
	}
	switch {
	case computed == 0:
		return fmt.Sprintf("None of the %d figures could be computed: the notes say why.", len(rows))
	case both == 0:
		return fmt.Sprintf("%d of %d figures were computed; the paper prints none of them as a number.", computed, len(rows))
	}
	text := fmt.Sprintf("Of %d figures that the paper prints and this run computed, %d are as good or better, up to twice the standard error of the run.", both, reached)
	if most > 0 {
		text += fmt.Sprintf(" Furthest behind is %s on %s: %s %.4g, in the paper %.4g.", worst.Method, worst.Dataset, worst.Metric, *worst.Got, *worst.Paper)
	}
	return text
}

// besidePaper draws, for each metric with two such rows, what was computed over what the paper prints.
func besidePaper(rows []Row) []page.Chart {
	var out []page.Chart
	for _, r := range rows {
		if r.Got == nil || r.Paper == nil {
			continue
		}
		title := "Here and in the paper: " + r.Metric
		c := slices.IndexFunc(out, func(c page.Chart) bool { return c.Title == title })
		if c < 0 {
			out = append(out, page.Chart{Title: title, X: "paper", Y: "here", Dots: true})
			c = len(out) - 1
		}
		s := slices.IndexFunc(out[c].Series, func(s page.Series) bool { return s.Name == r.Method })
		if s < 0 {
			out[c].Series = append(out[c].Series, page.Series{Name: r.Method})
			s = len(out[c].Series) - 1
		}
		dots := &out[c].Series[s]
		dots.X, dots.Y = append(dots.X, *r.Paper), append(dots.Y, *r.Got)
		dots.Values = append(dots.Values, fmt.Sprintf("%.4g, %s", *r.Got, r.Dataset))
	}
	for i := range out {
		c := &out[i]
		var all []float64
		for _, s := range c.Series {
			all = append(append(all, s.X...), s.Y...)
		}
		low, high := slices.Min(all), slices.Max(all)
		c.LogX = low > 0 && high > 50*low
		c.LogY = c.LogX
		c.Series = append(c.Series, page.Series{Name: "the same", Like: "diagonal", X: []float64{low, high}, Y: []float64{low, high}, Dashed: true})
	}
	return slices.DeleteFunc(out, func(c page.Chart) bool { return len(c.Series) == 2 && len(c.Series[0].X) < 2 })
}

// columns are the headings of the tables in the reports.
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
	add := func(r Row, metric string, y float64) {
		title := r.Dataset + ", " + metric
		c := slices.IndexFunc(out, func(c page.Chart) bool { return c.Title == title })
		if c < 0 {
			label := t.Y
			if label == "" && t.memory {
				label = metric
			}
			out = append(out, page.Chart{Title: title, X: t.X, Y: label, LogX: t.LogX, LogY: t.LogY})
			c = len(out) - 1
		}
		s := slices.IndexFunc(out[c].Series, func(s page.Series) bool { return s.Name == r.Series })
		if s < 0 {
			out[c].Series = append(out[c].Series, page.Series{Name: r.Series})
			s = len(out[c].Series) - 1
		}
		line := &out[c].Series[s]
		line.X, line.Y = append(line.X, r.X), append(line.Y, y)
	}
	for _, r := range rows {
		if r.Cloud != nil {
			out = append(out, scatter(t, r))
		}
		if r.Series == "" || r.Got == nil {
			continue
		}
		add(r, r.Metric, *r.Got)
		if t.memory {
			add(r, "bytes", float64(r.Bytes))
		}
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
