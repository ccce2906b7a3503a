package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
)

// small writes two problems into a new directory and returns it: rings.libsvm
// with three classes and friedman.csv with values.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := dataset.Save(t.Context(), filepath.Join(dir, "rings.libsvm"), dataset.Rings(120, 3, .1, 1)); err != nil {
		t.Fatal(err)
	}
	if err := dataset.Save(t.Context(), filepath.Join(dir, "friedman.csv"), dataset.Friedman1(150, 6, .1, 1)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// write writes a file into a new directory and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func figuresOf(t *testing.T, out string) map[string]figure {
	t.Helper()
	all := map[string]figure{}
	for _, l := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		d := json.NewDecoder(strings.NewReader(l))
		d.DisallowUnknownFields()
		var f figure
		if err := d.Decode(&f); err != nil {
			t.Fatalf("line %q: %v", l, err)
		}
		all[f.Metric] = f
	}
	return all
}

func TestFitPredictEval(t *testing.T) {
	dir := small(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		name, data, metric string
		least              float64 // of the metric
		args               []string
	}{
		{"linear svm", "rings.libsvm", "accuracy", 0.3, []string{"--method", "linear"}},
		{"linear logistic", "rings.libsvm", "accuracy", 0.3, []string{"--method", "linear", "--set", "model=logistic"}},
		{"linear ridge", "friedman.csv", "r2", 0.5, []string{"--method", "linear", "--task", "regression"}},
		{"nystrom svm", "rings.libsvm", "accuracy", 0.95, []string{"--method", "nystrom", "--set", "m=40", "--set", "gamma=1"}},
		{"nystrom logistic", "rings.libsvm", "accuracy", 0.95, []string{"--method", "nystrom", "--set", "m=40", "--set", "model=logistic", "--set", "c=10", "--set", "gamma=median"}},
		{"nystrom ridge", "friedman.csv", "r2", 0.9, []string{"--method", "nystrom", "--task", "regression", "--set", "m=60", "--scale", "standard"}},
		{"nystrom uniform matern", "friedman.csv", "r2", 0.8, []string{"--method", "nystrom", "--task", "regression", "--set", "m=60", "--set", "landmarks=uniform", "--set", "kernel=matern", "--scale", "unit"}},
		{"polynomial minmax", "rings.libsvm", "accuracy", 0.7, []string{"--method", "nystrom", "--set", "kernel=polynomial", "--set", "m=20", "--set", "c=100", "--set", "model=logistic", "--scale", "minmax"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			model, output := filepath.Join(t.TempDir(), "model.gram"), filepath.Join(t.TempDir(), "out.txt")
			fit := ok(t, append([]string{"fit", "--data", in(c.data), "-o", model, "--json"}, c.args...)...)
			var f fitted
			if err := json.Unmarshal([]byte(fit), &f); err != nil || f.N == 0 || f.ModelBytes == 0 || !f.Converged {
				t.Errorf("fit reports %q: %v", fit, err)
			}
			all := figuresOf(t, ok(t, "eval", "--model", model, "--data", in(c.data), "--json"))
			got, there := all[c.metric]
			if !there || !(got.Value >= c.least) || got.N != f.N || !(got.RowsPerSecond > 0) {
				t.Errorf("eval reports %+v, want %s of at least %g on %d rows", all, c.metric, c.least, f.N)
			}
			predict := []string{"predict", "--model", model, "--data", in(c.data), "-o", output}
			if strings.HasSuffix(c.data, ".csv") {
				predict = append(predict, "--target", "7")
			}
			if out := ok(t, predict...); out != "" {
				t.Errorf("predict prints %q", out)
			}
			lines, err := os.ReadFile(output)
			if err != nil || strings.Count(string(lines), "\n") != f.N {
				t.Errorf("%d lines of predictions (%v), want %d", strings.Count(string(lines), "\n"), err, f.N)
			}
			// The figures of eval must follow from the output of predict.
			if c.metric == "accuracy" {
				s, err := dataset.Open(in(c.data), dataset.Options{})
				if err != nil {
					t.Fatal(err)
				}
				right := 0
				for i, l := range strings.Fields(string(lines)) {
					if l == s.Labels.Names[s.Labels.Class[i]] {
						right++
					}
				}
				if v := float64(right) / float64(f.N); v != got.Value {
					t.Errorf("accuracy by the predictions is %g, eval says %g", v, got.Value)
				}
			}
			for i, a := range predict {
				if a == output {
					predict[i] = "-"
				}
			}
			if out := ok(t, predict...); out != string(lines) {
				t.Error("predictions on standard output differ from those in the file")
			}
		})
	}
}

