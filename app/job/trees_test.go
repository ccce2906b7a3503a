package job

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
)

// saved writes d to a file and returns its path.
func saved(t *testing.T, name string, d *dataset.Set) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := dataset.Save(t.Context(), path, d); err != nil {
		t.Fatal(err)
	}
	return path
}

// inItems returns the job of trees for a file that is cut into so many items.
func inItems(t *testing.T, path string, items int, settings ...string) *Job {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(Spec{Data: path, Method: "gbdt", Settings: settings, Seed: 3, ItemBytes: info.Size()/int64(items) + 1, Table: &Table{}})
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Items) != items {
		t.Fatalf("%d items, want %d", len(j.Items), items)
	}
	return j
}

// treesInPieces makes all passes of the job, each piece as if by a process of its own and in any order. after is called behind
// each piece.
func treesInPieces(t *testing.T, j *Job, after func(w *Work, p Pass, k int)) *pipeline.Model {
	t.Helper()
	w, err := Create(filepath.Join(t.TempDir(), "work"), j)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, uint64(len(j.Items))))
	for {
		if w, err = Open(w.Dir); err != nil {
			t.Fatal(err)
		}
		name, err := w.Next(t.Context(), gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		if name == "" {
			break
		}
		for _, k := range r.Perm(len(j.Items)) {
			if w, err = Open(w.Dir); err != nil {
				t.Fatal(err)
			}
			p, err := w.Pass(t.Context(), name, gram.Run{Workers: 1})
			if err == nil {
				err = w.Item(t.Context(), p, k, gram.Run{})
			}
			if err != nil {
				t.Fatalf("%s, item %d: %v", name, k, err)
			}
			if after != nil {
				after(w, p, k)
			}
		}
	}
	m, _, err := w.Model(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Trees of pieces, of any number and in any order, have the bytes of those on disk and in memory, if the sample is all
// rows: for values, counts, classes, categories and missing cells.
func TestTreesInPieces(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	counts := dataset.Friedman1(900, 5, .5, 1)
	for i, v := range counts.Value {
		counts.Value[i] = max(0, v/4)
	}
	for _, test := range []struct {
		name, path string
		settings   []string
		items      []int
	}{
		{"values", saved(t, "a.csv", dataset.Friedman1(900, 5, .5, 1)), []string{"rounds=2", "leaves=9"}, []int{1, 3, 7}},
		{"rounds of the rows", saved(t, "a.csv", dataset.Friedman1(1200, 5, .5, 1)), []string{"shrinkage=1", "leaves=3"}, []int{3}},
		{"counts", saved(t, "a.csv", counts), []string{"rounds=2", "loss=poisson", "leaves=5"}, []int{3}},
		{"three classes", saved(t, "a.csv", dataset.Rings(900, 3, .2, 1)), []string{"rounds=2", "column-sample=0.6", "leaves=5"}, []int{3}},
		{"categories", writeTable(t, 900, false), []string{"rounds=2", "monotone=age:1,x:-1", "leaves=9"}, []int{7}},
		{"two classes", writeTable(t, 900, true), []string{"rounds=2", "leaves=5"}, []int{3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := bytesOf(t, inMemory(t, test.path, "gbdt", test.settings, training.Prepare{}))
			for _, items := range test.items {
				j := inItems(t, test.path, items, test.settings...)
				if items == 3 {
					s, err := j.First(t.Context(), gram.Run{})
					if err != nil {
						t.Fatal(err)
					}
					f, err := j.Features(t.Context(), s, gram.Run{})
					if err != nil {
						t.Fatal(err)
					}
					m, err := f.FitDisk(t.Context(), t.TempDir(), gram.Run{})
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(bytesOf(t, m), want) {
						t.Error("on disk: another model than in memory")
					}
				}
				if m := treesInPieces(t, j, nil); !bytes.Equal(bytesOf(t, m), want) {
					t.Errorf("%d pieces: another model than in memory", items)
				}
			}
		})
	}
}

// Files of a piece that are gone or cut off are made again, as is a state that is damaged, and so is a piece of a round that is over.
func TestTreesMadeAgain(t *testing.T) {
	path := saved(t, "a.csv", dataset.Friedman1(900, 5, .5, 1))
	j := inItems(t, path, 3, "rounds=5", "leaves=3")
	want := bytesOf(t, treesInPieces(t, j, nil))
	made := map[string]bool{}
	again := func(w *Work, p Pass, k int, path string, damage func(b []byte) []byte) {
		state, err := os.ReadFile(w.path(p, node{0, k}))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.Remove(path)
		}
		if err == nil && damage != nil {
			err = os.WriteFile(path, damage(b), 0o666)
		}
		if err == nil {
			err = os.WriteFile(w.path(p, node{0, k}), state[:len(state)/2], 0o666)
		}
		if err == nil {
			err = w.Item(t.Context(), p, k, gram.Run{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, b) {
			t.Errorf("%s differs when it is made again, %v", filepath.Base(path), err)
		}
		if have, err := os.ReadFile(w.path(p, node{0, k})); err != nil || !bytes.Equal(have, state) {
			t.Errorf("%s: the state of item %d differs when it is made again, %v", p.Name, k, err)
		}
		made[p.Name] = true
	}
	m := treesInPieces(t, j, func(w *Work, p Pass, k int) {
		switch {
		case p.Name == "trees-000001-001" && k == 2:
			again(w, p, k, w.binsFile(k), nil)
		case p.Name == "trees-000002-000" && k == 1: // from the scores before
			again(w, p, k, w.scoreFile(2, k), func(b []byte) []byte { return b[:1000] })
		case p.Name == "trees-000002-000" && k == 2: // as a crash of the machine leaves a file
			again(w, p, k, w.scoreFile(2, k), func(b []byte) []byte { return append(bytes.Clone(b[:1000]), make([]byte, len(b)-1000)...) })
		case p.Name == "trees-000002-000" && k == 0: // the scores before, too
			path := w.scoreFile(1, k)
			b, err := os.ReadFile(path)
			if err == nil {
				b[1000] ^= 1
				err = os.WriteFile(path, b, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			again(w, p, k, w.scoreFile(2, k), nil)
		case p.Name == "trees-000003-000" && k == 0: // from the first round on
			if err := os.Remove(w.scoreFile(2, k)); err != nil {
				t.Fatal(err)
			}
			again(w, p, k, w.scoreFile(3, k), nil)
			old, err := w.Pass(t.Context(), "trees-000000-001", gram.Run{})
			if err == nil {
				err = w.Item(t.Context(), old, 1, gram.Run{})
			}
			if err != nil {
				t.Errorf("a pass of a round that is over: %v", err)
			}
			if left, err := filepath.Glob(filepath.Join(w.Dir, "*-000000-*")); err != nil || len(left) > 0 {
				t.Errorf("%q are left of the first round, %v", left, err)
			}
		}
	})
	if len(made) != 3 {
		t.Errorf("made again in %v", made)
	}
	if !bytes.Equal(bytesOf(t, m), want) {
		t.Error("another model")
	}
}

// Errors of pieces of trees name the setting, the file, or the pass that comes first.
func TestTreesRefused(t *testing.T) {
	path := saved(t, "a.csv", dataset.Friedman1(900, 5, .5, 1))
	for setting, want := range map[string]string{
		"row-sample=0.5": "row-sample", "holdout=0.2": "holdout", "exact=true": "exact", "loss=huber": "loss", "bins=300": "bins",
	} {
		w, err := Create(filepath.Join(t.TempDir(), "work"), inItems(t, path, 3, "rounds=2", setting))
		if err == nil {
			_, _, err = w.Fit(t.Context(), gram.Run{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", setting, err)
		}
	}
	w, err := Create(filepath.Join(t.TempDir(), "work"), inItems(t, path, 3, "rounds=2", "leaves=3"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"survey", "scan", "bins"} {
		if name == "bins" {
			if _, err := w.Pass(t.Context(), "trees", gram.Run{}); err == nil || !strings.Contains(err.Error(), "bins comes first") {
				t.Errorf("trees before bins: %v", err)
			}
		}
		p, err := w.Pass(t.Context(), name, gram.Run{})
		if err == nil {
			err = w.Make(t.Context(), p, gram.Run{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"trees-x": "want trees-R-P", "trees-000001-000": "next says", "normal": "next says", "newton": "next says"} {
		if _, err := w.Pass(t.Context(), name, gram.Run{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := w.Model(t.Context(), gram.Run{}); err == nil || !strings.Contains(err.Error(), "trees-000000-000 is not complete") {
		t.Errorf("a model without rounds: %v", err)
	}
	p, err := w.Pass(t.Context(), "trees", gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	// The file has lost a row of the second item, and the bins are gone.
	text, err := os.ReadFile(path)
	if err == nil {
		lines := bytes.SplitAfter(text, []byte("\n"))
		copy(lines[450], bytes.Repeat([]byte("\n"), len(lines[450])))
		err = os.WriteFile(path, bytes.Join(lines, nil), 0o666)
	}
	if err == nil {
		err = os.Remove(w.binsFile(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Item(t.Context(), p, 1, gram.Run{}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s: an item has", path)) {
		t.Errorf("other rows: %v", err)
	}
}
