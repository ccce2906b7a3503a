package page

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram/num"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is one line of a plot. Points that are not finite, or not positive on a
// logarithmic axis, are left out.
type Series struct {
	Name   string
	Like   string // name of the series whose color it has; empty: its own
	X, Y   []float64
	Values []string // what is shown of the points instead of Y; nil: Y
	Dashed bool     // a line without points, also in a plot of Dots; a line of more than 60 points has none either
}

// Chart describes a plot. Ticks, if given, are names for the places 0, 1, … on the x axis.
type Chart struct {
	Title, X, Y string
	Ticks       []string
	LogX, LogY  bool
	Zero        bool    // a linear y axis starts at 0; without it, it starts at the least value
	Top         float64 // end of the y axis; 0: the largest value
	Dots        bool    // points without lines
	Unit, UnitX Unit    // of the numbers on the y axis and on the x axis
	Series      []Series
}

// Unit says in which unit the numbers on an axis are written.
type Unit int

// The units of a chart; Plain is none.
const (
	Plain  Unit = iota
	Shares      // as percentages
	Times       // seconds
	Sizes       // bytes
)

// tick returns the text of a tick at v, with blanks that do not break the line.
func (u Unit) tick(v float64) string {
	switch u {
	case Shares:
		return number(100*v) + "\u00a0%"
	case Times:
		if v > 0 {
			return strings.ReplaceAll(Seconds(v), " ", "\u00a0")
		}
	case Sizes:
		return number(v) + "B"
	}
	return number(v)
}

// Text returns v with its unit, as it is shown for a point; plain numbers have four digits.
func (u Unit) Text(v float64) string {
	switch u {
	case Shares:
		return Percent(v)
	case Times:
		return Seconds(v)
	case Sizes:
		return num.FormatBytes(int64(v))
	}
	return fmt.Sprintf("%.4g", v)
}

// Palette gives each name of a series a color, in the order in which they are drawn first.
// The zero Palette is empty.
type Palette struct{ names []string }

// place returns the number of a name, which decides its color; a new name gets the next number.
func (p *Palette) place(name string) int {
	k := slices.Index(p.names, name)
	if k < 0 {
		k = len(p.names)
		p.names = append(p.names, name)
	}
	return k
}

// Sizes of a plot, in points, which are pixels where it stands alone.
const (
	chartWidth, chartHeight = 440.0, 300.0
	titleHeight             = 22.0
	entryHeight             = 17.0 // of the legend of a plot in a file
	fontSize                = 12
)

// shapes are the marks at the points of the series, in the order of the series.
var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
}

// drawing is a plot that has been drawn.
type drawing struct {
	body   strings.Builder
	legend []entry
}

// entry is a name of the legend with the picture of its line, 26 by 12 points.
type entry struct {
	Name string
	Key  template.HTML
}

// names returns the names of the series in the legend, with commas between them.
func (d *drawing) names() string {
	var names []string
	for _, e := range d.legend {
		names = append(names, e.Name)
	}
	return "Series: " + strings.Join(names, ", ")
}

// SVG returns the plot as a file, or nil if it has no points. Plots that are drawn with the
// same palette have the same colors.
func (c Chart) SVG(p *Palette) ([]byte, error) {
	d, err := c.draw(p, true)
	if d == nil || err != nil {
		return nil, err
	}
	return []byte(d.body.String()), nil
}

