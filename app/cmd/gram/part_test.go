package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/dataset"
)

// parts writes a regression problem into four files of so many rows, one of them compressed, and returns the
// folder.
func parts(t *testing.T, rows int) string {
	t.Helper()
	dir := t.TempDir()
	for k := range 4 {
		name := fmt.Sprintf("part-%d.csv", k)
		if k == 3 {
			name += ".gz"
		}
		if err := dataset.Save(t.Context(), filepath.Join(dir, name), dataset.Friedman1(rows, 10, .1, uint64(k))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A fit that needs more memory than allowed reads the rows in two passes and says so; the pieces
// of gram part give the same bytes, also after a piece was killed.
func TestPart(t *testing.T) {
	dir := parts(t, 4000)
	at := func(name string) string { return filepath.Join(dir, name) }
	how := []string{"--data", at("part-*"), "--task", "regression", "--method", "nystrom", "--set", "m=32", "--set", "landmarks=uniform", "--set", "gamma=0.5", "--set", "lambda=0.0001", "--scale", "minmax", "--seed", "5"}
	out, stderr, code := cli(t, append([]string{"fit", "--memory-limit", above("1300kB"), "-o", at("stream.gram"), "--json"}, how...)...)
	if code != 0 || !strings.Contains(stderr, "their 4 pieces in two passes") || strings.Count(stderr, "\n") != 1 || !strings.Contains(out, `"streamed":true`) || !strings.Contains(out, `"n":16000`) {
		t.Fatalf("exit code %d, %q, %q", code, stderr, out)
	}
	ok(t, append([]string{"fit", "-o", at("memory.gram")}, how...)...)
	rmse := func(model string) float64 {
		return figuresOf(t, ok(t, "eval", "--model", at(model), "--data", at("part-*"), "--json"))["rmse"].Value
	}
	if a, b := rmse("stream.gram"), rmse("memory.gram"); !(a < 1.1*b) {
		t.Errorf("rmse %v from a stream, %v in memory", a, b)
	}

	work := at("work")
	n, err := strconv.Atoi(strings.TrimSpace(ok(t, append([]string{"part", "items", "--work", work}, how...)...)))
	if err != nil || n != 4 {
		t.Fatalf("%d items, %v", n, err)
	}
	fails(t, 1, []string{"scan-0-000000.state"}, "part", "finish", "--work", work, "-o", at("none.gram"))
	for _, pass := range []string{"scan", "normal"} {
		kill(t, filepath.Join(work, pass+"-0-000000.state"), "part", pass, "--work", work)
		for k := range n {
			ok(t, "part", pass, "--work", work, "--item", strconv.Itoa(k))
		}
		if pass == "scan" {
			if out := ok(t, "part", "sample", "--work", work); out != "16000 rows, 10 columns, 32 features\n" {
				t.Errorf("sample: %q", out)
			}
		}
	}
	ok(t, "part", "merge", "--work", work, "--pass", "normal", "--depth", "1")
	ok(t, "part", "merge", "--work", work, "--pass", "normal")
	ok(t, "part", "finish", "--work", work, "-o", at("pieces.gram"))
	if out := ok(t, "part", "status", "--work", work); !strings.Contains(out, "\n  normal       4     4       0        0          -\nall passes of the fit are made") {
		t.Errorf("status: %q", out)
	}
	one, err := os.ReadFile(at("stream.gram"))
	if err != nil {
		t.Fatal(err)
	}
	if two, err := os.ReadFile(at("pieces.gram")); err != nil || !bytes.Equal(one, two) {
		t.Errorf("the pieces give another model, %v", err)
	}

	ok(t, "part", "predict", "--work", work, "--model", at("pieces.gram"))
	ok(t, "predict", "--model", at("pieces.gram"), "--data", at("part-*"), "--target", "target", "-o", at("all.txt"))
	want, err := os.ReadFile(at("all.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var have []byte
	for k := range n {
		b, err := os.ReadFile(filepath.Join(work, fmt.Sprintf("predictions-%06d.txt", k)))
		if err != nil {
			t.Fatal(err)
		}
		have = append(have, b...)
	}
	if !bytes.Equal(have, want) {
		t.Error("the pieces predict otherwise")
	}

	// Rows that no model was fitted to.
	fresh := at("fresh")
	ok(t, "part", "items", "--work", fresh, "--data", at("part-0.csv"), "--target", "target", "--method", "linear")
	ok(t, "part", "predict", "--work", fresh, "--model", at("pieces.gram"))
	if b, err := os.ReadFile(filepath.Join(fresh, "predictions-000000.txt")); err != nil || len(b) == 0 || !bytes.HasPrefix(want, b) {
		t.Errorf("predictions in a folder of their own differ, %v", err)
	}
}

// kill starts the command and kills it when a file of the pattern is there, or later.
func kill(t *testing.T, pattern string, args ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), "GRAM_TEST_COMMAND="+strings.Join(args, "\n"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		if files, err := filepath.Glob(pattern); err == nil && len(files) > 0 {
			_ = c.Process.Kill()
			<-ended
			return
		}
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// A damaged row is one line that names its place, from a stream and from a piece.
func TestPartErrors(t *testing.T) {
	dir := parts(t, 1000)
	at := func(name string) string { return filepath.Join(dir, name) }
	text, err := os.ReadFile(at("part-1.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	lines[700] = "oh," + lines[700]
	lines[700] = lines[700][:strings.LastIndex(lines[700], ",")]
	if err := os.WriteFile(at("part-1.csv"), []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	place := at("part-1.csv") + ":701:1: "
	work := at("work")
	how := []string{"--data", at("part-*"), "--task", "regression", "--method", "linear"}
	fails(t, 1, []string{place}, append([]string{"fit", "-o", at("m.gram")}, how...)...)
	warned(t, "part-3.csv.gz is one item", append([]string{"part", "items", "--work", work, "--item-bytes", "20kB"}, how...)...)
	fails(t, 1, []string{"gram part scan: " + place}, "part", "scan", "--work", work)
	var s job.Status
	if err := json.Unmarshal([]byte(ok(t, "part", "status", "--work", work, "--json")), &s); err != nil || len(s.Passes) != 1 || s.Passes[0].Failed != 1 || s.Passes[0].Done == 0 || !strings.Contains(s.Passes[0].Failures[0].Error, place) {
		t.Errorf("status: %+v, %v", s, err)
	}
	if out := ok(t, "part", "status", "--work", work); !strings.Contains(out, fmt.Sprintf("\nscan, piece %d: %s", s.Passes[0].Failures[0].Piece, place)) || !strings.Contains(out, "its last file was written ") {
		t.Errorf("status: %q", out)
	}
	fails(t, 1, []string{dir + " is no folder of a job"}, "part", "status", "--work", dir)
	fails(t, 1, []string{"another job"}, append([]string{"part", "items", "--work", work, "--seed", "2"}, how...)...)
	for _, args := range [][]string{
		{"items"}, {"items", "--work", work}, {"items", "--work", work, "--data", at("part-0.csv")}, {"items", "--work", work, "--data", "-", "--method", "linear"},
		{"items", "--work", work, "--data", at("part-0.csv"), "--method", "svr"}, {"items", "--work", work, "--data", at("part-0.csv"), "--method", "linear", "--sample", "-1"},
		{"items", "--work", work, "--data", at("part-0.csv"), "--method", "linear", "--cap", "-1"}, {"items", "--work", work, "--data", at("part-0.csv"), "--method", "linear", "--cap", "5"},
		{"status"}, {"scan"}, {"scan", "--work", work, "--item", "100000"}, {"scan", "--work", work, "--item", "-5"}, {"merge", "--work", work, "--pass", "other"}, {"finish", "--work", work}, {"predict", "--work", work},
	} {
		fails(t, 2, nil, append([]string{"part"}, args...)...)
	}
	if out := ok(t, "part"); !strings.Contains(out, "gram part finish") {
		t.Errorf("gram part prints %q", out)
	}
}

// Classes that do not fit into memory are learned from a stream, and piece by piece as gram part
// next says; a fixed number of steps gives the same model.
func TestPartClasses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for k := range 3 {
		set := dataset.Friedman1(4000, 10, .1, uint64(k))
		set.Labels.Names = []string{"low", "high"}
		for _, v := range set.Value {
			set.Labels.Class = append(set.Labels.Class, map[bool]int{v > 14: 1}[true])
		}
		set.Value = nil
		if err := dataset.Save(t.Context(), at(fmt.Sprintf("part-%d.csv", k)), set); err != nil {
			t.Fatal(err)
		}
	}
	how := []string{"--data", at("part-*"), "--method", "linear", "--set", "c=10"}
	out, stderr, code := cli(t, append([]string{"fit", "--memory-limit", above("750kB"), "-o", at("stream.gram"), "--json"}, how...)...)
	if code != 0 || !strings.Contains(stderr, "their 3 pieces in about ten passes") || strings.Count(stderr, "\n") != 1 || !strings.Contains(out, `"classes":2`) {
		t.Fatalf("exit code %d, %q, %q", code, stderr, out)
	}
	ok(t, append([]string{"fit", "-o", at("memory.gram")}, how...)...)
	rate := func(model string) float64 {
		return figuresOf(t, ok(t, "eval", "--model", at(model), "--data", at("part-*"), "--json"))["accuracy"].Value
	}
	if a, b := rate("stream.gram"), rate("memory.gram"); !(math.Abs(a-b) < .01) || !(a > .8) {
		t.Errorf("accuracy %v from a stream, %v in memory", a, b)
	}
	ok(t, append([]string{"part", "items", "--work", at("loop")}, how...)...)
	var steps []string
	for {
		step, pieces, _ := strings.Cut(strings.TrimSpace(ok(t, "part", "next", "--work", at("loop"))), " ")
		if step == "finish" {
			break
		}
		if pieces != "3" {
			t.Errorf("%s has %s pieces", step, pieces)
		}
		steps = append(steps, step)
		ok(t, "part", step, "--work", at("loop"))
	}
	if want := "[scan" + strings.Repeat(" newton", len(steps)-1) + "]"; fmt.Sprint(steps) != want || !strings.Contains(out, fmt.Sprintf(`"passes":%d`, len(steps))) {
		t.Errorf("steps %v, %s", steps, out)
	}
	ok(t, "part", "finish", "--work", at("loop"), "-o", at("loop.gram"))
	ok(t, append([]string{"part", "items", "--work", at("fixed")}, how...)...)
	ok(t, "part", "scan", "--work", at("fixed"))
	for step := range 3 {
		ok(t, "part", "newton", "--work", at("fixed"), "--step", strconv.Itoa(step))
	}
	if _, stderr, code := cli(t, "part", "finish", "--work", at("fixed"), "-o", at("fixed.gram")); code != 0 || !strings.Contains(stderr, "warning") {
		t.Errorf("after three steps: %d, %q", code, stderr)
	}
	for step := 3; step < 20; step++ {
		ok(t, "part", "newton", "--work", at("fixed"), "--step", strconv.Itoa(step))
	}
	if out := ok(t, "part", "finish", "--work", at("fixed"), "-o", at("fixed.gram")); !strings.Contains(out, "12000 rows, 10 columns, 2 classes") {
		t.Errorf("finish prints %q", out)
	}
	want, err := os.ReadFile(at("stream.gram"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"loop.gram", "fixed.gram"} {
		if have, err := os.ReadFile(at(name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is another model, %v", name, err)
		}
	}
}

// A divided fit makes no model of more rows than the cap; the model, a file and a folder, predicts,
// is evaluated and is shown by gram info.
func TestPartDivided(t *testing.T) {
	dir := parts(t, 4000)
	at := func(name string) string { return filepath.Join(dir, name) }
	how := []string{"--data", at("part-0.csv"), "--task", "regression", "--method", "dc-krr", "--set", "lambda=0.01", "--item-bytes", "200kB", "--cap", "400"}
	ok(t, append([]string{"part", "items", "--work", at("work")}, how...)...)
	var steps []string
	for {
		step, pieces, _ := strings.Cut(strings.TrimSpace(ok(t, "part", "next", "--work", at("work"))), " ")
		if step == "finish" {
			break
		}
		n, err := strconv.Atoi(pieces)
		if err != nil || n < 2 {
			t.Fatalf("%s of %s pieces", step, pieces)
		}
		steps = append(steps, step)
		for k := n - 1; k >= 0; k-- {
			ok(t, "part", step, "--work", at("work"), "--item", strconv.Itoa(k))
		}
		fails(t, 2, nil, "part", step, "--work", at("work"), "--item", pieces)
	}
	if !slices.Equal(steps, []string{"scan", "assign", "fit"}) {
		t.Errorf("steps %v", steps)
	}
	if out := ok(t, "part", "finish", "--work", at("work"), "-o", at("divided.gram")); !strings.Contains(out, "4000 rows, 10 columns, values, ") || !strings.Contains(out, " parts;") {
		t.Errorf("finish prints %q", out)
	}
	if out := ok(t, "part", "sample", "--work", at("work")); !strings.Contains(out, " parts\n") {
		t.Errorf("sample prints %q", out)
	}
	if e := figuresOf(t, ok(t, "eval", "--model", at("divided.gram"), "--data", at("part-1.csv"), "--json"))["rmse"].Value; !(e < 2) {
		t.Errorf("rmse %v", e)
	}
	ok(t, "inspect", at("divided.gram"))
	ok(t, "part", "predict", "--work", at("work"), "--model", at("divided.gram"))
	if err := os.Remove(filepath.Join(at("divided.gram.parts"), "000001.gram")); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"000001.gram"}, "predict", "--model", at("divided.gram"), "--data", at("part-1.csv"), "--target", "target", "-o", at("none.txt"))
}

// gram part eval measures as gram eval does, for values, for classes, in the folder of a fit and in
// one of its own, and does not take the sums of another model.
func TestPartEval(t *testing.T) {
	dir := parts(t, 1000)
	at := func(name string) string { return filepath.Join(dir, name) }
	items := []string{"--data", at("part-*"), "--task", "regression", "--method", "linear"}
	ok(t, append([]string{"part", "items", "--work", at("work")}, items...)...)
	for _, step := range []string{"scan", "normal"} {
		ok(t, "part", step, "--work", at("work"))
	}
	ok(t, "part", "finish", "--work", at("work"), "-o", at("one.gram"))
	ok(t, "fit", "--data", at("part-0.csv"), "--task", "regression", "--method", "linear", "-o", at("other.gram"))
	agree := func(work, model, data string, metrics ...string) {
		t.Helper()
		for k := range 2 { // these pieces are not made again
			ok(t, append([]string{"part", "eval", "--work", at(work), "--model", at(model), "--item", strconv.Itoa(k)}, metrics...)...)
		}
		have := figuresOf(t, ok(t, append([]string{"part", "eval", "--work", at(work), "--model", at(model), "--json"}, metrics...)...))
		want := figuresOf(t, ok(t, append([]string{"eval", "--model", at(model), "--data", at(data), "--json"}, metrics...)...))
		if len(have) != len(want) {
			t.Errorf("%s: measures %v, want %v", model, have, want)
		}
		for name, f := range want {
			if v := have[name]; v.N != f.N || !(math.Abs(v.Value-f.Value) <= 1e-12*math.Abs(f.Value)) {
				t.Errorf("%s: %s is %v of pieces, %v of all rows", model, name, v, f)
			}
		}
	}
	agree("work", "one.gram", "part-*")
	agree("work", "other.gram", "part-*")
	if text := ok(t, "part", "eval", "--work", at("work"), "--model", at("one.gram")); !strings.Contains(text, "\n4000 rows\n") || !strings.HasPrefix(text, "rmse ") {
		t.Errorf("eval prints %q", text)
	}
	if err := dataset.Save(t.Context(), at("rings.libsvm"), dataset.Rings(500, 2, .1, 1)); err != nil {
		t.Fatal(err)
	}
	ok(t, "fit", "--data", at("rings.libsvm"), "--method", "nystrom", "--set", "m=16", "-o", at("rings.gram"), "--proba=platt")
	ok(t, "part", "items", "--work", at("rings"), "--data", at("rings.libsvm"), "--method", "linear", "--item-bytes", "6kB")
	agree("rings", "rings.gram", "rings.libsvm")
	agree("rings", "rings.gram", "rings.libsvm", "--metric", "accuracy,brier")
	fails(t, 2, []string{"rmse"}, "part", "eval", "--work", at("rings"), "--model", at("rings.gram"), "--metric", "rmse")
	fails(t, 1, []string{"task"}, "part", "eval", "--work", at("work"), "--model", at("rings.gram"))
	// A state that was damaged is made again.
	states, err := filepath.Glob(filepath.Join(at("work"), "eval-*-0-000000.state"))
	if err != nil || len(states) != 2 {
		t.Fatalf("%q, %v", states, err)
	}
	for _, path := range states {
		if err := os.WriteFile(path, []byte("damaged"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	agree("work", "one.gram", "part-*")
}

// gram fit --warm goes on from a model, also into its own file, and refuses what would be other than it.
func TestFitWarm(t *testing.T) {
	dir := small(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	fit := []string{"fit", "--data", at("rings.libsvm"), "-o", at("m.gram")}
	ok(t, append(slices.Clone(fit), "--method", "gbdt", "--set", "rounds=3")...)
	if out := ok(t, append(slices.Clone(fit), "--warm", at("m.gram"), "--set", "rounds=2")...); !strings.HasPrefix(out, "gbdt: 120 rows") {
		t.Errorf("fit --warm prints %q", out)
	}
	ok(t, "fit", "--data", at("rings.libsvm"), "-o", at("five.gram"), "--method", "gbdt", "--set", "rounds=5")
	evaluate := func(model string) float64 {
		return figuresOf(t, ok(t, "eval", "--model", at(model), "--data", at("rings.libsvm"), "--metric", "auc", "--json"))["auc"].Value
	}
	if a, b := evaluate("m.gram"), evaluate("five.gram"); !(math.Abs(a-b) <= 1e-9) {
		t.Errorf("auc %v after 3 rounds and 2 more, %v after 5", a, b)
	}
	straight := []string{"fit", "--data", at("friedman.csv"), "-o", at("n.gram")}
	ok(t, append(slices.Clone(straight), "--method", "nystrom", "--scale", "minmax", "--set", "m=20")...)
	if out := ok(t, append(slices.Clone(straight), "--warm", at("n.gram"))...); strings.Contains(out, "scaled") {
		t.Errorf("a model with its own scaling: fit --warm prints %q", out)
	}
	fails(t, 2, []string{"--scale"}, append(slices.Clone(fit), "--warm", at("m.gram"), "--scale", "minmax")...)
	fails(t, 2, []string{"krr", "gbdt"}, append(slices.Clone(fit), "--warm", at("m.gram"), "--method", "krr")...)
	ok(t, "fit", "--data", at("rings.libsvm"), "-o", at("linear.gram"), "--method", "linear")
	fails(t, 1, []string{"linear", "gbdt, fastnys"}, append(slices.Clone(fit), "--warm", at("linear.gram"))...)
	fails(t, 1, []string{"friedman.csv"}, "fit", "--data", at("friedman.csv"), "-o", at("x.gram"), "--warm", at("m.gram"))
}

// A fit that needs too much memory is divided and says so, with the bytes of the pieces; it leaves nothing
// but the model. One that cannot be divided says how it could be.
func TestInParts(t *testing.T) {
	dir := small(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	fails(t, 1, []string{"needs", "gram part items --cap 3000 --method svm", "--method nystrom"}, "fit", "--method", "svm", "--proba=platt", "--data", at("rings.libsvm"), "-o", at("x.gram"), "--memory-limit", above("1kB"))
	fails(t, 1, []string{"needs", "the limit is 64.0 MiB"}, "fit", "--method", "svm", "--data", at("rings.libsvm"), "-o", at("x.gram"), "--memory-limit", above("1kB"))
	if err := dataset.Save(t.Context(), at("many.csv"), dataset.Friedman1(4000, 5, .1, 1)); err != nil {
		t.Fatal(err)
	}
	how := []string{"--method", "krr", "--set", "lambda=0.01", "--data", at("many.csv"), "--task", "regression"}
	out, stderr, code := cli(t, append([]string{"fit", "--memory-limit", above("90MB"), "-o", at("fit.gram"), "--json"}, how...)...)
	if code != 0 || !strings.Contains(stderr, "divides the rows into 4 parts") || !strings.Contains(out, `"parts":4`) {
		t.Fatalf("exit %d: %s%s", code, out, stderr)
	}
	if left, err := filepath.Glob(at(".gram-*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	ok(t, append([]string{"part", "items", "--work", at("w"), "--cap", "3000"}, how...)...)
	for _, step := range []string{"scan", "assign", "fit"} {
		ok(t, "part", step, "--work", at("w"))
	}
	ok(t, "part", "finish", "--work", at("w"), "-o", at("pieces.gram"))
	for _, name := range []string{"", ".parts/000000.gram", ".parts/000003.gram"} {
		want, err := os.ReadFile(at("pieces.gram" + name))
		if err != nil {
			t.Fatal(err)
		}
		if have, err := os.ReadFile(at("fit.gram" + name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("fit.gram%s is not that of the pieces, %v", name, err)
		}
	}
}

// Trees of more rows than fit into memory have the bytes of those in memory if the sample is all rows,
// and leave no file, and so have those of pieces.
func TestTreesOnDisk(t *testing.T) {
	dir := parts(t, 2000)
	at := func(name string) string { return filepath.Join(dir, name) }
	how := []string{"fit", "--data", at("part-*"), "--task", "regression", "--method", "gbdt", "--set", "rounds=2", "--set", "bins=40", "--set", "leaves=6"}
	_, stderr, code := cli(t, append(slices.Clone(how), "-o", at("disk.gram"), "--memory-limit", above("660kB"))...)
	if code != 0 || !strings.Contains(stderr, "bins of all cells in a file") {
		t.Fatalf("exit code %d, %q", code, stderr)
	}
	warned(t, "a linear model does better", append(slices.Clone(how), "-o", at("memory.gram"))...)
	disk, err := os.ReadFile(at("disk.gram"))
	if err != nil {
		t.Fatal(err)
	}
	if memory, err := os.ReadFile(at("memory.gram")); err != nil || !bytes.Equal(disk, memory) {
		t.Errorf("the model on disk differs, %v", err)
	}
	if left, err := filepath.Glob(at(".gram-bins-*")); err != nil || len(left) > 0 {
		t.Errorf("files %q are left, %v", left, err)
	}
	// Pieces of them, too, the last one first, after a process that made all was killed.
	ok(t, append([]string{"part", "items", "--work", at("w")}, how[1:]...)...)
	killed := ""
	var steps []string
	for {
		step, pieces, _ := strings.Cut(strings.TrimSpace(ok(t, "part", "next", "--work", at("w"))), " ")
		if step == "finish" {
			break
		}
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps = append(steps, step)
		}
		if step != killed {
			killed = step
			kill(t, filepath.Join(at("w"), step+"-*0-000000.state"), "part", step, "--work", at("w"))
		}
		n, err := strconv.Atoi(pieces)
		if err != nil || n != 4 {
			t.Fatalf("%s of %q pieces", step, pieces)
		}
		for k := n - 1; k >= 0; k-- {
			ok(t, "part", step, "--work", at("w"), "--item", strconv.Itoa(k))
		}
	}
	if !slices.Equal(steps, []string{"scan", "bins", "trees"}) {
		t.Errorf("steps %v", steps)
	}
	ok(t, "part", "finish", "--work", at("w"), "-o", at("pieces.gram"))
	if pieces, err := os.ReadFile(at("pieces.gram")); err != nil || !bytes.Equal(disk, pieces) {
		t.Errorf("the model of pieces differs, %v", err)
	}
	ok(t, append([]string{"part", "items", "--work", at("refused"), "--set", "row-sample=0.5"}, how[1:]...)...)
	ok(t, "part", "scan", "--work", at("refused"))
	fails(t, 1, []string{"row-sample is 0.5, want 1"}, "part", "next", "--work", at("refused"))
	if _, stderr, code := cli(t, append(slices.Clone(how), "-o", at("no.gram"), "--memory-limit", above("660kB"), "--set", "row-sample=0.5")...); code != 1 || !strings.Contains(stderr, "row-sample is 0.5, want 1") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// falkon on more rows than fit into memory makes passes over the files; pieces give the same bytes, the last one first, after a
// process that made all was killed.
func TestFalkonByPasses(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	dir := parts(t, 4000)
	at := func(name string) string { return filepath.Join(dir, name) }
	how := []string{"--data", at("part-*"), "--task", "regression", "--method", "falkon", "--set", "m=30", "--set", "gamma=0.5", "--set", "lambda=0.1", "--set", "tol=0.001", "--scale", "minmax", "--seed", "5"}
	out, stderr, code := cli(t, append([]string{"fit", "--memory-limit", above("1300kB"), "-o", at("stream.gram"), "--json"}, how...)...)
	if code != 0 || !strings.Contains(stderr, "their 4 pieces in a pass for each product") || !strings.Contains(stderr, "as numbers in a file of about 1.3 MiB beside the model") || strings.Count(stderr, "\n") != 1 || !strings.Contains(out, `"streamed":true`) || !strings.Contains(out, `"n":16000`) {
		t.Fatalf("exit code %d, %q, %q", code, stderr, out)
	}
	want, err := os.ReadFile(at("stream.gram"))
	if err != nil {
		t.Fatal(err)
	}
	var plan planned
	if err := json.Unmarshal([]byte(ok(t, append([]string{"fit", "--plan", "--json", "--memory-limit", above("1300kB")}, how...)...)), &plan); err != nil {
		t.Fatal(err)
	}
	var size int64
	for k := range 4 {
		info, err := os.Stat(at("part-" + strconv.Itoa(k) + ".csv" + strings.Repeat(".gz", k/3)))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if plan.Passes != 22 || plan.FilePasses != 2 || plan.ReadBytes != 2*size || plan.DiskBytes != 16000*8*11 || !(plan.PeakBytes > 16000*10*8) || plan.N != 16000 {
		t.Errorf("the plan %+v of files of %d bytes", plan, size)
	}
	if text := ok(t, append([]string{"fit", "--plan", "--memory-limit", above("1300kB")}, how...)...); !strings.Contains(text, "in about 2 passes over the files, which read") || !strings.Contains(text, "and 20 over 1.3 MiB of numbers on disk") {
		t.Errorf("the plan: %s", text)
	}
	ok(t, append([]string{"part", "items", "--work", at("w")}, how...)...)
	passes, products := 0, false
	for {
		step, pieces, _ := strings.Cut(strings.TrimSpace(ok(t, "part", "next", "--work", at("w"))), " ")
		if step == "finish" {
			break
		}
		if pieces != "4" || step != map[bool]string{true: "scan", false: "products"}[passes == 0] {
			t.Fatalf("pass %d is %s of %q pieces", passes, step, pieces)
		}
		if passes++; step == "products" && !products {
			products = true
			fails(t, 1, []string{"products-000 is not complete"}, "part", "finish", "--work", at("w"), "-o", at("no.gram"))
			kill(t, at("w/products-000-0-000000.state"), "part", "products", "--work", at("w"))
		}
		for k := 3; k >= 0; k-- {
			ok(t, "part", step, "--work", at("w"), "--item", strconv.Itoa(k))
		}
		ok(t, "part", "merge", "--work", at("w"), "--pass", step)
	}
	if passes < 5 || !strings.Contains(out, fmt.Sprintf(`"passes":%d`, passes)) {
		t.Errorf("%d passes in pieces, %s", passes, out)
	}
	ok(t, "part", "finish", "--work", at("w"), "-o", at("pieces.gram"))
	if pieces, err := os.ReadFile(at("pieces.gram")); err != nil || !bytes.Equal(pieces, want) {
		t.Errorf("the model of pieces differs, %v", err)
	}
}

// A table with texts and missing cells that does not fit into memory is learned from a stream, with the
// texts only behind what is looked at beforehand, too, and in pieces.
func TestStreamOfTable(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var b strings.Builder
	b.WriteString("age,\"color, or none\",x,y\n")
	for i := range 16000 {
		age, color := fmt.Sprint(20+i%50), []string{"red", `"dark, blue"`, "green"}[i%3]
		if i%10 == 9 {
			age = "NA"
		}
		fmt.Fprintf(&b, "%s,%s,%.4f,%.4f\n", age, color, float64(i%997)/997, float64(i%50)/10+2*float64(i%3)+float64(i%997)/997)
	}
	if err := os.WriteFile(at("a.csv"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	rmse := func(model string) string {
		text, _, _ := strings.Cut(ok(t, "eval", "--model", at(model), "--data", at("a.csv")), "\n")
		return text
	}
	for _, how := range [][]string{{"--method", "linear", "--scale", "standard"}, {"--method", "gbdt", "--set", "rounds=3", "--fill", "mean"}} {
		how = append([]string{"fit", "--data", at("a.csv")}, how...)
		out, stderr, code := cli(t, append(how, "--memory-limit", above("700kB"), "-o", at("stream.gram"))...)
		if code != 0 || !strings.Contains(stderr, "in three passes") || !strings.Contains(out, "2 numbers, 1 category, 1 column with missing cells") {
			t.Fatalf("%v: exit code %d, %q, %q", how, code, stderr, out)
		}
		if _, stderr, code := cli(t, append(how, "-o", at("memory.gram"))...); code != 0 {
			t.Fatalf("%v: exit code %d, %q", how, code, stderr)
		}
		if a, b := rmse("stream.gram"), rmse("memory.gram"); a != b {
			t.Errorf("%v: %q from a stream, %q in memory", how, a, b)
		}
	}
	ok(t, "part", "items", "--work", at("w"), "--data", at("a.csv"), "--method", "linear", "--scale", "standard", "--item-bytes", "100kB")
	for _, pass := range []string{"survey", "scan", "normal"} {
		if next := ok(t, "part", "next", "--work", at("w")); !strings.HasPrefix(next, pass+" ") {
			t.Errorf("the next pass is %q, want %s", next, pass)
		}
		ok(t, "part", pass, "--work", at("w"))
	}
	ok(t, "part", "finish", "--work", at("w"), "-o", at("pieces.gram"))
	ok(t, "fit", "--data", at("a.csv"), "--method", "linear", "--scale", "standard", "-o", at("memory.gram"))
	if a, b := rmse("pieces.gram"), rmse("memory.gram"); a != b {
		t.Errorf("%q from pieces, %q in memory", a, b)
	}

	// A wrong row of a file that is no table is named as it is.
	if err := os.WriteFile(at("a.libsvm"), []byte(strings.Repeat("1.5 1:2 3:4\n2.5 2:1\n", 10000)+"1.5 1:x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := cli(t, "fit", "--data", at("a.libsvm"), "--task", "regression", "--method", "linear", "--memory-limit", above("150kB"), "-o", at("no.gram")); code != 1 || !strings.Contains(stderr, "a.libsvm:20001:") {
		t.Errorf("exit code %d, %q", code, stderr)
	}

	// A megabyte of numbers, and then a missing cell.
	b.Reset()
	b.WriteString("u,v,y\n")
	for i := range 45000 {
		fmt.Fprintf(&b, "%d.25,%d.5,%d.5\n", i%71, i%97, i%71+i%97)
	}
	b.WriteString(",3,4\n")
	if err := os.WriteFile(at("late.csv"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := cli(t, "fit", "--data", at("late.csv"), "--method", "linear", "--memory-limit", above("900kB"), "-o", at("late.gram")); code != 0 || !strings.Contains(stderr, "in three passes") || !strings.Contains(stderr, "medians of a sample of 20000 rows") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// A path of a bucket, which this program cannot read, is said to be one.
func TestBuckets(t *testing.T) {
	const far = "s3://b/part-*.csv"
	want := []string{far, "this program was built without stores for s3://"}
	dir := t.TempDir()
	fails(t, 1, want, "part", "items", "--work", filepath.Join(dir, "w"), "--data", far, "--task", "regression", "--method", "linear")
	fails(t, 1, want, "fit", "--data", far, "--method", "linear", "-o", filepath.Join(dir, "m.gram"))
	data := write(t, "a.csv", "x,y\n1,2.5\n2,3.5\n3,4.5\n")
	fails(t, 1, []string{"s3://b/m.gram: this program was built without stores"}, "fit", "--data", data, "--task", "regression", "--method", "linear", "-o", "s3://b/m.gram")
}
