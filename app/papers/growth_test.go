package papers

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/cost/rates"
	"github.com/gramworks/gram/dataset"
)

// Every method of the catalog is measured, at least by rows and columns, once by each size.
func TestGrowths(t *testing.T) {
	axes := map[string][]string{}
	seen := map[string]bool{}
	for _, g := range growings {
		for _, a := range g.axes {
			if key := g.name() + " by " + a.name; seen[key] {
				t.Errorf("%s twice", key)
			} else {
				seen[key] = true
			}
			axes[g.method] = append(axes[g.method], a.name)
			for i := range 9 {
				if s := a.size(i); i > 0 && s <= a.size(i-1) || !(a.seconds > 0) || !(a.bytes > 0) {
					t.Errorf("%s by %s: size %d, stated %g, %g", g.name(), a.name, s, a.seconds, a.bytes)
				}
			}
			if plan, err := g.with(a, a.from).plan(); err != nil || !(plan.Flops > 0) {
				t.Errorf("%s by %s: plan %+v, %v", g.name(), a.name, plan, err)
			}
		}
		if g.cost == "" || g.group == "" {
			t.Errorf("%s: %+v", g.name(), g)
		}
	}
	for _, m := range catalog.Methods() {
		for _, name := range []string{"n", "d"} {
			if !slices.Contains(axes[m.Name], name) {
				t.Errorf("%s is not measured by %s", m.Name, name)
			}
		}
	}
}

// The data of a problem have the rows and columns of its size, and targets of its kind for what the plan counts.
func TestGrowthData(t *testing.T) {
	for _, task := range []dataset.Task{dataset.Classes, dataset.Regression, dataset.MultiLabel} {
		g := growings[slices.IndexFunc(growings, func(g growing) bool { return g.task == task })]
		g.n, g.d, g.labels = 60, 50, 9
		d := g.with(axis{name: "n"}, 30).data(1)
		if n, columns := d.X.Dims(); n != 30 || columns != 50 || d.Task() != task {
			t.Errorf("%v: %d×%d of %v", task, n, columns, d.Task())
		}
		if task == dataset.MultiLabel && (d.Tags.N != 30 || d.Tags.D != 9) {
			t.Errorf("%d rows of %d labels", d.Tags.N, d.Tags.D)
		}
	}
}

func TestSlope(t *testing.T) {
	x := []float64{10, 20, 40, 80}
	var exact, noisy []float64
	for i, v := range x {
		y := 3 * math.Pow(v, 1.7)
		exact, noisy = append(exact, y), append(noisy, y*(1+.1*float64(i%2)))
	}
	if p := slope(x, exact); !(math.Abs(p.power-1.7) < 1e-12) || !(p.deviation < 1e-7) {
		t.Errorf("%+v", p)
	}
	// With u = ±1.5, ±.5 (times log 2) and e = 0, 1, 0, 1 (times log 1.1) the slope is Σue/Σu² = 1/5 more,
	// and the residuals are (-.2, .6, -.6, .2): their squares sum to .8, so that its error is √(.8/2/5).
	step := math.Log(1.1) / math.Ln2
	if p := slope(x, noisy); !(math.Abs(p.power-1.7-.2*step) < 1e-12) || !(math.Abs(p.deviation-math.Sqrt(.08)*step) < 1e-12) {
		t.Errorf("%+v, want %v ± %v", p, 1.7+.2*step, math.Sqrt(.08)*step)
	}
	if p := slope(x[:2], exact[:2]); !(math.Abs(p.power-1.7) < 1e-12) || p.String() != "" {
		t.Errorf("%+v", p)
	}
	for over, want := range map[float64]string{.14: "", .16: "0.16 above the stated one", math.NaN(): "NaN above the stated one"} {
		if got := (power{power: 2 + over}).above(2); got != want {
			t.Errorf("%g above: %q", over, got)
		}
	}
}

// Without a budget a ladder has two sizes, and its row says that the budget has ended it; there is no size four times as large
// without time for it. With time a ladder ends by its last step, or by the budget, as the row says, and the prediction
// of the size four times as large stands beside what it takes.
func TestGrowthBudget(t *testing.T) {
	algotest.Serial(t)
	for _, ahead := range []string{"0", "60"} {
		exponents, points, predicted, measured := 0, 0, 0, 0
		for _, r := range rowsOf(t, "growth", Env{Repeats: 1, Set: map[string]string{"only": "bregman", "budget": "0", "ahead": ahead, "points": "4"}, Run: gram.Run{Workers: 2}}) {
			switch {
			case r.Metric == "exponent of the last step":
				exponents++
				if r.Note != "ended by the budget of 0 s" || r.Paper == nil {
					t.Errorf("%s by %s: %+v", r.Method, r.Dataset, r)
				}
			case r.Metric == "seconds":
				points++
			case r.Metric == "seconds at 4 times the size":
				predicted++
				if !(*r.Paper > 0) || !(*r.Got > 0) || !strings.Contains(r.Note, fmt.Sprintf("predicted/measured %.2f", *r.Paper / *r.Got)) {
					t.Errorf("%+v", r)
				}
			case r.Dataset == rateRows || r.Dataset == machineRows:
				measured++
				if !(*r.Got >= 0) {
					t.Errorf("%+v", r)
				}
			}
		}
		want := 4
		if ahead == "0" {
			want = 0
		}
		if exponents != 4 || points != 8 || predicted != want || measured != 5 {
			t.Errorf("%d exponents of %d points, %d predictions, %d rates", exponents, points, predicted, measured)
		}
	}
}

