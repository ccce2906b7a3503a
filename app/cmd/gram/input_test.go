package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
)

// withInput runs a function whose standard input is the file.
func withInput(t *testing.T, path string, f func()) {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = in
	defer func() { os.Stdin = before; in.Close() }()
	f()
}

// Every command with data reads them from standard input, too, and says the same; errors
// name it.
func TestStandardInput(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := small(t)
	rings, csv, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "friedman.csv"), filepath.Join(dir, "m.gram")
	withInput(t, rings, func() { ok(t, "fit", "--method", "linear", "--data", "-", "-o", model) })
	want := ok(t, "predict", "--model", model, "--data", rings, "-o", "-", "--scores")
	withInput(t, rings, func() {
		if got := ok(t, "predict", "--model", model, "--data", "-", "-o", "-", "--scores"); got != want {
			t.Error("predict says otherwise of standard input")
		}
	})
	accuracy, _, _ := strings.Cut(ok(t, "eval", "--model", model, "--data", rings), "\n")
	withInput(t, rings, func() {
		if got := ok(t, "eval", "--model", model, "--data", "-"); !strings.HasPrefix(got, accuracy) {
			t.Errorf("eval says %q, want %q", got, accuracy)
		}
	})
	npy := filepath.Join(dir, "f.csv")
	ok(t, "convert", csv, npy, "--task", "regression")
	text, err := os.ReadFile(npy)
	if err != nil {
		t.Fatal(err)
	}
	withInput(t, csv, func() {
		if got := ok(t, "convert", "-", "-", "--to", "csv", "--task", "regression"); got != string(text) {
			t.Errorf("convert writes %.80q, want %.80q", got, text)
		}
	})
	withInput(t, csv, func() { fails(t, 2, []string{"--to is missing"}, "convert", "-", "-") })
	if _, err := os.Stat("-"); err == nil {
		t.Error("there is a file called -")
	}
	withInput(t, write(t, "bad", "1 1:1\n0 1:x\n"), func() {
		fails(t, 1, []string{"standard input:2:5"}, "fit", "--method", "linear", "--data", "-", "-o", model)
	})
	withInput(t, write(t, "wide", "1 1:1 2:1 3:1\n"), func() {
		fails(t, 1, []string{"standard input:1"}, "predict", "--model", model, "--data", "-", "-o", "-")
	})
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// No command writes over what it reads, under whatever name.
func TestOutputIsInput(t *testing.T) {
	dir := small(t)
	rings, model, link := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram"), filepath.Join(dir, "link.libsvm")
	ok(t, "fit", "--method", "linear", "--data", rings, "-o", model)
	if err := os.Symlink(rings, link); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	csv, npy := filepath.Join(dir, "friedman.csv"), filepath.Join(dir, "x.npy")
	ok(t, "convert", rings, npy) // with a file of the target beside it
	beside := dataset.Outputs(npy, dataset.AutoFormat)[1]
	before, err := os.ReadFile(rings)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fit", "--method", "linear", "--data", rings, "-o", rings}, {"fit", "--method", "linear", "--data", rings, "-o", link},
		{"predict", "--model", model, "--data", rings, "-o", rings}, {"predict", "--model", model, "--data", rings, "-o", model},
		{"convert", rings, rings}, {"convert", link, rings}, {"compile", "--model", model, "-o", model}, {"split", rings, rings, filepath.Join(dir, "x.libsvm")},
		{"compare", "--data", rings, "--html", rings}, {"compare", "--data", csv, "--test", rings, "--html", rings},
		{"fit", "--method", "bregman", "--data", rings, "--set", "pairs-file=" + csv, "-o", csv},
		{"convert", csv, npy, "--target-file", beside}, {"split", rings, npy, filepath.Join(dir, "x.libsvm"), "--target-file", beside},
		{"table", "3.7", "--data", dir, "--html", rings},
	} {
		fails(t, 1, []string{"is an input of this command"}, args...)
	}
	if after, err := os.ReadFile(rings); err != nil || string(after) != string(before) {
		t.Errorf("the data have changed, %v", err)
	}
}

