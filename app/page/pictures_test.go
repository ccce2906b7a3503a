package page

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// svgPart is an svg element of a page: its size, and what it holds.
var (
	svgPart = regexp.MustCompile(`(?s)<svg viewBox="0 0 ([0-9.]+) ([0-9.]+)"[^>]*>(.*?)</svg>`)
	pathOf  = regexp.MustCompile(`<path d="([^"]*)"`)
	circle  = regexp.MustCompile(`<circle cx="([^"]*)" cy="([^"]*)" r="([^"]*)"`)
	writing = regexp.MustCompile(`<text x="([^"]*)" y="([^"]*)" font-size="([^"]*)"(?: text-anchor="([a-z]*)")?(?: transform="rotate\((-?[0-9.]+) [^"]*)?[^>]*>([^<]*)`)
	step    = regexp.MustCompile(`([MLHVaZ])([^MLHVaZ]*)`)
)

func float(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// overflows returns the marks of the pictures of a page that stand out of their picture. A character is taken to be .5 of its
// size wide, which is that of a digit and a letter on average.
func overflows(t *testing.T, text string) (marks int, out []string) {
	t.Helper()
	for _, m := range svgPart.FindAllStringSubmatch(text, -1) {
		width, height := float(t, m[1]), float(t, m[2])
		within := func(what string, x, y float64) {
			if marks++; !(x >= -1 && x <= width+1 && y >= -1 && y <= height+1) {
				out = append(out, fmt.Sprintf("%s at %.4g, %.4g of %g×%g", what, x, y, width, height))
			}
		}
		for _, p := range pathOf.FindAllStringSubmatch(m[3], -1) {
			x, y := 0.0, 0.0
			for _, s := range step.FindAllStringSubmatch(p[1], -1) {
				n := strings.Fields(s[2])
				switch s[1] {
				case "M", "L":
					x, y = float(t, n[0]), float(t, n[1])
				case "H":
					x = float(t, n[0])
				case "V":
					y = float(t, n[0])
				case "a":
					x += float(t, n[5])
				}
				within("a path", x, y)
			}
		}
		for _, c := range circle.FindAllStringSubmatch(m[3], -1) {
			x, y, r := float(t, c[1]), float(t, c[2]), float(t, c[3])
			within("a circle", x-r, y-r)
			within("a circle", x+r, y+r)
		}
		for _, w := range writing.FindAllStringSubmatch(m[3], -1) {
			x, y, size := float(t, w[1]), float(t, w[2]), float(t, w[3])
			long := .5 * size * float64(utf8.RuneCountInString(w[6]))
			from := map[string]float64{"": 0, "end": -long, "middle": -long / 2}[w[4]]
			turn := 0.0
			if w[5] != "" {
				turn = float(t, w[5]) * math.Pi / 180
			}
			for _, along := range []float64{from, from + long} {
				within("the text "+w[6], x+along*math.Cos(turn), y+along*math.Sin(turn))
			}
		}
	}
	return marks, out
}

// Nothing stands out of a picture: names of any length, 26 classes, values of any size.
func TestOverflow(t *testing.T) {
	p := &Page{Title: "pictures"}
	long := strings.Repeat("a long name ", 9)
	for _, k := range []int{2, 3, 26, 60} {
		names, count := make([]string, k), make([][]int, k)
		for i := range names {
			names[i], count[i] = fmt.Sprintf("%c%d", 'A'+i%26, i), make([]int, k)
			for j := range count[i] {
				count[i][j] = (i*j*1234 + i) % 100000
			}
		}
		p.Confusion("classes", names, count)
		names[1] = long
		p.Confusion("a class with a long name", names, count)
	}
	p.Bars("bars", []Bar{{"a", "1e+200", 1e200, 1e199}, {long, "-3.21e-05", -3e199, 1e199}, {"Größe", "0", 0, 0}})
	p.Strips("strips", "a unit", "low", "high", []Strip{{"a", []float64{1, 2, 2, 2, 2, 2, 2, -1e9, math.NaN()}, []float64{0, .5, 1, .2, .3, .4, math.NaN(), 1, 1}}, {long, slices.Repeat([]float64{1e9}, 99), make([]float64, 99)}})
	p.Strips("none", "a unit", "low", "high", []Strip{{"a", []float64{0}, []float64{0}}})
	r := Regions{Title: "regions", X: [2]float64{-1, 1}, Y: [2]float64{2, 3}, Side: 7, Cells: make([]int, 49), Names: []string{"a", long}}
	for i := range r.Cells {
		r.Cells[i] = i%3 - 1
	}
	for i := range 50 {
		r.Rows = append(r.Rows, Spot{X: float64(i)/20 - 1.2, Y: 2 + float64(i)/40, Class: i % 2})
	}
	steps := r
	steps.Steps = true
	p.Regions([]Regions{r, steps})
	many := Chart{Title: "dots", X: "x", Y: "y", Dots: true, Series: []Series{{Name: "rows", X: []float64{-1e9, 0, 1e9}, Y: []float64{1e-9, 2e-9, 3e-9}}, {Name: "line", X: []float64{-1e9, 1e9}, Y: []float64{0, 3e-9}, Dashed: true}}}
	if err := p.Chart(many); err != nil {
		t.Fatal(err)
	}
	text := written(t, p)
	marks, out := overflows(t, text)
	if marks < 1000 || len(out) > 0 {
		t.Errorf("%d of %d marks stand out: %.5q", len(out), marks, out)
	}
	if !strings.Contains(text, `stroke-dasharray`) || strings.Count(text, "<figure>") != 13 {
		t.Errorf("%d figures", strings.Count(text, "<figure>"))
	}
	if _, out := overflows(t, `<svg viewBox="0 0 10 10"><text x="5" y="5" font-size="9" class="fk">abcdef</text><path d="M1 1H12"/><circle cx="9" cy="5" r="4"/></svg>`); len(out) != 3 {
		t.Errorf("the check finds %q", out)
	}
}

// Every cell of the regions is painted once, in the path of its class, and cells without a class
// are not; rows are drawn where they are.
func TestRegions(t *testing.T) {
	const side = 5
	r := Regions{Title: "regions", X: [2]float64{0, 10}, Y: [2]float64{-5, 5}, Side: side, Cells: make([]int, side*side), Names: []string{"first", "second", "third"},
		Rows: []Spot{{X: 2, Y: 4, Class: 1}, {X: 11, Y: 0, Class: 1}, {X: 5, Y: 0, Class: -1}}}
	for i := range r.Cells {
		r.Cells[i] = (i*i/3)%4 - 1
	}
	p := &Page{Title: "t"}
	p.Regions([]Regions{r})
	text := written(t, p)
	painted := make([]int, side*side)
	for i := range painted {
		painted[i] = -1
	}
	paths := regexp.MustCompile(`<path d="([^"]*)" class="f\d" fill-opacity="[0-9.]*"><title>(\w+)</title>`).FindAllStringSubmatch(text, -1)
	for _, m := range paths {
		for run := range strings.SplitSeq(strings.TrimSuffix(m[1], "Z"), "Z") {
			var x, y, right, bottom, back float64
			if _, err := fmt.Sscanf(strings.NewReplacer("M", "", "H", " ", "V", " ").Replace(run), "%g %g %g %g %g", &x, &y, &right, &bottom, &back); err != nil || x != back {
				t.Fatalf("%q: %v", run, err)
			}
			for i := range painted {
				cx, cy := (float64(i%side)+.5)*regionSide/side, (float64(i/side)+.5)*regionSide/side
				if cx > x && cx < right && cy > y && cy < bottom {
					if painted[i] >= 0 {
						t.Errorf("cell %d is painted twice", i)
					}
					painted[i] = slices.Index(r.Names, m[2])
				}
			}
		}
	}
	if !slices.Equal(painted, r.Cells) {
		t.Errorf("the cells are painted as\n%v, want\n%v", painted, r.Cells)
	}
	if c := circle.FindAllStringSubmatch(strings.SplitAfter(text, "</svg>")[0], -1); len(c) != 1 || c[0][1] != "60" || c[0][2] != "30" {
		t.Errorf("rows are drawn at %q, want one at 60, 30", c)
	}
}

// A row whose circle touches a border from within is drawn, and a row nearer to a border is not.
func TestRegionsBorders(t *testing.T) {
	const far = regionSide - 2
	for _, c := range []struct {
		x, y  float64 // from the left and from above
		drawn bool
	}{
		{2, 150, true}, {far, 150, true}, {150, 2, true}, {150, far, true}, {1.75, 150, false}, {far + .25, 150, false}, {150, 1.75, false}, {150, far + .25, false},
	} {
		whole := [2]float64{0, regionSide}
		r := Regions{X: whole, Y: whole, Side: 1, Cells: []int{0}, Names: []string{"a"}, Rows: []Spot{{X: c.x, Y: regionSide - c.y}}}
		p := &Page{}
		p.Regions([]Regions{r})
		if drawn := circle.MatchString(strings.SplitAfter(written(t, p), "</svg>")[0]); drawn != c.drawn {
			t.Errorf("a row at %v, %v is drawn: %t", c.x, c.y, drawn)
		}
	}
}

// Figures have units that people read.
func TestUnits(t *testing.T) {
	for v, want := range map[float64]string{.999: "99.9 %", .5: "50.0 %", 1: "100.0 %", .9995: "99.95 %", 0: "0.0 %", .99999: "99.999 %", .0000004: "0.00004 %"} {
		if got := Percent(v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{.000775: "775 µs", 12.5: "12.5 s", .0125: "12.5 ms", 3e-8: "30 ns"} {
		if got := Seconds(v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
}

// A text that is cut has as many characters as it may have, with the sign that something is missing.
func TestCharacters(t *testing.T) {
	for text, want := range map[string]string{"": "", "äöü": "äöü", "äöüß": "äöüß", "äöüßx": "äöü…"} {
		if got := characters(text, 4); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
