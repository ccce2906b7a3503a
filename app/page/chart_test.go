package page

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plotted is what a plot shows.
type plotted struct {
	svg    string
	legend []entry
	texts  []string
	series []shown
}

// shown is a series of a plot: its points, what is shown of them, and what is drawn.
type shown struct {
	name          string
	x, y          []float64
	across, value []string
	drawn         string
}

var (
	label = regexp.MustCompile(`<text [^>]*>([^<]*)</text>`)
	group = regexp.MustCompile(`(?s)<g data-name="([^"]*)" data-points="([^"]*)"[^>]*>\n(.*?)</g>`)
)

// drawn returns the plot of a chart.
func drawn(t *testing.T, c Chart, colors *Palette) plotted {
	t.Helper()
	d, err := c.draw(colors, false)
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		return plotted{}
	}
	p := plotted{svg: d.body.String(), legend: d.legend}
	wellFormed(t, "<svg>"+p.svg+"</svg>")
	for _, m := range label.FindAllStringSubmatch(p.svg, -1) {
		p.texts = append(p.texts, html.UnescapeString(m[1]))
	}
	for _, m := range group.FindAllStringSubmatch(p.svg, -1) {
		s := shown{name: html.UnescapeString(m[1]), drawn: m[3]}
		var points [][4]any
		if err := json.Unmarshal([]byte(html.UnescapeString(m[2])), &points); err != nil {
			t.Fatal(err)
		}
		for _, pt := range points {
			s.x, s.y = append(s.x, pt[0].(float64)), append(s.y, pt[1].(float64))
			s.across, s.value = append(s.across, pt[2].(string)), append(s.value, pt[3].(string))
		}
		p.series = append(p.series, s)
	}
	return p
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
}

func (p plotted) has(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !slices.Contains(p.texts, s) })
}

// even reports whether the numbers are evenly spaced.
func even(v ...float64) bool {
	for i := 2; i < len(v); i++ {
		if !(math.Abs(v[i]-2*v[i-1]+v[i-2]) < .3) {
			return false
		}
	}
	return true
}

// Each series is a line with points, or a dashed line without points, and stands in the
// legend. Series without points stand nowhere.
func TestSeries(t *testing.T) {
	p := drawn(t, Chart{X: "across", Y: "up", Zero: true, Series: []Series{
		{Name: "a <&> b", X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}, Values: []string{"one", "two", "three"}},
		{Name: "nothing", X: []float64{1, 2}, Y: []float64{math.NaN(), math.Inf(1)}},
		{Name: "ceiling", X: []float64{1, 3}, Y: []float64{2, 2}, Dashed: true},
	}}, new(Palette))
	if !p.has("across", "up", "0", "3") || len(p.series) != 2 || len(p.legend) != 2 || p.legend[0].Name != "a <&> b" || p.legend[1].Name != "ceiling" {
		t.Fatalf("texts %q, series %+v, legend %+v", p.texts, p.series, p.legend)
	}
	a, ceiling := p.series[0], p.series[1]
	if !slices.Equal(a.value, []string{"one", "two", "three"}) || !slices.Equal(a.across, []string{"across 1", "across 2", "across 3"}) || !slices.Equal(ceiling.value, []string{"2", "2"}) {
		t.Errorf("shown are %q at %q, and %q", a.value, a.across, ceiling.value)
	}
	if strings.Count(a.drawn, "<path") != 4 || strings.Contains(a.drawn, "dasharray") || strings.Count(ceiling.drawn, "<path") != 1 || !strings.Contains(ceiling.drawn, `stroke-dasharray="6 4"`) {
		t.Errorf("drawn are %q and %q", a.drawn, ceiling.drawn)
	}
	// The y axis starts at 0, which is as far below 1 as 1 is below 2.
	if zero := 2*a.y[0] - a.y[1]; !even(a.x...) || !even(a.y...) || !(a.y[0] > a.y[2]) || !(zero > 230 && zero < 275) || !(ceiling.y[0] == a.y[1]) {
		t.Errorf("points at %v, %v", a.x, a.y)
	}
	// Without Zero the axis starts at the least value, however small the differences.
	if near := drawn(t, Chart{Series: []Series{{Name: "s", X: []float64{1, 2, 3}, Y: []float64{.991, .992, .993}}}}, new(Palette)); !(near.series[0].y[0]-near.series[0].y[2] > 200) || !near.has(".992") && !near.has("0.992") {
		t.Errorf("differences of a thousandth stand at %v, %q", near.series[0].y, near.texts)
	}
	if none := drawn(t, Chart{Series: []Series{{Name: "s", X: []float64{1}, Y: []float64{math.NaN()}}}}, new(Palette)); none.svg != "" {
		t.Errorf("a plot of nothing: %q", none.svg)
	}
}

