package page

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// ink is a color by its name in the style sheet, which has one value for light and one for
// dark pages: "0", "1", … of series, "k" of axes and text, "g" of grids.
type ink string

const (
	plainInk ink = "k"
	faint    ink = "g"
)

// RGBA returns black: canvases other than those of this package draw in black.
func (ink) RGBA() (r, g, b, a uint32) { return color.Black.RGBA() }

// The backgrounds and the colors of series on them; all differ from the background by a
// contrast of at least 3, as WCAG 2.1 asks of graphics.
var (
	light = sheet{back: "#ffffff", text: "#222222", grid: "#d8d8d8",
		series: [...]string{"#1f6fb4", "#d1495b", "#2e8540", "#8f5bc4", "#b85c00", "#007f86", "#b5179e", "#6b6b6b", "#8c564b", "#6b7000"}}
	dark = sheet{back: "#16181d", text: "#e6e6e6", grid: "#3a3e46",
		series: [...]string{"#6db3f2", "#ff7b72", "#5fd068", "#c9a0f5", "#ffa657", "#4dd0e1", "#ff8ad8", "#bdbdbd", "#d7a58f", "#d4d85a"}}
)

const inks = 10 // colors of series

type sheet struct {
	back, text, grid string
	series           [inks]string
}

// rules returns the rules of a style sheet for lines and areas of every ink.
func (s sheet) rules() string {
	var b strings.Builder
	one := func(name ink, value string) {
		fmt.Fprintf(&b, ".l%s{stroke:%s}.f%s{fill:%s}", name, value, name, value)
	}
	one(plainInk, s.text)
	one(faint, s.grid)
	for k, value := range s.series {
		one(ink(fmt.Sprint(k)), value)
	}
	return b.String()
}

// inkStyle returns the rules for both modes. Printed pages are light.
func inkStyle() string {
	return "text{font-family:Liberation Sans,Arial,Helvetica,sans-serif}path{fill:none}" + light.rules() +
		"\n@media screen and (prefers-color-scheme:dark){" + dark.rules() + "}\n"
}

// canvas is a vg.Canvas that writes elements of SVG with the classes of inks.
type canvas struct {
	strings.Builder
	height float64
	states []state
}

// state is what Push stores. A point (x, y) is drawn at (a·x + c·y + e, b·x + d·y + f), up.
type state struct {
	ink              ink
	width            float64
	dashes           string
	a, b, c, d, e, f float64
}

func newCanvas(height float64) *canvas {
	c := &canvas{height: height, states: []state{{a: 1, d: 1}}}
	vg.Initialize(c)
	return c
}

func (c *canvas) now() *state { return &c.states[len(c.states)-1] }

func (c *canvas) SetLineWidth(w vg.Length) { c.now().width = w.Points() }

func (c *canvas) SetLineDash(pattern []vg.Length, _ vg.Length) {
	var parts []string
	for _, l := range pattern {
		parts = append(parts, short(l.Points()))
	}
	c.now().dashes = strings.Join(parts, " ")
}

// SetColor takes all colors that are no inks for that of axes.
func (c *canvas) SetColor(v color.Color) {
	name, ok := v.(ink)
	if !ok {
		name = plainInk
	}
	c.now().ink = name
}

// transform puts the map with these coefficients before the present one.
func (c *canvas) transform(a, b, cc, d, e, f float64) {
	s := c.now()
	s.a, s.b, s.c, s.d, s.e, s.f = s.a*a+s.c*b, s.b*a+s.d*b, s.a*cc+s.c*d, s.b*cc+s.d*d, s.a*e+s.c*f+s.e, s.b*e+s.d*f+s.f
}

func (c *canvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.transform(cos, sin, -sin, cos, 0, 0)
}

func (c *canvas) Translate(p vg.Point) { c.transform(1, 0, 0, 1, p.X.Points(), p.Y.Points()) }
func (c *canvas) Scale(x, y float64)   { c.transform(x, 0, 0, y, 0, 0) }
func (c *canvas) Push()                { c.states = append(c.states, *c.now()) }
func (c *canvas) Pop()                 { c.states = c.states[:len(c.states)-1] }
func (c *canvas) Stroke(p vg.Path)     { c.path(p, "l", true) }
func (c *canvas) Fill(p vg.Path)       { c.path(p, "f", false) }
func (c *canvas) place(p vg.Point) (x, y float64) {
	s, px, py := c.now(), p.X.Points(), p.Y.Points()
	return s.a*px + s.c*py + s.e, c.height - (s.b*px + s.d*py + s.f)
}

// short writes a length with two digits at most after the point.
func short(v float64) string {
	s := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// path writes a path of lines and arcs. Every arc becomes a whole circle: gonum's plots have arcs in glyphs alone.
func (c *canvas) path(p vg.Path, class string, stroke bool) {
	s := c.now()
	if stroke && s.width <= 0 {
		return
	}
	var d strings.Builder
	for _, part := range p {
		x, y := c.place(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			fmt.Fprintf(&d, "M%s %s", short(x), short(y))
		case vg.LineComp:
			fmt.Fprintf(&d, "L%s %s", short(x), short(y))
		case vg.ArcComp:
			r := part.Radius.Points()
			fmt.Fprintf(&d, "M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 %s 0", short(x-r), short(y), short(r), short(r), short(2*r), short(r), short(r), short(-2*r))
		case vg.CloseComp:
			d.WriteString("Z")
		default:
			panic("page: a plot has a curve")
		}
	}
	fmt.Fprintf(c, `<path d="%s" class="%s%s"`, d.String(), class, s.ink)
	if stroke {
		width := s.width
		if s.ink != plainInk && s.ink != faint {
			width = max(width, 1.25) // gonum draws open glyphs with thin lines
		}
		fmt.Fprintf(c, ` stroke-width="%s"`, short(width))
		if s.dashes != "" {
			fmt.Fprintf(c, ` stroke-dasharray="%s"`, s.dashes)
		}
	}
	c.WriteString("/>\n")
}

// FillString writes text, turned as the canvas is.
func (c *canvas) FillString(f font.Face, p vg.Point, text string) {
	x, y := c.place(p)
	turn := ""
	if s := c.now(); s.b != 0 {
		turn = fmt.Sprintf(` transform="rotate(%s %s %s)"`, short(-math.Atan2(s.b, s.a)*180/math.Pi), short(x), short(y))
	}
	fmt.Fprintf(c, `<text x="%s" y="%s" font-size="%s" class="f%s"%s>%s</text>`+"\n", short(x), short(y), short(f.Font.Size.Points()), c.now().ink, turn, html.EscapeString(text))
}

// DrawImage panics: no plot of this package has images.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) { panic("page: a plot has an image") }
