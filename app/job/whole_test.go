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
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
)

// have returns the function that returns v, or ends the test if there is an error.
func have[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		done(t, err)
		return v
	}
}

// done ends the test if there is an error.
func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wholeWork begins a fit to rows in memory in a new folder.
func wholeWork(t *testing.T, s Spec) *Work {
	t.Helper()
	s.Seed, s.Table, s.Scale = 3, &Table{}, "auto"
	w := have(Create(filepath.Join(t.TempDir(), "work"), have(NewWhole(t.Context(), s))(t)))(t)
	have(w.Begin(t.Context(), gram.Run{}))(t)
	return w
}

// reopened is the work of another process.
func reopened(t *testing.T, w *Work) *Work {
	t.Helper()
	return have(Open(w.Dir))(t)
}

// makeWhole makes what is missing by two processes, of which one begins at the end, and which both make some pieces. It returns the bytes of
// the model and the passes that were made, with the number of their pieces.
func makeWhole(t *testing.T, w *Work) (model []byte, made []string) {
	t.Helper()
	for range 20 {
		one, other := reopened(t, w), reopened(t, w)
		name := have(one.Next(t.Context(), gram.Run{}))(t)
		if name == "" {
			m, f, err := other.Model(t.Context(), gram.Run{})
			if err != nil || f.Info.N == 0 {
				t.Fatal(f, err)
			}
			return bytesOf(t, m), made
		}
		step, _, _ := strings.Cut(name, "-")
		a, b := have(one.Pass(t.Context(), step, gram.Run{}))(t), have(other.Pass(t.Context(), name, gram.Run{}))(t)
		if a.Name != name || b.Name != name || a.Pieces() != b.Pieces() || a.Merged() {
			t.Fatalf("passes %s of %d and %s of %d pieces, want %s", a.Name, a.Pieces(), b.Name, b.Pieces(), name)
		}
		made = append(made, fmt.Sprint(name, " ", a.Pieces()))
		n := a.Pieces()
		for k := range n {
			if k%2 == 0 {
				done(t, one.Item(t.Context(), a, k, gram.Run{Workers: 1}))
			}
			if at := n - 1 - k; at%3 != 0 {
				done(t, other.Item(t.Context(), b, at, gram.Run{Workers: 2}))
			}
		}
		done(t, other.Make(t.Context(), b, gram.Run{Workers: 2, MemoryLimit: 1 << 30}))
	}
	t.Fatal("the passes do not end")
	return nil, nil
}