// The points of a long line are not marked.
func TestLongLine(t *testing.T) {
	x := make([]float64, 61)
	for i := range x {
		x[i] = float64(i)
	}
	for n, marks := range map[int]int{60: 60, 61: 0} {
		if p := drawn(t, Chart{Series: []Series{{Name: "s", X: x[:n], Y: x[:n]}}}, new(Palette)); strings.Count(p.series[0].drawn, "<path") != marks+1 || len(p.series[0].x) != n {
			t.Errorf("%d points: %s", n, p.series[0].drawn)
		}
	}
}

// A name has the same color and shape in all plots of a palette, whatever else they show,
// and a series that is like another has its color.
func TestPalette(t *testing.T) {
	var colors Palette
	line := func(name, like string) Series {
		return Series{Name: name, Like: like, X: []float64{1, 2}, Y: []float64{1, 2}}
	}
	first := drawn(t, Chart{Series: []Series{line("a", ""), line("b", "")}}, &colors)
	second := drawn(t, Chart{Series: []Series{line("c", ""), line("b", ""), line("top of a", "a")}}, &colors)
	if first.legend[0].Key == first.legend[1].Key || first.legend[1].Key != second.legend[1].Key || first.legend[0].Key != second.legend[2].Key || second.legend[0].Key == first.legend[0].Key {
		t.Errorf("legends %+v and %+v", first.legend, second.legend)
	}
	for k, s := range second.series {
		if want := `class="l` + []string{"2", "1", "0"}[k] + `"`; !strings.Contains(s.drawn, want) {
			t.Errorf("%s has no %s: %s", s.name, want, s.drawn)
		}
	}
	// More names than colors have other shapes.
	keys := map[string]bool{}
	for k := range 3 * inks {
		keys[string(drawn(t, Chart{Series: []Series{line(fmt.Sprint("n", k), "")}}, &colors).legend[0].Key)] = true
	}
	if len(keys) != 3*inks {
		t.Errorf("%d names have %d pictures", 3*inks, len(keys))
	}
}

// Lines and text differ from the background as WCAG 2.1 asks, in both modes.
func TestContrast(t *testing.T) {
	luminance := func(color string) float64 {
		sum := 0.0
		for k, share := range []float64{.2126, .7152, .0722} {
			v, err := strconv.ParseUint(color[1+2*k:3+2*k], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			c := float64(v) / 255
			if c <= .04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+.055)/1.055, 2.4)
			}
			sum += share * c
		}
		return sum
	}
	for _, s := range []sheet{light, dark} {
		contrast := func(color string) float64 {
			a, b := luminance(color), luminance(s.back)
			return (max(a, b) + .05) / (min(a, b) + .05)
		}
		if c := contrast(s.text); !(c >= 7) {
			t.Errorf("text %s on %s has a contrast of %.3g", s.text, s.back, c)
		}
		for k, color := range s.series {
			if c := contrast(color); !(c >= 3) {
				t.Errorf("series %d, %s on %s, has a contrast of %.3g", k, color, s.back, c)
			}
		}
		if !strings.Contains(style, s.back) && !strings.Contains(style, "#fff;") {
			t.Errorf("%s is no background of the page", s.back)
		}
	}
}

// On logarithmic axes all decades have the same length, and values without a logarithm are
// left out.
func TestLogarithms(t *testing.T) {
	v := []float64{1, 10, 100, 0, -1}
	for _, c := range []struct{ x, y bool }{{true, false}, {false, true}, {true, true}, {false, false}} {
		s := drawn(t, Chart{LogX: c.x, LogY: c.y, Series: []Series{{Name: "s", X: v, Y: v}}}, new(Palette)).series[0]
		want := 5
		if c.x || c.y {
			want = 3
		}
		if len(s.x) != want {
			t.Errorf("%+v: %d points, want %d", c, len(s.x), want)
		}
		if even(s.x[:3]...) != c.x || even(s.y[:3]...) != c.y {
			t.Errorf("%+v: points at %v and %v", c, s.x, s.y)
		}
	}
}

// Every logarithmic axis has three labels or more; few values are labels themselves.
func TestLogTicks(t *testing.T) {
	labels := func(l logTicks, low, high float64) []string {
		var out []string
		for _, tick := range l.Ticks(low, high) {
			if tick.Label != "" {
				out = append(out, tick.Label)
			}
		}
		return out
	}
	for _, c := range []struct{ low, high float64 }{{.5, .6}, {1, 3}, {.3, 1.2}, {.02, .9}, {.0004, .05}, {1, 1e4}, {1e-12, 1e9}, {408, 521e3}} {
		if got := labels(logTicks{}, c.low, c.high); len(got) < 3 || len(got) > 12 {
			t.Errorf("from %g to %g: %q", c.low, c.high, got)
		}
	}
	if got := labels(logTicks{values: []float64{64, 16, 256, 16}}, 16, 256); !slices.Equal(got, []string{"16", "64", "256"}) {
		t.Errorf("ticks at %q", got)
	}
	if got := labels(logTicks{values: []float64{1, 1.01, 1000}}, 1, 1000); slices.Contains(got, "1.01") {
		t.Errorf("crowded ticks at %q", got)
	}
	for v, want := range map[float64]string{.001: "0.001", 250: "250", 1000: "1000", 20000: "20k", 3e6: "3M", -15000: "-15k", .30000000000000004: "0.3"} {
		if got := number(v); got != want {
			t.Errorf("%g is written %q, want %q", v, got, want)
		}
	}
}

