package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/internal/browser"
	"github.com/gramworks/gram/app/papers"
	"github.com/gramworks/gram/app/serve"
	"github.com/gramworks/gram/bench"
)

// written is a page with what its headline must say.
type written struct{ name, text, says string }

// pages returns a page of every command that writes one, and that of a server.
func pages(t *testing.T) (all []written) {
	t.Helper()
	dir := t.TempDir()
	add := func(name, says string, args ...string) {
		file := filepath.Join(dir, "page.html")
		ok(t, append(args, "--html", file)...)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, written{name, string(text), says})
	}
	mixed := write(t, "mixed.csv", "age,a_column_with_a_name_that_is_longer_than_most,city,kind\n"+table(240, func(i int) string {
		x := math.Sin(float64(7 * i))
		return fmt.Sprintf("%d,%.4f,%s,%s", 18+i*7%60, x, []string{"Wien", "Zürich", "São Paulo"}[i%3], []string{"stays", "leaves"}[(i%3+i*7%60/20+int(2*x))%2&1])
	}))
	values := write(t, "values.csv", "a,b,y\n"+table(300, func(i int) string {
		a, b := math.Sin(float64(3*i)), math.Cos(float64(5*i))
		return fmt.Sprintf("%.4f,%.4f,%.4f", a, b, 1e3*(a*a+b)+20*math.Sin(float64(i*i)))
	}))
	letters := write(t, "letters.csv", "x,y,letter\n"+table(520, func(i int) string {
		return fmt.Sprintf("%.3f,%.3f,%c", float64(i%26%6)+.8*math.Sin(float64(i*i)), float64(i%26/6)+.8*math.Cos(float64(i*i)), 'A'+i%26)
	}))
	model := filepath.Join(dir, "m.gram")
	add("fit-classes", "are right; a linear model has", "fit", "--method", "svm", "--search", "c=0.1,1,10", "--data", mixed, "--target", "kind", "-o", model)
	add("fit-values", "that of a linear model is", "fit", "--method", "krr", "--data", values, "--target", "y", "--conformal", "-o", model)
	add("eval-values", "intervals for 90", "eval", "--model", model, "--data", values, "--interval", ".9")
	add("explain-values", "The column that counts most is", "explain", "--model", model, "--data", values)
	ok(t, "fit", "--method", "gbdt", "--data", mixed, "--target", "kind", "--proba", "-o", model)
	add("eval-classes", "are right; a linear model has", "eval", "--model", model, "--data", mixed)
	add("explain-classes", "and the most frequent class alone has", "explain", "--model", model, "--data", mixed, "--target", "kind")
	served, err := catalog.LoadFitted(model)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	serve.New(served, serve.Config{}).ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	all = append(all, written{"serve", answer.Body.String(), "It predicts one of 2 classes"})
	ok(t, "fit", "--method", "krr", "--data", letters, "--target", "letter", "-o", model)
	add("eval-letters", "a linear model has", "eval", "--model", model, "--data", letters)
	add("compare", "a linear model has", "compare", "--m", "8,16", "--exact-rows", "200")
	var b bytes.Buffer
	var rows []bench.Row
	for i, level := range []string{"generic", "avx2", "generic", "avx2"} {
		rows = append(rows, bench.Row{Kernel: "fwht", Type: "float64", N: 64 << (4 * (i / 2)), Shape: fmt.Sprint(64 << (4 * (i / 2))), Level: level, Threads: 1, NS: 400, GFlops: 1 + 9*float64(i%2), GBs: 2, VsGeneric: 1 + 9*float64(i%2), PctCeiling: 20 + 30*float64(i%2), Ceiling: "add 5 GFLOP/s"})
	}
	if err := writeBench(&b, bench.Here(), rows); err != nil {
		t.Fatal(err)
	}
	all = append(all, written{"bench", b.String(), "of what the machine can do"})
	b.Reset()
	if err := papers.WriteHTML(&b, papers.Table{ID: "1.2", Title: "a table"}, tableRows()); err != nil {
		t.Fatal(err)
	}
	return append(all, written{"table", b.String(), "Of 4 figures that the paper prints and this run computed, 3 are as good or better"})
}

// tableRows are rows of a table, one of which is worse than the paper's.
func tableRows() (rows []papers.Row) {
	number := func(v float64) *float64 { return &v }
	for i, got := range []float64{.91, .92, .84, .95} {
		rows = append(rows, papers.Row{Dataset: "a data set", Method: fmt.Sprintf("method %d", i%2), Metric: "accuracy", Paper: number(.9), Got: number(got), Std: number(.01), Repeats: 3, Seconds: .000775, Bytes: 48 << 10,
			Note: strings.Repeat("a long note of what was reduced ", 4)})
	}
	return rows
}