// A search, probabilities, intervals and sets in pieces give the bytes of one process.
func TestWholeIsTheFit(t *testing.T) {
	rings, values := dataset.Rings(150, 3, .2, 1), dataset.Friedman1(450, 5, .5, 1)
	grid := func(text string) []search.Choice { return have(search.ParseGrid(text))(t) }
	platt := calibration.Platt
	for name, test := range map[string]struct {
		d     *dataset.Set
		file  string
		spec  Spec
		s     search.Config // without what the spec says
		trust training.Trust
		made  []string
	}{
		"grid and probabilities": {rings, "a.libsvm", Spec{Method: "svm", Whole: &Whole{Search: "c=1,10;gamma=0.1,1", Folds: 3, Proba: "platt", Conformal: .2, Adaptive: true}},
			search.Config{Grid: grid("c=1,10;gamma=0.1,1"), Folds: 3}, training.Trust{Proba: &platt, Conformal: .2, Adaptive: true}, []string{"search-00 12", "fit 6"}},
		"halving of a path": {values, "a.csv", Spec{Method: "krr", Whole: &Whole{Search: "gamma=0.01,0.1,1,10;lambda=0.01,1", Folds: 3, Halving: 2, Metric: "mae"}},
			search.Config{Grid: grid("gamma=0.01,0.1,1,10;lambda=0.01,1"), Folds: 3, Halving: 2, Metric: "mae"}, training.Trust{}, []string{"search-00 12", "search-01 9", "fit 1"}},
		"drawn": {rings, "a.libsvm", Spec{Whole: &Whole{Search: "auto", Trials: 6, Folds: 2, Repeats: 2, Draw: true}},
			search.Config{Trials: 6, Folds: 2, Repeats: 2, Scales: search.Scales(rings)}, training.Trust{}, []string{"search-00 24", "fit 1"}},
		"band": {values, "a.csv", Spec{Method: "gbdt", Settings: []string{"rounds=5"}, Whole: &Whole{Conformal: .2, Adaptive: true}},
			search.Config{}, training.Trust{Conformal: .2, Adaptive: true}, []string{"fit 1", "fit-band 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.spec.Data = saved(t, test.file, test.d)
			w := wholeWork(t, test.spec)
			got, made := makeWhole(t, w)
			if !slices.Equal(made, test.made) {
				t.Errorf("passes %q, want %q", made, test.made)
			}
			d := have(dataset.Open(test.spec.Data, dataset.Options{Table: true}))(t)
			settings, scale, method := test.spec.Settings, training.AutoScale, test.spec.Method
			if test.spec.Whole.Search != "" {
				s := test.s
				s.Run, s.Scale = gram.Run{Seed: 3}, scale
				if method != "" {
					s.Methods = []catalog.Method{catalog.Must(method)}
				}
				found := have(s.Do(t.Context(), d))(t)
				best := found.Trials[found.Best]
				settings, scale, method = append(slices.Clone(settings), best.Settings...), have(training.ParseScale(best.Scale))(t), best.Method
				if found := have(w.Found(t.Context(), gram.Run{}))(t); fmt.Sprint(found.Trials[found.Best].Settings, found.Trials[found.Best].Folds) != fmt.Sprint(best.Settings, best.Folds) {
					t.Errorf("found %+v, want %+v", found.Trials[found.Best], best)
				}
			}
			want := have(test.trust.Train(t.Context(), catalog.Must(method), settings, d, scale, gram.Run{Seed: 3}))(t)
			if !bytes.Equal(got, bytesOf(t, want)) {
				t.Error("another model than that of one process")
			}
			s := have(w.Status())(t)
			if !s.Ended || len(s.Passes) != len(test.made) {
				t.Errorf("the status %+v", s)
			}
		})
	}
}

// damage changes a byte in the middle of a file.
func damage(t *testing.T, path string) {
	t.Helper()
	b := have(os.ReadFile(path))(t)
	b[len(b)/2] ^= 1
	done(t, os.WriteFile(path, b, 0o666))
}

// A folder goes on where its processes were killed, whatever is damaged or gone: it is made again, and the model keeps its bytes.
func TestWholeGoesOn(t *testing.T) {
	path := saved(t, "a.csv", dataset.Friedman1(450, 5, .5, 1))
	spec := Spec{Data: path, Method: "krr", Whole: &Whole{Search: "gamma=0.01,0.1,1,10;lambda=0.01,1", Folds: 3, Halving: 2, Conformal: .2}}
	w := wholeWork(t, spec)
	want, _ := makeWhole(t, w)
	state := func(name string) string { return filepath.Join(w.Dir, name) }
	for name, test := range map[string]struct {
		remove, damage []string
		next           string
	}{
		"a score":       {[]string{"found-0-000000.state"}, []string{"search-00-0-000004.state"}, "search-00"},
		"a later score": {[]string{"found-0-000000.state", "search-01-0-000000.state"}, []string{"search-01-0-000002.state"}, "search-01"},
		"the model":     {nil, []string{"fit-0-000000.state"}, "fit"},
		"the choice":    {nil, []string{"found-0-000000.state"}, ""},
		"the lists":     {[]string{"found-0-000000.state"}, []string{"list-search-00-0-000000.state", "list-search-01-0-000000.state", "list-fit-0-000000.state"}, ""},
		"all scores":    {[]string{"found-0-000000.state", "search-0*.state"}, nil, "search-00"},
	} {
		for _, pattern := range test.remove {
			for _, file := range have(filepath.Glob(state(pattern)))(t) {
				done(t, os.Remove(file))
			}
		}
		for _, file := range test.damage {
			damage(t, state(file))
		}
		if next := have(reopened(t, w).Next(t.Context(), gram.Run{}))(t); next != test.next {
			t.Errorf("%s: the next pass is %q, want %q", name, next, test.next)
		}
		if got, _ := makeWhole(t, w); !bytes.Equal(got, want) {
			t.Errorf("%s: another model", name)
		}
	}
}

