package page

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// picture is an SVG with a title, without series.
type picture struct {
	Title         string
	Width, Height float64
	SVG           template.HTML
	Legend        []entry
}

// Regions shows what a model predicts in a part of a plane, and rows in it.
type Regions struct {
	Title string
	X, Y  [2]float64 // the ends of the part
	Side  int        // cells in each direction
	Cells []int      // Side×Side: the class that is predicted in each, row by row from the largest y; −1: none
	Rows  []Spot     // drawn where they are within the part
	Names []string   // of the classes
	Steps bool       // the classes are steps of a value, which are shades of one color
}

// Spot is a row in a plane with its class.
type Spot struct {
	X, Y  float64
	Class int
}

// Regions adds the pictures beside each other. A class has the same color as the series of its name.
func (p *Page) Regions(all []Regions) {
	for _, r := range all {
		p.figure(regionsGroup, "picture", r.picture(&p.palette))
	}
}

const regionSide = 300.0 // points

// picture draws each class as one path of runs of cells.
func (r Regions) picture(colors *Palette) picture {
	var b strings.Builder
	size := regionSide / float64(r.Side)
	look := func(class int, opacity float64) string {
		if r.Steps {
			return fmt.Sprintf(`class="f0" fill-opacity="%s"`, short(opacity*(float64(class)+1)/float64(len(r.Names))))
		}
		return fmt.Sprintf(`class="f%d" fill-opacity="%s"`, colors.place(r.Names[class])%inks, short(opacity))
	}
	for class := range r.Names {
		var d strings.Builder
		for i := range r.Side {
			row := r.Cells[i*r.Side:][:r.Side]
			for from := 0; from < r.Side; {
				upto := from + 1
				for upto < r.Side && row[upto] == row[from] {
					upto++
				}
				if row[from] == class {
					fmt.Fprintf(&d, "M%s %sH%sV%sH%sZ", short(float64(from)*size), short(float64(i)*size), short(float64(upto)*size), short(float64(i+1)*size), short(float64(from)*size))
				}
				from = upto
			}
		}
		if d.Len() > 0 {
			fmt.Fprintf(&b, `<path d="%s" %s><title>%s</title></path>`+"\n", d.String(), look(class, .3), html.EscapeString(r.Names[class]))
		}
	}
	const radius = 2
	for _, s := range r.Rows {
		x, y := (s.X-r.X[0])/(r.X[1]-r.X[0])*regionSide, (r.Y[1]-s.Y)/(r.Y[1]-r.Y[0])*regionSide
		if s.Class >= 0 && x >= radius && x <= regionSide-radius && y >= radius && y <= regionSide-radius {
			fmt.Fprintf(&b, `<circle cx="%s" cy="%s" r="%d" %s/>`+"\n", short(x), short(y), radius, look(s.Class, 1))
		}
	}
	out := picture{Title: r.Title, Width: regionSide, Height: regionSide, SVG: template.HTML(b.String())}
	if !r.Steps {
		for class, name := range r.Names {
			out.Legend = append(out.Legend, entry{name, template.HTML(fmt.Sprintf(`<circle cx="13" cy="6" r="4" %s/>`, look(class, 1)))})
		}
	}
	return out
}

// Bar is a value with its deviation, drawn from zero to the right, or to the left if it is negative.
type Bar struct {
	Name, Text       string // Text is what is written of the value
	Value, Deviation float64
}