func TestScores(t *testing.T) {
	dir := small(t)
	model := filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "linear", "--data", filepath.Join(dir, "rings.libsvm"), "-o", model)
	out := ok(t, "predict", "--model", model, "--data", filepath.Join(dir, "rings.libsvm"), "-o", "-", "--scores")
	for _, l := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if len(strings.Fields(l)) != 4 {
			t.Fatalf("line %q, want a class and three scores", l)
		}
	}
}

func TestPlanAndList(t *testing.T) {
	dir := small(t)
	data := filepath.Join(dir, "rings.libsvm")
	var p planned
	if err := json.Unmarshal([]byte(ok(t, "fit", "--method", "nystrom", "--data", data, "--plan", "--json")), &p); err != nil {
		t.Fatal(err)
	}
	if p.N != 120 || p.D != 2 || !(p.Flops > 0) || p.PeakBytes <= 0 || p.ModelBytes <= 0 {
		t.Errorf("plan %+v", p)
	}
	if out := ok(t, "fit", "--method", "linear", "--data", data, "--plan"); !strings.Contains(out, "120 rows") {
		t.Errorf("plan %q", out)
	}
	if out := ok(t, "fit", "--list"); !strings.Contains(out, "nystrom") || !strings.Contains(out, "linear") {
		t.Errorf("methods %q", out)
	}
	if out := ok(t, "fit", "--list", "--method", "nystrom"); !strings.Contains(out, "gamma") || !strings.Contains(out, "landmarks") {
		t.Errorf("settings %q", out)
	}
	onlyFiles(t, dir, "friedman.csv", "rings.libsvm")
}

// A fit gives the same model for any number of workers, byte for byte.
func TestWorkers(t *testing.T) {
	dir := small(t)
	for _, args := range [][]string{
		{"--method", "nystrom", "--data", filepath.Join(dir, "rings.libsvm"), "--set", "m=30"},
		{"--method", "nystrom", "--data", filepath.Join(dir, "friedman.csv"), "--task", "regression", "--set", "m=30", "--scale", "minmax"},
		{"--method", "linear", "--data", filepath.Join(dir, "rings.libsvm"), "--set", "model=logistic"},
	} {
		var first []byte
		for _, workers := range []string{"1", "2", "7"} {
			model := filepath.Join(t.TempDir(), "m.gram")
			ok(t, append([]string{"fit", "-o", model, "--workers", workers}, args...)...)
			b, err := os.ReadFile(model)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = b
			}
			if !bytes.Equal(first, b) {
				t.Errorf("%v: the model of %s workers is not that of 1", args, workers)
			}
		}
	}
}

