package page

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	p := Page{Title: "a <b> & c"}
	p.Heading("one <h>")
	p.Text("x < y")
	p.Table([]string{"name", "value"}, [][]string{{"<script>", "1"}})
	if err := p.Chart(Chart{
		Title: "t", Ticks: []string{"p", "q"},
		Series: []Series{
			{Name: "s", X: []float64{0, 1}, Y: []float64{1, math.NaN()}},
			{Name: "ceiling", X: []float64{0, 1}, Y: []float64{2, 2}, Dashed: true},
		},
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.Chart(Chart{LogX: true, LogY: true, Series: []Series{{Name: "one", X: []float64{3, -1}, Y: []float64{5, 2}}}}); err != nil {
		t.Fatal(err)
	}
	if err := p.Chart(Chart{Series: []Series{{Name: "nothing"}}}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	for _, want := range []string{"<title>a &lt;b&gt; &amp; c</title>", "one &lt;h&gt;", "x &lt; y", "&lt;script&gt;", "</html>"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(s, "<svg"); n != 2 {
		t.Errorf("%d plots, want 2", n)
	}
	for _, not := range []string{"<?xml", "<script", "src=", "NaN"} {
		if strings.Contains(s, not) {
			t.Errorf("%q is in the page", not)
		}
	}
}
