package page

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// drawn holds the parts of a plot that are not black or gray.
type drawn struct {
	svg   string
	texts []string
	lines []curve
	dots  []curve // of one point each
}

type curve struct {
	x, y          []float64
	color, dashes string
	radius        float64
}

var (
	text  = regexp.MustCompile(`(?s)<text [^>]*>([^<]*)</text>`)
	path  = regexp.MustCompile(`<path d="([^"]*)" style="fill:[^;]*;stroke:#([0-9A-F]{6})([^"]*)"`)
	place = regexp.MustCompile(`[ML](-?[0-9.]+),(-?[0-9.]+)`)
)

// plotted returns the plot of a chart.
func plotted(t *testing.T, c Chart) drawn {
	t.Helper()
	var p Page
	if err := p.Chart(c); err != nil {
		t.Fatal(err)
	}
	if len(p.parts) != 1 {
		t.Fatalf("%d parts", len(p.parts))
	}
	d := drawn{svg: string(p.parts[0])}
	for _, m := range text.FindAllStringSubmatch(d.svg, -1) {
		d.texts = append(d.texts, m[1])
	}
	for _, m := range path.FindAllStringSubmatch(d.svg, -1) {
		if m[2] == "000000" || m[2] == "808080" {
			continue
		}
		g := curve{color: m[2]}
		if _, after, ok := strings.Cut(m[3], "dasharray:"); ok {
			g.dashes = after
		}
		for _, at := range place.FindAllStringSubmatch(m[1], -1) {
			var x, y float64
			fmt.Sscan(at[1], &x)
			fmt.Sscan(at[2], &y)
			g.x, g.y = append(g.x, x), append(g.y, y)
		}
		if strings.HasSuffix(m[1], "Z") {
			_, arc, _ := strings.Cut(m[1], "A") // of a circle
			fmt.Sscanf(arc, "%f", &g.radius)
			d.dots = append(d.dots, g)
		} else {
			d.lines = append(d.lines, g)
		}
	}
	return d
}

func (d drawn) has(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !slices.Contains(d.texts, s) })
}

// even reports whether the numbers are evenly spaced.
func even(v ...float64) bool {
	for i := 2; i < len(v); i++ {
		if !(math.Abs(v[i]-2*v[i-1]+v[i-2]) < .1) {
			return false
		}
	}
	return true
}

// Each series is a line with points and a name, or a dashed line without points. Their
// colors and shapes differ for the first series. The last parts of the picture belong to
// the legend.
func TestLines(t *testing.T) {
	d := plotted(t, Chart{Title: "title", X: "across", Y: "up", Series: []Series{
		{Name: "solid", X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}},
		{Name: "nothing", X: []float64{1, 2}, Y: []float64{math.NaN(), math.Inf(1)}},
		{Name: "ceiling", X: []float64{1, 3}, Y: []float64{2, 2}, Dashed: true},
	}})
	if !d.has("title", "across", "up", "solid", "ceiling") || d.has("nothing") {
		t.Errorf("texts %q", d.texts)
	}
	if len(d.lines) != 4 || len(d.lines[0].x) != 3 || len(d.lines[1].x) != 2 || d.lines[0].dashes != "" || d.lines[1].dashes != "4,3" || d.lines[0].color == d.lines[1].color {
		t.Fatalf("lines %+v", d.lines)
	}
	if d.lines[2].color != d.lines[0].color || d.lines[3].color != d.lines[1].color || d.lines[3].dashes != "4,3" {
		t.Errorf("the legend has other lines: %+v", d.lines[2:])
	}
	if len(d.dots) != 4 || d.dots[3].color != d.lines[0].color || d.dots[0].radius != 2.5 {
		t.Errorf("points %+v", d.dots)
	}
	// The y axis starts at 0, so its length is the largest value, 3.
	y := d.lines[0].y
	zero := 2*y[0] - y[1]
	if !even(y...) || !even(d.lines[0].x...) || !even(zero, y[0], y[1]) || !(zero > 20 && zero < 60) || !d.has("0", "1", "2", "3") {
		t.Errorf("points at %v and %v, 0 at %g, %q", d.lines[0].x, y, zero, d.texts)
	}
	if strings.Contains(d.svg, "<?xml") || !strings.HasPrefix(d.svg, "<figure><svg") || !strings.HasSuffix(d.svg, "</svg>\n</figure>\n") {
		t.Errorf("the picture is %.40q…", d.svg)
	}
	// The legend is to the right of the plot, at the top.
	for _, l := range d.lines[2:] {
		if !(l.x[0] > 510) || !(l.y[0] > 200) {
			t.Errorf("the legend stands at %v, %v", l.x, l.y)
		}
	}
	if !strings.Contains(d.svg, `width="623.62pt" height="255.12pt"`) {
		t.Errorf("the size of %.100q", d.svg)
	}
	below := plotted(t, Chart{Series: []Series{{Name: "s", X: []float64{1, 2, 3}, Y: []float64{-2, 0, 2}}}})
	if !below.has("-2", "0", "2") || !even(below.lines[0].y...) {
		t.Errorf("%q", below.texts)
	}
	var p Page
	if err := p.Chart(Chart{Series: []Series{{Name: "s", X: []float64{1}, Y: []float64{math.NaN()}}}}); err != nil || len(p.parts) != 0 {
		t.Errorf("a plot of nothing: %q, %v", p.parts, err)
	}
}