func TestUsageOfWork(t *testing.T) {
	dir := small(t)
	data, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fit"}, "--data"},
		{[]string{"fit", "--method", "nope", "--data", data, "-o", model}, "nystrom"},
		{[]string{"fit", "--method", "linear", "-o", model}, "--data"},
		{[]string{"fit", "--method", "linear", "--data", data}, "-o"},
		{[]string{"fit", "--method", "linear", "--data", data, "-o", model, "--set", "nope=1"}, "no setting \"nope\""},
		{[]string{"fit", "--method", "linear", "--data", data, "-o", model, "--set", "c"}, "name=value"},
		{[]string{"fit", "--method", "linear", "--data", data, "-o", model, "--set", "c=x"}, "c=x"},
		{[]string{"fit", "--method", "nystrom", "--data", data, "-o", model, "--set", "kernel=nope"}, "gaussian"},
		{[]string{"fit", "--method", "nystrom", "--data", data, "-o", model, "--set", "gamma=big"}, "scale, median or mean"},
		{[]string{"fit", "--method", "linear", "--data", data, "-o", model, "--format", "nope"}, "format"},
		{[]string{"fit", "--method", "linear", "--data", data, "-o", model, "--task", "nope"}, "task"},
		{[]string{"fit", "--method", "linear", "--data", data, "-o", model, "--scale", "nope"}, "minmax"},
		{[]string{"fit", "--method", "linear", "--data", data, "-o", model, "--memory-limit", "lots"}, "500MB"},
		{[]string{"fit", "--method", "linear", "--data", data, "-o", model, "--workers", "-1"}, "--workers"},
		{[]string{"fit", "--method", "linear", "--data", data, "-o", model, "--dim", "-1"}, "--dim"},
		{[]string{"predict", "--data", data, "-o", model}, "--model"},
		{[]string{"predict", "--model", model, "-o", model}, "--data"},
		{[]string{"predict", "--model", model, "--data", data}, "-o"},
		{[]string{"eval", "--data", data}, "--model"},
		{[]string{"eval", "--model", model}, "--data"},
		{[]string{"compare", "--test", data}, "--data"},
		{[]string{"compare", "--exact-rows", "-1"}, "--exact-rows"},
		{[]string{"convert", data}, "gram convert IN OUT"},
		{[]string{"convert", data, model, "--to", "nope"}, "format"},
	} {
		fails(t, 2, []string{c.want}, c.args...)
	}
	onlyFiles(t, dir, "friedman.csv", "rings.libsvm")
}

func TestBadData(t *testing.T) {
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	fmt.Fprint(z, strings.Repeat("1 1:0.5 2:0.25\n-1 1:0.75 2:1\n", 500))
	z.Close()
	good := strings.Repeat("1 1:0.5 2:0.25\n-1 1:0.75 2:1\n", 20)
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"truncated gzip", "a.libsvm.gz", gz.String()[:gz.Len()-9], []string{"a.libsvm.gz"}},
		{"cut gzip header", "a.libsvm.gz", gz.String()[:5], []string{"a.libsvm.gz"}},
		{"NaN in a cell", "a.libsvm", good + "1 1:nan\n", []string{"a.libsvm", "41"}},
		{"Inf in a cell", "a.libsvm", good + "1 1:1 2:inf\n", []string{"a.libsvm", "41"}},
		{"overflow in a cell", "a.libsvm", good + "1 1:1e999\n", []string{"a.libsvm", "41"}},
		{"Inf in CSV", "a.csv", "x,y\n1,2\nInf,3\n", []string{"a.csv", "3"}},
		{"index 0", "a.libsvm", good + "1 0:1\n", []string{"a.libsvm", "41"}},
		{"descending", "a.libsvm", good + "1 2:1 1:1\n", []string{"a.libsvm", "41"}},
		{"twice", "a.libsvm", good + "1 2:1 2:1\n", []string{"a.libsvm", "41"}},
		{"index 2^31", "a.libsvm", good + "1 2147483648:1\n", []string{"a.libsvm", "41"}},
		{"wrong label", "a.libsvm", good + "one 1:1\n", []string{"a.libsvm", "41", "one"}},
		{"no colon", "a.libsvm", good + "1 5\n", []string{"a.libsvm", "41"}},
		{"empty", "a.libsvm", "", []string{"a.libsvm"}},
		{"empty gzip", "a.libsvm.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", []string{"a.libsvm.gz"}},
		{"comments only", "a.libsvm", "# nothing\n\n", []string{"a.libsvm"}},
		{"one class", "a.libsvm", strings.Repeat("1 1:0.5\n1 2:1\n", 20), []string{"class"}},
		{"ragged CSV", "a.csv", "x,y\n1,2\n3\n", []string{"a.csv", "3"}},
	} {
		for _, method := range []string{"linear", "nystrom"} {
			t.Run(c.name+"/"+method, func(t *testing.T) {
				path := write(t, c.file, c.text)
				dir := t.TempDir()
				fails(t, 1, c.want, "fit", "--method", method, "--data", path, "-o", filepath.Join(dir, "m.gram"))
				fails(t, 1, nil, "convert", path, filepath.Join(dir, "out.csv"), "--task", "multilabel")
				onlyFiles(t, dir)
			})
		}
	}
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.libsvm")
	fails(t, 1, []string{"missing.libsvm"}, "fit", "--method", "linear", "--data", missing, "-o", filepath.Join(dir, "m.gram"))
	fails(t, 1, nil, "fit", "--method", "linear", "--data", dir, "-o", filepath.Join(dir, "m.gram"))
	fails(t, 1, []string{"missing.libsvm"}, "convert", missing, filepath.Join(dir, "out.csv"))
	fails(t, 1, []string{"bare.csv: there is no target to learn"}, "fit", "--method", "linear", "--data", write(t, "bare.csv", "a,b\n1,2\n3,4\n5,7\n"), "--task", "none", "-o", filepath.Join(dir, "m.gram"))
	one := write(t, "one.libsvm", "1 1:2\n1 1:3\n")
	fails(t, 1, []string{"one.libsvm: ", "one class"}, "fit", "--method", "linear", "--data", one, "-o", filepath.Join(dir, "m.gram"))
	onlyFiles(t, dir)
}