// draw draws the plot, as the inside of an svg element or as a file with its title and its
// legend. It returns nil if there are no points.
func (c Chart) draw(p *Palette, file bool) (*drawing, error) {
	pl := plot.New()
	pl.BackgroundColor = nil
	pl.X.Label.Text, pl.Y.Label.Text = c.X, c.Y
	for _, s := range []*text.Style{&pl.X.Label.TextStyle, &pl.Y.Label.TextStyle, &pl.X.Tick.Label, &pl.Y.Tick.Label} {
		s.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: fontSize}
	}
	grid := plotter.NewGrid()
	for _, style := range []*draw.LineStyle{&grid.Vertical, &grid.Horizontal} {
		style.Color, style.Width = faint, vg.Points(.75)
	}
	pl.Add(grid)
	picture := newCanvas(chartHeight)
	d := &drawing{}
	var across []float64
	for _, s := range c.Series {
		l := c.layer(s, p, picture)
		if len(l.points) == 0 {
			continue
		}
		for _, pt := range l.points {
			across = append(across, pt.X)
		}
		pl.Add(l)
		d.legend = append(d.legend, entry{s.Name, l.key()})
	}
	if len(d.legend) == 0 {
		return nil, nil
	}
	switch {
	case c.Ticks != nil:
		pl.NominalX(c.Ticks...)
		pl.X.LineStyle, pl.X.Tick.LineStyle, pl.X.Tick.Length = pl.Y.LineStyle, pl.Y.Tick.LineStyle, vg.Points(6)
		if len(strings.Join(c.Ticks, "  ")) > 56 {
			pl.X.Tick.Label.Rotation = math.Pi / 4
			pl.X.Tick.Label.XAlign, pl.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
		}
	case c.LogX:
		pl.X.Scale, pl.X.Tick.Marker = plot.LogScale{}, logTicks{across, c.UnitX}
	default:
		pl.X.Tick.Marker = linearTicks{c.UnitX}
	}
	pl.Y.Tick.Marker = linearTicks{c.Unit}
	if c.LogY {
		pl.Y.Scale, pl.Y.Tick.Marker = plot.LogScale{}, logTicks{unit: c.Unit}
	} else if c.Zero {
		pl.Y.Min = min(pl.Y.Min, 0)
	}
	if c.Top > 0 {
		pl.Y.Max = c.Top
	}
	spread(&pl.X)
	spread(&pl.Y)
	pl.Draw(draw.Crop(draw.NewCanvas(picture, chartWidth, chartHeight), 2, -6, 2, -9))
	if !file {
		d.body.WriteString(picture.String())
		return d, nil
	}
	below := titleHeight + chartHeight
	height := below + entryHeight*float64(len(d.legend)) + 4
	fmt.Fprintf(&d.body, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-label="%s">`+"\n<style>%s.back{fill:%s}@media screen and (prefers-color-scheme:dark){.back{fill:%s}}</style>\n",
		chartWidth, height, chartWidth, height, html.EscapeString(c.Title), inkStyle(), light.back, dark.back)
	fmt.Fprintf(&d.body, `<path class="back" d="M0 0H%gV%gH0Z"/>`+"\n", chartWidth, height)
	fmt.Fprintf(&d.body, `<text x="%g" y="16" font-size="14" text-anchor="middle" class="f%s">%s</text>`+"\n", chartWidth/2, plainInk, html.EscapeString(c.Title))
	fmt.Fprintf(&d.body, `<g transform="translate(0 %g)">`+"\n%s</g>\n", titleHeight, picture.String())
	for k, e := range d.legend {
		fmt.Fprintf(&d.body, `<g transform="translate(60 %g)">%s<text x="34" y="10" font-size="%d" class="f%s">%s</text></g>`+"\n",
			below+entryHeight*float64(k), e.Key, fontSize, plainInk, html.EscapeString(e.Name))
	}
	d.body.WriteString("</svg>\n")
	return d, nil
}

// layer draws one series of a chart on a canvas.
type layer struct {
	chart   *Chart
	series  Series
	color   ink
	shape   draw.GlyphDrawer
	points  plotter.XYs
	values  []string
	picture *canvas
}

func (c *Chart) layer(s Series, p *Palette, picture *canvas) *layer {
	name := s.Name
	if s.Like != "" {
		name = s.Like
	}
	k := p.place(name)
	l := &layer{chart: c, series: s, color: ink(strconv.Itoa(k % inks)), shape: shapes[k%len(shapes)], picture: picture}
	for i := range s.X {
		x, y := s.X[i], s.Y[i]
		if !finite(x) || !finite(y) || c.LogX && x <= 0 || c.LogY && y <= 0 {
			continue
		}
		value := c.Unit.Text(y)
		if s.Values != nil {
			value = s.Values[i]
		}
		l.points, l.values = append(l.points, plotter.XY{X: x, Y: y}), append(l.values, value)
	}
	return l
}

func (l *layer) line() draw.LineStyle {
	style := draw.LineStyle{Color: l.color, Width: vg.Points(1.75)}
	if l.series.Dashed {
		style.Dashes = []vg.Length{vg.Points(6), vg.Points(4)}
	}
	return style
}

// dots reports whether there are points without a line.
func (l *layer) dots() bool { return l.chart.Dots && !l.series.Dashed }

// marked reports whether the points are drawn; those of a long line are not.
func (l *layer) marked() bool { return !l.series.Dashed && (l.chart.Dots || len(l.points) <= 60) }

func (l *layer) glyph() draw.GlyphStyle {
	radius := vg.Points(3)
	if l.chart.Dots && len(l.points) > 100 {
		radius = vg.Points(1.5)
	}
	return draw.GlyphStyle{Color: l.color, Radius: radius, Shape: l.shape}
}

// DataRange returns the least and the largest coordinates of the points, from which the plot sets the ranges of its axes.
func (l *layer) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(l.points) }

// Plot draws the series into a group that also holds its name and, for the script, the place
// and the text of each point.
func (l *layer) Plot(c draw.Canvas, p *plot.Plot) {
	atX, atY := p.Transforms(&c)
	places := make([]vg.Point, len(l.points))
	var shown [][4]any
	for i, pt := range l.points {
		places[i] = vg.Point{X: atX(pt.X), Y: atY(pt.Y)}
		if !c.Contains(places[i]) {
			continue
		}
		number := fmt.Sprintf("%.6g", pt.X)
		if l.chart.UnitX != Plain {
			number = l.chart.UnitX.Text(pt.X)
		}
		across := strings.TrimSpace(l.chart.X + " " + number)
		if k := int(pt.X); l.chart.Ticks != nil && float64(k) == pt.X && k >= 0 && k < len(l.chart.Ticks) {
			across = l.chart.Ticks[k]
		}
		x, y := l.picture.place(places[i])
		shown = append(shown, [4]any{math.Round(x*10) / 10, math.Round(y*10) / 10, across, l.values[i]})
	}
	data, err := json.Marshal(shown)
	if err != nil {
		panic(err) // cannot happen: they are finite numbers and text
	}
	dots := ""
	if l.dots() {
		dots = ` data-dots=""`
	}
	fmt.Fprintf(l.picture, `<g data-name="%s" data-points="%s"%s>`+"\n", html.EscapeString(l.series.Name), html.EscapeString(string(data)), dots)
	if !l.dots() {
		c.StrokeLines(l.line(), c.ClipLinesXY(places)...)
	}
	if l.marked() {
		for _, at := range places {
			if c.Contains(at) {
				c.DrawGlyph(l.glyph(), at)
			}
		}
	}
	l.picture.WriteString("</g>\n")
}

// key returns the small picture that stands before the name of the series in the legend.
func (l *layer) key() template.HTML {
	k := newCanvas(12)
	c := draw.NewCanvas(k, 26, 12)
	if !l.dots() {
		c.StrokeLine2(l.line(), 1, 6, 25, 6)
	}
	if l.marked() {
		g := l.glyph()
		g.Radius = vg.Points(3)
		c.DrawGlyph(g, vg.Point{X: 13, Y: 6})
	}
	return template.HTML(k.String())
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

// linearTicks are 1, 2 or 5 times a power of ten apart, with a short tick between two of them.
type linearTicks struct{ unit Unit }

// Ticks returns ticks between low and high: at least three steps, with a label at each, and a short tick between two of them.
func (l linearTicks) Ticks(low, high float64) []plot.Tick {
	const fewest = 3 // steps
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / fewest))))
	for _, m := range []float64{5, 2} {
		if (high-low)/(m*step) >= fewest {
			step *= m
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(2*low/step-1e-9) + 0; k <= 2*high/step+1e-9; k++ {
		t := plot.Tick{Value: k * step / 2}
		if math.Mod(k, 2) == 0 {
			t.Label = l.unit.tick(t.Value)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// logTicks makes the ticks of a logarithmic axis: the values themselves if there are few, else 1, 2 and 5 times the powers of
// ten, or powers of ten alone on a long axis, or the ticks of a linear axis on a short one.
type logTicks struct {
	values []float64
	unit   Unit
}

// Ticks returns ticks between low and high, both positive.
func (l logTicks) Ticks(low, high float64) []plot.Tick {
	values := slices.Compact(slices.Sorted(slices.Values(l.values)))
	if n := len(values); n > 1 && n <= 8 {
		apart := true
		for i := range values[1:] {
			apart = apart && math.Log(values[i+1]/values[i]) > .09*math.Log(high/low)
		}
		if apart {
			var ticks []plot.Tick
			for _, v := range values {
				ticks = append(ticks, plot.Tick{Value: v, Label: l.unit.tick(v)})
			}
			return ticks
		}
	}
	decades := math.Log10(high / low)
	step := max(1, math.Ceil(decades/7))
	labeled := 0
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			v, err := strconv.ParseFloat(fmt.Sprintf("%ge%g", m, e), 64)
			if err != nil || v < low || v > high {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && math.Mod(e, step) == 0 || (m == 2 || m == 5) && decades < 2.5 {
				t.Label = l.unit.tick(v)
				labeled++
			}
			if t.Label != "" || step == 1 {
				ticks = append(ticks, t)
			}
		}
	}
	if labeled < 3 {
		return linearTicks{l.unit}.Ticks(low, high)
	}
	return ticks
}

// number writes a value of an axis in few characters: 0.001, 250, 20k, 3M.
func number(v float64) string {
	for _, u := range []struct {
		unit float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if a := math.Abs(v); a >= u.unit && a >= 1e4 {
			return strconv.FormatFloat(v/u.unit, 'g', 5, 64) + u.name
		}
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
