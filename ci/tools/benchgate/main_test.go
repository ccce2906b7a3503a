package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// write makes a module with benchmarks; slow is the time of one of them.
func write(t *testing.T, slow int, more string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example\n\ngo 1.26\n",
		"a/a.go":          "package a\n\n// F takes n steps.\nfunc F(n int) (x int) {\n\tfor i := range n {\n\t\tx = x*5 + i\n\t}\n\treturn x\n}\n",
		"none/none.go":    "package none\n",
		"other/x.go":      "package other\n",
		"a/bench.go":      "package a\n",
		"a/z_test.go":     fmt.Sprintf("package a_test\n\nimport (\n\t\"testing\"\n\n\t\"example/a\"\n)\n\nvar sink int\n\nfunc run(b *testing.B, n int) {\n\tfor b.Loop() {\n\t\tsink += a.F(n)\n\t}\n}\n\nfunc BenchmarkAll(b *testing.B) {\n\tb.Run(\"size=1/same\", func(b *testing.B) { run(b, 1000) })\n\tb.Run(\"(slow|er)\", func(b *testing.B) { run(b, %d) })\n\tb.Run(\"copy\", func(b *testing.B) { run(b, %d) })\n%s}\n", slow, 2*slow, more),
		"other/x_test.go": "package other\n\nimport \"testing\"\n\nfunc BenchmarkNothing(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestGate builds two small modules and compares them as the script
// ci/bench-gate does.
func TestGate(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	old, added := write(t, 1000, ""), write(t, 2000, "\tb.Run(\"added\", func(b *testing.B) { run(b, 1000) })\n")
	gate := func(args ...string) (int, string) {
		var out, stderr bytes.Buffer
		code := run(context.Background(), args, &out, &stderr)
		return code, out.String() + stderr.String()
	}
	// No noise reaches this limit.
	code, out := gate("-old", old, "-new", added, "-slice", "100us", "-limit", "40", "./...")
	for _, want := range []string{
		`3 benchmarks in 1 packages; left out: 1 ceilings and others, 0 with calls longer than 30ms, 1 packages with equal binaries`,
		`slower      example/a BenchmarkAll/\(slow\|er\)  new/old [12]\.`,
		`only in new example/a BenchmarkAll/added`,
		`slower by more than 40 %: 1,`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if code != exitSlower {
		t.Errorf("exit code %d, want %d\n%s", code, exitSlower, out)
	}
	if code, out := gate("-old", old, "-new", added, "./other"); code != exitFine || !strings.Contains(out, "1 packages with equal binaries") {
		t.Errorf("equal trees: exit code %d\n%s", code, out)
	}
	if code, out := gate("-old", old, "-new", added, "-time", "1ns", "./a"); code != exitUnsure || !strings.Contains(out, "cannot tell") {
		t.Errorf("no time: exit code %d\n%s", code, out)
	}
	both := "\tb.Run(\"f/backend=x\", func(b *testing.B) { run(b, 1000) })\n\tb.Run(\"f/backend=y\", func(b *testing.B) { run(b, 3000) })\n"
	code, out = gate("-old", write(t, 1, both), "-new", write(t, 1, both), "-slice", "100us", "-limit", "40", "-variants", "x,y", "./a")
	if code != exitSlower || !regexp.MustCompile(`1 benchmarks in 1 packages(.|\n)*slower +example/a BenchmarkAll/f/backend=y  new/old [23]\.`).MatchString(out) {
		t.Errorf("two variants: exit code %d\n%s", code, out)
	}
	left, err := filepath.Glob(filepath.Join(added, "*", driverFile))
	if err != nil || left != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
	broken := write(t, 1000, "\tpanic(\"broken\")\n")
	if code, out := gate("-old", old, "-new", broken, "./a"); code != exitFailed || !strings.Contains(out, "broken") {
		t.Errorf("a benchmark that panics: exit code %d\n%s", code, out)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"-nope"},
		{"-old", "a", "-new", "b"},
		{"-old", "a", "-new", "b", "-limit", "0", "./..."},
		{"-old", "a", "-new", "b", "-skip", "(", "./..."},
		{"-old", "a", "-new", "b", "-variants", "x", "./..."},
		{"-old", "none", "-new", "none", "./..."},
	} {
		var out, stderr bytes.Buffer
		if code := run(context.Background(), args, &out, &stderr); code != exitFailed || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
}
