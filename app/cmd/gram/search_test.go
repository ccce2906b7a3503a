package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/dataset"
)

func TestSearch(t *testing.T) {
	dir := small(t)
	data, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(t.TempDir(), "m.gram")
	args := []string{"fit", "--method", "krr", "--data", data, "-o", model, "--search", "gamma=0.001,1;lambda=0.1,100", "--folds", "4"}
	out := ok(t, args...)
	if !strings.Contains(out, "best of 4: gamma=1 lambda=0.1: accuracy") || !strings.Contains(out, "4 folds") {
		t.Errorf("output %q", out)
	}
	var f fitted
	if err := json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &f); err != nil {
		t.Fatal(err)
	}
	if f.Search == nil || len(f.Search.Trials) != 4 || !slices.Equal(f.Search.Trials[f.Search.Best].Settings, []string{"gamma=1", "lambda=0.1"}) {
		t.Errorf("search %+v", f.Search)
	}
	// The model is the one of the best settings, trained on all rows.
	other := filepath.Join(t.TempDir(), "m.gram")
	ok(t, "fit", "--method", "krr", "--data", data, "-o", other, "--set", "gamma=1", "--set", "lambda=0.1")
	if a, b := ok(t, "predict", "--model", model, "--data", data, "-o", "-", "--scores"), ok(t, "predict", "--model", other, "--data", data, "-o", "-", "--scores"); a != b {
		t.Error("the model is not that of the best settings")
	}
	for _, bad := range [][]string{
		{"--search", "gama=1,2"}, {"--search", "gamma"}, {"--search", "gamma=1", "--folds", "1"}, {"--folds", "3"},
		{"--halving"}, {"--search", "gamma=1", "--halving=1"}, {"--search", "gamma=1", "--halving=0"},
		{"--search", "gamma=1", "--set", "gamma=2"},
		{"--trials", "3"}, {"--journal", "j"}, {"--groups", "g"}, {"--repeats", "2"}, {"--search", "gamma=1", "--trials", "3"},
		{"--search", "auto", "--trials", "0"}, {"--search", "auto", "--repeats", "0"}, {"--search", "gamma=1", "--scale", "search"}, {"--budget", "1s"},
	} {
		fails(t, 2, nil, append([]string{"fit", "--method", "krr", "--data", data, "-o", model}, bad...)...)
	}
}

// Halving finds the settings of the whole search, tries only some of them on all rows,
// and says so. With few rows there is nothing to halve.
func TestSearchHalving(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rings.libsvm")
	if err := dataset.Save(t.Context(), path, dataset.Rings(600, 3, .1, 1)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data, flag string
		whole      int
	}{
		{path, "--halving", 2}, {path, "--halving=3", 3}, {filepath.Join(small(t), "rings.libsvm"), "--halving", 8},
	} {
		args := []string{"fit", "--method", "krr", "--data", c.data, "-o", filepath.Join(t.TempDir(), "m.gram"),
			"--search", "gamma=0.001,0.01,1,100;lambda=0.1,100", "--folds", "3", c.flag}
		want := fmt.Sprintf("best of 8, %d on all rows: gamma=1 lambda=0.1: accuracy", c.whole)
		if out := ok(t, args...); !strings.Contains(out, want) {
			t.Errorf("%s: %q, want %q", c.flag, out, want)
		}
		var f fitted
		if err := json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &f); err != nil {
			t.Fatal(err)
		}
		whole := 0
		for _, trial := range f.Search.Trials {
			if trial.Share == 1 {
				whole++
			}
		}
		if best := f.Search.Trials[f.Search.Best]; best.Share != 1 || whole != c.whole {
			t.Errorf("%s: %d combinations on all rows, the best is %+v", c.flag, whole, best)
		}
	}
}

// Without values settings, scaling and method are drawn; rows of a group stay together; the
// journal makes a second run go on.
func TestSearchAuto(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	var text strings.Builder
	text.WriteString("person,a,b,y\n")
	for i := range 90 {
		fmt.Fprintf(&text, "p%d,%d,%d,%d\n", i/6, i%7, i*i%11, i%7*(i*i%11)-i/6%3)
	}
	if err := os.WriteFile(in("t.csv"), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"fit", "--data", in("t.csv"), "--target", "y", "--task", "regression", "-o", in("m.gram"), "--search", "auto", "--scale", "search",
		"--trials", "8", "--folds", "3", "--repeats", "2", "--groups", "person", "--journal", in("j"), "--metric", "mae"}
	out := ok(t, args...)
	if !strings.Contains(out, "best of 8: ") || !strings.Contains(out, "in 2 times 3 folds") || !strings.Contains(out, "trial") {
		t.Errorf("output %q", out)
	}
	before, err := os.ReadFile(in("j"))
	if err != nil || strings.Count(string(before), "\n") != 1+8*6 {
		t.Fatalf("%q, %v", before, err)
	}
	var f fitted
	if err := json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &f); err != nil {
		t.Fatal(err)
	}
	best := f.Search.Trials[f.Search.Best]
	if after, err := os.ReadFile(in("j")); err != nil || string(after) != string(before) || f.Method != best.Method || f.D != 2 {
		t.Errorf("%v, %+v", err, f)
	}
	// The model is that of the best trial, and does not want the column of the groups.
	other := []string{"fit", "--method", best.Method, "--scale", best.Scale, "--data", in("t.csv"), "--target", "y", "--task", "regression", "--ignore", "person", "-o", in("o.gram")}
	for _, set := range best.Settings {
		other = append(other, "--set", set)
	}
	ok(t, other...)
	if a, b := ok(t, "predict", "--model", in("m.gram"), "--data", in("t.csv"), "-o", "-"), ok(t, "predict", "--model", in("o.gram"), "--data", in("t.csv"), "-o", "-"); a != b {
		t.Error("the model is not that of the best trial")
	}
	fails(t, 1, []string{"nobody"}, append(slices.Clone(args[:len(args)-6]), "--groups", "nobody")...)
}