func TestBadSettings(t *testing.T) {
	dir := small(t)
	rings, friedman := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "friedman.csv")
	for _, c := range []struct {
		data     string
		method   string
		settings []string
		code     int
		want     []string
	}{
		{rings, "nystrom", []string{"m=121"}, 1, []string{"121", "120"}},
		{rings, "nystrom", []string{"m=-1"}, 2, []string{"-1"}},
		{rings, "nystrom", []string{"gamma=0"}, 1, []string{"amma", "0"}},
		{rings, "nystrom", []string{"gamma=-2"}, 1, []string{"amma", "-2"}},
		{rings, "nystrom", []string{"gamma=NaN"}, 1, []string{"NaN"}},
		{rings, "nystrom", []string{"gamma=Inf"}, 1, []string{"Inf"}},
		{rings, "nystrom", []string{"kernel=polynomial", "degree=0"}, 1, []string{"egree"}},
		{rings, "nystrom", []string{"rank=50", "m=20"}, 1, []string{"50", "20"}},
		{rings, "nystrom", []string{"c=0"}, 2, []string{"c=0"}},
		{rings, "rff", []string{"gamma=1e308"}, 1, []string{"NaN"}}, // features that overflow
		{rings, "linear", []string{"c=-1"}, 2, []string{"c=-1"}},
		{rings, "linear", []string{"c=NaN"}, 2, []string{"NaN"}},
		{rings, "linear", []string{"tol=-1"}, 2, []string{"-1"}},
		{rings, "linear", []string{"max-iter=-1"}, 2, []string{"-1"}},
		{rings, "linear", []string{"bias=-1"}, 2, []string{"bias"}},
		{rings, "linear", []string{"model=ridge"}, 1, []string{"ridge", "classes"}},
		{friedman, "linear", []string{"model=svm"}, 1, []string{"svm", "values"}},
		{friedman, "linear", []string{"lambda=-1"}, 2, []string{"lambda"}},
	} {
		args := []string{"fit", "--method", c.method, "--data", c.data, "-o", filepath.Join(dir, "m.gram")}
		if c.data == friedman {
			args = append(args, "--task", "regression")
		}
		for _, s := range c.settings {
			args = append(args, "--set", s)
		}
		fails(t, c.code, c.want, args...)
	}
	fails(t, 1, []string{"limit"}, "fit", "--method", "nystrom", "--data", rings, "-o", filepath.Join(dir, "m.gram"), "--memory-limit", above("1k"))
	fails(t, 2, []string{"lambda"}, "compare", "--set", "lambda=1")
	onlyFiles(t, dir, "friedman.csv", "rings.libsvm")
}