// The parts of a split are the rows of the file, each once, with each class in both.
func TestSplit(t *testing.T) {
	dir := small(t)
	rings, train, test := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "train.libsvm"), filepath.Join(dir, "test.libsvm")
	if got, want := ok(t, "split", rings, train, test, "--share", "0.25"), train+": 90 rows, 2 columns\n"+test+": 30 rows, 2 columns\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	lines := func(path string) []string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	count := map[string]int{}
	for _, l := range lines(rings) {
		count[l]++
	}
	class := map[byte]int{}
	for _, l := range append(lines(train), lines(test)...) {
		count[l]--
	}
	for _, l := range lines(test) {
		class[l[0]]++
	}
	for l, n := range count {
		if n != 0 {
			t.Errorf("%q: %d too many", l, -n)
		}
	}
	if class['0'] != 10 || class['1'] != 10 || class['2'] != 10 {
		t.Errorf("classes of the test part: %v", class)
	}
	first := lines(test)[0]
	ok(t, "split", rings, train, test, "--share", "0.25", "--seed", "2")
	if lines(test)[0] == first && lines(test)[1] == lines(test)[0] {
		t.Error("the seed changes nothing")
	}
	fails(t, 2, []string{"--share is 1"}, "split", rings, train, test, "--share", "1")
	fails(t, 2, []string{"are both"}, "split", rings, train, train)
	fails(t, 2, []string{"are both"}, "split", rings, filepath.Join(dir, "new.csv"), dir+"/./new.csv")
	if link := filepath.Join(dir, "link.libsvm"); os.Symlink(train, link) == nil {
		fails(t, 2, []string{"are both"}, "split", rings, train, link)
	}
}

// predict --json writes what serve answers; --top is the number of labels.
func TestPredictJSON(t *testing.T) {
	dir := small(t)
	rings, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "linear", "--data", rings, "-o", model)
	plain := strings.Split(ok(t, "predict", "--model", model, "--data", rings, "-o", "-"), "\n")
	for i, line := range strings.Split(strings.TrimSpace(ok(t, "predict", "--model", model, "--data", rings, "-o", "-", "--json", "--scores")), "\n") {
		var got struct {
			Class  string
			Scores []float64
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.Class != plain[i] || len(got.Scores) != 3 {
			t.Fatalf("line %d: %s, %v, want class %s", i+1, line, err, plain[i])
		}
	}
	fails(t, 2, []string{"--top is 0"}, "predict", "--model", model, "--data", rings, "-o", "-", "--top", "0")
}

// The version is one line, and the same as an object and as a flag.
func TestVersion(t *testing.T) {
	line := ok(t, "version")
	if !strings.HasPrefix(line, "gram ") || !strings.Contains(line, runtime.Version()) || !strings.Contains(line, "level ") || strings.Count(line, "\n") != 1 {
		t.Errorf("%q", line)
	}
	if flag := ok(t, "--version"); flag != line {
		t.Errorf("--version says %q, version %q", flag, line)
	}
	var v version
	if err := json.Unmarshal([]byte(ok(t, "version", "--json")), &v); err != nil || v.String()+"\n" != line {
		t.Errorf("%+v, %v", v, err)
	}
}

// The signatures are the same at another level.
func TestSignature(t *testing.T) {
	want := ok(t, "signature")
	restore, err := cpu.Lower(cpu.Generic)
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	if got := ok(t, "signature"); got != want || strings.Count(got, "\n") != len(bench.Signatures()) || !strings.HasPrefix(got, "random numbers ") {
		t.Errorf("%q, at the lowest level %q", want, got)
	}
}

// A name that is nearly right is answered with the right one.
func TestNearMisses(t *testing.T) {
	dir := small(t)
	rings, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	fails(t, 2, []string{"did you mean nystrom?"}, "fit", "--method", "nystroem", "--data", rings, "-o", model)
	fails(t, 2, []string{"did you mean svm?"}, "fit", "--method", "SVM", "--data", rings, "-o", model)
	fails(t, 2, []string{"did you mean landmarks?"}, "fit", "--method", "nystrom", "--data", rings, "-o", model, "--set", "landmark=uniform")
}

