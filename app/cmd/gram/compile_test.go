package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

func compiledLines(t *testing.T, out string) []compiled {
	t.Helper()
	var all []compiled
	for l := range strings.Lines(out) {
		d := json.NewDecoder(strings.NewReader(l))
		d.DisallowUnknownFields()
		var c compiled
		if err := d.Decode(&c); err != nil {
			t.Fatalf("line %q: %v", l, err)
		}
		all = append(all, c)
	}
	return all
}

// machines writes the data of small with more rows into a new directory and fits a
// machine of classes and one of values to them. It returns the directory and the
// files of the machines.
func machines(t *testing.T) (dir, classes, values string) {
	t.Helper()
	dir = t.TempDir()
	if err := dataset.Save(t.Context(), filepath.Join(dir, "rings.libsvm"), dataset.Rings(300, 3, .2, 1)); err != nil {
		t.Fatal(err)
	}
	friedman := dataset.Friedman1(300, 6, .1, 1)
	if err := dataset.Save(t.Context(), filepath.Join(dir, "friedman.csv"), friedman); err != nil {
		t.Fatal(err)
	}
	friedman.Value = nil
	if err := dataset.Save(t.Context(), filepath.Join(dir, "features.csv"), friedman); err != nil {
		t.Fatal(err)
	}
	classes, values = filepath.Join(dir, "c.gram"), filepath.Join(dir, "v.gram")
	ok(t, "fit", "--method", "svm", "--data", filepath.Join(dir, "rings.libsvm"), "-o", classes, "--set", "gamma=2", "--set", "c=0.1", "--scale", "standard")
	ok(t, "fit", "--method", "krr", "--data", filepath.Join(dir, "friedman.csv"), "--task", "regression", "-o", values, "--set", "lambda=0.1")
	return dir, classes, values
}

// The exact program predicts the same as the model, and is a model file like any
// other.
func TestCompileExact(t *testing.T) {
	dir, classes, values := machines(t)
	rings, friedman := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "friedman.csv")
	fast := filepath.Join(t.TempDir(), "fast.gram")
	for _, c := range []struct{ model, data, target, metric string }{{classes, rings, "", "accuracy"}, {values, friedman, "7", "rmse"}} {
		out := ok(t, "compile", "--model", c.model, "--method", "exact", "-o", fast)
		if strings.Count(out, "\n") != 4 {
			t.Errorf("more than the exact program: %q", out)
		}
		if !strings.Contains(out, "<- stored") || !strings.Contains(out, fast+": exact, ") || !strings.Contains(out, "the model's own points") {
			t.Errorf("compile prints %q", out)
		}
		predictWith := func(model string) string {
			return ok(t, "predict", "--model", model, "--data", c.data, "--target", c.target, "-o", "-")
		}
		before, after := strings.Fields(predictWith(c.model)), strings.Fields(predictWith(fast))
		for i := range before {
			if c.target == "" && before[i] != after[i] || c.target != "" && before[i][:6] != after[i][:6] {
				t.Fatalf("row %d: %s, compiled %s", i, before[i], after[i])
			}
		}
		a, b := figuresOf(t, ok(t, "eval", "--model", c.model, "--data", c.data, "--json")), figuresOf(t, ok(t, "eval", "--model", fast, "--data", c.data, "--json"))
		if !(math.Abs(a[c.metric].Value-b[c.metric].Value) < 1e-9) {
			t.Errorf("%s %v, compiled %v", c.metric, a, b)
		}
	}
	onlyFiles(t, filepath.Dir(fast), "fast.gram")
}

