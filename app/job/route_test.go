package job

import (
	"bytes"
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
	"github.com/gramworks/gram/algos/divide/routed"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// filesOf returns the contents of the files of a saved model.
func filesOf(t *testing.T, path string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	parts, err := filepath.Glob(filepath.Join(routed.Folder(path), "*"))
	if err != nil || len(parts) == 0 {
		t.Fatalf("parts %v, %v", parts, err)
	}
	for _, p := range append(parts, path) {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(p)] = b
	}
	return files
}

func sameFiles(a, b map[string][]byte) bool {
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			return false
		}
	}
	return len(a) == len(b)
}

// The parts of a divided fit have the gamma that follows from the sample, by any rule, also that of a part of a sum of kernels.
func TestGammaOfParts(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{0, 1, 1, 0, 2, 2, 3, 1, -1, .5})
	scale := kernel.ScaleGamma(x)
	for given, want := range map[string][]string{
		"gamma=scale":   {fmt.Sprint("gamma=", scale)},
		"gamma=4*scale": {fmt.Sprint("gamma=", 4*scale)},
		"gamma=0.5":     nil,
		"kernel=linear": nil,
		"kernel=gaussian(gamma=2*scale)+gaussian": {fmt.Sprintf("kernel=gaussian(gamma=%v)+gaussian", 2*scale), fmt.Sprint("gamma=", scale)},
		"kernel=matern*gaussian(gamma=2)":         nil,
	} {
		f := &Features{Info: dataset.Info{N: 5, D: 2, Task: dataset.Regression}, j: &Job{Spec: Spec{Method: "krr", Cap: 5, Settings: []string{given}}}}
		if err := f.route(t.Context(), x, gram.Run{}); err != nil || !slices.Equal(f.Settings, want) {
			t.Errorf("%s: %q, %v, want %q", given, f.Settings, err, want)
		}
	}
}