// A header of numbers is taken as one with --header, in memory and from a stream, and not beside --no-header.
func TestHeaderFlag(t *testing.T) {
	data, model := write(t, "years.csv", "2019,2021,7\n"+strings.Repeat("1,2,3\n4,5,7\n", 20)), filepath.Join(t.TempDir(), "m.gram")
	fit := []string{"fit", "--method", "linear", "--task", "regression", "--data", data, "-o", model}
	fails(t, 1, []string{"years.csv:1:1", "--no-header or --header"}, fit...)
	fails(t, 2, []string{"exclude"}, append(fit, "--header", "--no-header")...)
	if out := ok(t, append(fit, "--header")...); !strings.Contains(out, "40 rows, 2 columns") {
		t.Errorf("with a header: %s", out)
	}
	if out := ok(t, append(fit, "--no-header")...); !strings.Contains(out, "41 rows, 2 columns") {
		t.Errorf("without one: %s", out)
	}
	work := filepath.Join(t.TempDir(), "w")
	items := []string{"part", "items", "--work", work, "--data", data, "--task", "regression", "--method", "linear"}
	ok(t, append(items, "--header")...)
	ok(t, "part", "scan", "--work", work, "--item", "0")
}

// A name of a class with the end of a line stays in its line, in quotes.
func TestQuotedNames(t *testing.T) {
	data, model := write(t, "d.csv", "x,class\n1,plain\n2,\"two\nlines\"\n3,\"\"\"said\"\"\"\n1.1,plain\n2.1,\"two\nlines\"\n3.1,\"\"\"said\"\"\"\n"), filepath.Join(t.TempDir(), "m.gram")
	ok(t, "fit", "--method", "krr", "--data", data, "--target", "class", "--task", "classes", "--set", "gamma=10", "--set", "lambda=1e-6", "-o", model)
	if got, want := ok(t, "predict", "--model", model, "--data", data, "--target", "class", "-o", "-"), strings.Repeat("plain\n\"two\\nlines\"\n\"\\\"said\\\"\"\n", 2); got != want {
		t.Errorf("predict prints %q, want %q", got, want)
	}
}

// What cannot be written is said before any work is done, by its own name.
func TestOutputFolder(t *testing.T) {
	dir := small(t)
	rings, missing := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "none", "out")
	for _, args := range [][]string{
		{"fit", "--method", "linear", "--data", rings, "-o", missing},
		{"split", rings, filepath.Join(dir, "a.libsvm"), missing + ".libsvm"},
		{"convert", rings, missing + ".csv"},
		{"compare", "--html", missing},
		{"bench", "--quick", "--html", missing},
	} {
		fails(t, 1, []string{"there is no folder " + filepath.Dir(missing) + ": make it first"}, args...)
	}
	fails(t, 1, []string{"is a directory"}, "fit", "--method", "linear", "--data", rings, "-o", dir)
	fails(t, 1, []string{filepath.Join(rings, "m.gram")}, "fit", "--method", "linear", "--data", rings, "-o", filepath.Join(rings, "m.gram"))
}

// endless is a pipe that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A pipe without an end fills half of what is free on the disk and ends the command with a line.
func TestEndlessPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := copyWithin(path, endless{}, "standard input", 6<<20)
	if info, other := os.Stat(path); other != nil || n != 3<<20 || info.Size() != n {
		t.Errorf("%d bytes, %v", n, other)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "standard input: more than 3.0 MiB, half of what is free in "+filepath.Dir(path)) {
		t.Errorf("error %v", err)
	}
	if n, err := copyWithin(path, strings.NewReader("1,2\n"), "standard input", 0); n != 4 || err != nil {
		t.Errorf("%d bytes where the free ones are not known, %v", n, err)
	}
}
