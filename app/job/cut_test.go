package job

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// labelSets returns rows of which each has one or two of 60 labels, and columns that tell them.
func labelSets(n int) *dataset.Set {
	const labels = 60
	r := rng.New(4, 0)
	x, y := &sparse.CSR{N: n, D: 90, Ptr: []int{0}}, &sparse.CSR{N: n, D: labels, Ptr: []int{0}}
	for range n {
		l := int32(r.IntN(labels))
		y.Col = append(y.Col, l)
		if l+1 < labels && r.IntN(2) == 0 {
			y.Col = append(y.Col, l+1)
		}
		for j := range int32(90) {
			if j == l || j == l+1 || r.IntN(6) == 0 {
				x.Col, x.Val = append(x.Col, j), append(x.Val, r.Float64())
			}
		}
		x.Ptr, y.Ptr = append(x.Ptr, len(x.Col)), append(y.Ptr, len(y.Col))
	}
	return &dataset.Set{X: x, Tags: y}
}

// A label tree in pieces has the bytes of one process, also behind a search, and whatever is damaged or gone when processes are killed.
func TestCutIsTheFit(t *testing.T) {
	d := labelSets(400)
	path := saved(t, "a.xml.txt", d)
	settings := []string{"leaf=5", "branch=3", "passes=2"}
	read := have(dataset.Open(path, dataset.Options{Table: true}))(t)
	want := bytesOf(t, have(training.Trust{}.Train(t.Context(), catalog.Must("plt"), settings, read, training.AutoScale, gram.Run{Seed: 3}))(t))

	w := wholeWork(t, Spec{Data: path, Method: "plt", Settings: settings, Whole: &Whole{}})
	if s := have(w.Status())(t); len(s.Passes) != 1 || s.Passes[0].Pass != "divide" || s.Passes[0].Missing != 2 || s.Ended {
		t.Errorf("the status %+v", s)
	}
	got, made := makeWhole(t, w)
	if !slices.Equal(made, []string{"divide 2", "nodes 1", "fit 1"}) || !bytes.Equal(got, want) {
		t.Errorf("passes %q; the same model: %v", made, bytes.Equal(got, want))
	}
	if s := have(w.Status())(t); len(s.Passes) != 3 || s.Passes[1].Done != 1 || !s.Ended {
		t.Errorf("the status %+v", s)
	}
	for _, test := range []struct{ damage, next string }{
		{"divide-0-000001.state", "divide"}, {"nodes-0-000000.state", "nodes"}, {"fit-0-000000.state", "fit"}, {"list-nodes-0-000000.state", ""},
	} {
		damage(t, filepath.Join(w.Dir, test.damage))
		if next := have(reopened(t, w).Next(t.Context(), gram.Run{}))(t); next != test.next {
			t.Errorf("%s: the next pass is %q, want %q", test.damage, next, test.next)
		}
		if got, _ := makeWhole(t, w); !bytes.Equal(got, want) {
			t.Errorf("%s: another model", test.damage)
		}
	}

	w = wholeWork(t, Spec{Data: path, Method: "plt", Settings: []string{"branch=3", "passes=2", "near=1"}, Whole: &Whole{Search: "leaf=5,60", Folds: 2}})
	if _, made := makeWhole(t, w); !slices.Equal(made, []string{"search-00 4", "divide 1", "nodes 1", "fit 1"}) {
		t.Errorf("passes %q", made)
	}
}

