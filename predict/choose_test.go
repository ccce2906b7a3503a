package predict_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// fake is a candidate with known costs, whose function is the machine's times 1 + off.
type fake struct {
	name              predict.Method
	base, each        float64 // flops of a row: base + each·size
	usual, unit, last int     // no program beyond size last
	off, penalty      float64
	err               error

	problems []predict.Problem // and the sizes that Fit was called with
	sizes    []int
}

func (f *fake) plan(size int) float64 { return f.base + f.each*float64(size) }

func (f *fake) candidate() predict.Candidate {
	c := predict.Candidate{
		Method: f.name, Usual: f.usual,
		Plan: func(m predict.Machine, size int) (gram.Plan, bool) {
			return gram.Plan{Flops: f.plan(size)}, size <= f.last
		},
		Fit: func(ctx context.Context, p predict.Problem, size int) (basis.Function, float64, error) {
			f.problems, f.sizes = append(f.problems, p), append(f.sizes, size)
			coef, bias := mat.DenseCopyOf(p.Coef), slices.Clone(p.Bias)
			coef.Scale(1+f.off, coef)
			for t := range bias {
				bias[t] *= 1 + f.off
			}
			return basis.Expansion(p.Kernel, p.Points, coef, bias), f.penalty, f.err
		},
	}
	if f.unit > 0 {
		c.Unit = func(d int) int { return f.unit * d }
	}
	return c
}

func candidates(fakes ...*fake) (out []predict.Candidate) {
	for _, f := range fakes {
		out = append(out, f.candidate())
	}
	return out
}

// chooser is a machine with 120 points in two columns and three outputs: a linear model
// takes 12 flops a row.
func chooser() *testRegressor {
	m := &testRegressor{newTestMachine(kernel.Gaussian{Gamma: .3}, 120, 2, 3)}
	for j := 0; j < 120; j += 3 { // points without coefficients would be gone
		m.coef.Set(j, 1, 1)
	}
	return m
}

const chooserLinear = 12

