package papers

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
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
			if s := a.sizes(5); !slices.IsSorted(s) || len(slices.Compact(s)) != 5 || !(a.seconds > 0) || !(a.bytes > 0) {
				t.Errorf("%s by %s: sizes %v, stated %g, %g", g.name(), a.name, s, a.seconds, a.bytes)
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

// Without a budget a method is measured at two sizes, and the rows say what is left out.
func TestGrowthBudget(t *testing.T) {
	algotest.Serial(t)
	rows := rowsOf(t, "growth", Env{Repeats: 1, Set: map[string]string{"only": "rff", "budget": "0", "points": "4"}})
	exponents, points := 0, 0
	for _, r := range rows {
		switch {
		case strings.HasPrefix(r.Metric, "exponent"):
			exponents++
			if !strings.Contains(r.Note, "left out "+r.Dataset+" ") {
				t.Errorf("%s by %s: %s", r.Method, r.Dataset, r.Note)
			}
		case r.Metric == "seconds":
			points++
		}
	}
	if exponents == 0 || exponents != points {
		t.Errorf("%d exponents of %d points", exponents, points)
	}
}
