package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
)

// pairsOf writes pairs of rows as their classes tell them.
func pairsOf(t *testing.T, class []int, count int) string {
	var b strings.Builder
	b.WriteString("i,j,relation\n")
	for k := range count {
		if i, j := k%len(class), (k*7+1+k/len(class))%len(class); i != j {
			fmt.Fprintf(&b, "%d,%d,%s\n", i, j, map[bool]string{true: "same", false: "different"}[class[i] == class[j]])
		}
	}
	return write(t, "pairs.csv", b.String())
}

// Kernels are learned from classes or from a file of pairs, stored, evaluated on new rows,
// compiled and used for predictions.
func TestLearnedKernels(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	train, test := dataset.Rings(120, 3, .05, 1), dataset.Rings(90, 3, .05, 2)
	for name, s := range map[string]*dataset.Set{"train.csv": train, "test.csv": test} {
		if err := dataset.Save(t.Context(), in(name), s); err != nil {
			t.Fatal(err)
		}
	}
	pairs := pairsOf(t, train.Labels.Class, 300)
	for _, args := range [][]string{
		{"bregman", "m=30", "gamma=2"}, {"bregman", "m=30", "gamma=2", "neighbors=5", "learn-divergence=von-neumann", "pairs-file=" + pairs},
		{"sideinfo", "m=30", "gamma=2", "pairs-file=" + pairs}, {"sideinfo", "m=30", "gamma=2", "neighbors=5"},
		{"inductive", "gamma=2", "svm=true"}, {"inductive", "gamma=2", "pairs-file=" + pairs},
	} {
		line := []string{"fit", "--method", args[0], "--data", in("train.csv"), "--task", "classes", "-o", in("m.gram")}
		for _, s := range args[1:] {
			line = append(line, "--set", s)
		}
		if _, stderr, code := cli(t, line...); code != 0 || stderr != "" && !strings.Contains(stderr, "not converged") {
			t.Errorf("%v: %d, %s", args, code, stderr)
			continue
		}
		for _, model := range []string{"m.gram", "compiled.gram"} {
			if model == "compiled.gram" {
				ok(t, "compile", "--model", in("m.gram"), "--method", "exact", "-o", in(model))
			}
			f := figuresOf(t, ok(t, "eval", "--model", in(model), "--data", in("test.csv"), "--json"))
			if a := f["accuracy"].Value; !(a >= .85) {
				t.Errorf("%v, %s: accuracy %v of new rows", args, model, a)
			}
		}
	}
	bad := write(t, "bad.csv", "0,1,same\n2,3, like\n")
	fails(t, 1, []string{"bad.csv:2:6", "same or different"}, "fit", "--method", "bregman", "--data", in("train.csv"), "--task", "classes", "-o", in("no.gram"), "--set", "pairs-file="+bad)
	fails(t, 2, []string{"--search", "pairs-file"}, "fit", "--method", "bregman", "--data", in("train.csv"), "--task", "classes", "-o", in("no.gram"), "--set", "pairs-file="+pairs, "--search", "m=10,20")
	fails(t, 2, []string{"--search", "pairwise"}, "fit", "--method", "pairwise", "--data", in("train.csv"), "--task", "classes", "-o", in("no.gram"), "--search", "m=10,20")
}

// Clusters are made with classes or with pairs alone, new rows get theirs, and are compared
// with classes.
func TestClusters(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	train, test := dataset.Rings(120, 3, .02, 1), dataset.Rings(90, 3, .02, 2)
	bare := &dataset.Set{Name: "bare", X: train.X}
	for name, s := range map[string]*dataset.Set{"train.csv": train, "test.csv": test, "bare.csv": bare} {
		if err := dataset.Save(t.Context(), in(name), s); err != nil {
			t.Fatal(err)
		}
	}
	settings := []string{"--set", "gamma=2", "--set", "m=40", "--set", "lambda=0.1,1"}
	for _, args := range [][]string{
		{"--data", in("train.csv"), "--task", "classes"},
		{"--data", in("bare.csv"), "--task", "none", "--set", "k=3", "--set", "pairs-file=" + pairsOf(t, train.Labels.Class, 1200)},
	} {
		if out := ok(t, append(append([]string{"fit", "--method", "pairwise", "-o", in("m.gram")}, args...), settings...)...); !strings.Contains(out, "3 clusters") {
			t.Errorf("%v: %s", args, out)
		}
		lines := strings.Fields(ok(t, "predict", "--model", in("m.gram"), "--data", in("test.csv"), "--target", "target", "-o", "-"))
		cluster := make([]int, len(lines))
		for i, l := range lines {
			var err error
			if cluster[i], err = strconv.Atoi(l); err != nil || cluster[i] < 0 || cluster[i] > 2 {
				t.Fatalf("%v: row %d is in cluster %q", args, i, l)
			}
		}
		f := figuresOf(t, ok(t, "eval", "--model", in("m.gram"), "--data", in("test.csv"), "--json"))
		for name, want := range map[string]float64{"nmi": metric.NMI(cluster, test.Labels.Class), "purity": metric.Purity(cluster, test.Labels.Class), "pair_error": metric.PairError(cluster, test.Labels.Class)} {
			if got := f[name]; !(math.Abs(got.Value-want) < 1e-12) || got.N != 90 {
				t.Errorf("%v: %s is %v of %d rows, want %v", args, name, got.Value, got.N, want)
			}
		}
		if p := f["purity"].Value; !(p > .9) {
			t.Errorf("%v: purity %v", args, p)
		}
		ok(t, "compile", "--model", in("m.gram"), "--method", "exact", "-o", in("compiled.gram"))
		if got := strings.Fields(ok(t, "predict", "--model", in("compiled.gram"), "--data", in("test.csv"), "--target", "target", "-o", "-")); strings.Join(got, " ") != strings.Join(lines, " ") {
			t.Errorf("%v: the compiled model has other clusters", args)
		}
	}
	fails(t, 1, []string{"pairs-file"}, append([]string{"fit", "--method", "pairwise", "--data", in("bare.csv"), "--task", "none", "-o", in("no.gram"), "--set", "k=3"}, settings...)...)
	fails(t, 1, []string{"no target"}, "fit", "--method", "linear", "--data", in("bare.csv"), "--task", "none", "-o", in("no.gram"))
}