// characters cuts a text of more than n characters.
func characters(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// Bars adds horizontal bars, in their order from above.
func (p *Page) Bars(title string, bars []Bar) {
	const line, left, right = 20.0, 150.0, 70.0 // of a bar, and the room for names and for texts
	low, high := 0.0, 0.0
	for _, v := range bars {
		low, high = min(low, v.Value-v.Deviation), max(high, v.Value+v.Deviation)
	}
	if !(high > low) || math.IsInf(high-low, 0) {
		return
	}
	at := func(v float64) float64 { return left + (v-low)/(high-low)*(chartWidth-left-right) }
	var b strings.Builder
	for k, v := range bars {
		y := line * float64(k)
		from, upto := min(at(0), at(v.Value)), max(at(0), at(v.Value))
		fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="%d" text-anchor="end" class="fk">%s<title>%s</title></text>`+"\n", short(left-6), short(y+14), fontSize, html.EscapeString(characters(v.Name, 18)), html.EscapeString(v.Name))
		fmt.Fprintf(&b, `<path d="M%s %sH%sV%sH%sZ" class="f0"><title>%s</title></path>`+"\n", short(from), short(y+4), short(upto), short(y+16), short(from), html.EscapeString(v.Name+": "+v.Text))
		if v.Deviation > 0 {
			fmt.Fprintf(&b, `<path d="M%s %sH%s" class="lk" stroke-width="1.5"/>`+"\n", short(at(v.Value-v.Deviation)), short(y+10), short(at(v.Value+v.Deviation)))
		}
		fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="%d" text-anchor="end" class="fk">%s</text>`+"\n", short(chartWidth-2), short(y+14), fontSize, html.EscapeString(characters(v.Text, 10)))
	}
	height := line * float64(len(bars))
	fmt.Fprintf(&b, `<path d="M%s 0V%s" class="lk" stroke-width="1"/>`+"\n", short(at(0)), short(height))
	p.figure(chartGroup, "picture", picture{Title: title, Width: chartWidth, Height: height, SVG: template.HTML(b.String())})
}

// Strip is a number for each of some rows, which are drawn as points beside each other on a line.
type Strip struct {
	Name   string
	Values []float64
	Shade  []float64 // from 0 to 1, what the color of each point says; NaN: nothing
}