// The leaves of a recursive feature machine in pieces have the bytes of one process, for values and for classes, with categories, of several leaves and of one.
func TestCutIsTheFitOfLeaves(t *testing.T) {
	settings := []string{"rounds=1", "leaf=60", "length=2", "lambda=0.1"}
	texts := "size,color,price\n"
	r := rng.New(4, 0)
	for range 200 {
		size, color := r.Float64(), r.IntN(4)
		texts += fmt.Sprintf("%.3f,%c,%.3f\n", size, 'a'+color, size*float64(color))
	}
	table := filepath.Join(t.TempDir(), "texts.csv")
	done(t, os.WriteFile(table, []byte(texts), 0o666))
	for name, test := range map[string]struct {
		path     string
		settings []string
		made     []string
	}{
		"values":     {saved(t, "a.csv", dataset.Friedman1(300, 5, .5, 1)), settings, []string{"divide 1", "leaves 4", "fit 1"}},
		"classes":    {saved(t, "a.libsvm", dataset.Rings(240, 3, .2, 1)), settings, []string{"divide 1", "leaves 4", "fit 1"}},
		"categories": {table, settings, []string{"divide 1", "leaves 3", "fit 1"}},
		"a leaf":     {saved(t, "a.libsvm", dataset.Rings(100, 2, .2, 1)), []string{"rounds=1"}, []string{"divide 1", "leaves 1", "fit 1"}},
	} {
		path := test.path
		read := have(dataset.Open(path, dataset.Options{Table: true}))(t)
		want := bytesOf(t, have(training.Trust{}.Train(t.Context(), catalog.Must("rfm"), test.settings, read, training.AutoScale, gram.Run{Seed: 3}))(t))
		w := wholeWork(t, Spec{Data: path, Method: "rfm", Settings: test.settings, Whole: &Whole{}})
		got, made := makeWhole(t, w)
		if !slices.Equal(made, test.made) || !bytes.Equal(got, want) {
			t.Errorf("%s: passes %q; the same model: %v", name, made, bytes.Equal(got, want))
		}
		for file, next := range map[string]string{"divide-0-000000.state": "divide", "leaves-0-000000.state": "leaves", "fit-0-000000.state": "fit"} {
			damage(t, filepath.Join(w.Dir, file))
			if have := have(reopened(t, w).Next(t.Context(), gram.Run{}))(t); have != next {
				t.Errorf("%s: %s: the next pass is %q, want %q", name, file, have, next)
			}
			if got, _ := makeWhole(t, w); !bytes.Equal(got, want) {
				t.Errorf("%s: %s: another model", name, file)
			}
		}
	}

	path := saved(t, "a.csv", dataset.Friedman1(200, 5, .5, 1))
	w := wholeWork(t, Spec{Data: path, Method: "rfm", Settings: []string{"rounds=1", "lambda=0.1", "leaf=100"}, Whole: &Whole{Search: "length=2,4", Folds: 2, Conformal: .2}})
	if _, made := makeWhole(t, w); !slices.Equal(made, []string{"search-00 4", "divide 1", "leaves 2", "fit 1"}) {
		t.Errorf("passes %q", made)
	}
}

// Pieces that lack those before them or memory say so, and finish makes what is missing.
func TestCutRefused(t *testing.T) {
	path := saved(t, "a.xml.txt", labelSets(100))
	w := wholeWork(t, Spec{Data: path, Method: "plt", Whole: &Whole{}})
	for name, words := range map[string]string{"nodes": "the pass divide is not complete", "scan": "gram part next says the name"} {
		if _, err := w.Pass(t.Context(), name, gram.Run{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("pass %s: %v", name, err)
		}
	}
	p := have(w.Pass(t.Context(), "divide", gram.Run{}))(t)
	rows := have(w.rows(t.Context()))(t).set.Bytes()
	large := (*gram.MemoryError)(nil)
	if err := w.Item(t.Context(), p, 0, gram.Run{MemoryLimit: rows + 100}); !errors.As(err, &large) {
		t.Errorf("a piece with too little memory: %v", err)
	}
	if err := w.Make(t.Context(), p, gram.Run{MemoryLimit: rows + 100}); !errors.As(err, &large) {
		t.Errorf("a pass with too little memory: %v", err)
	}
	if s := have(w.Status())(t); s.Passes[0].Failed != 1 {
		t.Errorf("the status %+v", s)
	}
	m, f, err := w.Model(t.Context(), gram.Run{})
	if err != nil || f.Info.Task != dataset.MultiLabel || m.Method != "plt" {
		t.Fatal(m, f, err)
	}
	if _, err := os.Stat(filepath.Join(w.Dir, "nodes-0-000000.state")); err != nil {
		t.Error(err)
	}
	if CutsFit("fastxml") || CutsFit("nope") || !CutsFit("plt") || !CutsFit("rfm") {
		t.Error("other methods are fitted in pieces")
	}
}