// A ladder goes on until its last step has nearly the stated power, or until another step would exceed the budget, and says so.
func TestLadderEnds(t *testing.T) {
	for _, c := range []struct {
		budget float64
		least  int
		sizes  int
		end    string
	}{
		{1e9, 2, 5, "ended by its last step"}, // 400 … 6400, of which the seconds grow as the powers .42, .59, .74, .85
		{1e9, 7, 7, "ended by its last step"},
		{40, 2, 4, "ended by the budget of 40 s"}, // 23 s were used, and another size would need 20 more
		{0, 2, 2, "ended by the budget of 0 s"},
	} {
		l := &ladderOf{axis: axis{"n", 400, 2, 1, 1}}
		o := climbing{least: c.least, budget: c.budget, repeats: 1}
		for l.end = l.enough(o); l.end == ""; l.end = l.enough(o) {
			size := float64(l.axis.size(len(l.sizes)))
			seconds := 1 + size/800
			l.sizes, l.mean, l.used = append(l.sizes, size), append(l.mean, seconds), l.used+2*seconds
		}
		if l.end != c.end || len(l.sizes) != c.sizes {
			t.Errorf("budget %g, at least %d: %s, %v: last step %g", c.budget, c.least, l.end, l.sizes, l.last())
		}
	}
	// A size that the method refuses ends it, too.
	algotest.Serial(t)
	r := &run{ctx: t.Context()}
	trees := growings[slices.IndexFunc(growings, func(g growing) bool { return g.method == "gbdt" })]
	trees.n = 200
	end := r.climb(trees, axis{"bins", 30000, 2, 9, 9}, climbing{least: 9, budget: 1e9, repeats: 1}).end
	if end != "ended by the range of bins" {
		t.Error(end)
	}
}

var ratesFrom = flag.String("rates", "", "write the rates of package rates from the run in `FILE`, such as results/growth.json, or what gram table growth --json prints")

// The rates of package rates are those of the stored run of the table, if that has any, and there is one for every method.
func TestRates(t *testing.T) {
	const path = "../cost/rates/rates.tsv"
	results, _, err := tableOf(t, "growth").Stored()
	if err != nil {
		t.Fatal(err)
	}
	want := ratesOf(results)
	if *ratesFrom != "" {
		b, err := os.ReadFile(*ratesFrom)
		if err == nil {
			results, err = ReadResults(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(ratesOf(results)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(b); want != "" && got != want {
		t.Errorf("%s is not of the stored run: go test ./app/papers -run TestRates -rates results/growth.json writes it", path)
	}
	for _, m := range catalog.Methods() {
		if !strings.Contains(string(b), "\n"+m.Name+"\t") && rates.Like[m.Name] == "" {
			t.Errorf("no rate of %s", m.Name)
		}
	}
}

// ratesOf is the text of rates.tsv, "" of results that have no rates.
func ratesOf(r Results) string {
	measured := map[string]map[string]float64{}
	var names []string
	head := ""
	for _, run := range r.Runs {
		for _, row := range run.Rows {
			if row.Dataset != rateRows && row.Dataset != machineRows {
				continue
			}
			if measured[row.Method] == nil {
				measured[row.Method] = map[string]float64{}
				names = append(names, row.Method)
			}
			measured[row.Method][row.Metric] = *row.Got
			head = fmt.Sprintf("# gram table growth: %s, level %s, %s. Columns: method, targets, fixed seconds, seconds of a planned flop, parallel share.\n", run.CPU, run.Level, run.Date)
		}
	}
	if len(names) == 0 {
		return ""
	}
	out := head
	slices.Sort(names)
	for _, name := range names {
		v := measured[name]
		if method, task, is := strings.Cut(name, " of "); is {
			out += fmt.Sprintf("%s\t%s\t%.3g\t%.3g\t%.2g\n", method, task, v[fixedMetric], 1e-9*v[flopMetric], v[shareMetric])
		} else {
			out += fmt.Sprintf("machine\t%.3g\t%.3g\n", v[peakMetric], v[plainMetric])
		}
	}
	return out
}