// What does not belong together is refused, and bad pieces are named.
func TestWholeRefused(t *testing.T) {
	d := dataset.Friedman1(60, 5, .5, 1)
	path := saved(t, "a.csv", d)
	spec := Spec{Data: path, Method: "krr", Table: &Table{}, Whole: &Whole{Search: "gamma=0.1,1", Folds: 3}}
	w := wholeWork(t, spec)
	other := spec
	other.Whole = &Whole{Search: "gamma=0.1,1", Folds: 4}
	other.Seed, other.Scale = 3, "auto"
	_, err := Create(w.Dir, have(NewWhole(t.Context(), other))(t))
	if another := (*OtherError)(nil); !errors.As(err, &another) || !strings.Contains(err.Error(), "Folds is 4, and was 3") {
		t.Errorf("other folds: %v", err)
	}
	for name, words := range map[string]string{"scan": "search, search-R or fit", "search-01": "gram part next says", "fit": "pass search-00 is not complete"} {
		if _, err := w.Pass(t.Context(), name, gram.Run{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("pass %s: %v", name, err)
		}
	}
	if _, _, err := w.Model(t.Context(), gram.Run{}); err == nil || !strings.Contains(err.Error(), "pass search-00 is not complete") {
		t.Errorf("a model without scores: %v", err)
	}
	pass := have(w.Pass(t.Context(), rungPass, gram.Run{}))(t)
	if _, err := w.Sum(t.Context(), pass); err == nil || !strings.Contains(err.Error(), "one whose states are merged") {
		t.Errorf("a sum of scores: %v", err)
	}
	err = w.Item(t.Context(), pass, 4, gram.Run{MemoryLimit: 20000})
	large := (*gram.MemoryError)(nil)
	if !errors.As(err, &large) || !strings.Contains(err.Error(), "gamma=1: fold 1, 40 rows") {
		t.Errorf("a piece with too little memory: %v", err)
	}
	if s := have(w.Status())(t); len(s.Passes) != 1 || s.Passes[0].Failed != 1 || s.Passes[0].Failures[0].Piece != 4 || s.Passes[0].Missing != 5 {
		t.Errorf("the status %+v", s)
	}
	for _, k := range []int{-1, 6} {
		if err := w.Item(t.Context(), pass, k, gram.Run{}); err == nil {
			t.Errorf("piece %d is made", k)
		}
	}
	text := have(os.ReadFile(path))(t)
	at := bytes.LastIndexByte(text[:len(text)-2], '\n') + 1
	for name, place := range map[string]int{"a cell": slices.IndexFunc(text[at:], func(c byte) bool { return c >= '1' && c < '9' }) + at, "the name of a column": 0} {
		other := slices.Clone(text)
		other[place]++
		done(t, os.WriteFile(path, other, 0o666))
		changed := reopened(t, w)
		pass = have(changed.Pass(t.Context(), rungPass, gram.Run{}))(t)
		if err := changed.Item(t.Context(), pass, 0, gram.Run{}); err == nil || !strings.Contains(err.Error(), "have changed since the job") {
			t.Errorf("%s: %v", name, err)
		}
	}
	done(t, os.WriteFile(path, text, 0o666))
	for name, whole := range map[string]Whole{
		"nope":      {Search: "nope=1"},
		"Trials":    {Search: "auto", Trials: -1},
		"Draw":      {Search: "gamma=1", Draw: true},
		"Groups":    {Groups: "a"},
		"Weights":   {Weights: "w", Balanced: true},
		"task":      {Proba: "platt"},
		"calibrat":  {Proba: "plat"},
		"conformal": {Conformal: 1},
		"folds":     {Search: "gamma=1", Folds: 61},
	} {
		s := spec
		s.Whole = &whole
		j, err := NewWhole(t.Context(), s)
		if err == nil {
			w := have(Create(t.TempDir(), j))(t)
			_, err = w.Begin(t.Context(), gram.Run{})
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// All processes take the candidates that the first one has drawn, whose limit of memory leaves methods out.
func TestWholeDrawsOnce(t *testing.T) {
	spec := Spec{Data: saved(t, "a.csv", dataset.Friedman1(1500, 5, .5, 1)), Whole: &Whole{Search: searchAuto, Trials: 6, Folds: 2}, Table: &Table{}, Seed: 3}
	begin := func(limit int64) *Work {
		t.Helper()
		w := have(Create(t.TempDir(), have(NewWhole(t.Context(), spec))(t)))(t)
		have(w.Begin(t.Context(), gram.Run{MemoryLimit: limit}))(t)
		return w
	}
	w := begin(5e6)
	names := have(w.list(rungName(0)))(t).Names
	if all := have(begin(0).list(rungName(0)))(t).Names; slices.Equal(all, names) {
		t.Fatal("the limit leaves nothing out")
	}
	list, _, err := reopened(t, w).rung(t.Context(), gram.Run{})
	if err != nil || len(list) != len(names) {
		t.Fatalf("%d trainings, want %d, %v", len(list), len(names), err)
	}
	for k, of := range list {
		if of.Name != names[k] {
			t.Errorf("training %d is %s, want %s", k, of.Name, names[k])
		}
	}
}

// A training that needs more memory than there is does not end a search: the others are made, another machine may make it, and where nobody
// does, the search goes on without its candidate.
func TestWholeForgoes(t *testing.T) {
	spec := Spec{Data: saved(t, "a.csv", dataset.Friedman1(300, 5, .5, 1)), Method: "nystrom", Whole: &Whole{Search: "m=5,150", Folds: 3}}
	w := wholeWork(t, spec)
	h := have(w.trainings(t.Context(), gram.Run{}))(t)
	least, most := h.all.Bytes()
	small := gram.Run{Workers: 1, MemoryLimit: h.set.Bytes() + most - 1}
	if least+least/4 > most {
		t.Fatalf("the trainings need %d and %d bytes", least, most)
	}
	pass := have(w.Pass(t.Context(), rungPass, small))(t)
	large := (*gram.MemoryError)(nil)
	if err := w.Make(t.Context(), pass, small); !errors.As(err, &large) {
		t.Fatalf("the large trainings: %v", err)
	}
	if s := have(w.Status())(t); s.Passes[0].Done != 3 || s.Passes[0].Failed != 3 {
		t.Errorf("the status %+v", s)
	}
	if name := have(w.Next(t.Context(), small))(t); name != pass.Name {
		t.Errorf("the next pass is %q", name)
	}
	if err := w.Make(t.Context(), pass, gram.Run{MemoryLimit: h.set.Bytes() + least - 1}); !errors.As(err, &large) {
		t.Errorf("no training has room: %v", err)
	}
	done(t, w.Item(t.Context(), pass, 5, gram.Run{})) // another machine
	done(t, w.Make(t.Context(), have(pass.Forgoing())(t), small))
	if s := have(w.Status())(t); s.Passes[0].Done != 6 {
		t.Errorf("the status %+v", s)
	}
	if name := have(w.Next(t.Context(), small))(t); name != fitPass {
		t.Errorf("the next pass is %q", name)
	}
	found := have(w.Found(t.Context(), small))(t)
	if best := found.Trials[found.Best]; best.Settings[0] != "m=5" || best.Failed != "" {
		t.Errorf("chosen is %+v", best)
	}
	if other := found.Trials[1-found.Best]; !strings.Contains(other.Failed, "the limit is") {
		t.Errorf("the other candidate: %+v", other)
	}
	if _, err := have(w.Pass(t.Context(), fitPass, small))(t).Forgoing(); err == nil {
		t.Error("a model that nobody makes")
	}
}
