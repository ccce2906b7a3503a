package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// onlyFirst has values and classes that depend on the first of three columns alone.
func onlyFirst(t *testing.T) (values, classes string) {
	t.Helper()
	const n = 240
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	labels := gram.Labels{Class: make([]int, n), Names: []string{"-1", "1"}}
	for i := range n {
		for c := range 3 {
			x.Set(i, c, math.Sin(float64((i+1)*(c+2)*(c+3)))*3)
		}
		y[i] = 2 * x.At(i, 0)
		if x.At(i, 0) > .3 {
			labels.Class[i] = 1
		}
	}
	dir := t.TempDir()
	values, classes = filepath.Join(dir, "v.csv"), filepath.Join(dir, "c.libsvm")
	for path, d := range map[string]*dataset.Set{values: {X: x, Value: y}, classes: {X: x, Labels: labels}} {
		if err := dataset.Save(t.Context(), path, d); err != nil {
			t.Fatal(err)
		}
	}
	return values, classes
}

// gram explain finds the column that counts, by every measure that the model has, and writes
// text, JSON, Shapley values and a page.
func TestExplain(t *testing.T) {
	values, classes := onlyFirst(t)
	dir := t.TempDir()
	model, shapley, html := filepath.Join(dir, "m.gram"), filepath.Join(dir, "s.csv"), filepath.Join(dir, "e.html")
	explained := func(args ...string) (e explanation) {
		t.Helper()
		out := ok(t, append([]string{"explain", "--model", model, "--json", "--repeats", "2"}, args...)...)
		d := json.NewDecoder(strings.NewReader(out))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		if first := e.Columns[0]; first.Column != 1 || !(first.Importance > 10*math.Abs(e.Columns[1].Importance)) {
			t.Errorf("%v: columns %+v", args, e.Columns)
		}
		return e
	}
	warned(t, "a linear model does better", "fit", "--method", "gbdt", "--data", values, "--task", "regression", "-o", model, "--set", "min-rows=5")
	e := explained("--data", values, "--target", "4", "--partial", "1,3", "--shapley", shapley, "--html", html)
	if e.Metric != "rmse" || e.Rows != 240 || e.Columns[0].Shapley == nil || !(*e.Columns[0].Shapley > 10**e.Columns[1].Shapley) || e.Columns[0].Relevance != nil {
		t.Errorf("%+v", e)
	}
	if p := e.Partial; len(p) != 2 || p[0].Column != 1 || p[0].Outputs[0] != "value" || !(p[0].Means[len(p[0].Means)-1][0]-p[0].Means[0][0] > 8) || !(math.Abs(p[1].Means[0][0]-p[1].Means[1][0]) < 1) {
		t.Errorf("partial dependence %+v", p)
	}
	// The Shapley values of a row add up to its prediction.
	text, err := os.ReadFile(shapley)
	if err != nil {
		t.Fatal(err)
	}
	predicted := strings.Fields(ok(t, "predict", "--model", model, "--data", values, "--target", "4", "-o", "-"))
	for i, line := range strings.Fields(string(text)) {
		var sum, want float64
		fmt.Sscan(predicted[i], &want)
		cells := strings.Split(line, ",")
		for _, c := range cells {
			var v float64
			fmt.Sscan(c, &v)
			sum += v
		}
		if len(cells) != 4 || !(math.Abs(sum-want) < 1e-9) {
			t.Fatalf("row %d: %q adds up to %v, predicted is %v", i, line, sum, want)
		}
	}
	if page, err := os.ReadFile(html); err != nil || strings.Count(string(page), "<figure>") != 5 || !strings.Contains(string(page), "Importance") {
		t.Errorf("the page %.200s, %v", page, err)
	}
	if out := ok(t, "explain", "--model", model, "--data", values, "--target", "4", "--top", "2", "--partial", "1"); !strings.HasPrefix(out, "rmse ") || !strings.Contains(out, "shapley") || !strings.Contains(out, "x1    value") {
		t.Errorf("explain prints %q", out)
	}
	// Few rows are drawn from the file, the same ones with the same seed.
	some := explained("--data", values, "--target", "4", "--rows", "100")
	if again := explained("--data", values, "--target", "4", "--rows", "100"); some.Rows != 100 || again.Value != some.Value {
		t.Errorf("%d rows, %v and %v", some.Rows, some.Value, again.Value)
	}

	warned(t, "a linear model does better", "fit", "--method", "rfm", "--data", values, "--task", "regression", "-o", model, "--set", "length=2", "--set", "lambda=0.1", "--set", "metric=full")
	e = explained("--data", values, "--target", "4")
	if v := *e.Columns[0].Learned; !(v > .8) || len(e.Along) == 0 || e.Along[0].Columns[0].Column != 1 || !(e.Along[0].Columns[0].Weight > .9) || !(e.Along[0].Share > .8) {
		t.Errorf("%+v, the first column has %v of the metric", e, v)
	}
	if out := ok(t, "explain", "--model", model, "--data", values, "--target", "4"); !strings.Contains(out, "learned") || !strings.Contains(out, "% of the learned metric") {
		t.Errorf("explain prints %q", out)
	}
	ok(t, "fit", "--method", "svm", "--data", classes, "-o", model)
	e = explained("--data", classes, "--metric", "auc", "--partial", "1")
	if e.Metric != "auc" || e.Columns[0].Shapley != nil || !(*e.Columns[0].Relevance > 1.5**e.Columns[1].Relevance) || !slices.Equal(e.Partial[0].Outputs, []string{"1"}) {
		t.Errorf("%+v", e)
	}
	fails(t, 1, []string{"trees"}, "explain", "--model", model, "--data", classes, "--shapley", shapley)
	fails(t, 2, []string{"--partial", "1 to 3"}, "explain", "--model", model, "--data", classes, "--partial", "nope")
	fails(t, 2, []string{"--partial", "1 to 3"}, "explain", "--model", model, "--data", classes, "--partial", "4")
	fails(t, 2, []string{"--output"}, "explain", "--model", model, "--data", classes, "--output", "nope")
	fails(t, 2, []string{"rmse"}, "explain", "--model", model, "--data", classes, "--metric", "rmse")
	fails(t, 2, []string{"--repeats"}, "explain", "--model", model, "--data", classes, "--repeats", "0")
	fails(t, 2, []string{"--rows"}, "explain", "--model", model, "--data", classes, "--rows", "1")
	fails(t, 2, []string{"--top"}, "explain", "--model", model, "--data", classes, "--top", "-1")

	// Shapley values are of one output: of several classes one is named.
	three := filepath.Join(dir, "three.libsvm")
	if err := dataset.Save(t.Context(), three, dataset.Rings(90, 3, .05, 1)); err != nil {
		t.Fatal(err)
	}
	ok(t, "fit", "--method", "gbdt", "--data", three, "-o", model, "--set", "rounds=5", "--set", "min-rows=5")
	fails(t, 2, []string{"--shapley", "--output"}, "explain", "--model", model, "--data", three, "--shapley", shapley)
	ok(t, "explain", "--model", model, "--data", three, "--shapley", shapley, "--output", "2")
}