// The size of an approximation is the largest multiple of its unit that the budget pays
// and the candidate has, at most 4 096; its usual one without a budget; or what is asked
// for if that is no larger.
func TestSizes(t *testing.T) {
	m := chooser()
	for _, f := range []fake{
		{each: 7, last: 1 << 30, usual: 9},
		{each: 7, base: 100, last: 1 << 30, usual: 9},
		{each: 12, base: 24, last: 20, usual: 50},
		{each: 5, last: 1 << 30, unit: 4, usual: 16},
		{each: 5, base: 30, last: 27, unit: 4, usual: 32},
		{each: 1e-9, last: 1 << 30, usual: 1 << 20},
		{each: 1e-9, last: 1 << 30, unit: 8, usual: 16},
	} {
		unit := max(1, 2*f.unit)
		for _, budget := range []float64{0, 1, 3, 10, 10.5, 25} {
			f.name = "fake"
			most := 0
			for size := unit; size <= min(f.last, 1<<20) && (budget == 0 || f.plan(size) <= budget*chooserLinear); size += unit {
				most = size
			}
			want := min(most, 1<<12)
			if budget == 0 {
				want = min(most, f.usual)
			}
			name := fmt.Sprintf("%g + %g a size, units of %d, up to %d, budget %g", f.base, f.each, unit, f.last, budget)
			o := predict.Options{Method: "fake", Budget: budget, Candidates: []predict.Candidate{f.candidate()}}
			c, err := predict.Compile(t.Context(), m, o)
			var bad *gram.ConfigError
			if most == 0 {
				if !errors.As(err, &bad) || bad.Field != "Budget" || bad.Value != budget {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got := c.Options(); got.M != want || f.sizes[len(f.sizes)-1] != want || got.Method != "fake" || got.Budget != budget {
				t.Errorf("%s: options %+v after sizes %d, want %d", name, got, f.sizes, want)
			}
			if most > 1<<14 {
				continue
			}
			o.M = most
			if c, err = predict.Compile(t.Context(), m, o); err != nil || c.Options().M != most || f.sizes[len(f.sizes)-1] != most {
				t.Errorf("%s: a size of %d: %v", name, most, err)
			}
			o.M = most + unit
			if _, err = predict.Compile(t.Context(), m, o); !errors.As(err, &bad) || bad.Field != "M" || bad.Value != o.M || bad.Want != fmt.Sprintf("at most %d, for the machine and the budget", most) {
				t.Errorf("%s: a size of %d: %v", name, o.M, err)
			}
			if unit == 1 {
				continue
			}
			o.M = most - 1
			if _, err = predict.Compile(t.Context(), m, o); !errors.As(err, &bad) || bad.Field != "M" || bad.Value != o.M || bad.Want != fmt.Sprintf("a multiple of %d for fake", unit) {
				t.Errorf("%s: a size of %d: %v", name, o.M, err)
			}
		}
	}
}

// Auto is exact where that is within the budget, else the candidate with the smallest
// error of those that have a size within it, the first of equals.
func TestAuto(t *testing.T) {
	m := chooser()
	fakes := func() []*fake {
		return []*fake{
			{name: "coarse", each: 1, last: 1 << 30, usual: 5, off: .3, penalty: 3},
			{name: "dear", each: 1e6, last: 1 << 30, usual: 5, off: .001, penalty: 4},
			{name: "fine", each: 6, last: 1 << 30, usual: 5, off: -.1, penalty: 1},
			{name: "as fine", each: 4, last: 1 << 30, usual: 5, off: -.1, penalty: 2},
			{name: "coarser", each: 1, last: 9, usual: 5, off: .5, penalty: 5},
		}
	}
	exact := compile(t, m, predict.Options{})
	f := fakes()
	for _, budget := range []float64{0, exact.Multiple(), 2 * exact.Multiple()} {
		c, err := predict.Compile(t.Context(), m, predict.Options{Budget: budget, Candidates: candidates(f...)})
		if err != nil || c.Options().Method != predict.Exact || c.Options().M != 0 {
			t.Errorf("budget %g: %+v, %v", budget, c.Options(), err)
		}
	}
	c, err := predict.Compile(t.Context(), m, predict.Options{Budget: 10, Candidates: candidates(f...)})
	if err != nil {
		t.Fatal(err)
	}
	if o, s := c.Options(), c.Stats(); o.Method != "fine" || o.M != 10*chooserLinear/6 || o.Budget != 10 || s.Penalty != 1 {
		t.Errorf("options %+v, penalty %g", o, s.Penalty)
	}
	for i, want := range []int{120, 0, 20, 30, 9} {
		if want == 0 && len(f[i].sizes) > 0 || want > 0 && !slices.Equal(f[i].sizes, []int{want}) {
			t.Errorf("%s is fitted with sizes %d, want %d", f[i].name, f[i].sizes, want)
		}
	}
	var bad *gram.ConfigError
	if _, err := predict.Compile(t.Context(), m, predict.Options{Budget: .01, Candidates: candidates(fakes()[1])}); !errors.As(err, &bad) || bad.Field != "Budget" || bad.Value != .01 {
		t.Errorf("nothing is within the budget: %v", err)
	}
	// What is asked for by name is all that is tried.
	f = fakes()
	if c, err = predict.Compile(t.Context(), m, predict.Options{Method: "as fine", Candidates: candidates(f...)}); err != nil || c.Options().Method != "as fine" || c.Stats().Penalty != 2 {
		t.Errorf("%+v, %v", c.Options(), err)
	}
	for i, g := range f {
		if len(g.sizes) > 0 != (i == 3) {
			t.Errorf("%s is fitted with sizes %d", g.name, g.sizes)
		}
	}
	// A candidate that fails ends the compilation.
	for _, at := range []int{0, 3} {
		f = fakes()
		f[at].err = fmt.Errorf("candidate %d fails", at)
		if _, err := predict.Compile(t.Context(), m, predict.Options{Budget: 10, Candidates: candidates(f...)}); err != f[at].err {
			t.Errorf("%s: %v", f[at].name, err)
		}
	}
}

// A candidate gets the machine, a fifth of the rows kept out, the model's outputs of all
// of them, and the run of the compilation with a seed of its own.
func TestProblem(t *testing.T) {
	m := chooser()
	own := gram.Run{Seed: 5, Workers: 2, MemoryLimit: 1 << 40}
	for _, rows := range []*mat.Dense{nil, random(21, 100, 2), random(21, 104, 2), random(22, 20_007, 2)} {
		f := &fake{name: "fake", each: 1, last: 1 << 30, usual: 5, off: .25}
		o := predict.Options{Method: "fake", Precision: predict.Float32, Candidates: candidates(f), Run: own}
		all := m.points
		if rows != nil {
			o.Points, all = rows, rows
		}
		c := must.Have(predict.Compile(t.Context(), m, o))(t)
		n, _ := all.Dims()
		p := f.problems[0]
		held := min(n, 20_000) / 5
		if p.Held.N() != held || p.X.N() != min(n, 20_000)-held || c.Stats().Held != held || c.Stats().Rows != p.X.N() {
			t.Errorf("%d rows: %d to fit to and %d kept out", n, p.X.N(), p.Held.N())
		}
		if p.Precision != predict.Float32 || p.Kernel != m.k || !mat.Equal(p.Points, m.points) || !mat.Equal(p.Coef, m.coef) || !slices.Equal(p.Bias, m.bias) {
			t.Errorf("the machine is %+v", p.Machine)
		}
		want := own
		want.Seed = rng.Derive(5, "fake")
		if p.Seed != want.Seed || p.Workers != 2 || p.MemoryLimit != 1<<40 {
			t.Errorf("run %+v", p.Run)
		}
		seen := map[[2]float64]bool{}
		for i := range n {
			seen[[2]float64(all.RawRowView(i))] = true
		}
		var off, spread [3]float64
		for _, part := range []struct {
			x gram.Samples[float64]
			y *mat.Dense
		}{{p.X, p.Y}, {p.Held, p.HeldY}} {
			for i := range part.x.N() {
				row := make([]float64, 2)
				part.x.CopyRow(row, i)
				if !seen[[2]float64(row)] {
					t.Fatalf("row %v is not among those given, or comes twice", row)
				}
				delete(seen, [2]float64(row))
				for o := range 3 {
					if i%50 == 0 && !(math.Abs(part.y.At(i, o)-m.value(row, o)) < 1e-10) {
						t.Fatalf("output %d of row %v is %g, want %g", o, row, part.y.At(i, o), m.value(row, o))
					}
				}
			}
		}
		// Error is the root of the sum over all outputs of the squares of what the
		// function is off by, here a quarter, over those about the means.
		for o := range 3 {
			y := mat.Col(nil, o, p.HeldY)
			mean := 0.0
			for _, v := range y {
				mean += v / float64(len(y))
			}
			for _, v := range y {
				off[o] += v * v / 16
				spread[o] += (v - mean) * (v - mean)
			}
		}
		e := math.Sqrt((off[0] + off[1] + off[2]) / (spread[0] + spread[1] + spread[2]))
		s := c.Stats()
		if !(math.Abs(s.Error-e) < 1e-9*e) || s.Agreement != 1 || !(s.Rounding > 0 && s.Rounding < 1e-5) || !(s.Seconds > 0) {
			t.Errorf("error %g, want %g; %+v", s.Error, e, s)
		}
		function := must.Have(m.Function())(t)
		if want := function.Folded().Cost(4); s.Exact != want {
			t.Errorf("the exact program in float32 costs %+v, it is said to cost %+v", want, s.Exact)
		}
		again := &fake{name: "fake", each: 1, last: 1 << 30, usual: 5}
		o.Candidates, o.Seed = candidates(again), 6
		must.Have(predict.Compile(t.Context(), m, o))(t)
		if q := again.problems[0]; mat.Equal(q.HeldY, p.HeldY) || q.Seed == p.Seed {
			t.Error("another seed keeps the same rows out")
		}
	}
	for _, rows := range []mat.Matrix{nil, random(1, 99, 2)} {
		few := m
		have := "there are 99 rows"
		if rows == nil {
			few, have = &testRegressor{newTestMachine(kernel.Gaussian{Gamma: .3}, 99, 2, 3)}, "the machine has 66 rows"
		}
		f := &fake{name: "fake", each: 1, last: 1 << 30, usual: 5}
		var bad *gram.ConfigError
		if _, err := predict.Compile(t.Context(), few, predict.Options{Method: "fake", Points: rows, Candidates: candidates(f)}); !errors.As(err, &bad) || bad.Field != "Points" || bad.Value != have || bad.Want != "100 at least for an approximation" {
			t.Errorf("too few rows: %v", err)
		}
	}
}

// The agreement is the fraction of rows kept out that get the same class.
func TestAgreement(t *testing.T) {
	for _, names := range [][]string{{"a", "b"}, {"a", "b", "c"}} {
		k := len(names)
		if k == 2 {
			k = 1
		}
		m := &testClassifier{newTestMachine(kernel.Gaussian{Gamma: .3}, 200, 2, k), names}
		for j := range 200 {
			m.coef.Set(j, 0, m.coef.At(j, 0)+.001)
		}
		for _, off := range []float64{.5, -1.5} {
			f := &fake{name: "fake", each: 1, last: 1 << 30, usual: 5, off: off}
			c := must.Have(predict.Compile(t.Context(), m, predict.Options{Method: "fake", Candidates: candidates(f)}))(t)
			y, equal := f.problems[0].HeldY, 0
			for i := range 40 {
				row := y.RawRowView(i)
				away := slices.Clone(row)
				for j := range away {
					away[j] *= 1 + off
				}
				if multiclass.Decide(row) == multiclass.Decide(away) {
					equal++
				}
			}
			if got := c.Stats().Agreement; got != float64(equal)/40 || (off > 0) != (got == 1) {
				t.Errorf("%d classes, scores times %g: agreement %g, %d of 40 rows are equal", len(names), 1+off, got, equal)
			}
			if k := c.(classifier); !slices.Equal(k.Classes(), names) || k.Pairs() {
				t.Errorf("classes %q", k.Classes())
			}
		}
	}
}

// Values have no classes, and all of them agree.
func TestAgreementOfValues(t *testing.T) {
	o := predict.Options{Method: "fake", Candidates: candidates(&fake{name: "fake", each: 1, last: 1 << 30, usual: 5, off: -1.5})}
	if s := must.Have(predict.Compile(t.Context(), chooser(), o))(t).Stats(); s.Agreement != 1 || !(s.Error > 1) {
		t.Errorf("agreement %g, error %g", s.Agreement, s.Error)
	}
}

// What the settings say that cannot be used.
func TestOptions(t *testing.T) {
	m, tree := chooser(), &testTree{d: 2}
	fakes := candidates(&fake{name: "fake", each: 1, last: 1 << 30, usual: 5}, &fake{name: "never", last: 0})
	flops := compile(t, m, predict.Options{}).Multiple()
	for _, c := range []struct {
		model any
		o     predict.Options
		field string
		value any
		want  string
	}{
		{m, predict.Options{Precision: 2}, "Precision", uint8(2), "Float64 or Float32"},
		{m, predict.Options{Budget: math.Inf(1)}, "Budget", math.Inf(1), "a finite number ≥ 0"},
		{m, predict.Options{Budget: -1}, "Budget", -1., "a finite number ≥ 0"},
		{m, predict.Options{Method: "fake", M: -1}, "M", -1, "from 0 to 2^24"},
		{m, predict.Options{Method: "fake", M: 1<<24 + 1}, "M", 1<<24 + 1, "from 0 to 2^24"},
		{m, predict.Options{M: 1}, "M", 1, "0 for this method"},
		{m, predict.Options{Method: predict.Exact, M: 1}, "M", 1, "0 for this method"},
		{m, predict.Options{Method: "what"}, "Method", predict.Method("what"), "one of auto, exact, fake, never"},
		{m, predict.Options{Method: predict.Exact, Budget: 3}, "Budget", 3., fmt.Sprintf("at least %.3g for the exact program", flops)},
		{m, predict.Options{Method: "never"}, "Method", predict.Method("never"), "another one for the gaussian kernel"},
		{m, predict.Options{Method: "fake", Budget: .01}, "Budget", .01, "at least what one landmark or frequency costs"},
		{m, predict.Options{Budget: .01}, "Budget", .01, "at least what one landmark costs"},
		{tree, predict.Options{Budget: .01}, "Budget", .01, "at least 25: the model is no kernel machine, and there is nothing cheaper than its program (a tree)"},
		{tree, predict.Options{Method: "fake"}, "Method", predict.Method("fake"), "exact: the model is no kernel machine, and there is nothing cheaper than its program (a tree)"},
		{m, predict.Options{Points: random(1, 150, 3)}, "Points", "3 columns", "the model's 2"},
	} {
		c.o.Candidates = fakes
		var bad *gram.ConfigError
		if _, err := predict.Compile(t.Context(), c.model, c.o); !errors.As(err, &bad) || bad.Field != c.field || bad.Value != c.value || bad.Want != c.want {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	if methods, err := predict.Methods(m, fakes); err != nil || !slices.Equal(methods, []predict.Method{"fake"}) {
		t.Errorf("methods %q, %v", methods, err)
	}
	if methods, err := predict.Methods(tree, fakes); err != nil || methods != nil {
		t.Errorf("methods of a tree: %q, %v", methods, err)
	}
	if _, err := predict.ParseMethod("what", fakes); err == nil || !strings.Contains(err.Error(), "never") {
		t.Errorf("a method that there is not: %v", err)
	}
	if _, err := predict.ParsePrecision("float16"); err == nil || !strings.Contains(err.Error(), "float16") {
		t.Errorf("a precision that there is not: %v", err)
	}
	var method predict.Method
	for text, want := range map[string]predict.Method{"0": predict.Auto, "1": predict.Exact, "5": "dcpred", `"fake"`: "fake"} {
		if err := method.UnmarshalJSON([]byte(text)); err != nil || method != want {
			t.Errorf("%s is read as %q, %v", text, method, err)
		}
		if back, err := want.MarshalJSON(); err != nil || string(back) != text {
			t.Errorf("%s is written as %s, %v", want, back, err)
		}
	}
	if err := method.UnmarshalJSON([]byte("6")); err == nil {
		t.Error("there is a method of number 6")
	}
	if err := method.UnmarshalJSON([]byte("{}")); err == nil {
		t.Error("an object is a method")
	}
}

// Every look at the context is obeyed, in exact and in approximate compilations.
func TestObeys(t *testing.T) {
	m := chooser()
	for _, o := range []predict.Options{{Precision: predict.Float32}, {Method: "fake"}, {Method: "fake", Precision: predict.Float32}} {
		f := &fake{name: "fake", each: 1, last: 1 << 30, usual: 5}
		o.Candidates, o.Workers = candidates(f), 1
		algotest.Obeys(t, func(ctx context.Context) error {
			_, err := predict.Compile(ctx, m, o)
			return err
		})
	}
}

// Rounding is measured on the first thousand rows that are given, against the largest
// of the values there; nothing is measured without rows.
func TestRounding(t *testing.T) {
	m := chooser()
	x := random(31, 1001, 2)
	x.SetRow(1000, []float64{1e3, 777.7}) // would be the largest value
	poly := &testRegressor{newTestMachine(kernel.Polynomial{Degree: 2, Offset: 1}, 30, 2, 3)}
	wide, narrow := gram.MakeRows[float64](1001, 3), gram.MakeRows[float32](1001, 3)
	for _, n := range []int{3, 1000, 1001} {
		rows := mat.DenseCopyOf(x.Slice(0, n, 0, 2))
		c := compile(t, poly, predict.Options{Precision: predict.Float32, Points: rows})
		n = min(n, 1000)
		compile(t, poly, predict.Options{}).Float64().Rows(wide.Slice(0, n), gram.Of(rows).Slice(0, n))
		c.Float32().Rows(narrow.Slice(0, n), gram.Dense(rowsOf[float32](rows)).Slice(0, n))
		var worst, largest float64
		for i, v := range wide.Data[:3*n] {
			worst, largest = max(worst, math.Abs(v-float64(narrow.Data[i]))), max(largest, math.Abs(v))
		}
		if got := c.Stats().Rounding; got != worst/largest || got == 0 {
			t.Errorf("%d rows: rounding %g, want %g", n, got, worst/largest)
		}
	}
	if s := compile(t, m, predict.Options{Precision: predict.Float32}).Stats(); !(s.Rounding > 0) || s.Agreement != 1 || s.Error != 0 {
		t.Errorf("on the machine's own points: %+v", s)
	}
	if s := compile(t, m, predict.Options{Precision: predict.Float32, Points: noRows}).Stats(); s.Rounding != 0 {
		t.Errorf("on no rows: %+v", s)
	}
	if s := compile(t, m, predict.Options{Points: x}).Stats(); s.Rounding != 0 || s.Exact != compile(t, m, predict.Options{}).Cost() {
		t.Errorf("in float64: %+v", s)
	}
}

// The options of a compiled model keep the number of workers, and neither rows nor
// candidates.
func TestKept(t *testing.T) {
	f := &fake{name: "fake", each: 1, last: 1 << 30, usual: 5}
	c := must.Have(predict.Compile(t.Context(), chooser(), predict.Options{Method: "fake", Points: random(1, 150, 2), Candidates: candidates(f), Run: gram.Run{Workers: 3, Seed: 8, MemoryLimit: 1 << 40}}))(t)
	if o := c.Options(); o.Points != nil || o.Candidates != nil || o.Workers != 3 || o.Seed != 0 || o.MemoryLimit != 0 || c.Dim() != 2 {
		t.Errorf("%+v", o)
	}
}
