package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The models of these tests return given predictions, row after row.
type (
	classOracle struct {
		unstored
		names []string
		say   []int
		rows  int
	}
	valueOracle struct {
		unstored
		say []float64
	}
	labelOracle struct {
		unstored
		say [][]gram.Scored
	}
	unstored struct{}
)

func (unstored) Encode(*modelfile.Writer) error { panic("not stored") }

func (o *classOracle) Classes() []string                            { return o.names }
func (o *classOracle) Scores(_ *mat.Dense, _ mat.Matrix) *mat.Dense { panic("not called") }
func (o *classOracle) Predict(_ []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	o.rows += n
	return o.say[o.rows-n : o.rows]
}

func (o *valueOracle) Predict(_ []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	out := o.say[:n]
	o.say = o.say[n:]
	return out
}

func (o *labelOracle) NumLabels() int { return 4 }
func (o *labelOracle) Top(_ [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	n, _ := x.Dims()
	out := o.say[:n]
	o.say = o.say[n:]
	if k != 5 {
		panic("the best five are asked for")
	}
	return out
}

// blocks gives a scorer rows with known targets and what the model predicts for them, a block
// at a time.
func blocks(t *testing.T, s scorer, model modelfile.Model, d *dataset.Set, size int) map[string]float64 {
	m := &pipeline.Model{Dim: 1, Model: model}
	n, _ := d.Dims()
	for lo := 0; lo < n; lo += size {
		rows := make([]int, 0, size)
		for i := lo; i < min(lo+size, n); i++ {
			rows = append(rows, i)
		}
		part := d.Select(rows)
		p, err := m.Answer(part.X, s.want())
		if err != nil {
			t.Fatal(err)
		}
		s.score(part, p)
	}
	out := map[string]float64{}
	for _, f := range s.figures() {
		out[f.Metric] = f.Value
	}
	return out
}

func sameFigures(t *testing.T, what string, got, want map[string]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: figures %v, want %v", what, got, want)
	}
	for k, v := range want {
		if !(math.Abs(got[k]-v) < 1e-12) {
			t.Errorf("%s: %s is %v, by hand %v", what, k, got[k], v)
		}
	}
}