// Ticks of a linear axis are round numbers in their unit, 0 among them where the axis passes it.
func TestLinearTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		unit      Unit
		want      string
	}{
		{-9.4, 13.2, Plain, "-5 0 5 10"}, {0, 1, Plain, "0 0.2 0.4 0.6 0.8 1"}, {104, 139, Plain, "110 120 130"}, {0, 35.6, Plain, "0 10 20 30"},
		{.2, .9, Shares, "20\u00a0% 40\u00a0% 60\u00a0% 80\u00a0%"}, {0, .0031, Times, "0 1\u00a0ms 2\u00a0ms 3\u00a0ms"}, {0, 41e3, Sizes, "0B 10kB 20kB 30kB 40kB"}, {-1e-9, 1e-9, Plain, "-1e-09 -5e-10 0 5e-10 1e-09"},
	} {
		var got []string
		for _, tick := range (linearTicks{c.unit}).Ticks(c.low, c.high) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("from %g to %g: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

// Ticks name places, and are turned if there are many. Top is the end of the axis.
func TestTicksAndTop(t *testing.T) {
	series := []Series{{Name: "s", X: []float64{0, 1, 2}, Y: []float64{1, 2, 2}}}
	names := []string{"p", "q", "r", "a name", "another name", "a longer name", "the longest name of all"}
	few, many := drawn(t, Chart{Series: series, Ticks: names[:5]}, new(Palette)), drawn(t, Chart{Series: series, Ticks: names}, new(Palette))
	if !few.has(names[:3]...) || !many.has(names[:3]...) || !slices.Equal(few.series[0].across, names[:3]) {
		t.Errorf("texts %q, %q", few.texts, many.texts)
	}
	if strings.Contains(few.svg, "rotate(-45") || !strings.Contains(many.svg, "rotate(-45") {
		t.Error("many names are turned, and few are not")
	}
	plain, high := drawn(t, Chart{Series: series}, new(Palette)), drawn(t, Chart{Series: series, Top: 4}, new(Palette))
	if !(plain.series[0].y[1] < 20) || !(high.series[0].y[1] > 150) || !high.has("4") {
		t.Errorf("the largest value stands at %g, and at %g below the top", plain.series[0].y[1], high.series[0].y[1])
	}
	if cut := drawn(t, Chart{Series: series, Top: 1.5}, new(Palette)); len(cut.series[0].x) != 1 {
		t.Errorf("points above the top: %+v", cut.series)
	}
}

// Points without lines; an axis of a single value extends to both sides of it.
func TestDots(t *testing.T) {
	p := drawn(t, Chart{Dots: true, Series: []Series{{Name: "a", X: []float64{1, 2}, Y: []float64{5, 6}}, {Name: "b", X: []float64{2}, Y: []float64{7}}}}, new(Palette))
	if strings.Count(p.series[0].drawn, "<path") != 2 || strings.Count(p.series[1].drawn, "<path") != 1 || !strings.Contains(p.svg, "data-dots") {
		t.Errorf("series %+v", p.series)
	}
	for _, log := range []bool{false, true} {
		s := drawn(t, Chart{LogX: log, LogY: log, Dots: true, Series: []Series{{Name: "s", X: []float64{4}, Y: []float64{4}}}}, new(Palette)).series[0]
		if !(s.x[0] > 180 && s.x[0] < 300) || !(s.y[0] > 100 && s.y[0] < 180) {
			t.Errorf("logarithmic %t: the point stands at %g, %g", log, s.x[0], s.y[0])
		}
	}
}

// A file is a document with its title, its legend and both modes.
func TestFile(t *testing.T) {
	c := Chart{Title: "a & b", Series: []Series{{Name: "one", X: []float64{1, 2}, Y: []float64{1, 2}}, {Name: "two", X: []float64{1, 2}, Y: []float64{2, 1}}}}
	b, err := c.SVG(new(Palette))
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, string(b))
	for _, want := range []string{`<svg xmlns="http://www.w3.org/2000/svg"`, ">a &amp; b</text>", ">one</text>", ">two</text>", "prefers-color-scheme:dark", light.series[0], dark.series[1]} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is not in the file", want)
		}
	}
	if b, err := (Chart{}).SVG(new(Palette)); b != nil || err != nil {
		t.Errorf("a file of nothing: %q, %v", b, err)
	}
}
