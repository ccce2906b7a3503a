package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/dataset"
)

// Probabilities, intervals and sets go from fit to predict and eval. What a model does not
// have is refused with the flag that would store it.
func TestTrust(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, d := range map[string]*dataset.Set{"r.libsvm": dataset.Rings(400, 3, .4, 1), "f.csv": dataset.Friedman1(400, 5, .1, 1)} {
		if err := dataset.Save(t.Context(), in(name), d); err != nil {
			t.Fatal(err)
		}
	}
	var r struct {
		Proba string
		Held  int
	}
	for _, kind := range []string{"platt", "isotonic", "temperature"} {
		out := ok(t, "fit", "--method", "svm", "--data", in("r.libsvm"), "-o", in("c.gram"), "--proba="+kind, "--conformal", "--json")
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.Proba != kind || r.Held != 80 {
			t.Errorf("%v: %q", err, out)
		}
		lines := strings.Split(strings.TrimSpace(ok(t, "predict", "--model", in("c.gram"), "--data", in("r.libsvm"), "-o", "-", "--proba", "--interval", ".9")), "\n")
		for _, l := range lines {
			fields := strings.Fields(l)
			var sum float64
			for _, f := range fields[1 : len(fields)-1] {
				var p float64
				fmt.Sscan(f, &p)
				sum += p
			}
			if last := fields[len(fields)-1]; !(math.Abs(sum-1) < 1e-9) || !strings.HasPrefix(last, "{") || !strings.HasSuffix(last, "}") {
				t.Fatalf("%s: line %q", kind, l)
			}
		}
		figures := figuresOf(t, ok(t, "eval", "--model", in("c.gram"), "--data", in("r.libsvm"), "--json", "--interval", ".9"))
		for _, name := range []string{"accuracy", "balanced_accuracy", "log_loss", "brier", "calibration_error", "coverage", "set_size"} {
			if _, there := figures[name]; !there {
				t.Errorf("%s: eval has no %s", kind, name)
			}
		}
		if v := figures["coverage"].Value; !(v > .8) {
			t.Errorf("%s: coverage %v", kind, v)
		}
	}
	ok(t, "fit", "--method", "svm", "--data", in("r.libsvm"), "-o", in("a.gram"), "--proba", "--conformal", "--adaptive")
	if v := figuresOf(t, ok(t, "eval", "--model", in("a.gram"), "--data", in("r.libsvm"), "--json", "--interval", ".9"))["coverage"].Value; !(v > .8) {
		t.Errorf("adaptive sets: coverage %v", v)
	}
	fails(t, 1, []string{"adaptive", "probabilities"}, "fit", "--method", "svm", "--data", in("r.libsvm"), "-o", in("x.gram"), "--conformal", "--adaptive")
	fails(t, 2, []string{"--adaptive", "--conformal"}, "fit", "--method", "svm", "--data", in("r.libsvm"), "-o", in("x.gram"), "--proba", "--adaptive")
	// An exact program keeps all of it, an approximation has no sets.
	ok(t, "compile", "--model", in("c.gram"), "-o", in("p.gram"), "--precision", "float32")
	ok(t, "predict", "--model", in("p.gram"), "--data", in("r.libsvm"), "-o", "-", "--proba", "--interval", ".9")
	if out := warned(t, "right, the model", "compile", "--model", in("c.gram"), "--data", in("r.libsvm"), "-o", in("p.gram"), "--method", "nystrom", "--m", "8"); !strings.Contains(out, "no intervals or sets") {
		t.Errorf("compile prints %q", out)
	}
	ok(t, "predict", "--model", in("p.gram"), "--data", in("r.libsvm"), "-o", "-", "--proba")
	fails(t, 2, []string{"no intervals"}, "predict", "--model", in("p.gram"), "--data", in("r.libsvm"), "-o", "-", "--interval", ".9")
	if out := ok(t, "eval", "--model", in("c.gram"), "--data", in("r.libsvm"), "--metric", "auc,log_loss", "--confusion"); !strings.HasPrefix(out, "auc ") || strings.Contains(out, "macro") || !strings.Contains(out, "precision") {
		t.Errorf("eval prints %q", out)
	}
	var c classFigures
	out := ok(t, "eval", "--model", in("c.gram"), "--data", in("r.libsvm"), "--metric", "accuracy", "--confusion", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[1]), &c); err != nil || c.Rows == 0 || !(c.F1 > 0) || len(c.Predicted) != len(lines)-1 {
		t.Errorf("%v: %q", err, out)
	}
	if out := ok(t, "fit", "--method", "linear", "--data", in("f.csv"), "--task", "regression", "-o", in("v.gram"), "--conformal=.3"); !strings.Contains(out, "from 120 rows") {
		t.Errorf("fit prints %q", out)
	}
	for _, l := range strings.Split(strings.TrimSpace(ok(t, "predict", "--model", in("v.gram"), "--data", in("f.csv"), "--target", "6", "-o", "-", "--interval", ".8")), "\n") {
		var v, low, high float64
		if n, _ := fmt.Sscan(l, &v, &low, &high); n != 3 || !(low < v && v < high) || !(math.Abs(low+high-2*v) < 1e-9) {
			t.Fatalf("line %q", l)
		}
	}
	ok(t, "fit", "--method", "svm", "--data", in("r.libsvm"), "-o", in("bare.gram"), "--class-weights", "balanced")
	weights := write(t, "w.txt", strings.Repeat("1\n", 399)+"\n2\n")
	ok(t, "fit", "--method", "svm", "--data", in("r.libsvm"), "-o", in("w.gram"), "--weights", weights)

	fit := func(args ...string) []string {
		return append([]string{"fit", "--method", "svm", "--data", in("r.libsvm"), "-o", in("x.gram")}, args...)
	}
	fails(t, 2, []string{"--proba"}, "predict", "--model", in("bare.gram"), "--data", in("r.libsvm"), "-o", "-", "--proba")
	fails(t, 2, []string{"--conformal"}, "predict", "--model", in("bare.gram"), "--data", in("r.libsvm"), "-o", "-", "--interval", ".9")
	fails(t, 2, []string{"at most"}, "predict", "--model", in("v.gram"), "--data", in("f.csv"), "--target", "6", "-o", "-", "--interval", ".9999")
	fails(t, 2, []string{"log_loss", "--proba"}, "eval", "--model", in("bare.gram"), "--data", in("r.libsvm"), "--metric", "log_loss")
	fails(t, 2, []string{"rmse", "accuracy"}, "eval", "--model", in("bare.gram"), "--data", in("r.libsvm"), "--metric", "rmse")
	fails(t, 2, []string{"--confusion"}, "eval", "--model", in("v.gram"), "--data", in("f.csv"), "--target", "6", "--confusion")
	fails(t, 2, []string{"--proba"}, fit("--proba=plat")...)
	fails(t, 2, []string{"--conformal"}, fit("--conformal=1")...)
	fails(t, 2, []string{"--class-weights"}, fit("--class-weights", "even")...)
	fails(t, 2, []string{"--weights"}, fit("--class-weights", "balanced", "--weights", weights)...)
	fails(t, 1, []string{"w.txt", "2 weights for 400 rows"}, fit("--weights", write(t, "w.txt", "1\n1\n"))...)
	fails(t, 1, []string{"w.txt", "-1"}, fit("--weights", write(t, "w.txt", "1\n-1\n"))...)
	fails(t, 2, []string{"--metric"}, fit("--metric", "auc")...)
	fails(t, 1, []string{"rmse"}, fit("--metric", "rmse", "--search", "c=1,2")...)
	fails(t, 2, []string{"classes"}, "fit", "--method", "linear", "--data", in("f.csv"), "--task", "regression", "-o", in("x.gram"), "--class-weights", "balanced")
}