// Strips adds points on horizontal lines, in their order from above, with a line at zero. Low and high are what the ends of
// the shades mean. It adds nothing if no value is finite.
func (p *Page) Strips(title, unit, low, high string, strips []Strip) {
	const line, left, right, radius = 30.0, 150.0, 12.0, 2.0
	ends := [2]float64{}
	for _, s := range strips {
		for _, v := range s.Values {
			if finite(v) {
				ends[0], ends[1] = min(ends[0], v), max(ends[1], v)
			}
		}
	}
	if !(ends[1] > ends[0]) || !finite(ends[1]-ends[0]) {
		return
	}
	at := func(v float64) float64 { return left + (v-ends[0])/(ends[1]-ends[0])*(chartWidth-left-right) }
	var b strings.Builder
	bottom := line * float64(len(strips))
	for _, t := range (linearTicks{}).Ticks(ends[0], ends[1]) {
		if t.Label != "" {
			fmt.Fprintf(&b, `<path d="M%s 0V%s" class="lg" stroke-width=".75"/><text x="%[1]s" y="%[3]s" font-size="%[4]d" text-anchor="middle" class="fk">%[5]s</text>`+"\n", short(at(t.Value)), short(bottom), short(bottom+15), fontSize, t.Label)
		}
	}
	fmt.Fprintf(&b, `<path d="M%s 0V%s" class="lk" stroke-width="1"/><text x="%s" y="%s" font-size="%d" text-anchor="middle" class="fk">%s</text>`+"\n",
		short(at(0)), short(bottom), short((left+chartWidth-right)/2), short(bottom+31), fontSize, html.EscapeString(unit))
	for k, s := range strips {
		middle := line * (float64(k) + .5)
		fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="%d" text-anchor="end" class="fk">%s<title>%s</title></text>`+"\n", short(left-8), short(middle+4), fontSize, html.EscapeString(characters(s.Name, 18)), html.EscapeString(s.Name))
		crowd := map[int]int{} // points that stand in a column of the picture
		for i, v := range s.Values {
			if !finite(v) {
				continue
			}
			place := int(at(v) / (2 * radius))
			n := crowd[place]
			crowd[place]++
			off := min(float64((n+1)/2)*1.5, line/2-radius-1)
			if n%2 == 1 {
				off = -off
			}
			look := `class="fk" fill-opacity=".45"`
			if c := s.Shade[i]; c == c {
				look = fmt.Sprintf(`class="f%d" fill-opacity="%s"`, min(1, int(2*c)), short(.35+.65*math.Abs(2*c-1)))
			}
			fmt.Fprintf(&b, `<circle cx="%s" cy="%s" r="%g" %s/>`+"\n", short(at(v)), short(middle+off), radius, look)
		}
	}
	key := func(name, css string) entry {
		return entry{name, template.HTML(`<circle cx="13" cy="6" r="4" ` + css + `/>`)}
	}
	legend := []entry{key(low, `class="f0"`), key(high, `class="f1"`)}
	if slices.ContainsFunc(strips, func(s Strip) bool { return slices.ContainsFunc(s.Shade, math.IsNaN) }) {
		legend = append(legend, key("without order", `class="fk" fill-opacity=".45"`))
	}
	p.figure(chartGroup, "picture", picture{Title: title, Width: chartWidth, Height: bottom + 36, SVG: template.HTML(b.String()), Legend: legend})
}

// Confusion adds the numbers of rows of each class, from above, for which each class was predicted, from the
// left: the darker a cell, the larger its share of the class. It adds nothing for more than 100 classes.
func (p *Page) Confusion(title string, names []string, count [][]int) {
	k := len(names)
	if k == 0 || k > 100 {
		return
	}
	longest := 0
	for _, name := range names {
		longest = max(longest, utf8.RuneCountInString(name))
	}
	room := min(12, longest)
	left := 10 + 7.5*float64(room)
	size := (chartWidth - left - 4) / float64(k)
	letters := min(fontSize, size*.9)
	height := left + size*float64(k) + 4
	most := 0
	for _, row := range count {
		most = max(most, slices.Max(row))
	}
	written := 7.5*float64(len(fmt.Sprint(most))) < size // the counts stand in the cells
	var b strings.Builder
	for i, name := range names {
		middle := left + (float64(i)+.5)*size
		label := html.EscapeString(characters(name, room))
		fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="%s" text-anchor="end" class="fk">%s</text>`+"\n", short(left-4), short(middle+letters*.35), short(letters), label)
		if longest > 2 {
			fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="%s" transform="rotate(-90 %s %s)" class="fk">%s</text>`+"\n", short(middle+letters*.35), short(left-4), short(letters), short(middle+letters*.35), short(left-4), label)
		} else {
			fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="%s" text-anchor="middle" class="fk">%s</text>`+"\n", short(middle), short(left-4), short(letters), label)
		}
		rows := 0
		for _, n := range count[i] {
			rows += n
		}
		for j, n := range count[i] {
			if n == 0 {
				continue
			}
			share, color := float64(n)/float64(rows), 1
			if i == j {
				color = 0
			}
			x, y := left+float64(j)*size, left+float64(i)*size
			fmt.Fprintf(&b, `<path d="M%s %sH%sV%sH%sZ" class="f%d" fill-opacity="%s"><title>%s</title></path>`+"\n", short(x), short(y), short(x+size), short(y+size), short(x), color, short(.12+.6*share),
				html.EscapeString(fmt.Sprintf("%s as %s: %d of %d rows, %.1f %%", name, names[j], n, rows, 100*share)))
			if written {
				fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="%d" text-anchor="middle" class="fk">%d</text>`+"\n", short(x+size/2), short(y+size/2+4), fontSize, n)
			}
		}
	}
	fmt.Fprintf(&b, `<path d="M%s %sH%sV%sH%sZ" class="lg" stroke-width="1"/>`+"\n", short(left), short(left), short(left+size*float64(k)), short(left+size*float64(k)), short(left))
	p.figure(chartGroup, "picture", picture{Title: title, Width: chartWidth, Height: height, SVG: template.HTML(b.String())})
}
