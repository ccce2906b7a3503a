package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConvertModel takes models to LIBSVM's format and back. The predictions stay.
func TestConvertModel(t *testing.T) {
	dir := small(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	rings, friedman := in("rings.libsvm"), in("friedman.csv")
	// LIBSVM's classes are numbers.
	text, err := os.ReadFile(rings)
	if err != nil {
		t.Fatal(err)
	}
	numbers := in("numbers.libsvm")
	var rows strings.Builder
	names := map[string]string{}
	for line := range strings.Lines(string(text)) {
		label, rest, _ := strings.Cut(line, " ")
		if names[label] == "" {
			names[label] = string(rune('1' + len(names)))
		}
		rows.WriteString(names[label] + " " + rest)
	}
	if err := os.WriteFile(numbers, []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	ok(t, "fit", "--method", "svm", "--data", numbers, "-o", in("a.gram"), "--set", "gamma=1", "--scale", "none")
	ok(t, "convert", in("a.gram"), in("b.model"))
	ok(t, "convert", in("b.model"), in("c.gram"))
	ok(t, "convert", in("c.gram"), in("d.model"))
	first, err := os.ReadFile(in("b.model"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(in("d.model"))
	if err != nil || string(first) != string(second) || !strings.HasPrefix(string(first), "svm_type c_svc\n") {
		t.Errorf("the model changed: %v\n%.200s\n%.200s", err, first, second)
	}
	want := ok(t, "predict", "--model", in("a.gram"), "--data", numbers, "-o", "-")
	if got := ok(t, "predict", "--model", in("c.gram"), "--data", numbers, "-o", "-"); got != want || len(want) == 0 {
		t.Error("the predictions differ after LIBSVM's format and back")
	}
	ok(t, "fit", "--method", "svr", "--data", friedman, "--task", "regression", "-o", in("r.gram"), "--set", "gamma=1", "--scale", "none")
	ok(t, "convert", in("r.gram"), in("r.model"))
	if text, err := os.ReadFile(in("r.model")); err != nil || !strings.HasPrefix(string(text), "svm_type epsilon_svr\n") {
		t.Errorf("%v\n%.100s", err, text)
	}
	ok(t, "fit", "--method", "svm", "--data", numbers, "-o", in("scaled.gram"), "--scale", "standard")
	ok(t, "fit", "--method", "linear", "--data", numbers, "-o", in("linear.gram"), "--scale", "none")
	for _, c := range []struct {
		from, to, want string
		code           int
	}{
		{"scaled.gram", "x.model", "scaled data", 1}, {"linear.gram", "x.model", "svm and svr only", 1},
		{"a.gram", "x.csv", "OUT ends in .gram", 2},
	} {
		if _, stderr, code := cli(t, "convert", in(c.from), in(c.to)); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s to %s: code %d, %s", c.from, c.to, code, stderr)
		}
		if _, err := os.Stat(in(c.to)); err == nil {
			t.Errorf("%s was written", c.to)
		}
	}
}
