// Package page writes self-contained HTML pages with tables and plots. A page is
// a single file without scripts, which loads nothing.
package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Page is a title followed by paragraphs, tables and plots.
type Page struct {
	Title string
	parts []template.HTML
}

// Text adds a paragraph.
func (p *Page) Text(text string) {
	p.parts = append(p.parts, "<p>"+template.HTML(template.HTMLEscapeString(text))+"</p>\n")
}

// Heading adds a heading.
func (p *Page) Heading(text string) {
	p.parts = append(p.parts, "<h2>"+template.HTML(template.HTMLEscapeString(text))+"</h2>\n")
}

// Table adds a table; columns of numbers are aligned on the right.
func (p *Page) Table(head []string, rows [][]string) {
	var b bytes.Buffer
	if err := tableTemplate.Execute(&b, struct {
		Head []string
		Rows [][]string
	}{head, rows}); err != nil {
		panic(err) // cannot happen: the template belongs to this package
	}
	p.parts = append(p.parts, template.HTML(b.String()))
}

// Series is one line of a plot. Points that are not finite, or not positive on a
// logarithmic axis, are left out.
type Series struct {
	Name   string
	X, Y   []float64
	Dashed bool
}

// Chart describes a plot. Ticks, if given, are names for the places 0, 1, … on
// the x axis. Top, if positive, is the end of the y axis.
type Chart struct {
	Title, X, Y string
	Ticks       []string
	LogX, LogY  bool
	Top         float64
	Dots        bool // points without lines; the y axis need not start at 0
	Series      []Series
}

// Chart adds a plot as inline SVG. It adds nothing if the plot has no points.
func (p *Page) Chart(c Chart) error {
	svg, err := c.SVG()
	if svg == nil || err != nil {
		return err
	}
	if i := bytes.Index(svg, []byte("<svg")); i > 0 {
		svg = svg[i:] // HTML does not allow the XML declaration
	}
	p.parts = append(p.parts, "<figure>"+template.HTML(svg)+"</figure>\n")
	return nil
}

// SVG returns the plot as a file, or nil if it has no points.
func (c Chart) SVG() ([]byte, error) {
	pl := plot.New()
	pl.Title.Text, pl.X.Label.Text, pl.Y.Label.Text = c.Title, c.X, c.Y
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	pl.Add(plotter.NewGrid())
	any := false
	for i, s := range c.Series {
		var pts plotter.XYs
		for k := range s.X {
			x, y := s.X[k], s.Y[k]
			if !finite(x) || !finite(y) || c.LogX && x <= 0 || c.LogY && y <= 0 {
				continue
			}
			pts = append(pts, plotter.XY{X: x, Y: y})
		}
		if len(pts) == 0 {
			continue
		}
		any = true
		line, dots, err := plotter.NewLinePoints(pts)
		if err != nil {
			return nil, err
		}
		line.Color, dots.Color, dots.Shape = plotutil.Color(i), plotutil.Color(i), plotutil.Shape(i)
		if c.Dots {
			dots.Radius = vg.Points(1.5)
			pl.Add(dots)
			legend.Add(s.Name, dots)
			continue
		}
		if s.Dashed {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
			pl.Add(line)
			legend.Add(s.Name, line)
			continue
		}
		pl.Add(line, dots)
		legend.Add(s.Name, line, dots)
	}
	if !any {
		return nil, nil
	}
	if c.Ticks != nil {
		pl.NominalX(c.Ticks...)
		if len(c.Ticks) > 6 {
			pl.X.Tick.Label.Rotation = math.Pi / 4
			pl.X.Tick.Label.XAlign, pl.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
		}
	}
	if c.LogX {
		pl.X.Scale, pl.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if c.LogY {
		pl.Y.Scale, pl.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	} else if !c.Dots {
		pl.Y.Min = min(pl.Y.Min, 0)
	}
	if c.Top > 0 {
		pl.Y.Max = c.Top
	}
	spread(&pl.X)
	spread(&pl.Y)
	const side = 4 * vg.Centimeter // for the legend
	height := 9 * vg.Centimeter
	if c.Dots {
		height = 16 * vg.Centimeter
	}
	canvas := vgsvg.New(18*vg.Centimeter+side, height)
	all := draw.New(canvas)
	pl.Draw(draw.Crop(all, 0, -side, 0, 0))
	legend.Draw(draw.Crop(all, 18*vg.Centimeter+0.2*vg.Centimeter, 0, 0, -0.5*vg.Centimeter))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

// spread widens an axis that has a single value.
func spread(a *plot.Axis) {
	if a.Min < a.Max {
		return
	}
	if _, log := a.Scale.(plot.LogScale); log {
		a.Min, a.Max = a.Min/2, a.Max*2
		return
	}
	a.Min, a.Max = a.Min-0.5, a.Max+0.5
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	if err := pageTemplate.Execute(w, struct {
		Title string
		Parts []template.HTML
	}{p.Title, p.parts}); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{{.Title}}</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .2em .7em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
figure { display: inline-block; margin: .5em 1em .5em 0; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{range .Parts}}{{.}}{{end}}</body>
</html>
`))

var tableTemplate = template.Must(template.New("table").Parse(`<table>
<tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table>
`))
