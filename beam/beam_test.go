package beam

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

func bytesOf(t *testing.T, m *pipeline.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// problem writes two files and returns a job with a tree of depth 2.
func problem(t *testing.T) *job.Job {
	t.Helper()
	dir := t.TempDir()
	for k := range 2 {
		if err := dataset.Save(context.Background(), filepath.Join(dir, fmt.Sprintf("part-%d.csv", k)), dataset.Friedman1(2000, 5, .1, uint64(k))); err != nil {
			t.Fatal(err)
		}
	}
	j, err := job.New(job.Spec{Data: filepath.Join(dir, "part-*"), Task: "regression", Method: "nystrom",
		Settings: []string{"m=32", "gamma=0.5"}, Scale: "minmax", ItemBytes: 30000, Sample: 500})
	if err != nil {
		t.Fatal(err)
	}
	if j.Depth() != 2 {
		t.Fatalf("%d items", len(j.Items))
	}
	return j
}

// A fit on Prism gives the bytes of a fit in one process, with one and two processors, and
// again when it goes on after an error; predictions are those of the model.
func TestFit(t *testing.T) {
	ctx := context.Background()
	j := problem(t)
	m, _, err := j.Fit(ctx, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	want := bytesOf(t, m)
	var work *job.Work
	for _, threads := range []int{1, 2} {
		before := runtime.GOMAXPROCS(threads)
		defer runtime.GOMAXPROCS(before)
		if work, err = job.Create(filepath.Join(t.TempDir(), "work"), j); err != nil {
			t.Fatal(err)
		}
		got, _, err := Fit(ctx, work.Dir, gram.Run{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, got), want) {
			t.Errorf("%d processors: another model", threads)
		}
	}
	path := filepath.Join(t.TempDir(), "model.gram")
	if err := modelfile.Save(path, m); err != nil {
		t.Fatal(err)
	}
	if err := Predict(ctx, work.Dir, path, 0); err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(j.Spec.Data, dataset.Options{Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(set.X, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all, have bytes.Buffer
	if err := p.WriteText(&all, nil); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(work.Dir, "predictions-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		have.Write(b)
	}
	if !bytes.Equal(have.Bytes(), all.Bytes()) {
		t.Error("other predictions")
	}
}

// Classes take as many passes as Newton's method, or conjugate gradients with a right side for each class, need, with the bytes of one process.
func TestClasses(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	if err := dataset.Save(ctx, filepath.Join(dir, "rings.csv"), dataset.Rings(1500, 3, .3, 1)); err != nil {
		t.Fatal(err)
	}
	for method, settings := range map[string][]string{"nystrom": {"m=16", "gamma=1"}, "falkon": {"m=16", "gamma=1", "lambda=0.01", "tol=0.01"}} {
		j, err := job.New(job.Spec{Data: filepath.Join(dir, "rings.csv"), Method: method, Settings: settings, ItemBytes: 5000, Sample: 500})
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := j.Fit(ctx, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := job.Create(filepath.Join(dir, method), j)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Fit(ctx, w.Dir, gram.Run{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, got), bytesOf(t, m)) {
			t.Errorf("%s: another model", method)
		}
	}
}

// The products of conjugate gradients have the bytes of one process, and so has a fit that goes on after some of them.
func TestProducts(t *testing.T) {
	ctx := t.Context()
	spec := problem(t).Spec
	spec.Method, spec.Settings = "falkon", []string{"m=32", "gamma=0.5", "lambda=0.01", "tol=0.001"}
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := j.Fit(ctx, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := job.Create(filepath.Join(t.TempDir(), "work"), j)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		name, err := w.Next(ctx, gram.Run{})
		if err == nil {
			err = Pass(ctx, w.Dir, name, 0)
		}
		if err != nil || k > 0 && name != fmt.Sprintf("products-%03d", k-1) {
			t.Fatalf("pass %s: %v", name, err)
		}
	}
	got, _, err := Fit(ctx, w.Dir, gram.Run{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, got), bytesOf(t, want)) {
		t.Error("another model")
	}
}

// Trees have the bytes of one process, for values and for a table with classes, categories and missing cells.
func TestTrees(t *testing.T) {
	ctx := t.Context()
	values := problem(t).Spec
	values.Method, values.Settings, values.Sample = "gbdt", []string{"rounds=2", "leaves=5"}, 0
	var text strings.Builder
	text.WriteString("age,color,class\n")
	for i := range 1500 {
		age := fmt.Sprint(i * 37 % 91)
		if i%11 == 0 {
			age = ""
		}
		fmt.Fprintf(&text, "%s,%s,%s\n", age, []string{"red", "green", "blue"}[i%7%3], []string{"no", "yes"}[(i*37%91/40+i%7%3)%2])
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	table := job.Spec{Data: path, Method: "gbdt", Settings: []string{"rounds=2", "leaves=4"}, Scale: "auto", Seed: 1, ItemBytes: 3000}
	for _, spec := range []job.Spec{values, table} {
		j, err := job.NewMixed(spec, &job.Table{})
		if err != nil {
			t.Fatal(err)
		}
		if mixed := j.Spec.Table != nil; mixed != (spec.Data == path) || len(j.Items) < 5 {
			t.Fatalf("%d items, mixed %v", len(j.Items), mixed)
		}
		s, err := j.First(ctx, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := j.Features(ctx, s, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.FitDisk(ctx, t.TempDir(), gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := job.Create(filepath.Join(t.TempDir(), "work"), j)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Fit(ctx, w.Dir, gram.Run{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, got), bytesOf(t, m)) {
			t.Errorf("%s: another model", spec.Data)
		}
	}
}

// A divided fit gives the parts of one process.
func TestDivided(t *testing.T) {
	ctx := context.Background()
	j := problem(t)
	spec := j.Spec
	spec.Method, spec.Settings, spec.Sample, spec.Cap = "dc-krr", []string{"lambda=0.01"}, 0, 400
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]string
	for _, fit := range []func(w *job.Work) (*pipeline.Model, *job.Features, error){
		func(w *job.Work) (*pipeline.Model, *job.Features, error) { return w.Fit(ctx, gram.Run{}) },
		func(w *job.Work) (*pipeline.Model, *job.Features, error) { return Fit(ctx, w.Dir, gram.Run{}, 0) },
	} {
		w, err := job.Create(filepath.Join(t.TempDir(), "work"), j)
		if err != nil {
			t.Fatal(err)
		}
		m, f, err := fit(w)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "model.gram")
		if err := job.Save(path, m); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(path + "*/*")
		if err != nil || len(files) != f.Parts || f.Parts < 10 {
			t.Fatalf("%d files of %d parts, %v", len(files), f.Parts, err)
		}
		have := map[string]string{}
		for _, name := range append(files, path) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			have[filepath.Base(name)] = string(b)
		}
		if want == nil {
			want = have
		} else if !maps.Equal(have, want) {
			t.Error("another model")
		}
	}
}

// An error of a piece ends the run and names the place. When the reason is gone, the next run
// does what is missing.
func TestErrorAndResume(t *testing.T) {
	ctx := context.Background()
	j := problem(t)
	m, _, err := j.Fit(ctx, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	path := j.Items[len(j.Items)-1].Path
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(good), "\n")
	lines[1500] = strings.Repeat("x", len(lines[1500])-1) + "\n"
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := job.Create(filepath.Join(t.TempDir(), "work"), j)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Fit(ctx, w.Dir, gram.Run{}, 0)
	if err == nil || !strings.HasPrefix(Cause(err), path+":1501") || strings.Contains(Cause(err), "\n") {
		t.Fatalf("a damaged row: %v", err)
	}
	if err := os.WriteFile(path, good, 0o666); err != nil {
		t.Fatal(err)
	}
	got, _, err := Fit(ctx, w.Dir, gram.Run{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, got), bytesOf(t, m)) {
		t.Error("another model")
	}
	if err := Pass(ctx, t.TempDir(), "scan", 0); err == nil {
		t.Error("a folder without a job: no error")
	}
}
