package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A one-class machine takes all columns of a file without a word about the target, its predictions are the classes -1
// and 1, LIBSVM's file of it is of one_class, and a ν-machine whose ν is too large names the classes.
func TestNuMachines(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("a,b,kind\n")
	for i := range 60 {
		fmt.Fprintf(&rows, "%g,%g,%d\n", .01*float64(i*37%60), .01*float64(i*23%60), i%3/2)
	}
	data := write(t, "rows.csv", rows.String()+"9,9,1\n")
	dir := t.TempDir()
	model, out := filepath.Join(dir, "m.gram"), filepath.Join(dir, "out.txt")
	if s := ok(t, "fit", "--method", "one-class", "--data", data, "-o", model, "--set", "svm-nu=0.1", "--plan"); !strings.Contains(s, "3 columns") {
		t.Errorf("the plan is %q", s)
	}
	if s := ok(t, "fit", "--method", "one-class", "--data", data, "-o", model, "--set", "svm-nu=0.1"); !strings.Contains(s, "61 rows, 3 columns, no target") {
		t.Errorf("fit says %q", s)
	}
	ok(t, "predict", "--model", model, "--data", data, "-o", out)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "-1\n"); n < 1 || n > 12 || !strings.HasSuffix(string(text), "-1\n") {
		t.Errorf("predictions %q", text)
	}
	fails(t, 1, []string{"learns without a target", "--task none"}, "fit", "--method", "one-class", "--data", data, "--task", "classes", "-o", model)
	fails(t, 1, []string{"svm-nu", "at most 0.688524", "classes 0 and 1"}, "fit", "--method", "nu-svm", "--data", data, "--task", "classes", "-o", model, "--set", "svm-nu=0.9")
	ok(t, "fit", "--method", "one-class", "--data", data, "-o", model, "--scale", "none")
	libsvm := filepath.Join(dir, "m.model")
	ok(t, "convert", model, libsvm)
	if text, err = os.ReadFile(libsvm); err != nil || !strings.HasPrefix(string(text), "svm_type one_class\n") {
		t.Errorf("converted to %.40q, %v", text, err)
	}
	back := filepath.Join(dir, "back.gram")
	ok(t, "convert", libsvm, back)
}
