package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/figures"
	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/bench"
)

// The page of the measurements has a chart for each kernel and type, up to the highest ceiling.
func TestBenchPage(t *testing.T) {
	rows := []bench.Row{
		{Kernel: "fwht", Type: "float64", N: 64, Shape: "64", Level: "generic", Threads: 1, NS: 400, GFlops: 1, GBs: 2, VsGeneric: 1, PctCeiling: 20, Ceiling: "add 5 GFLOP/s"},
		{Kernel: "fwht", Type: "float64", N: 64, Shape: "64", Level: "avx2", Threads: 1, NS: 40, GFlops: 10, GBs: 20, VsGeneric: 10, PctCeiling: 50, Ceiling: "add 20 GFLOP/s"},
		{Kernel: "exp", Type: "float32", N: 64, Shape: "64", Level: "generic", Threads: 1, NS: 4e7, GBs: 2, VsGeneric: 1, PctCeiling: 20, Ceiling: "copy 10 GB/s"},
	}
	var b bytes.Buffer
	if err := writeBench(&b, bench.Here(), rows); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "<figure>"); n != 4 {
		t.Errorf("%d plots, want 4", n)
	}
	for _, want := range []string{"20 GFLOP/s", "1 kernel: at level avx2 half of them reach 50 % or more of what the machine can do at their best size, and are 10 times as fast as pure Go"} {
		if !strings.Contains(strings.ReplaceAll(b.String(), "\u00a0", " "), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if top := figures.Chart(rows[:2]).Top; top != 20 {
		t.Errorf("the axis ends at %v, want 20, the highest ceiling", top)
	}
}

// Flags of gram bench that do not go together are refused, and nothing is stored by a program that does not
// know its revision.
func TestBenchRecord(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--list and --html", []string{"methods", "--list"}},
		{"--run and --quick", []string{"methods", "--quick"}},
		{"--peers needs --record", []string{"--peers", "x"}},
		{"leave --run out", []string{"--record", "one", "--run", "gemm"}},
		{"small letters", []string{"--record", "One"}},
		{"do not fit the form", []string{"nothing"}},
		{"do not fit the form", []string{"methods", "defaults"}},
	} {
		fails(t, 2, []string{c.want}, append([]string{"bench"}, c.args...)...)
	}
	t.Setenv("GRAM_DATA", "")
	fails(t, 2, []string{"--data or GRAM_DATA"}, "bench", "methods")
	fails(t, 2, []string{"--data or GRAM_DATA"}, "bench", "defaults")
	t.Chdir(repo.Path(t, ""))
	fails(t, 1, []string{"clean checkout"}, "bench", "--record", "one", "--peers", "none")
}

// The page and the pictures of the stored runs are written beside the tables of the papers, and the text of
// choosing.md stays.
func TestWriteDocs(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "choosing.md"), []byte("a\n<!-- figures: methods a9a -->\n<!-- end of figures -->\nb\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ok(t, "table", "--docs", dir)
	for name, want := range map[string]string{"choosing.md": "### a9a: ", "tables.md": "# What the tables give"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "performance.md")); err == nil {
		t.Error("performance.md is there, whose text was not")
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "choosing.md")); !strings.HasPrefix(string(b), "a\n") || !strings.HasSuffix(string(b), "\nb\n") {
		t.Errorf("the text is gone: %s", b)
	}
}