// A divided fit has the same bytes from one process with any number of workers and from pieces in
// any order that are repeated; the model that is read again predicts what the fitted one does, and
// about as well as a fit in memory.
func TestDivided(t *testing.T) {
	ctx := context.Background()
	values, classes := writeParts(t, 3, 200), writeClasses(t, 3, 200, "low", "middle", "high")
	for name, c := range map[string]struct {
		spec Spec
		most float64 // error of the fit
	}{
		"dc-krr":      {Spec{Data: values, Method: "dc-krr", Task: "regression", Cap: 200, Scale: "standard", Seed: 3}, .15},
		"random":      {Spec{Data: values, Method: "dc-krr", Task: "regression", Cap: 400, Settings: []string{"partition=random", "lambda=0.01"}, Scale: "standard"}, .2},
		"bka-svm":     {Spec{Data: classes, Method: "bka-svm", Cap: 200, Scale: "standard", Settings: []string{"c=10"}}, .1},
		"local":       {Spec{Data: values, Method: "nystrom", Task: "regression", Settings: []string{"m=30", "lambda=0.01"}, Scale: "standard", Cap: 300}, .15},
		"metrics":     {Spec{Data: values, Method: "rfm", Task: "regression", Settings: []string{"metric=full", "length=4", "lambda=0.01", "rounds=1"}, Scale: "standard", Cap: 300}, .15},
		"local, less": {Spec{Data: classes, Method: "krr", Cap: 30, Scale: "standard"}, .2}, // parts lack classes
	} {
		t.Run(name, func(t *testing.T) {
			c.spec.ItemBytes = 6000
			j, err := New(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			var want map[string][]byte
			var fitted *pipeline.Model
			for _, workers := range []int{1, 3} {
				dir := t.TempDir()
				w, err := Create(filepath.Join(dir, "work"), j)
				if err != nil {
					t.Fatal(err)
				}
				m, _, err := w.Fit(ctx, gram.Run{Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if err := Save(filepath.Join(dir, "model"), m); err != nil {
					t.Fatal(err)
				}
				if files := filesOf(t, filepath.Join(dir, "model")); want == nil {
					want, fitted = files, m
				} else if !sameFiles(files, want) {
					t.Fatalf("%d workers: another model", workers)
				}
			}
			dir := t.TempDir()
			w, err := Create(filepath.Join(dir, "work"), j)
			if err != nil {
				t.Fatal(err)
			}
			var passes []string
			for {
				pass, err := w.Next(ctx, gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				if pass == "" {
					break
				}
				passes = append(passes, pass)
				p, err := w.Pass(ctx, pass, gram.Run{Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range rand.New(rand.NewPCG(1, 1)).Perm(p.Pieces()) {
					if w, err = Open(w.Dir); err != nil {
						t.Fatal(err)
					}
					if p, err = w.Pass(ctx, pass, gram.Run{Workers: 1}); err != nil {
						t.Fatal(err)
					}
					for range 2 {
						if err := w.Item(ctx, p, k, gram.Run{}); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			if want := []string{"scan", "assign", "fit"}; !slices.Equal(passes, want) {
				t.Errorf("passes %q, want %q", passes, want)
			}
			m, _, err := w.Model(ctx, gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "model")
			for range 2 { // over a model that is there
				if err := Save(path, m); err != nil {
					t.Fatal(err)
				}
			}
			if !sameFiles(filesOf(t, path), want) {
				t.Error("pieces give another model than one process")
			}

			back, err := catalog.LoadFitted(path)
			if err != nil {
				t.Fatal(err)
			}
			set, err := dataset.Open(c.spec.Data, dataset.Options{Task: back.Task})
			if err != nil {
				t.Fatal(err)
			}
			a, err := fitted.Predict(set.X, true, 0)
			if err != nil {
				t.Fatal(err)
			}
			b, err := back.Predict(set.X, true, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.Value, b.Value) || !slices.Equal(a.Class, b.Class) {
				t.Error("the stored model predicts otherwise")
			}
			wrong, squares := 0.0, 0.0
			for i, v := range set.Value {
				squares += (v - b.Value[i]) * (v - b.Value[i])
			}
			for i, v := range set.Labels.Class {
				if back.Names[b.Class[i]] != set.Labels.Names[v] {
					wrong++
				}
			}
			n, _ := set.Dims()
			if e := max(wrong/float64(n), math.Sqrt(squares/float64(n))); !(e > 0 && e < c.most) {
				t.Errorf("the error of the fit is %v", e)
			}
			if back, err = catalog.LoadFitted(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(routed.PartPath(routed.Folder(path), 0)); err != nil {
				t.Fatal(err)
			}
			if _, err := back.Predict(set.X, false, 0); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a part that has gone: %v", err)
			}
			if _, err := catalog.LoadFitted(path); err == nil {
				t.Error("a part is missing: no error")
			}
		})
	}
}

// With 60 % of the rows in one cluster and more copies of one row than fit into a part, no model
// is fitted to more rows than the cap.
func TestCap(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "skewed.csv")
	r := rand.New(rand.NewPCG(9, 9))
	var b bytes.Buffer
	for i := range 6000 {
		x, y := 100*r.Float64(), 100*r.Float64()
		if i%10 < 6 {
			x, y = 50+.1*r.NormFloat64(), 50+.1*r.NormFloat64()
		}
		if i%10 == 6 {
			x, y = 7, 7
		}
		fmt.Fprintf(&b, "%.9g,%.9g,%.9g\n", x, y, math.Sin(x)+y)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	const most = 150
	j, err := New(Spec{Data: path, NoHeader: true, Task: "regression", Method: "linear", Cap: most, Sample: 2000, ItemBytes: 20000})
	if err != nil {
		t.Fatal(err)
	}
	w, err := Create(filepath.Join(t.TempDir(), "work"), j)
	if err != nil {
		t.Fatal(err)
	}
	_, f, err := w.Fit(ctx, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	rows, largest, split := 0, 0, 0
	for k := range f.Parts {
		p, err := routed.ReadPart(routed.PartPath(w.partFolder(), k), j.ID(), k, 0, 2, catalog.Registry())
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range p.Rows() {
			rows, largest = rows+n, max(largest, n)
		}
		if len(p.Rows()) > 1 {
			split++
		}
	}
	// Of the 600 equal rows 150 are used.
	if largest > most || rows != 6000-600+most || split == 0 {
		t.Errorf("%d rows in parts of up to %d, %d of which were divided again", rows, largest, split)
	}
	if _, err := New(Spec{Data: path, Method: "linear", Cap: 1}); err == nil {
		t.Error("a cap of 1: no error")
	}
	small, err := New(Spec{Data: path, NoHeader: true, Task: "regression", Method: "linear", Cap: 10, Sample: 100})
	if err != nil {
		t.Fatal(err)
	}
	if w, err = Create(filepath.Join(t.TempDir(), "work"), small); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Fit(ctx, gram.Run{}); err == nil || !strings.Contains(err.Error(), "Sample") {
		t.Errorf("a sample of 100 rows for 600 parts: %v", err)
	}
}

// The fit of a part names the file in which its rows are damaged.
func TestDamagedRows(t *testing.T) {
	path := saved(t, "a.csv", dataset.Friedman1(60, 5, .1, 1))
	w := have(Create(filepath.Join(t.TempDir(), "work"), have(New(Spec{Data: path, Method: "linear", Task: "regression", Cap: 30}))(t)))(t)
	for name := ""; name != fitPass; {
		name = have(w.Next(t.Context(), gram.Run{}))(t)
		p := have(w.Pass(t.Context(), name, gram.Run{}))(t)
		if name != fitPass {
			done(t, w.Make(t.Context(), p, gram.Run{}))
			continue
		}
		rows := w.path(w.assign(have(w.features())(t)), node{0, 0})
		text := have(os.ReadFile(rows))(t)
		text[len(text)/4] ^= 1
		done(t, os.WriteFile(rows, text, 0o666))
		if err := w.Make(t.Context(), p, gram.Run{}); err == nil || !strings.Contains(err.Error(), rows+": part ") {
			t.Errorf("got %v", err)
		}
	}
}

// The error of the first item is kept, in whatever order the items end.
func TestFirstError(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	var f firstError
	for _, e := range []struct {
		k    int
		err  error
		want error
	}{{5, nil, nil}, {3, a, a}, {1, b, b}, {2, c, b}, {0, nil, b}, {1, c, b}} {
		if f.keep(e.k, e.err); f.err != e.want {
			t.Errorf("after item %d with %v the error is %v, want %v", e.k, e.err, f.err, e.want)
		}
	}
}