func TestBadModel(t *testing.T) {
	dir := small(t)
	data, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "nystrom", "--data", data, "-o", model, "--set", "m=5", "--scale", "minmax")
	good, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	bad := filepath.Join(work, "bad.gram")
	check := func(b []byte, what string) {
		t.Helper()
		if err := os.WriteFile(bad, b, 0o666); err != nil {
			t.Fatal(err)
		}
		fails(t, 1, []string{"bad.gram"}, "eval", "--model", bad, "--data", data)
		fails(t, 1, []string{"bad.gram"}, "predict", "--model", bad, "--data", data, "-o", filepath.Join(work, "out.txt"))
		if t.Failed() {
			t.Fatal(what)
		}
	}
	for cut := 0; cut < len(good); cut += 97 {
		check(good[:cut], fmt.Sprintf("cut at byte %d", cut))
	}
	step := 23 // odd, so that every bit of a byte has its turn
	if os.Getenv("GRAM_LONG") != "" {
		step = 5
	} else if testing.Short() {
		step = 61
	}
	for i := 0; i < len(good); i += step {
		b := bytes.Clone(good)
		b[i] ^= 1 << (i % 8)
		check(b, fmt.Sprintf("byte %d flipped", i))
	}
	check(append(bytes.Clone(good), 0), "a byte too many")
	onlyFiles(t, work, "bad.gram")
	fails(t, 1, []string{"missing.gram"}, "eval", "--model", filepath.Join(work, "missing.gram"), "--data", data)
}

// A test file in LIBSVM text may have fewer columns than the model, but not
// more; a CSV file must have those that were learned, by name or as many.
func TestColumns(t *testing.T) {
	dir := small(t)
	rings, friedman := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "friedman.csv")
	model, values, output := filepath.Join(dir, "m.gram"), filepath.Join(dir, "v.gram"), filepath.Join(dir, "out.txt")
	ok(t, "fit", "--method", "linear", "--data", rings, "-o", model)
	ok(t, "fit", "--method", "linear", "--data", friedman, "-o", values, "--task", "regression")

	fewer := write(t, "fewer.libsvm", "0 1:0.5\n1 1:2\n2 1:3\n")
	ok(t, "eval", "--model", model, "--data", fewer)
	ok(t, "predict", "--model", model, "--data", fewer, "-o", output)
	if err := os.Remove(output); err != nil {
		t.Fatal(err)
	}
	more := write(t, "more.libsvm", "0 1:0.5 2:1\n1 1:2 7:1\n")
	fails(t, 1, []string{"more.libsvm:2", "7", "2 columns"}, "predict", "--model", model, "--data", more, "-o", output)
	fails(t, 1, []string{"more.libsvm:2", "7", "2 columns"}, "eval", "--model", model, "--data", more)

	ok(t, "predict", "--model", values, "--data", friedman, "-o", "-") // the target among them
	few := write(t, "few.csv", "x1,x2,target\n1,2,3\n")
	fails(t, 1, []string{"few.csv:1", `column "x3" is not there`}, "predict", "--model", values, "--data", few, "-o", output)
	fails(t, 1, []string{"few.csv:1", `column "x3" is not there`}, "eval", "--model", values, "--data", few)
	plain := write(t, "plain.csv", "1,2,3\n")
	fails(t, 1, []string{"plain.csv", "3", "6"}, "predict", "--model", values, "--data", plain, "--no-header", "-o", output)
	fails(t, 1, []string{"plain.csv", "2", "6"}, "eval", "--model", values, "--data", plain, "--no-header")

	unknown := write(t, "unknown.libsvm", "0 1:0.5\n17 1:2\n")
	fails(t, 1, []string{"unknown.libsvm:2", "17"}, "eval", "--model", model, "--data", unknown)
	ok(t, "predict", "--model", model, "--data", unknown, "-o", "-") // labels do not matter there
	onlyFiles(t, dir, "friedman.csv", "m.gram", "rings.libsvm", "v.gram")
}