// The columns of a table are explained under their names, and categories by their levels.
func TestExplainTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("noise,color,kind\n")
	for i := range 90 {
		color := []string{"red", "green", "blue"}[i%3]
		fmt.Fprintf(&b, "%d,%s,%s\n", i*i%17, color, map[bool]string{true: "yes", false: "no"}[color == "red"])
	}
	data, dir := write(t, "t.csv", b.String()), t.TempDir()
	model, html := filepath.Join(dir, "m.gram"), filepath.Join(dir, "e.html")
	for _, method := range []string{"svm", "gbdt"} {
		cli(t, "fit", "--method", method, "--data", data, "--target", "kind", "-o", model, "--categories", "onehot")
		out := ok(t, "explain", "--model", model, "--data", data, "--partial", "color", "--html", html, "--json")
		var e explanation
		if err := json.Unmarshal([]byte(out), &e); err != nil {
			t.Fatal(err)
		}
		first := e.Columns[0]
		if first.Name != "color" || first.Column != 2 || !(first.Importance > .2) || !(math.Abs(e.Columns[1].Importance) < .1) || (first.Shapley == nil) == (method == "gbdt") {
			t.Errorf("%s: %+v", method, e.Columns)
		}
		p := e.Partial[0]
		if p.Name != "color" || len(p.Levels) != 3 || !slices.Contains(p.Levels, "red") {
			t.Errorf("%s: %+v", method, p)
		}
		if text := ok(t, "explain", "--model", model, "--data", data, "--partial", "2"); !strings.Contains(text, "red") {
			t.Errorf("%s prints %q", method, text)
		}
	}
}

// Rows that are drawn are rows of the file with their own targets, each about as often.
func TestDrawRows(t *testing.T) {
	x, y := mat.NewDense(9000, 1, nil), make([]float64, 9000) // several blocks
	for i := range y {
		x.Set(i, 0, float64(i))
		y[i] = float64(-i)
	}
	path := filepath.Join(t.TempDir(), "d.csv")
	if err := dataset.Save(t.Context(), path, &dataset.Set{X: x, Value: y}); err != nil {
		t.Fatal(err)
	}
	d, err := drawRows(t.Context(), path, dataset.Options{Task: dataset.Regression, Dim: 1, Storage: dataset.Dense}, 3000, 5)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	seen := map[float64]bool{}
	for i, v := range d.Value {
		if d.X.At(i, 0) != -v || seen[v] {
			t.Fatalf("row %d: %v with target %v", i, d.X.At(i, 0), v)
		}
		seen[v] = true
		sum -= v / 3000
	}
	if !(len(d.Value) == 3000 && math.Abs(sum-4500) < 200) {
		t.Errorf("%d rows with mean %v", len(d.Value), sum)
	}
}

// The page of gram eval has the plots of its task and what the text says.
func TestEvalReport(t *testing.T) {
	values, classes := onlyFirst(t)
	dir := t.TempDir()
	model, html := filepath.Join(dir, "m.gram"), filepath.Join(dir, "r.html")
	report := func(args ...string) string {
		t.Helper()
		ok(t, append([]string{"eval", "--model", model, "--html", html}, args...)...)
		page, err := os.ReadFile(html)
		if err != nil {
			t.Fatal(err)
		}
		return string(page)
	}
	ok(t, "fit", "--method", "svm", "--data", classes, "-o", model, "--proba")
	page := report("--data", classes, "--metric", "auc")
	for _, part := range []string{"ROC", "Precision and recall", "Calibration", "Importance", "auc", "F1", "AUC 0.", "are right; a linear model has", "and the most frequent class alone has", "Rows by class"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page of classes has no %q", part)
		}
	}
	if n := strings.Count(page, "<figure>"); n != 6 {
		t.Errorf("the page of classes has %d plots", n)
	}
	ok(t, "fit", "--method", "krr", "--data", values, "--task", "regression", "-o", model)
	page = report("--data", values, "--target", "4")
	for _, part := range []string{"Predicted and true values", "Residuals", "Distribution", "Importance", "rmse", "predicted = true", "no residual", "loss of rmse", "that of a linear model is", "the root mean squared error is"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page of values has no %q", part)
		}
	}
	fails(t, 1, []string{"m.gram"}, "eval", "--model", model, "--data", values, "--target", "4", "--html", model)
}
