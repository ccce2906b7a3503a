//go:build cgo

package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/fit"
	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
)

var (
	shared   = flag.Bool("library", false, "build the shared library and test it: the whole module is compiled once more for that")
	sanitize = flag.Bool("sanitize", false, "build the C program with the address and the undefined behavior sanitizer")
)

// library builds the shared library in a folder and returns the folder.
func library(t *testing.T) string {
	t.Helper()
	if !*shared {
		t.Skip("needs -library")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "parquet", "-buildmode=c-shared", "-o", filepath.Join(dir, "libgram.so"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

// TestProgram builds the library and testdata/program.c, which calls every function, and
// runs that. The prototypes of gram.h are those of the functions in Go.
func TestProgram(t *testing.T) {
	dir := library(t)
	made, err := os.ReadFile(filepath.Join(dir, "libgram.h"))
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile("gram.h")
	if err != nil {
		t.Fatal(err)
	}
	got, want := prototypes(string(written)), prototypes(string(made))
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("gram.h declares\n%s\nthe functions are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	program, err := os.ReadFile("testdata/program.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range want {
		name := regexp.MustCompile(`gram_\w+\(`).FindString(p) // it is followed by a parenthesis, unlike a type
		if !strings.Contains(string(program), name) {
			t.Errorf("testdata/program.c does not call %s…)", name)
		}
	}
	page, err := os.ReadFile(repo.Path(t, "docs/c.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```c\n")
	example, _, _ = strings.Cut(example, "```")
	source := filepath.Join(dir, "example.c")
	if err := os.WriteFile(source, []byte(example), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, dir, source, "0.141 0.141\n")
	run(t, dir, "testdata/program.c", "ok\n")
}

// run compiles a program with the library in dir, runs it and compares what it prints.
func run(t *testing.T, dir, source, want string) {
	t.Helper()
	binary := filepath.Join(dir, "program")
	args := []string{"-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g",
		"-I.", source, "-o", binary, "-L" + dir, "-lgram", "-lm", "-pthread", "-Wl,-rpath," + dir}
	if *sanitize {
		args = append(args, "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
	}
	if out, err := exec.CommandContext(t.Context(), "cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), binary, dir).CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("%s: %v\n%s", source, err, out)
	}
}

// frame writes a table of numbers, truth values, texts and missing cells, and the model of gram fit, into a folder.
func frame(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("size,color,ripe,age,kind\n")
	for i := range 240 {
		size := fmt.Sprintf("%.2f", float64(i*37%101)/7)
		if i%13 == 5 {
			size = ""
		}
		color := []string{"red", "green", "dark, blue", ""}[i%7%4]
		fmt.Fprintf(&text, "%s,%q,%s,%d,%s\n", size, color, []string{"True", "False"}[i%2], i*i%97, []string{"apple", "pear", "fig"}[i*37%101/34])
	}
	path := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := fit.Do(t.Context(), fit.Request{
		Path: path, Read: dataset.Options{Table: true, Target: "kind"}, Method: catalog.Must("gbdt"), Prepare: training.Prepare{Scale: training.AutoScale},
		Output: filepath.Join(dir, "table.gram"), Run: gram.Run{Seed: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// prototypes returns the declarations of a header's functions, sorted, without what does
// not matter to a caller: const, spaces, and names of parameters.
func prototypes(header string) []string {
	header = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(header, "")
	var all []string
	for _, p := range regexp.MustCompile(`(?m)^extern .*\bgram_\w+\(.*\);$`).FindAllString(header, -1) {
		p = strings.NewReplacer("extern ", "", "const ", "", "const*", "*", "__declspec(dllexport) ", "").Replace(p)
		p = regexp.MustCompile(`(\w+)(\W*\**)\s*\w+([,)])`).ReplaceAllString(p, "$1$2$3")
		all = append(all, regexp.MustCompile(`\s*([*,()])\s*`).ReplaceAllString(p, "$1"))
	}
	slices.Sort(all)
	return all
}

// TestPython runs the tests of the Python module and of its arguments, those of its estimators with the first
// Python that has scikit-learn.
func TestPython(t *testing.T) {
	python := ""
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import sklearn").Run() == nil {
			python = p
		}
	}
	if python == "" {
		t.Skip("no Python with scikit-learn (Debian: python3-sklearn)")
	}
	dir := library(t)
	folder := cmp.Or(os.Getenv("GRAM_PYTHON"), "../python") // ci/tools/mutate names a folder with a fault
	for _, tests := range []string{"test_effects.py", "test_gram.py"} {
		arguments := []string{filepath.Join(folder, tests), "-v"}
		if folder != "../python" && tests == "test_gram.py" {
			arguments = append(arguments, "-f", "Module", "Estimators")
		}
		c := exec.CommandContext(t.Context(), python, arguments...)
		c.Env = append(os.Environ(), "GRAM_FRAME="+frame(t), "GRAM_LIBRARY="+filepath.Join(dir, "libgram.so"), "PYTHONDONTWRITEBYTECODE=1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", tests, err, out)
			continue
		}
		t.Logf("%s", out)
	}
}