// Accuracy and F1 of three classes are compared with counts by hand. A class that
// neither occurs nor is predicted does not count, and a row without a prediction
// counts as wrong.
func TestClassFigures(t *testing.T) {
	names := []string{"a", "b", "c", "never"}
	actual := []int{0, 0, 0, 0, 1, 1, 2, 2, 2}
	say := []int{0, 0, 1, -1, 1, 0, 2, 2, 1}
	// True, predicted and correct rows: a 4, 3, 2; b 2, 3, 1; c 3, 2, 2.
	want := map[string]float64{"accuracy": 5. / 9, "macro_f1": (2*2./7 + 2*1./5 + 2*2./5) / 3, "balanced_accuracy": (2./4 + 1./2 + 2./3) / 3}
	scorer := func(oracle *classOracle) *answerScorer {
		measures, err := measuresOf(&pipeline.Model{Model: oracle, Names: names}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return &answerScorer{measures: measures, Answers: metric.Answers{Classes: 4}}
	}
	for _, size := range []int{1, 2, 4, 9} {
		d := &dataset.Set{X: mat.NewDense(9, 1, nil), Labels: gram.Labels{Class: actual, Names: names}}
		oracle := &classOracle{names: names, say: say}
		sameFigures(t, fmt.Sprint("blocks of ", size), blocks(t, scorer(oracle), oracle, d, size), want)
	}
	// A class that is predicted and never occurs counts with F1 0.
	d := &dataset.Set{X: mat.NewDense(2, 1, nil), Labels: gram.Labels{Class: []int{0, 0}, Names: names}}
	oracle := &classOracle{names: names, say: []int{0, 1}}
	sameFigures(t, "a class that is only said", blocks(t, scorer(oracle), oracle, d, 2),
		map[string]float64{"accuracy": .5, "macro_f1": (2 * 1. / 3) / 2, "balanced_accuracy": .5})
}

func TestValueFigures(t *testing.T) {
	y, say := []float64{1, 2, 3, 6}, []float64{2, 2, 1, 7}
	// The differences are 1, 0, −2, 1. The mean is 3, so the total sum of squares is
	// 4+1+0+9.
	want := map[string]float64{"rmse": math.Sqrt(6. / 4), "mae": 4. / 4, "r2": 1 - 6./14}
	measures, err := measuresOf(&pipeline.Model{Model: &valueOracle{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 3, 4} {
		d := &dataset.Set{X: mat.NewDense(4, 1, nil), Value: y}
		sameFigures(t, fmt.Sprint("blocks of ", size), blocks(t, &answerScorer{measures: measures}, &valueOracle{say: say}, d, size), want)
	}
	d := &dataset.Set{X: mat.NewDense(2, 1, nil), Value: []float64{5, 5}}
	sameFigures(t, "one target only", blocks(t, &answerScorer{measures: measures}, &valueOracle{say: []float64{5, 7}}, d, 2), map[string]float64{"rmse": math.Sqrt2, "mae": 1})
}

func TestLabelFigures(t *testing.T) {
	top := func(labels ...int) (out []gram.Scored) {
		for _, l := range labels {
			out = append(out, gram.Scored{Label: l})
		}
		return out
	}
	say := [][]gram.Scored{top(0, 1, 2, 3), top(3, 2, 1, 0), top(1)}
	truth := &sparse.CSR{N: 3, D: 3, Ptr: []int{0, 2, 2, 3}, Col: []int32{0, 2, 1}} // fewer labels than the model has
	l2 := func(place int) float64 { return 1 / math.Log2(float64(place+1)) }
	want := map[string]float64{
		"p@1": 2. / 3, "p@3": 3. / 9, "p@5": 3. / 15,
		"ndcg@1": 2. / 3,
		"ndcg@3": ((l2(1)+l2(3))/(l2(1)+l2(2)) + 1) / 3,
		"ndcg@5": ((l2(1)+l2(3))/(l2(1)+l2(2)) + 1) / 3,
	}
	for _, size := range []int{1, 2, 3} {
		s, err := newRankScorer(t.Context(), &labelOracle{say: say}, "", dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sameFigures(t, fmt.Sprint("blocks of ", size), blocks(t, s, &labelOracle{say: say}, &dataset.Set{X: mat.NewDense(3, 1, nil), Tags: truth}, size), want)
	}
}

// The rows, the seconds and the rate refer to predictions, also in the text.
func TestEvalText(t *testing.T) {
	dir := small(t)
	rings, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "linear", "--data", rings, "-o", model)
	all := figuresOf(t, ok(t, "eval", "--model", model, "--data", rings, "--json"))
	text := ok(t, "eval", "--model", model, "--data", rings)
	for name, f := range all {
		if f.N != 120 || !(f.Seconds > 0) || !(math.Abs(f.RowsPerSecond*f.Seconds/120-1) < 1e-9) {
			t.Errorf("%+v", f)
		}
		if !strings.Contains(text, fmt.Sprintf("%-17s %.6g\n", name, f.Value)) {
			t.Errorf("%s %g is not in %q", name, f.Value, text)
		}
	}
	if !strings.Contains(text, "\n120 rows in ") {
		t.Errorf("eval prints %q", text)
	}
}

// Targets of another kind than the model predicts are refused.
func TestEvalOtherTargets(t *testing.T) {
	type kind struct {
		file  *dataset.Set
		model modelfile.Model
	}
	x := mat.NewDense(2, 1, []float64{1, 2})
	kinds := map[dataset.Task]kind{
		dataset.Classes:    {&dataset.Set{X: x, Labels: gram.Labels{Class: []int{0, 1}, Names: []string{"a", "b"}}}, &classOracle{names: []string{"a", "b"}, say: []int{0, 1}}},
		dataset.Regression: {&dataset.Set{X: x, Value: []float64{1, 2}}, &valueOracle{say: []float64{1, 2}}},
		dataset.MultiLabel: {&dataset.Set{X: x, Tags: &sparse.CSR{N: 2, D: 4, Ptr: []int{0, 1, 2}, Col: []int32{0, 1}}}, &labelOracle{say: [][]gram.Scored{{{Label: 0}}, {{Label: 1}}}}},
	}
	for task, of := range kinds {
		path := filepath.Join(t.TempDir(), "d.csv")
		if task == dataset.MultiLabel {
			path = filepath.Join(t.TempDir(), "d.xml.txt")
		}
		if err := dataset.Save(t.Context(), path, of.file); err != nil {
			t.Fatal(err)
		}
		for wanted, model := range kinds {
			m := &pipeline.Model{Method: "test", Task: wanted, Dim: 1, Model: model.model}
			_, err := evaluate(t.Context(), m, &answerScorer{}, path, "", dataset.Options{Task: task}, newBar(io.Discard), &unknowns{})
			if task == wanted && err != nil || task != wanted && (err == nil || !strings.Contains(err.Error(), fmt.Sprintf("task %s, the model's of %s", task, wanted))) {
				t.Errorf("targets of task %s for a model of %s: %v", task, wanted, err)
			}
		}
	}
}

// The output of predict for each task, also for rows that have no class.
func TestPredictionsText(t *testing.T) {
	dir := small(t)
	rings, friedman := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "friedman.csv")
	classes, values := filepath.Join(dir, "c.gram"), filepath.Join(dir, "v.gram")
	ok(t, "fit", "--method", "linear", "--data", rings, "-o", classes)
	ok(t, "fit", "--method", "linear", "--data", friedman, "--task", "regression", "-o", values)
	tags := dataset.SparseMultiLabel(60, 20, 8, 1)
	train, labels := filepath.Join(dir, "t.xml.txt"), filepath.Join(dir, "l.gram")
	if err := dataset.Save(t.Context(), train, tags); err != nil {
		t.Fatal(err)
	}
	ok(t, "fit", "--method", "leml", "--data", train, "-o", labels, "--set", "rank=4")

	huge := write(t, "huge.libsvm", "0 1:1e308 2:1e308\n0 1:0.5\n")
	got := strings.Split(ok(t, "predict", "--model", classes, "--data", huge, "-o", "-"), "\n")
	if len(got) != 3 || got[1] == "NaN" || got[2] != "" {
		t.Errorf("classes %q", got)
	}
	m, err := catalog.LoadFitted(values)
	if err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(friedman, dataset.Options{Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(set.X, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Fields(ok(t, "predict", "--model", values, "--data", friedman, "--target", "7", "-o", "-")) {
		var v float64
		if _, err := fmt.Sscan(l, &v); err != nil || v != p.Value[i] {
			t.Fatalf("row %d: %q, want %v", i, l, p.Value[i])
		}
	}
	if m, err = catalog.LoadFitted(labels); err != nil {
		t.Fatal(err)
	}
	if p, err = m.Predict(tags.X, false, 5); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(ok(t, "predict", "--model", labels, "--data", train, "-o", "-"), "\n")
	for i, top := range p.Top {
		var want []string
		for _, s := range top {
			want = append(want, fmt.Sprintf("%d:%v", s.Label, s.Score))
		}
		if lines[i] != strings.Join(want, " ") || len(top) != 5 {
			t.Fatalf("row %d: %q, want %q", i, lines[i], want)
		}
	}
	fails(t, 2, []string{"--scores"}, "predict", "--model", values, "--data", friedman, "-o", "-", "--scores")
	fails(t, 2, []string{"--scores"}, "predict", "--model", labels, "--data", train, "-o", "-", "--scores")
	fails(t, 2, []string{"task"}, "fit", "--method", "linear", "--data", train, "-o", "x", "--task", "nope")
	fails(t, 1, []string{"classes or regression", "multilabel"}, "compare", "--data", train)
	fails(t, 1, []string{"method svm does not learn multilabel", "leml"}, "fit", "--method", "svm", "--data", train, "-o", filepath.Join(dir, "no.gram"))

	// Rows without a target cannot be measured.
	npy := filepath.Join(dir, "x.npy")
	if err := dataset.Save(t.Context(), npy, &dataset.Set{X: mat.NewDense(3, 6, nil)}); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"x.npy"}, "eval", "--model", values, "--data", npy)

	// The training file of propensities must be of label sets that the model knows.
	fails(t, 1, []string{"missing"}, "eval", "--model", labels, "--data", train, "--train", filepath.Join(dir, "missing"))
	more := filepath.Join(dir, "more.xml.txt")
	if err := dataset.Save(t.Context(), more, dataset.SparseMultiLabel(60, 20, 9, 1)); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"more.xml.txt", "9", "8"}, "eval", "--model", labels, "--data", train, "--train", more)
	fails(t, 1, []string{"missing"}, "eval", "--model", classes, "--data", filepath.Join(dir, "missing"))
	fails(t, 1, []string{"missing"}, "predict", "--model", classes, "--data", filepath.Join(dir, "missing"), "-o", "-")
	fails(t, 2, []string{"format"}, "eval", "--model", classes, "--data", rings, "--format", "nope")
	fails(t, 2, []string{"format"}, "predict", "--model", classes, "--data", rings, "--format", "nope", "-o", "-")
	empty := write(t, "empty.libsvm", "")
	fails(t, 1, []string{"empty.libsvm"}, "eval", "--model", classes, "--data", empty)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"eval", "--model", classes, "--data", rings}, {"predict", "--model", classes, "--data", rings, "-o", filepath.Join(dir, "out.txt")},
	} {
		if _, stderr, code := cliContext(t, ctx, args...); code != 1 || !strings.HasSuffix(stderr, ": interrupted\n") {
			t.Errorf("gram %v interrupted: %d, %q", args, code, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out.txt")); err == nil {
		t.Error("an interrupted predict leaves a file")
	}
}

// A model without a pipeline does not say which columns and classes a file must
// have.
func TestBareModel(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "bare.gram")
	dir := small(t)
	whole := filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "linear", "--data", filepath.Join(dir, "rings.libsvm"), "-o", whole)
	m, err := catalog.LoadFitted(whole)
	if err != nil {
		t.Fatal(err)
	}
	if err := modelfile.Save(bare, m.Model); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"eval", "--data", whole}, {"predict", "--data", whole, "-o", "-"}, {"compile"}, {"serve"}} {
		fails(t, 1, []string{"bare.gram", "a bare model"}, append(args, "--model", bare)...)
	}
}

