package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// Without --method the model is that of the best method with its default settings, and the
// flags for columns, weights, probabilities and intervals reach it.
func TestFitUnnamed(t *testing.T) {
	dir := small(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := dataset.Save(t.Context(), in("tags.libsvm"), dataset.SparseMultiLabel(60, 40, 5, 1)); err != nil {
		t.Fatal(err)
	}
	table := numbers(3, 90, "a,b,kind,sold", func(i int, a, _ float64) string {
		return fmt.Sprintf("%c,%t", 'x'+i%2, (a > 0) == (i%2 == 0))
	})
	if err := os.WriteFile(in("table.csv"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--data", in("rings.libsvm"), "--class-weights", "balanced", "--proba"},
		{"--data", in("friedman.csv"), "--conformal", "--scale", "minmax", "--metric", "mae"},
		{"--data", in("tags.libsvm"), "--task", "multilabel"},
		{"--data", in("table.csv"), "--categories", "target", "--ignore", "b"},
	} {
		args = append(append([]string{"fit"}, args...), "-o")
		out := ok(t, append(args, in("best.gram"))...)
		var f fitted
		if err := json.Unmarshal([]byte(ok(t, append(args, in("best.gram"), "--json")...)), &f); err != nil {
			t.Fatal(err)
		}
		if f.Compared == nil || f.Compared.Methods[f.Compared.Best].Method != f.Method {
			t.Fatalf("%v: %+v", args, f)
		}
		lines := strings.Split(out, "\n")
		if !strings.HasPrefix(lines[0], "method ") || !strings.Contains(lines[0], f.Compared.Metric+", 3 folds") {
			t.Errorf("%v: the table begins with %q", args, lines[0])
		}
		for i, m := range f.Compared.Methods {
			line := lines[1+i]
			if !strings.HasPrefix(line, m.Method+" ") || !strings.Contains(line, " ± ") || strings.Contains(line, "  best") != (i == f.Compared.Best) {
				t.Errorf("%v: line %q for %+v", args, line, m)
			}
		}
		for i := 0; i < len(args); i++ {
			if args[i] == "--metric" {
				args = append(args[:i:i], args[i+2:]...)
			}
		}
		ok(t, append(args, in("named.gram"), "--method", f.Method)...)
		best, err := os.ReadFile(in("best.gram"))
		if err != nil {
			t.Fatal(err)
		}
		if named, err := os.ReadFile(in("named.gram")); err != nil || !bytes.Equal(best, named) {
			t.Errorf("%v: the model is not that of --method %s (%v)", args, f.Method, err)
		}
	}
	out := ok(t, "fit", "--data", in("rings.libsvm"), "-o", in("m.gram"), "--budget", "1ns")
	if strings.Count(out, "left out: the budget is 1ns of CPU time") != 5 || !strings.Contains(out, "\nsvm: 120 rows") ||
		!strings.Contains(out, "\nthe budget of 1ns of CPU time ended the comparison with ") {
		t.Errorf("a budget of 1 ns: %q", out)
	}
}

func TestFitUnnamedRefuses(t *testing.T) {
	dir := small(t)
	rings, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "--method is missing", []string{"--set", "c=1"}},
		{2, "--method is missing", []string{"--search", "c=1,2"}},
		{2, "--method is missing", []string{"--plan"}},
		{2, "--method is empty", []string{"--method", ""}},
		{2, "--budget", []string{"--budget", "0s"}},
		{2, "--budget", []string{"--budget", "1s", "--method", "linear"}},
		{2, "--search", []string{"--folds", "4"}},
		{1, "the budget of 1ns of CPU time ended", []string{"--budget", "1ns", "--strict"}},
		{1, "no target", []string{"--task", "none"}},
		{1, "accuracy", []string{"--metric", "rmse"}},
		{1, "without --method all rows must fit into memory", []string{"--memory-limit", above("1kB")}},
		{1, "one class", []string{"--data", write(t, "same.libsvm", "1 1:1\n1 1:2\n1 1:3\n")}},
		{1, "rows is 1", []string{"--data", write(t, "row.libsvm", "1.5 1:1\n")}},
	} {
		fails(t, c.code, []string{c.want}, append([]string{"fit", "--data", rings, "-o", model}, c.args...)...)
		if _, err := os.Stat(model); err == nil {
			t.Fatalf("%v leaves a model", c.args)
		}
	}
}

// interrupting is a Fitter during which Ctrl-C is pressed.
type interrupting struct {
	catalog.Fitter
	press func()
}

func (f interrupting) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	f.press()
	return f.Fitter.Fit(ctx, d, run)
}

// Ctrl-C while methods are compared ends the command and leaves no file.
func TestFitUnnamedInterrupted(t *testing.T) {
	dir := small(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	find := func(name string) (catalog.Method, error) {
		m, err := catalog.Find(name)
		if name == "gbdt" {
			m.New = func() catalog.Fitter {
				gbdt, _ := catalog.Find(name)
				return interrupting{gbdt.New(), cancel}
			}
		}
		return m, err
	}
	var out, errs bytes.Buffer
	model := filepath.Join(dir, "m.gram")
	code := execute(ctx, newRoot(find), []string{"fit", "--data", filepath.Join(dir, "rings.libsvm"), "-o", model}, &out, &errs)
	if code != 1 || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("code %d, %q, %q", code, out.String(), errs.String())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v are left, %v", left, err)
	}
}
