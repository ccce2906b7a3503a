// Package page writes self-contained HTML pages with tables and plots: all reports of the
// module. A page is a single file, which loads nothing. Its plots are SVG, and its script
// shows values under the pointer, hides series and sorts tables; without the script the page
// is complete. It follows the light or dark mode of the reader and is printed in light
// colors.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Percent writes a share as a percentage with three digits or so: 99.9 %. A share that is no whole is not rounded to
// 0 % or 100 %.
func Percent(share float64) string {
	digits := 1
	for rest := min(share, 1-share); rest > 0 && rest < 5*math.Pow10(-digits-3) && digits < 6; {
		digits++
	}
	if rest := min(share, 1-share); rest > 0 && rest < .001 {
		digits = max(digits, 2)
	}
	return strconv.FormatFloat(100*share, 'f', digits, 64) + " %"
}

// Seconds writes a time with three digits and the unit that people read: 0.8 ms, 12.5 s.
func Seconds(s float64) string {
	for _, u := range []struct {
		name  string
		scale float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if s >= u.scale {
			return fmt.Sprintf("%.3g %s", s/u.scale, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", s*1e9)
}

// Page is a title followed by paragraphs, tables and plots. A series has the same color in
// all plots of the page.
type Page struct {
	Title   string
	parts   []template.HTML
	palette Palette
	group   string // of figures, which the last part is; empty: it is none
}

// add appends a part that the template of that name makes of data.
func (p *Page) add(name string, data any) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // cannot happen: the templates belong to this package
	}
	p.parts, p.group = append(p.parts, template.HTML(b.String())), ""
}

// figure appends a figure to the group of figures at the end of the page, or begins one. The group is a class of the
// style sheet.
func (p *Page) figure(group, name string, data any) {
	before := p.group
	p.add(name, data)
	text := p.parts[len(p.parts)-1]
	if before == group {
		p.parts = p.parts[:len(p.parts)-1]
		last := &p.parts[len(p.parts)-1]
		*last = template.HTML(strings.TrimSuffix(string(*last), groupEnd)) + text + groupEnd
	} else {
		p.parts[len(p.parts)-1] = template.HTML(`<div class="`+group+`">`+"\n") + text + groupEnd
	}
	p.group = group
}

// The classes of the style sheet for groups of figures, and the text that ends a group.
const (
	chartGroup   = "charts"
	regionsGroup = "charts regions"
	groupEnd     = "</div>\n"
)

// Lead adds the sentence that a reader is to see first.
func (p *Page) Lead(text string) { p.add("lead", tied.Replace(text)) }

// tied keeps a number and its sign in one line.
var tied = strings.NewReplacer(" %", "\u00a0%", "± ", "±\u00a0")

// Text adds a paragraph of plain text.
func (p *Page) Text(text string) { p.add("text", tied.Replace(text)) }

// Heading adds the heading of a section.
func (p *Page) Heading(text string) { p.add("heading", text) }

// List adds a bulleted list, an item for each text.
func (p *Page) List(items []string) {
	var out []string
	for _, item := range items {
		out = append(out, tied.Replace(item))
	}
	p.add("list", out)
}

// Command adds lines for a shell, which are shown as code.
func (p *Page) Command(lines ...string) { p.add("command", strings.Join(lines, "\n")) }

// cell is a cell of a table. Sort is the number that it is sorted by, in the smallest unit;
// empty: it is sorted by its text.
type cell struct {
	Text, Sort string
	Left       bool // aligned on the left
	Long       bool
}

// Table adds a table that its reader can sort by each column. Columns of numbers, with or
// without units, are sorted as numbers.
func (p *Page) Table(head []string, rows [][]string) {
	table := struct {
		Head []cell
		Rows [][]cell
	}{}
	for i, text := range head {
		number := slices.ContainsFunc(rows, func(row []string) bool { return sortKey(row[i]) != "" })
		table.Head = append(table.Head, cell{Text: text, Left: i == 0 || !number})
	}
	for _, row := range rows {
		cells := make([]cell, len(row))
		for i, text := range row {
			cells[i] = cell{Text: text, Sort: sortKey(text), Left: table.Head[i].Left, Long: len(text) > 40}
		}
		table.Rows = append(table.Rows, cells)
	}
	p.add("table", table)
}

var (
	quantity = regexp.MustCompile(`^([+-]?[0-9.]+(?:e[+-]?[0-9]+)?) ?([^ 0-9]*)$`)
	units    = map[string]float64{
		"": 1, "%": 1, "x": 1, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1,
		"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50,
	}
)

// sortKey returns the number that a cell stands for in its smallest unit, or "" if it is no
// number with one of the units.
func sortKey(text string) string {
	m := quantity.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	v, err := strconv.ParseFloat(m[1], 64)
	unit, known := units[m[2]]
	if err != nil || !known {
		return ""
	}
	return strconv.FormatFloat(v*unit, 'g', -1, 64)
}

// Chart adds a plot. It adds nothing if the plot has no points. Plots in a row stand beside
// each other where there is room.
func (p *Page) Chart(c Chart) error {
	d, err := c.draw(&p.palette, false)
	if d == nil || err != nil {
		return err
	}
	p.figure(chartGroup, "chart", struct {
		Chart
		SVG    template.HTML
		Legend []entry
		Names  string
	}{c, template.HTML(d.body.String()), d.legend, d.names()})
	return nil
}

// Write writes the page to w as one HTML file with its style sheet and script.
func (p *Page) Write(w io.Writer) error {
	err := templates.ExecuteTemplate(w, "page", struct {
		Title  string
		Parts  []template.HTML
		Style  template.CSS
		Script template.JS
	}{p.Title, p.parts, template.CSS(style + inkStyle()), template.JS(script)})
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
	//go:embed page.html
	layout    string
	templates = template.Must(template.New("").Parse(layout))
)