// Conversion obeys its flags, reports what it has written, and leaves no file when
// it fails.
func TestConvertFlags(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("a.csv"), []byte("1,0,3\n0,2,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := ok(t, "convert", in("a.csv"), in("b.dat"), "--no-header", "--to", "libsvm", "--task", "classes"); out != in("b.dat")+": 2 rows, 2 columns, 50 % of the cells not zero, task classes\n" {
		t.Errorf("convert prints %q", out)
	}
	if b, err := os.ReadFile(in("b.dat")); err != nil || !bytes.Contains(b, []byte("2:2")) {
		t.Errorf("%q, %v", b, err)
	}
	if out := ok(t, "convert", in("b.dat"), in("c.csv"), "--format", "libsvm", "--task", "classes", "--dim", "5"); !strings.Contains(out, "2 rows, 5 columns, 20 %") {
		t.Errorf("convert prints %q", out)
	}
	if out := ok(t, "convert", in("a.csv"), in("d.libsvm"), "--target", "1", "--no-header"); !strings.Contains(out, "2 rows, 2 columns, 75 %") {
		t.Errorf("convert prints %q", out)
	}
	fails(t, 2, []string{"arg"}, "convert", in("a.csv"))
	fails(t, 2, []string{"format"}, "convert", in("a.csv"), in("e.csv"), "--to", "nope")
	fails(t, 2, []string{"format"}, "convert", in("a.csv"), in("e.csv"), "--format", "nope")
	fails(t, 1, []string{"e.nope"}, "convert", in("a.csv"), in("e.nope"))
	fails(t, 1, []string{"no"}, "convert", in("a.csv"), filepath.Join(dir, "no", "e.csv"))
	onlyFiles(t, dir, "a.csv", "b.dat", "c.csv", "d.libsvm")
}

// gram bench lists cases, draws a page and fails, all in this process.
func TestBenchErrors(t *testing.T) {
	if out := ok(t, "bench", "--list", "--quick", "--run", "^fwht/"); !strings.HasPrefix(out, "fwht/") || strings.Count(out, "\n") > strings.Count(ok(t, "bench", "--list", "--run", "^fwht/"), "\n") {
		t.Errorf("--list --quick shows %q", out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	page := filepath.Join(t.TempDir(), "b.html")
	if _, stderr, code := cliContext(t, ctx, "bench", "--html", page); code != 1 || stderr != "gram bench: interrupted\n" {
		t.Errorf("interrupted: %d, %q", code, stderr)
	}
	onlyFiles(t, filepath.Dir(page))
}