// Approximations come after the exact program, and --json has their figures.
func TestCompileApproximation(t *testing.T) {
	dir, classes, _ := machines(t)
	fast := filepath.Join(t.TempDir(), "fast.gram")
	out := ok(t, "compile", "--model", classes, "--data", filepath.Join(dir, "rings.libsvm"), "--method", "nystrom", "--m", "12", "--precision", "float32", "--json", "-o", fast)
	lines := compiledLines(t, out)
	if len(lines) != 2 {
		t.Fatalf("%d lines: %q", len(lines), out)
	}
	for i, l := range lines {
		if l.Precision != "float32" || l.Metric != "accuracy" || l.Value == nil || l.Agreement == nil || !(l.Nanoseconds > 0) || !(l.Multiple > 0) || l.Bytes <= 0 || l.Chosen != (i == 1) {
			t.Errorf("line %d: %+v", i, l)
		}
	}
	if e, n := lines[0], lines[1]; e.Method != "exact" || e.Size != 0 || *e.Agreement != 1 || n.Method != "nystrom" || n.Size != 12 || !(n.FlopMultiple < e.FlopMultiple) || !(n.Error > e.Error) {
		t.Errorf("%+v", lines)
	}
	onlyFiles(t, filepath.Dir(fast), "fast.gram")
}

// onCurve returns the curve of a command line, measured for a very short time.
func onCurve(t *testing.T, args ...string) (*curve, *compileFlags) {
	t.Helper()
	var o compileFlags
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.define(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	c, err := o.curve(t.Context(), &bar{})
	if err != nil {
		t.Fatal(err)
	}
	c.budget = time.Microsecond
	return c, &o
}

// The exact program comes first on the curve, and only cheaper programs follow. The
// chosen program is within the budget and agrees best.
func TestCompileCurve(t *testing.T) {
	dir, classes, values := machines(t)
	for _, args := range [][]string{
		{"--model", classes, "--data", filepath.Join(dir, "rings.libsvm")},
		{"--model", classes},
		{"--model", values, "--data", filepath.Join(dir, "friedman.csv")},
		{"--model", values, "--data", filepath.Join(dir, "features.csv"), "--unlabelled"},
	} {
		c, o := onCurve(t, append(args, "--budget", "12", "--budgets", "12,5,20")...)
		lines, err := c.lines(t.Context(), o.budgets, shown())
		if err != nil {
			t.Fatal(err)
		}
		methods, programs := map[string]bool{}, map[string]bool{}
		for i, l := range lines {
			methods[l.Method] = true
			if (l.Method == "exact") != (i == 0) || i > 0 && !(l.FlopMultiple < lines[0].FlopMultiple) || l.Size == 0 && i > 0 {
				t.Errorf("%v: line %d is %+v", args, i, l)
			}
			if program := l.Method + l.Program; programs[program] {
				t.Errorf("%v: %q twice", args, program)
			} else {
				programs[program] = true
			}
			if !(l.FlopMultiple <= 20.5) && i > 0 {
				t.Errorf("%v: line %d costs %g, the largest budget is 20", args, i, l.FlopMultiple)
			}
		}
		if len(methods) < 4 {
			t.Errorf("%v: the methods are %v", args, methods)
		}
		at, err := c.choose(lines)
		if err != nil {
			t.Fatal(err)
		}
		if !(lines[at].FlopMultiple <= 12) {
			t.Errorf("%v: chosen is %+v", args, lines[at])
		}
		for _, l := range lines {
			if l.FlopMultiple <= 12 && better(l, lines[at]) {
				t.Errorf("%v: %+v is better than %+v", args, l, lines[at])
			}
		}
		var out bytes.Buffer
		lines[at].Chosen = true
		o.output = "out"
		if err := o.print(&out, c, lines); err != nil || strings.Count(out.String(), "\n") != len(lines)+2 || strings.Count(out.String(), "<- stored") != 1 {
			t.Errorf("%q, %v", out.String(), err)
		}
		o.output = ""
		out.Reset()
		if err := o.print(&out, c, lines); err != nil || strings.Contains(out.String(), "stored") {
			t.Errorf("%q, %v", out.String(), err)
		}
		for _, want := range map[bool][]string{true: {"rows that programs were not fitted to"}, false: {"the model's own points"}}[c.test != nil] {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: %q is not in %q", args, want, out.String())
			}
		}
	}
}