// A command that is interrupted says so, with exit code 1, and leaves no new
// file; an old file stays unchanged.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "big.libsvm"), filepath.Join(dir, "m.gram")
	if err := dataset.Save(t.Context(), data, dataset.Checkerboard(4000, 6, .2, 1)); err != nil {
		t.Fatal(err)
	}
	before := []byte("what was there before")
	if err := os.WriteFile(model, before, 0o666); err != nil {
		t.Fatal(err)
	}
	r := rng.New(1, 0)
	times := 12
	if testing.Short() {
		times = 3
	}
	interrupted := 0
	for i := range times {
		ctx, cancel := context.WithCancel(context.Background())
		if i == 0 {
			cancel()
		} else {
			time.AfterFunc(time.Duration(r.ExpFloat64()*40)*time.Millisecond, cancel)
		}
		out, stderr, code := cliContext(t, ctx, "fit", "--method", "nystrom", "--data", data, "-o", model,
			"--set", "m=300", "--set", "gamma=100", "--set", "c=100", "--set", "tol=1e-9", "--strict")
		cancel()
		switch {
		case code == 1 && strings.Count(stderr, "\n") == 1 && strings.HasSuffix(stderr, ": interrupted\n") && out == "":
			interrupted++
		default:
			t.Errorf("exit code %d, %q, %q", code, out, stderr)
		}
		if b, err := os.ReadFile(model); err != nil || !bytes.Equal(b, before) {
			t.Fatalf("the file that was there has changed: %v", err)
		}
		onlyFiles(t, dir, "big.libsvm", "m.gram")
	}
	if interrupted == 0 {
		t.Error("nothing was interrupted")
	}
	for _, args := range [][]string{
		{"compare", "--data", data},
		{"compare", "--html", filepath.Join(dir, "c.html")},
		{"bench", "--quick"},
		{"convert", data, filepath.Join(dir, "out.csv")},
		{"fit", "--method", "linear", "--data", data, "--plan"},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, stderr, code := cliContext(t, ctx, args...); code != 1 || !strings.HasSuffix(stderr, ": interrupted\n") {
			t.Errorf("gram %v: exit code %d, %q", args, code, stderr)
		}
	}
	onlyFiles(t, dir, "big.libsvm", "m.gram")
}