// frames is a page that shows another one as wide as a phone and as a desk, in dark and in light, and writes what stands out.
const frames = `<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<style>body { margin: 0; } iframe { position: absolute; top: 0; border: 0; }</style></head><body>
<iframe style="left:0;width:390px;color-scheme:dark" srcdoc="PAGE"></iframe><iframe style="left:400px;width:1280px;color-scheme:dark" srcdoc="PAGE"></iframe>
<iframe style="left:1700px;width:390px;color-scheme:light" srcdoc="PAGE"></iframe><iframe style="left:2100px;width:1280px;color-scheme:light" srcdoc="PAGE"></iframe>
<script>
addEventListener("load", () => {
	const seen = [];
	for (const frame of document.querySelectorAll("iframe")) {
		const d = frame.contentDocument, w = frame.clientWidth, bad = [];
		frame.style.height = d.documentElement.scrollHeight + "px";
		if (d.documentElement.scrollWidth > w) bad.push("the page is " + d.documentElement.scrollWidth + " wide");
		let marks = 0;
		for (const svg of d.querySelectorAll("svg")) {
			const b = svg.getBoundingClientRect();
			for (const e of svg.querySelectorAll("text, path, circle")) {
				if (e.closest("svg") !== svg || e.getAttribute("visibility") === "hidden") continue;
				const m = e.getBoundingClientRect();
				marks++;
				if (m.left < b.left - 2 || m.right > b.right + 2 || m.top < b.top - 2 || m.bottom > b.bottom + 2) bad.push(e.tagName + " " + e.textContent + " stands out of a picture");
			}
		}
		for (const e of d.body.querySelectorAll("*")) {
			if (e.closest(".scroll") && !e.matches(".scroll") || e.closest("svg, pre") && !e.matches("svg, pre")) continue;
			const r = e.getBoundingClientRect();
			if (r.width > 0 && (r.right > w + .5 || r.left < -.5)) bad.push(e.tagName + " ends at " + r.right);
		}
		seen.push({ width: w, height: d.documentElement.scrollHeight, marks, bad, back: getComputedStyle(d.body).backgroundColor });
	}
	const out = document.createElement("pre");
	out.id = "seen";
	out.style.display = "none";
	out.textContent = JSON.stringify(seen);
	document.body.append(out);
});
</script></body></html>`

// Every page fits a phone and a desk, in light and in dark: nothing is as wide as to be cut off, no mark stands out of its
// picture, and the margins are empty in a screenshot. With -artifacts the screenshots are kept.
func TestPagesInABrowser(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	for _, p := range pages(t) {
		if !strings.Contains(strings.ReplaceAll(p.text, "\u00a0", " "), p.says) {
			t.Errorf("%s does not say %q", p.name, p.says)
		}
		for _, foreign := range []string{`src="`, `href="http`, "@import", "url("} {
			if strings.Contains(p.text, foreign) {
				t.Errorf("%s has %q", p.name, foreign)
			}
		}
		file := filepath.Join(t.TempDir(), "frames.html")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(frames, "PAGE", html.EscapeString(p.text))), 0o600); err != nil {
			t.Fatal(err)
		}
		look(t, p, file)
	}
}

// look opens the frames of a page and checks what is seen.
func look(t *testing.T, p written, file string) {
	t.Helper()
	shot := filepath.Join(t.ArtifactDir(), p.name+".png")
	dom, console := browser.Show(t, file, "--hide-scrollbars", "--force-device-scale-factor=1", "--window-size=3380,3000", "--screenshot="+shot)
	for line := range strings.Lines(console) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("%s writes on the console: %s", p.name, line)
		}
	}
	found := regexp.MustCompile(`<pre id="seen"[^>]*>(.*?)</pre>`).FindStringSubmatch(dom)
	if found == nil {
		t.Fatalf("%s: the script of the test did not end", p.name)
	}
	var seen []struct {
		Width, Height, Marks int
		Bad                  []string
		Back                 string
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &seen); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 4 {
		t.Fatalf("%s: %d frames", p.name, len(seen))
	}
	for k, s := range seen {
		scheme, back := "dark", "rgb(22, 24, 29)"
		if k > 1 {
			scheme, back = "light", "rgb(255, 255, 255)"
		}
		if len(s.Bad) > 0 || s.Width != []int{390, 1280}[k%2] || p.name != "serve" && (s.Marks < 20 || s.Back != back) {
			t.Errorf("%s, %s, %d wide: %d marks, the ground is %s: %.100q", p.name, scheme, s.Width, s.Marks, s.Back, s.Bad[:min(5, len(s.Bad))])
		}
		left := []int{0, 400, 1700, 2100}[k]
		margin := image.Rect(left+s.Width-12, 0, left+s.Width, min(s.Height, picture.Bounds().Dy()))
		if n := colors(picture, margin); n != 1 {
			t.Errorf("%s, %s, %d wide: the right margin has %d colors", p.name, scheme, s.Width, n)
		}
		if n := colors(picture, image.Rect(left, 0, left+s.Width, margin.Max.Y)); n < 10 {
			t.Errorf("%s, %s, %d wide: the page has %d colors", p.name, scheme, s.Width, n)
		}
	}
}

// colors counts the colors of a part of a picture, up to 20 or the line after that.
func colors(m image.Image, part image.Rectangle) int {
	var seen []uint32
	for y := part.Min.Y; y < part.Max.Y && len(seen) < 20; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			if c := r>>8<<16 | g>>8<<8 | b>>8; !slices.Contains(seen, c) {
				seen = append(seen, c)
			}
		}
	}
	return len(seen)
}
