package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		{"--search", "gamma=1", "--set", "gamma=2"}, {"--search", "gamma=1,2", "--plan"},
	} {
		fails(t, 2, nil, append([]string{"fit", "--method", "krr", "--data", data, "-o", model}, bad...)...)
	}
}