// On logarithmic axes all decades have the same length, and values without a logarithm are
// left out.
func TestLogarithms(t *testing.T) {
	v := []float64{1, 10, 100, 0, -1}
	for _, c := range []struct{ x, y bool }{{true, false}, {false, true}, {true, true}, {false, false}} {
		d := plotted(t, Chart{LogX: c.x, LogY: c.y, Series: []Series{{Name: "s", X: v, Y: v}}})
		want := 5
		if c.x || c.y {
			want = 3
		}
		if n := len(d.lines[0].x); n != want {
			t.Errorf("%+v: %d points, want %d", c, n, want)
		}
		if even(d.lines[0].x[:3]...) != c.x || even(d.lines[0].y[:3]...) != c.y {
			t.Errorf("%+v: points at %v and %v", c, d.lines[0].x, d.lines[0].y)
		}
	}
	// Values below 1 are kept, and the axis does not start at 0.
	d := plotted(t, Chart{LogY: true, Series: []Series{{Name: "s", X: []float64{1, 2, 3}, Y: []float64{.01, .1, 1}}}})
	if !even(d.lines[0].y...) || !(d.lines[0].y[0] < 60) {
		t.Errorf("points at %v", d.lines[0].y)
	}
}

// Ticks name places, and are turned if there are many. Top is the end of the axis.
func TestTicksAndTop(t *testing.T) {
	series := []Series{{Name: "s", X: []float64{0, 1, 2}, Y: []float64{1, 2, 2}}}
	turned := func(d drawn) int { return strings.Count(d.svg, "rotate(") }
	names := []string{"p", "q", "r", "s1", "s2", "s3", "s4"}
	plain, few, many := plotted(t, Chart{Series: series}), plotted(t, Chart{Series: series, Ticks: names[:6]}), plotted(t, Chart{Series: series, Ticks: names})
	if !few.has(names[:3]...) || !many.has(names[:3]...) || plain.has("p") {
		t.Errorf("texts %q, %q, %q", plain.texts, few.texts, many.texts)
	}
	if turned(few) != turned(plain) || turned(many) <= turned(plain) || !strings.Contains(many.svg, "rotate(45)") {
		t.Errorf("%d, %d and %d texts are turned", turned(plain), turned(few), turned(many))
	}
	if one := plotted(t, Chart{Series: []Series{{Name: "s", X: []float64{0, 1}, Y: []float64{.25, .5}}}, Top: 1}); !one.has("1.0") || !(one.lines[0].y[1] < 150) {
		t.Errorf("with the top at 1 one half stands at %v: %q", one.lines[0].y, one.texts)
	}
	high := plotted(t, Chart{Series: series, Top: 4})
	if !high.has("4") || !(high.lines[0].y[1] < 150) || !(plain.lines[0].y[1] > 200) {
		t.Errorf("with the top at 4 the largest value stands at %g, without at %g: %q", high.lines[0].y[1], plain.lines[0].y[1], high.texts)
	}
}

// Points without lines give a higher picture and an axis that starts at their least value.
func TestDots(t *testing.T) {
	d := plotted(t, Chart{Dots: true, Series: []Series{{Name: "a", X: []float64{1, 2}, Y: []float64{5, 6}}, {Name: "b", X: []float64{2}, Y: []float64{7}}}})
	if len(d.lines) != 0 || !d.has("a", "b", "5", "7") || d.has("0") || !strings.Contains(d.svg, `height="453.54pt"`) {
		t.Errorf("lines %+v, texts %q", d.lines, d.texts)
	}
	// There are two circles, a square, and those of the legend.
	circle, square := d.dots[0], d.dots[2]
	if len(d.dots) != 5 || d.dots[1].color != circle.color || d.dots[3].color != circle.color || circle.radius != 1.5 ||
		square.color == circle.color || square.radius != 0 || !(square.x[1]-square.x[0] < 3) {
		t.Errorf("points %+v", d.dots)
	}
}

// The axis of a single value extends to both sides of it.
func TestSpread(t *testing.T) {
	for _, log := range []bool{false, true} {
		d := plotted(t, Chart{LogX: log, LogY: log, Dots: true, Series: []Series{{Name: "s", X: []float64{4}, Y: []float64{4}}}})
		x, y := d.dots[0].x[0]-d.dots[0].radius, d.dots[0].y[0]
		if !(x > 200 && x < 300) || !(y > 200 && y < 280) {
			t.Errorf("logarithmic %t: the point stands at %g, %g", log, x, y)
		}
		if log == d.has("3.5") || log == d.has("4.5") {
			t.Errorf("logarithmic %t: %q", log, d.texts)
		}
	}
	// The axis of several values is not changed.
	d := plotted(t, Chart{Dots: true, Series: []Series{{Name: "s", X: []float64{4, 5}, Y: []float64{4, 6}}}})
	if !d.has("4", "5", "6") || d.has("3.5") {
		t.Errorf("%q", d.texts)
	}
}

// A table has its head and its rows, in order.
func TestTable(t *testing.T) {
	var p Page
	p.Table([]string{"a", "b"}, [][]string{{"1", "2"}, {"3", "4"}})
	if got, want := string(p.parts[0]), "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n<tr><td>3</td><td>4</td></tr>\n</table>\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
