package page

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// written returns a page as text.
func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	p := &Page{Title: "a <b> & c"}
	p.Heading("one <h>")
	p.Text("x < y")
	p.List([]string{"first", "<second>"})
	p.Command("gram 'a'", "gram b")
	p.Table([]string{"name", "value"}, [][]string{{"<script>", "1"}, {"t", "2.5 KiB"}})
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
	p.Text("between")
	if err := p.Chart(Chart{Series: []Series{{Name: "s", X: []float64{1}, Y: []float64{1}}}}); err != nil {
		t.Fatal(err)
	}
	s := written(t, p)
	for _, want := range []string{
		"<title>a &lt;b&gt; &amp; c</title>", "one &lt;h&gt;", "x &lt; y", "<li>&lt;second&gt;</li>", "gram &#39;a&#39;\ngram b",
		`<td class="left">&lt;script&gt;</td>`, `<td data-sort="2560">2.5 KiB</td>`, "</html>", "default-src 'none'", `<th scope="col"><button type="button">value`,
	} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if figures, groups := strings.Count(s, "<figure>"), strings.Count(s, `<div class="charts">`); figures != 3 || groups != 2 {
		t.Errorf("%d plots in %d rows, want 3 in 2", figures, groups)
	}
	if open, closed := strings.Count(s, "<div"), strings.Count(s, "</div>"); open != closed {
		t.Errorf("%d parts begin and %d end", open, closed)
	}
	for _, not := range []string{"<?xml", "src=", "http:", "https:", "NaN", "nothing", "ZgotmplZ"} {
		if strings.Contains(s, not) {
			t.Errorf("%q is in the page", not)
		}
	}
}

// Cells are sorted by their quantity, whatever its unit; other text is not taken for one.
func TestSortKey(t *testing.T) {
	for text, want := range map[string]string{
		"1.5 KiB": "1536", "2.0 MiB": "2.097152e+06", "408 B": "408", "12.5 ms": "0.0125", "3 ms": "0.003", "1m2s": "", "2s": "2",
		"5.59e-05": "5.59e-05", "-3": "-3", "+2.1x": "2.1", "31.5 %": "31.5", "64×32": "", "-": "", "": "", "fma 5 GFLOP/s": "", "3 rows": "", "1.2.3": "", "ns": "",
	} {
		if got := sortKey(text); got != want {
			t.Errorf("%q is sorted as %q, want %q", text, got, want)
		}
	}
}
