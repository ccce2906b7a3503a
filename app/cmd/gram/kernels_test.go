package main

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
)

// The command trains, predicts, compiles and exports a machine whose kernel is a sum, with the predictions of a Go program, and searches among
// sums and products.
func TestSums(t *testing.T) {
	dir := small(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	data := in("friedman.csv")
	fit := []string{"fit", "--method", "krr", "--data", data, "--target", "7", "--scale", "none", "-o", in("sum.gram")}
	ok(t, append(fit, "--set", "kernel=gaussian(gamma=0.5)+0.25*linear", "--set", "lambda=0.1")...)
	ok(t, "compile", "--model", in("sum.gram"), "-o", in("program.gram"), "--method", "exact")
	ok(t, "convert", in("sum.gram"), in("sum.onnx"))
	d := dataset.Friedman1(150, 6, .1, 1) // as small writes it
	k, err := kernel.SumOf([]float64{1, .25}, kernel.Gaussian{Gamma: .5}, kernel.Linear{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := krr.Config{Kernel: k, Lambda: gram.Set(.1)}.Fit(t.Context(), d.X, d.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := m.Predict(nil, d.X)
	for _, model := range []string{"sum.gram", "program.gram"} {
		lines := strings.Fields(ok(t, "predict", "--model", in(model), "--data", data, "--target", "7", "-o", "-"))
		for i, v := range want {
			if got, err := strconv.ParseFloat(lines[min(i, len(lines)-1)], 64); len(lines) != len(want) || err != nil || !(math.Abs(got-v) <= 1e-9*math.Abs(v)) {
				t.Fatalf("%s: row %d of %d is %v, want %v", model, i, len(lines), got, v)
			}
		}
	}
	if out := ok(t, append(fit, "--search", "kernel=gaussian(gamma=0.5)+linear,polynomial(degree=2,offset=0),gaussian*matern;lambda=0.1", "--folds", "2")...); !strings.Contains(out, "gaussian(gamma=0.5)+linear") {
		t.Errorf("the search says\n%s", out)
	}
	fails(t, 2, []string{"setting kernel=linear+gausian: character 8", "(did you mean gaussian?)"}, append(fit, "--set", "kernel=linear+gausian")...)
	fails(t, 1, []string{"nu", "kernel linear+gaussian does not use it"}, append(fit, "--set", "kernel=linear+gaussian", "--set", "nu=0.5")...)
}
