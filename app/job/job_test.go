package job

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// writeParts puts rows of a regression problem into files of CSV text, part-0.csv and so on, the
// last of which is compressed.
func writeParts(t *testing.T, files, rows int) string {
	t.Helper()
	return writeLabeled(t, files, rows, func(y float64) string { return fmt.Sprintf("%.6g", y) })
}

// writeClasses is writeParts with the named classes, ranges of the values.
func writeClasses(t *testing.T, files, rows int, names ...string) string {
	t.Helper()
	return writeLabeled(t, files, rows, func(y float64) string {
		return names[int(max(0, min(.999, y/2))*float64(len(names)))]
	})
}

func writeLabeled(t *testing.T, files, rows int, label func(y float64) string) string {
	t.Helper()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	for k := range files {
		var b bytes.Buffer
		b.WriteString("a,b,c,y\n")
		for range rows {
			x, y, z := r.NormFloat64(), 5+2*r.NormFloat64(), r.Float64()
			fmt.Fprintf(&b, "%.6g,%.6g,%.6g,%s\n", x, y, z, label(math.Sin(2*x)+.1*y+z*z+.05*r.NormFloat64()))
		}
		name := filepath.Join(dir, fmt.Sprintf("part-%d.csv", k))
		data := b.Bytes()
		if k == files-1 {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			if _, err := z.Write(data); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			name, data = name+".gz", packed.Bytes()
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "part-*")
}

var specs = map[string]Spec{
	"linear":  {Method: "linear", Scale: "standard"},
	"nystrom": {Method: "nystrom", Settings: []string{"m=20", "gamma=0.3"}, Scale: "minmax", Sample: 300, Seed: 7},
	"auto":    {Method: "nystrom", Settings: []string{"m=20"}, Sample: 300, Scale: "unit", Seed: 7},
	"rff":     {Method: "rff", Settings: []string{"m=20", "gamma=0.3", "lambda=0.01", "per-row=true"}, Seed: 3},
	"pseudo":  {Method: "pseudo", Settings: []string{"gamma=0.3"}, Sample: 300},
	"fastnys": {Method: "fastnys", Settings: []string{"gamma=0.3", "no-bias=true"}, Sample: 300},

	"falkon":         {Method: "falkon", Settings: []string{"m=20", "gamma=0.3", "tol=0.01"}, Scale: "minmax", Sample: 300, Seed: 7},
	"falkon classes": {Method: "falkon", Task: "classes", Settings: []string{"m=20", "gamma=0.3", "lambda=0.01", "tol=0.01"}, Scale: "standard", Sample: 300, Seed: 7},

	"svm":      {Method: "nystrom", Task: "classes", Settings: []string{"m=20", "gamma=0.3"}, Scale: "minmax", Sample: 300, Seed: 7},
	"logistic": {Method: "linear", Task: "classes", Settings: []string{"model=logistic", "c=0.1"}, Scale: "standard"},
	"softmax":  {Method: "linear", Task: "classes", Settings: []string{"model=logistic"}, Scale: "standard"},
}

func bytesOf(t *testing.T, m *pipeline.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The model has the same bytes from one process with any number of workers and from pieces that
// are made in any order, repeated and interrupted.
func TestSameBytes(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	ctx := context.Background()
	values, classes := writeParts(t, 3, 400), map[string]string{
		"svm": writeClasses(t, 3, 400, "low", "middle", "high"), "logistic": writeClasses(t, 3, 400, "no", "yes"),
		"softmax": writeClasses(t, 3, 400, "low", "middle", "high"), "falkon classes": writeClasses(t, 3, 400, "low", "middle", "high"),
	}
	for name, spec := range specs {
		t.Run(name, func(t *testing.T) {
			spec.Data, spec.ItemBytes = cmp.Or(classes[name], values), 1500
			spec.Task = cmp.Or(spec.Task, "regression")
			j, err := New(spec)
			if err != nil {
				t.Fatal(err)
			}
			if len(j.Items) < 10 || j.Depth() != 2 {
				t.Fatalf("%d items, a tree of depth %d", len(j.Items), j.Depth())
			}
			var want []byte
			for _, workers := range []int{1, 3} {
				m, _, err := j.Fit(ctx, gram.Run{Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if b := bytesOf(t, m); want == nil {
					want = b
				} else if !bytes.Equal(b, want) {
					t.Fatalf("%d workers: another model", workers)
				}
			}
			dir := filepath.Join(t.TempDir(), "work")
			w, err := Create(dir, j)
			if err != nil {
				t.Fatal(err)
			}
			passes := 0
			for {
				pass, err := w.Next(ctx, gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				if pass == "" {
					break
				}
				passes++
				for _, k := range rand.New(rand.NewPCG(1, 1)).Perm(len(j.Items)) {
					// Each piece is a process of its own.
					if w, err = Open(dir); err != nil {
						t.Fatal(err)
					}
					p, err := w.Pass(ctx, pass, gram.Run{Workers: 1})
					if err != nil {
						t.Fatal(err)
					}
					if err := w.Item(ctx, p, k, gram.Run{}); err != nil {
						t.Fatal(err)
					}
					if k == 5 { // a state that is damaged is made again
						path := w.path(p, node{0, k})
						b, err := os.ReadFile(path)
						if err != nil {
							t.Fatal(err)
						}
						if err := os.WriteFile(path, b[:len(b)/2], 0o666); err != nil {
							t.Fatal(err)
						}
						if err := w.Item(ctx, p, k, gram.Run{}); err != nil {
							t.Fatal(err)
						}
						if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, b) {
							t.Fatalf("the state of item %d differs when it is made again, %v", k, err)
						}
					}
				}
				p, err := w.Pass(ctx, pass, gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Merge(ctx, p, 1, 1); err != nil {
					t.Fatal(err)
				}
			}
			if least := map[bool]int{true: 4, false: 2}[classes[name] != "" || spec.Method == "falkon"]; passes < least || least == 2 && passes > 2 {
				t.Errorf("%d passes", passes)
			}
			m, _, err := w.Model(ctx, gram.Run{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytesOf(t, m), want) {
				t.Error("pieces give another model than one process")
			}
		})
	}
}

// With one item the model of a linear method is that of a fit in memory, and with items it is
// that of a fit in memory with the same cut, bit by bit.
func TestStreamIsFit(t *testing.T) {
	ctx := context.Background()
	data := writeParts(t, 1, 3000)
	set, err := dataset.Open(data, dataset.Options{Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	method, err := catalog.Find("linear")
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(Spec{Data: data, Method: "linear", Task: "regression"})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := j.Fit(ctx, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := training.Train(ctx, method, method.New(), set, training.NoScale, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, m), bytesOf(t, whole)) {
		t.Error("the stream gives another model than memory")
	}

	plain := strings.TrimSuffix(data, "*") + "0.csv"
	if err := dataset.Save(t.Context(), plain, set); err != nil {
		t.Fatal(err)
	}
	if j, err = New(Spec{Data: plain, Method: "linear", Task: "regression", ItemBytes: 20000}); err != nil {
		t.Fatal(err)
	}
	var cut []int
	for _, it := range j.Items {
		s, err := it.Scan(ctx, j.options, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		cut = append(cut, int(s.N))
	}
	if len(cut) < 3 {
		t.Fatalf("items of %d rows", cut)
	}
	if m, _, err = j.Fit(ctx, gram.Run{}); err != nil {
		t.Fatal(err)
	}
	want, err := linear.Ridge{Given: linear.Given{Items: cut}}.Fit(ctx, nil, set.X, set.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, bias := m.Model.(*pipeline.Regressor).Weights()
	weights, wantBias := want.Weights()
	if !slices.Equal(got.RawMatrix().Data, weights.RawMatrix().Data) || !slices.Equal(bias, wantBias) {
		t.Error("the same items give another model")
	}
	all, _ := whole.Model.(*pipeline.Regressor).Weights()
	for i, v := range all.RawMatrix().Data {
		if !(math.Abs(v-got.RawMatrix().Data[i]) <= 1e-10) {
			t.Errorf("weight %d is %v, without items %v", i, got.RawMatrix().Data[i], v)
		}
	}
}

// The sample is as large as asked for, and does not depend on the workers or on the bound for
// the keys.
func TestSample(t *testing.T) {
	ctx := context.Background()
	spec := specs["nystrom"]
	spec.Data, spec.ItemBytes, spec.Task, spec.Sample = writeParts(t, 3, 900), 2500, "regression", 100
	j, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	if j.Below == 0 {
		t.Fatal("there is no bound for the keys")
	}
	// 2700 rows of 3 columns; a compressed third counts for less by its size.
	if b := j.Bytes(); b < 2*8*900*3 || b > 8*2700*3 {
		t.Errorf("the rows take about %d bytes", b)
	}
	var rows [2][]sampledRow
	for k := range rows {
		s, err := j.Scan().Sum(ctx, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		rows[k] = s.(*scanned).sample
		j.Below = 0
	}
	if len(rows[0]) != 100 || !slices.EqualFunc(rows[0], rows[1], func(a, b sampledRow) bool { return a.compare(b) == 0 && slices.Equal(a.val, b.val) }) {
		t.Errorf("%d and %d rows, or others", len(rows[0]), len(rows[1]))
	}
}

// States of other jobs, seeds, passes, places, levels and damaged ones are refused by a merge.
func TestRefused(t *testing.T) {
	ctx := context.Background()
	data := writeParts(t, 1, 100)
	spec := specs["linear"]
	spec.Data, spec.ItemBytes, spec.Task = strings.TrimSuffix(data, "*")+"*", 100, "regression"
	set, err := dataset.Open(data, dataset.Options{Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	spec.Data = filepath.Join(t.TempDir(), "plain.csv")
	if err := dataset.Save(t.Context(), spec.Data, set); err != nil {
		t.Fatal(err)
	}
	j, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Create(t.TempDir(), j)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Sum(ctx, j.Scan()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without states: %v", err)
	}
	scan := j.Scan()
	for k := range 8 {
		if err := w.Item(ctx, scan, k, gram.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	other := spec
	other.Seed = 99
	foreign, err := New(other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(w.Dir, foreign); err == nil || !strings.Contains(err.Error(), "another job") {
		t.Errorf("another job in the folder: %v", err)
	}
	good, err := scan.Item(ctx, 3)
	if err != nil {
		t.Fatal(err)
	}
	foreignState, err := foreign.Scan().Item(ctx, 3)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := scan.Item(ctx, 4)
	if err != nil {
		t.Fatal(err)
	}
	renamed := scan
	renamed.Name = "normal"
	otherPass, err := renamed.Item(ctx, 3)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-3] ^= 1
	for what, b := range map[string][]byte{
		"another job": foreignState, "depth": elsewhere, "pass": otherPass, "ends": good[:len(good)-5], "checksum": flipped, "": nil,
	} {
		if err := os.WriteFile(w.path(scan, node{0, 3}), b, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := w.Sum(ctx, scan)
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), w.path(scan, node{0, 3})) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := w.Item(ctx, scan, 3, gram.Run{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Merge(ctx, scan, 1, 0); err != nil {
		t.Errorf("after the item was made again: %v", err)
	}
	for _, at := range []node{{0, 0}, {1, -1}, {1, 1000}, {9, 0}} {
		if _, err := scan.Merge(ctx, at.Depth, at.Index, nil); err == nil {
			t.Errorf("a merge of %+v: no error", at)
		}
	}
	apart := errors.New("they do not belong together")
	if _, err := scan.merge(ctx, node{1, 0}, func(int) (State, error) { return alone{err: apart}, nil }); !errors.Is(err, apart) || !strings.HasPrefix(err.Error(), scan.Name+", state 1 of depth 0: ") {
		t.Errorf("a merge of states that cannot be added: %v", err)
	}
	// What another machine computes otherwise is refused.
	for want, at := range map[string]platform{"GRAM_LEVEL": {"other", machine().Backend}, "backend": {machine().Level, "other"}} {
		s, err := scan.unpack(good, node{0, 3})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := modelfile.Write(&b, &envelope{j.id, scan.Name, node{0, 3}, at, s}); err != nil {
			t.Fatal(err)
		}
		if _, err := scan.unpack(b.Bytes(), node{0, 3}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", at, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(w.Dir, jobFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{machine().Level, "other"}, {`"Seed": 0`, `"Seed": 1`}, {`"Items"`, `"Things"`}, {"}", ""}} {
		bad := strings.Replace(string(text), change[0], change[1], 1)
		if bad == string(text) {
			t.Fatalf("there is no %s in %s", change[0], text)
		}
		if _, err := read([]byte(bad), "job"); err == nil {
			t.Errorf("%s for %s: no error", change[1], change[0])
		}
	}
}

// These methods stream; TestSameBytes and TestFitDisk fit each of them.
func TestStreams(t *testing.T) {
	fitted := map[string]bool{"gbdt": true}
	for _, s := range specs {
		fitted[s.Method] = true
	}
	for _, m := range catalog.Methods() {
		want := fitted[m.Name]
		if err := Streams(m.Name); (err == nil) != want {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

// Trees of rows on disk have the bytes of those in memory if the sample is all rows, for sparse rows of
// several items and for classes, and leave no file.
func TestFitDisk(t *testing.T) {
	d := dataset.Rings(3000, 3, .2, 1)
	path := filepath.Join(t.TempDir(), "a.libsvm")
	if err := dataset.Save(t.Context(), path, d); err != nil {
		t.Fatal(err)
	}
	for _, rounds := range []string{"rounds=2", "shrinkage=0.4"} { // the second leaves the rounds to the rows
		t.Run(rounds, func(t *testing.T) { fitDisk(t, path, []string{rounds, "leaves=6", "bins=50"}) })
	}
}

func fitDisk(t *testing.T, path string, settings []string) {
	j, err := New(Spec{Data: path, Method: "gbdt", Settings: settings, Seed: 3, ItemBytes: 20e3})
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Items) < 3 || !j.OnDisk() {
		t.Fatalf("%d items, on disk: %v", len(j.Items), j.OnDisk())
	}
	s, err := j.Scan().Sum(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := j.Features(t.Context(), s, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var bins gram.Event
	have, err := f.FitDisk(t.Context(), dir, gram.Run{Progress: func(e gram.Event) {
		if e.Phase == "bins" {
			bins = e
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if all := int64(len(j.Items)); bins.Done != all || bins.Total != all {
		t.Errorf("the last event says %d of %d items, want %d", bins.Done, bins.Total, all)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files %v are left, %v", left, err)
	}
	m, err := catalog.Find("gbdt")
	if err != nil {
		t.Fatal(err)
	}
	fitter := m.New()
	if err := fitter.Settings().Set(settings...); err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := training.Train(t.Context(), m, fitter, set, training.NoScale, gram.Run{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := errors.Join(modelfile.Write(&a, want.Model), modelfile.Write(&b, have.Model)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the trees differ")
	}
}

// A row that is damaged is named by its file, line and column, in every pass and from every
// worker, and a fit of classes says what a stream can learn.
func TestErrors(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a.csv")
	text := "a,y\n" + strings.Repeat("1,2.5\n", 500) + "1,x\n" + strings.Repeat("1,2.5\n", 500)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 4} {
		j, err := New(Spec{Data: path, Method: "linear", Task: "regression", ItemBytes: 300})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = j.Fit(ctx, gram.Run{Workers: workers})
		var parse *dataset.ParseError
		if !errors.As(err, &parse) || parse.File != path || parse.Line != 502 || parse.Col != 3 {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	good := strings.ReplaceAll(text, "x", "2.5")
	if err := os.WriteFile(path, []byte(good), 0o666); err != nil {
		t.Fatal(err)
	}
	var refused *gram.ConfigError
	for _, s := range []Spec{ // a single class, and settings of the other kind of targets
		{Task: "classes"}, {Task: "none"}, {Task: "regression", Settings: []string{"model=svm"}}, {Task: "classes", Settings: []string{"loss=hinge"}},
	} {
		s.Data, s.Method, s.ItemBytes = path, "linear", 300
		j, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = j.Fit(ctx, gram.Run{}); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	j, err := New(Spec{Data: path, Method: "linear", Task: "regression", ItemBytes: 300})
	if err != nil {
		t.Fatal(err)
	}
	var limit *gram.MemoryError
	if _, _, err = j.Fit(ctx, gram.Run{MemoryLimit: 1000}); !errors.As(err, &limit) {
		t.Errorf("1000 bytes: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err = j.Fit(canceled, gram.Run{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	for _, s := range []Spec{
		{}, {Method: "svr"}, {Method: "meka"}, {Method: "linear", Settings: []string{"m=3"}}, {Method: "linear", ItemBytes: -1},
		{Method: "linear", Sample: -1}, {Method: "linear", Task: "x"}, {Method: "linear", Scale: "x"}, {Method: "linear", Format: "x"},
	} {
		s.Data = path
		if _, err := New(s); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
	if _, err := New(Spec{Method: "linear", Data: path + "?"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, append([]byte(good), "1,2\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err = j.Fit(ctx, gram.Run{}); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a file that has grown: %v", err)
	}
}

// Rows with too many features for sums over the rows are refused before a pass makes these, with and without a limit of
// the memory.
func TestTooWide(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.libsvm")
	if err := os.WriteFile(path, fmt.Appendf(nil, "1.5 1:1\n2.5 %d:1\n", mostFeatures+1), 0o666); err != nil {
		t.Fatal(err)
	}
	j, err := New(Spec{Data: path, Method: "linear", Task: "regression"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := j.Scan().Sum(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int64{0, 1 << 30} {
		var refused *gram.ConfigError
		if _, err := j.Features(t.Context(), s, gram.Run{MemoryLimit: limit}); !errors.As(err, &refused) || refused.Field != "features" {
			t.Errorf("%d features, a limit of %d bytes: %v", mostFeatures+1, limit, err)
		}
	}
}

// Classes from a stream are those of a fit in memory: the objective is the least one. A scheduler
// may run a fixed number of passes: those that Newton's method does not need do nothing, and
// after too few the model comes with an error.
func TestClasses(t *testing.T) {
	ctx := context.Background()
	spec := Spec{Data: writeClasses(t, 2, 600, "no", "yes", "maybe"), Method: "linear", ItemBytes: 20000, Settings: []string{"tol=1e-8"}}
	j, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	m, f, err := j.Fit(ctx, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(spec.Data, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	memory, err := linear.Logistic{Tol: 1e-8}.Fit(ctx, nil, set.X, set.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.Info.Names, set.Labels.Names) {
		t.Errorf("classes %q, in memory %q", f.Info.Names, set.Labels.Names)
	}
	classifier := m.Model.(*pipeline.Classifier)
	have, bias := classifier.Weights()
	want, wantBias := memory.Weights()
	if !mat.EqualApprox(have, want, 1e-4) || !floats.EqualApprox(bias, wantBias, 1e-4) {
		t.Errorf("weights %v %v, in memory %v %v", mat.Formatted(have), bias, mat.Formatted(want), wantBias)
	}

	w, err := Create(t.TempDir(), j)
	if err != nil {
		t.Fatal(err)
	}
	all := func(pass string) {
		t.Helper()
		p, err := w.Pass(ctx, pass, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range j.Items {
			if err := w.Item(ctx, p, k, gram.Run{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	all("scan")
	if _, _, err := w.Model(ctx, gram.Run{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a pass: %v", err)
	}
	if _, err := w.Pass(ctx, "normal", gram.Run{}); err == nil {
		t.Error("classes in the pass normal: no error")
	}
	all("newton")
	all("newton-00")
	all("newton-01")
	var short *gram.ConvergenceError
	if m, _, err := w.Model(ctx, gram.Run{}); m == nil || !errors.As(err, &short) || short.Iter != 2 {
		t.Errorf("after two passes: %v", err)
	}
	p, err := w.Pass(ctx, "newton", gram.Run{})
	if err != nil || p.Name != "newton-02" {
		t.Fatalf("the next pass is %s, %v", p.Name, err)
	}
	if err := w.Item(ctx, p, 1, gram.Run{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Model(ctx, gram.Run{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in the middle of a pass: %v", err)
	}
	for k := 2; k < 30; k++ {
		all(fmt.Sprintf("newton-%02d", k))
	}
	fixed, _, err := w.Model(ctx, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, fixed), bytesOf(t, m)) {
		t.Error("a fixed number of passes gives another model")
	}
	if states, err := filepath.Glob(filepath.Join(w.Dir, "newton-29-*")); err != nil || states != nil {
		t.Errorf("a pass that is not needed has states: %v, %v", states, err)
	}
}

// Numbers whose squares overflow or vanish are refused as by a fit in memory, with a way out that works.
func TestOutOfRange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	fit := func(cell, target, scale string) error {
		t.Helper()
		text := "a,b,y\n" + strings.Repeat("1,0,2.5\n2,0,3\n", 200) + "2," + cell + "," + target + "\n" + strings.Repeat("1,0,2.5\n", 100)
		if cell == "1e-90" {
			text = "a,b,y\n" + strings.Repeat("0,1e-90,2.5\n1e-95,0,1\n", 200)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := New(Spec{Data: path, Method: "linear", Task: "regression", Scale: scale, ItemBytes: 300})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = j.Fit(t.Context(), gram.Run{})
		return err
	}
	for _, c := range []struct{ cell, target, want string }{
		{"-1e200", "1", "overflow; scale the columns"}, {"1e-90", "1", "vanish; scale the columns"}, {"1", "-1e200", "overflow; divide all targets"},
	} {
		var bad *gram.DataError
		if err := fit(c.cell, c.target, "none"); !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s, %s: %v", c.cell, c.target, err)
		}
		if c.target == "1" {
			if err := fit(c.cell, c.target, "minmax"); err != nil {
				t.Errorf("%s with minmax: %v", c.cell, err)
			}
		}
	}
}

// The error of a largest number names it and says what helps.
func TestLargest(t *testing.T) {
	for _, v := range []float64{0, 1e-75, 1, 1e75} {
		if err := checkLargest(v, "the largest cell"); err != nil {
			t.Error(err)
		}
	}
	for v, want := range map[float64]string{1e-80: "vanish", 1e80: "overflow"} {
		err := checkLargest(v, "the largest cell")
		if err == nil || !strings.HasPrefix(err.Error(), "the largest cell: ") || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--scale minmax") {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// alone is a state to which no other one can be added.
type alone struct {
	State
	err error
}

func (a alone) add(State) error { return a.err }