func TestConvert(t *testing.T) {
	dir := small(t)
	csv, back := filepath.Join(dir, "x.csv"), filepath.Join(dir, "y.libsvm")
	ok(t, "convert", filepath.Join(dir, "rings.libsvm"), csv)
	ok(t, "convert", csv, back, "--task", "classes")
	a, err := os.ReadFile(filepath.Join(dir, "rings.libsvm"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(back); err != nil || !bytes.Equal(a, b) {
		t.Errorf("LIBSVM → CSV → LIBSVM gives another file: %v", err)
	}
}

func TestCompare(t *testing.T) {
	dir := small(t)
	html := filepath.Join(dir, "c.html")
	rings := filepath.Join(dir, "rings.libsvm")
	out := ok(t, "compare", "--data", rings, "--m", "5,30", "--json", "--html", html, "--set", "gamma=2")
	byModel := map[string]comparison{}
	for _, l := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		var r comparison
		d := json.NewDecoder(strings.NewReader(l))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			t.Fatalf("line %q: %v", l, err)
		}
		byModel[fmt.Sprint(r.Model, r.M)] = r
		if r.Metric != "accuracy" || !(r.Value >= 0 && r.Value <= 1) || r.Bytes <= 0 || r.Rows != 84 {
			t.Errorf("%+v", r)
		}
	}
	if len(byModel) != 6 {
		t.Fatalf("%d models, want 6: %v", len(byModel), byModel)
	}
	for _, s := range []string{"uniform", "kmeans"} {
		few, many := byModel["nystrom "+s+"5"], byModel["nystrom "+s+"30"]
		if !(*many.Error < *few.Error) {
			t.Errorf("%s: the error with 30 landmarks is %g, with 5 %g", s, *many.Error, *few.Error)
		}
	}
	exact := byModel[exactName+"0"]
	if !(exact.Value > 0.95) || !(byModel["linear0"].Value < 0.8) {
		t.Errorf("exact %+v, linear %+v", exact, byModel["linear0"])
	}
	if b, err := os.ReadFile(html); err != nil || bytes.Count(b, []byte("<figure>")) != 10 { // six pictures of what the models learned
		t.Errorf("%d plots, want 10: %v", bytes.Count(b, []byte("<figure>")), err)
	}
	text := ok(t, "compare", "--data", filepath.Join(dir, "friedman.csv"), "--task", "regression", "--m", "20", "--exact-rows", "50", "--scale", "standard")
	if !strings.Contains(text, "50 of 105 rows") || !strings.Contains(text, "rmse") {
		t.Errorf("compare prints %q", text)
	}
	text = ok(t, "compare", "--data", rings, "--test", rings, "--m", "20", "--exact-rows", "0")
	if strings.Contains(text, exactName) || !strings.Contains(text, "120 to test") {
		t.Errorf("compare prints %q", text)
	}
}

// Predictions agree for sparse and dense readings of the same rows, and for a
// file in one or several blocks.
func TestManyBlocks(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "d.libsvm"), filepath.Join(dir, "m.gram")
	if err := dataset.Save(t.Context(), data, dataset.Checkerboard(blockRows+500, 2, 0, 1)); err != nil {
		t.Fatal(err)
	}
	ok(t, "fit", "--method", "nystrom", "--data", data, "-o", model, "--set", "m=20", "--set", "gamma=10", "--set", "model=logistic")
	f := figuresOf(t, ok(t, "eval", "--model", model, "--data", data, "--json"))
	if f["accuracy"].N != blockRows+500 || !(f["accuracy"].Value > 0.9) {
		t.Errorf("eval reports %+v", f)
	}
}

func TestByteSize(t *testing.T) {
	for in, want := range map[string]byteSize{"1": 1, "1.5k": 1536, " 3 kib ": 3072, "7b": 7,
		"3kB": 3e3, "500MB": 5e8, "3gb": 3e9, "3TB": 3e12, "3m": 3 << 20, "3G": 3 << 30, "3t": 3 << 40, "3MiB": 3 << 20, "2GiB": 2 << 30, "3TiB": 3 << 40} {
		var b byteSize
		if err := b.Set(in); err != nil || b != want {
			t.Errorf("%q is %d, %v, want %d", in, b, err, want)
		}
	}
	for _, in := range []string{"", "x", "-1", "0", "1e30", "NaN", "5 parsecs", "MB", "1ib", "10000000TB"} {
		var b byteSize
		if err := b.Set(in); err == nil {
			t.Errorf("%q is accepted as %d", in, b)
		}
	}
}

// One line for each real data set checks what the module is for.
func TestRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	f, err := dir.Find("pendigits")
	if err != nil {
		t.Skip("no data: ", err)
	}
	accuracy := func(args ...string) float64 {
		model := filepath.Join(t.TempDir(), "m.gram")
		ok(t, append([]string{"fit", "--data", f.Train, "-o", model, "--scale", "minmax"}, args...)...)
		return figuresOf(t, ok(t, "eval", "--model", model, "--data", f.Test, "--json"))["accuracy"].Value
	}
	linear, kernel := accuracy("--method", "linear"), accuracy("--method", "nystrom", "--set", "m=128", "--set", "gamma=2")
	if !(kernel > linear+0.04) {
		t.Errorf("pendigits: Nyström %g, linear %g", kernel, linear)
	}
}