func TestCompileChoice(t *testing.T) {
	yes, no := 1.0, 0.5
	lines := []compiled{
		{Method: "exact", FlopMultiple: 100, Agreement: &yes},
		{Method: "a", FlopMultiple: 10, Agreement: &no, Error: .2},
		{Method: "b", FlopMultiple: 20, Agreement: &yes, Error: .3},
		{Method: "c", FlopMultiple: 15, Agreement: &yes, Error: .3},
		{Method: "d", FlopMultiple: 5, Agreement: &yes, Error: .4},
	}
	for _, c := range []struct {
		method predict.Method
		budget float64
		want   int
	}{
		{predict.Auto, 0, 0},
		{predict.Auto, 100, 0},
		{predict.Auto, 99, 3},
		{predict.Auto, 15, 3},
		{predict.Auto, 14, 4},
		{predict.Auto, 5, 4},
		{predict.Auto, 4.9, -1},
		{approx.Nystrom, 0, 4}, // the last one is the one that was asked for
		{predict.Exact, 0, 4},
	} {
		got, err := (&curve{options: predict.Options{Method: c.method, Budget: c.budget}}).choose(lines)
		if c.want < 0 {
			if err == nil || !strings.Contains(err.Error(), "4.9") || !strings.Contains(err.Error(), "100 times") || !strings.Contains(err.Error(), "the cheapest one, d, 5") {
				t.Errorf("budget %g: %d, %v", c.budget, got, err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%v with a budget of %g: line %d, %v, want %d", c.method, c.budget, got, err, c.want)
		}
	}
	trees := &curve{options: predict.Options{Method: predict.Auto, Budget: 2}, refused: []string{"there are no approximations"}}
	if _, err := trees.choose(lines[:1]); err == nil || !strings.Contains(err.Error(), "no approximations") {
		t.Errorf("a model without approximations: %v", err)
	}
	// Values have no agreement: the smaller error is better, then the lower cost.
	for _, c := range []struct {
		a, b compiled
		want bool
	}{
		{compiled{Error: 1}, compiled{Error: 2}, true},
		{compiled{Error: 2}, compiled{Error: 1}, false},
		{compiled{Error: 1, FlopMultiple: 1}, compiled{Error: 1, FlopMultiple: 2}, true},
		{compiled{Error: 1, FlopMultiple: 1}, compiled{Error: 1, FlopMultiple: 1}, false},
		{compiled{Agreement: &yes, Error: 9}, compiled{Agreement: &no}, true},
		{compiled{Agreement: &yes, Error: 9}, compiled{Agreement: &yes, Error: 8}, false},
	} {
		if better(c.a, c.b) != c.want {
			t.Errorf("%+v better than %+v: %v", c.a, c.b, !c.want)
		}
	}
}

// The relative error divides by the deviation of each column from its mean.
func TestRelative(t *testing.T) {
	want := mat.NewDense(2, 2, []float64{1, 10, 3, 30})
	got := mat.NewDense(2, 2, []float64{1, 13, 3, 26})
	if e := relative(got, want); !(math.Abs(e-5/math.Sqrt(1+1+100+100)) < 1e-15) {
		t.Errorf("%g", e)
	}
	if e := relative(want, want); e != 0 {
		t.Errorf("of itself %g", e)
	}
	constant := mat.NewDense(2, 1, []float64{1, 1})
	if e := relative(constant, constant); e != 0 {
		t.Errorf("of a constant itself %g", e)
	}
	if e := relative(mat.NewDense(2, 1, []float64{1, 2}), constant); !math.IsInf(e, 1) {
		t.Errorf("of a constant %g", e)
	}
}

// The figures of a program on the test rows are computed from its predictions.
func TestCompileFigures(t *testing.T) {
	dir, classes, values := machines(t)
	for _, args := range [][]string{
		{"--model", classes, "--data", filepath.Join(dir, "rings.libsvm")},
		{"--model", values, "--data", filepath.Join(dir, "friedman.csv")},
		{"--model", classes, "--data", filepath.Join(dir, "rings.libsvm"), "--unlabelled"},
	} {
		c, _ := onCurve(t, args...)
		l, err := c.line(t.Context(), predict.Options{Method: approx.Nystrom, M: 6, Points: c.options.Points})
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.model.Predict(c.test.X, true, 1)
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.model.Predict(c.test.X, true, 1)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := c.test.Dims()
		var agree, right, sq float64
		for i := range n {
			if got.Class != nil && got.Class[i] == want.Class[i] {
				agree += 1 / float64(n)
			}
			if got.Class != nil && c.labeled && got.Class[i] == c.test.Labels.Class[i] {
				right += 1 / float64(n)
			}
			if got.Value != nil {
				sq += (got.Value[i] - c.test.Value[i]) * (got.Value[i] - c.test.Value[i]) / float64(n)
			}
		}
		near := func(p *float64, want float64) bool { return p != nil && math.Abs(*p-want) < 1e-12 }
		switch {
		case !c.labeled:
			if l.Metric != "" || l.Value != nil || !near(l.Agreement, agree) {
				t.Errorf("%v: %+v", args, l)
			}
		case got.Class != nil:
			if l.Metric != "accuracy" || !near(l.Value, right) || !near(l.Agreement, agree) || !near(&l.Error, relative(got.Scores, want.Scores)) || agree == 1 {
				t.Errorf("%v: %+v, want accuracy %g, agreement %g", args, l, right, agree)
			}
		default:
			if l.Metric != "rmse" || !near(l.Value, math.Sqrt(sq)) || l.Agreement != nil || !(l.Error > 0) {
				t.Errorf("%v: %+v, want rmse %g", args, l, math.Sqrt(sq))
			}
		}
	}
}

func TestCompileErrors(t *testing.T) {
	dir, classes, values := machines(t)
	rings := filepath.Join(dir, "rings.libsvm")
	trees, one := filepath.Join(dir, "t.gram"), write(t, "one.libsvm", "0 1:1\n")
	ok(t, "fit", "--method", "gbdt", "--data", rings, "-o", trees, "--set", "rounds=2")
	work := t.TempDir()
	out := filepath.Join(work, "out.gram")
	compile := func(args ...string) []string { return append([]string{"compile", "-o", out}, args...) }
	for _, c := range []struct {
		code int
		want []string
		args []string
	}{
		{2, []string{"--model"}, compile()},
		{2, []string{"nope"}, compile("--model", classes, "--method", "nope")},
		{2, []string{"float16"}, compile("--model", classes, "--precision", "float16")},
		{2, []string{"--m is for"}, compile("--model", classes, "--m", "5")},
		{2, []string{"--m is for"}, compile("--model", classes, "--m", "5", "--method", "exact")},
		{2, []string{"-1", "≥ 0"}, compile("--model", classes, "--budget", "-1")},
		{2, []string{"NaN"}, compile("--model", classes, "--budgets", "5,NaN")},
		{2, []string{"+Inf"}, compile("--model", classes, "--budget", "Inf")},
		{2, []string{"--workers"}, compile("--model", classes, "--workers", "-1")},
		{2, []string{"format"}, compile("--model", classes, "--data", rings, "--format", "nope")},
		{1, []string{"missing.gram"}, compile("--model", filepath.Join(work, "missing.gram"))},
		{1, []string{"missing.libsvm"}, compile("--model", classes, "--data", filepath.Join(work, "missing.libsvm"))},
		{1, []string{"rings.libsvm"}, compile("--model", rings)},
		{1, []string{"one.libsvm", "1 rows"}, compile("--model", classes, "--data", one)},
		{1, []string{"no kernel machine"}, compile("--model", trees, "--method", "nystrom")},
		{1, []string{"no column \"a\""}, compile("--model", values, "--data", write(t, "few.csv", "a,x2\n1,2\n"), "--unlabelled")},
		{1, []string{"limit"}, compile("--model", classes, "--method", "nystrom", "--m", "4", "--memory-limit", above("10"))},
		{1, []string{"M"}, compile("--model", classes, "--method", "nystrom", "--m", "100000")},
	} {
		fails(t, c.code, c.want, c.args...)
	}
	fails(t, 1, []string{"there is no folder"}, "compile", "--model", classes, "--method", "exact", "-o", filepath.Join(work, "no", "out.gram"), "--json", "--budgets", "5", "--precision", "float32", "--data", filepath.Join(work, "no"))
	onlyFiles(t, work)
	c, o := onCurve(t, "--model", classes, "--budget", "0.5", "--budgets", "0.5")
	lines, err := c.lines(t.Context(), o.budgets, &bar{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.choose(lines); err == nil || !strings.Contains(err.Error(), "within the budget of 0.5") {
		t.Errorf("a budget below everything: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{compile("--model", classes), compile("--model", classes, "--method", "nystrom", "--m", "5"), compile("--model", classes, "--data", rings)} {
		if _, stderr, code := cliContext(t, ctx, args...); code != 1 || !strings.HasSuffix(stderr, ": interrupted\n") {
			t.Errorf("gram %v interrupted: %d, %q", args, code, stderr)
		}
	}
	onlyFiles(t, work)
}

// Programs are timed in both types, on rows of the data or on made-up rows.
func TestCompileMeasure(t *testing.T) {
	_, classes, _ := machines(t)
	c, _ := onCurve(t, "--model", classes)
	for _, p := range []predict.Precision{predict.Float64, predict.Float32} {
		_, program, err := c.model.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: p, Run: gram.Run{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []mat.Matrix{nil, mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})} {
			m, err := c.measure(program, x)
			if err != nil {
				t.Fatal(err)
			}
			if !(m.Seconds > 0 && m.Linear > 0) || c.bytes != map[predict.Precision]int{predict.Float64: 16, predict.Float32: 8}[p] {
				t.Errorf("%v: %+v, %d bytes a row", p, m, c.bytes)
			}
		}
	}
}

func TestTimedRows(t *testing.T) {
	for d, want := range map[int]int{1: 1024, 4096: 1024, 4097: 1023, 1 << 22: 1, 1 << 30: 1} {
		if n := timedRows(d); n != want {
			t.Errorf("%d rows of %d columns, want %d", n, d, want)
		}
	}
}

// A model of sparse rows whose dense rows do not fit into memory cannot be timed, which is said.
func TestCompileWide(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "a.libsvm"), filepath.Join(dir, "m.gram")
	if err := os.WriteFile(data, []byte("1 3:1\n-1 5:2\n1 3:2\n-1 1073741824:1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	ok(t, "fit", "--method", "svm", "--data", data, "-o", model, "--set", "gamma=1")
	fails(t, 1, []string{"timing programs of 1073741824 columns", "the limit is "}, "compile", "--model", model, "--memory-limit", "1GiB")
}

// A program that is stored and much worse than the model is said to be so, by targets or else by the agreement.
func TestWorsePrograms(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	exact := map[string]compiled{
		"accuracy":  {Metric: "accuracy", Value: number(.856), Agreement: number(1)},
		"rmse":      {Metric: "rmse", Value: number(2)},
		"agreement": {Agreement: number(1)},
		"spread":    {},
	}
	for _, c := range []struct {
		of    string
		l     compiled
		worse string
	}{
		{"accuracy", compiled{Metric: "accuracy", Value: number(.552), Agreement: number(.5)}, "0.552 of the model's own points right, the model 0.856"},
		{"accuracy", compiled{Metric: "accuracy", Value: number(.83), Agreement: number(.5)}, ""},
		{"rmse", compiled{Metric: "rmse", Value: number(2.3), Error: 9}, "2.3 with the program and 2 with the model"},
		{"rmse", compiled{Metric: "rmse", Value: number(2.1), Error: 9}, ""},
		{"agreement", compiled{Agreement: number(.8)}, "on 0.800"},
		{"agreement", compiled{Agreement: number(.95), Error: 9}, ""},
		{"spread", compiled{Error: .6}, "0.6 of their spread"},
		{"spread", compiled{Error: .4}, ""},
	} {
		if got := new(curve).worse(exact[c.of], c.l); (got == "") != (c.worse == "") || !strings.Contains(got, c.worse) {
			t.Errorf("%s: %q, want %q", c.of, got, c.worse)
		}
	}
}
