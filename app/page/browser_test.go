package page

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/internal/browser"
)

// probe is a script that does what a reader does, and writes what it sees into the page.
const probe = `
const seen = {};
const figure = document.querySelector("figure"), svg = figure.querySelector(".plot > svg"), tip = figure.querySelector(".tip");
const group = name => [...svg.querySelectorAll("g[data-points]")].find(g => g.dataset.name === name);
const point = JSON.parse(group("second").dataset.points)[1];
const move = () => {
	const box = svg.getBoundingClientRect();
	svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + point[0] * box.width / 440, clientY: box.top + point[1] * box.height / 300 }));
};
seen.before = tip.hidden;
move();
seen.tip = [...tip.children].map(e => e.textContent);
seen.near = tip.querySelector(".near").textContent;
const button = [...figure.querySelectorAll(".legend button")].find(b => b.value === "first");
button.click();
seen.hidden = getComputedStyle(group("first")).display;
seen.pressed = button.getAttribute("aria-pressed");
move();
seen.without = [...tip.children].map(e => e.textContent);
button.click();
seen.again = getComputedStyle(group("first")).display;
svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
seen.key = tip.querySelector("b").textContent;
svg.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
seen.escaped = tip.hidden;
const table = document.querySelector("table"), head = table.tHead.rows[0].cells[1];
const column = () => [...table.tBodies[0].rows].map(r => r.cells[0].textContent).join("");
head.querySelector("button").click();
seen.up = column() + " " + head.getAttribute("aria-sort");
head.querySelector("button").click();
seen.down = column() + " " + head.getAttribute("aria-sort");
table.tHead.rows[0].cells[0].querySelector("button").click();
seen.text = column() + " " + head.hasAttribute("aria-sort");
document.body.style.width = "400px";
seen.wide = document.body.scrollWidth;
seen.legend = [...document.querySelectorAll(".legend button")].every(b => b.getBoundingClientRect().right <= 400);
seen.axes = [...svg.querySelectorAll("text")].every(e => { const b = e.getBBox(), m = e.transform.baseVal.numberOfItems; return m > 0 || b.x > -3 && b.x + b.width < 443 && b.y > -3 && b.y + b.height < 303; });
const style = getComputedStyle(document.body);
seen.dark = style.backgroundColor !== "rgb(255, 255, 255)";
const out = document.createElement("pre");
out.id = "seen";
out.textContent = JSON.stringify(seen);
document.body.append(out);
`

// In a browser a page shows values under the pointer and under the arrow keys, hides series,
// sorts tables by quantity, fits a phone, follows the mode of the reader, and writes no error.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	p := &Page{Title: "Report"}
	line := func(name string, y ...float64) Series { return Series{Name: name, X: []float64{10, 100, 1000}, Y: y} }
	if err := p.Chart(Chart{Title: "one", X: "landmarks m", Y: "a long name of the axis, seconds", LogX: true, LogY: true, Series: []Series{
		line("first", 1, 2, 3), line("second", 30, 20, 10), {Name: "a series with a name that is longer than a phone is wide, and then some", X: []float64{10, 1000}, Y: []float64{5, 5}, Dashed: true},
	}}); err != nil {
		t.Fatal(err)
	}
	if err := p.Chart(Chart{Title: "two", X: "x", Y: "y", Dots: true, Series: []Series{line("second", 1, 2, 3)}}); err != nil {
		t.Fatal(err)
	}
	p.Bars("bars", []Bar{{Name: "a", Text: "1", Value: 1}})
	p.Table([]string{"name", "size", "note"}, [][]string{{"b", "10 B", strings.Repeat("words ", 20)}, {"c", "-", ""}, {"d", "1 MiB", ""}, {"a", "2 KiB", ""}})
	file := filepath.Join(t.TempDir(), "page.html")
	text := strings.Replace(written(t, p), "</body>", "<script>"+probe+"</script></body>", 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dom, console := browser.Show(t, file, "--force-dark-mode", "--blink-settings=preferredColorScheme=0")
	for line := range strings.Lines(console) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the page writes on the console: %s", line)
		}
	}
	found := regexp.MustCompile(`<pre id="seen">(.*?)</pre>`).FindStringSubmatch(dom)
	if found == nil {
		t.Fatal("the script of the test did not end")
	}
	var seen struct {
		Before, Escaped, Dark, Legend, Axes               bool
		Tip, Without                                      []string
		Near, Hidden, Pressed, Again, Key, Up, Down, Text string
		Wide                                              int
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &seen); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"nothing is shown at first":                    seen.Before,
		"values of all series at the pointer":          strings.Join(seen.Tip, ", ") == "landmarks m 100, first: 2, second: 20",
		"the nearest is told from the others":          seen.Near == "second: 20",
		"a button hides its series":                    seen.Hidden == "none" && seen.Pressed == "false",
		"hidden series have no values":                 strings.Join(seen.Without, ", ") == "landmarks m 100, second: 20",
		"a second click shows the series":              seen.Again != "none",
		"arrow keys show values":                       seen.Key == "landmarks m 10",
		"Escape hides them":                            seen.Escaped,
		"quantities are sorted, others are last":       seen.Up == "badc ascending" && seen.Down == "dabc descending",
		"text is sorted, and one column is the key":    seen.Text == "abcd false",
		"the page is as wide as a phone":               seen.Wide <= 400,
		"the legend is not cut off":                    seen.Legend,
		"the text of the axes is within the picture":   seen.Axes,
		"the background is dark for who wants it dark": seen.Dark,
	} {
		if !ok {
			t.Errorf("not so: %s: %+v", name, seen)
		}
	}
}
