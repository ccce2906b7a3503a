package fit

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// The sizes of the files tell beforehand that the rows are far too many.
func TestExceeds(t *testing.T) {
	dir := t.TempDir()
	for k := range uint64(4) {
		if err := dataset.Save(t.Context(), filepath.Join(dir, fmt.Sprintf("part-%d.csv.gz", k)), dataset.Friedman1(4000, 10, .1, k)); err != nil {
			t.Fatal(err)
		}
	}
	spec := job.Spec{Data: filepath.Join(dir, "part-*"), Format: "auto", Task: "regression", Method: "linear", Scale: "none", Seed: 1}
	memory := (*gram.MemoryError)(nil)
	if err := exceeds(t.Context(), spec, 600e3); !errors.As(err, &memory) || memory.Limit != 600e3 || memory.Need <= 600e3 {
		t.Errorf("the rows for 600 kB: %v", err)
	}
	if err := exceeds(t.Context(), spec, 1200e3); err != nil {
		t.Errorf("the rows for 1.2 MB: %v", err)
	}
	spec.Data = filepath.Join(dir, "none.csv")
	if err := exceeds(t.Context(), spec, 1); err != nil {
		t.Errorf("a file that is not there: %v", err)
	}
}

// encoded returns the bytes of the file of the result's model.
func encoded(t *testing.T, r *Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.Write(&b, r.Model); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Rows in memory give the model that their file gives, with a method, a search, a race and a model to go on from; what is
// stored is what is returned.
func TestMemoryIsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rings.libsvm")
	if err := dataset.Save(t.Context(), path, dataset.Rings(150, 2, .1, 1)); err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	grid, err := search.ParseGrid("c=0.1,10")
	if err != nil {
		t.Fatal(err)
	}
	nystrom := Request{Method: catalog.Must("nystrom"), Settings: []string{"m=20"}, Prepare: training.Prepare{Scale: training.AutoScale}}
	first, err := Do(t.Context(), with(nystrom, set, ""))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Request{
		"a method": nystrom,
		"a search": {Method: catalog.Must("svm"), Search: &search.Config{Methods: []catalog.Method{catalog.Must("svm")}, Grid: grid, Folds: 3}, Prepare: training.Prepare{Scale: training.AutoScale}},
		"a race":   {Prepare: training.Prepare{Scale: training.AutoScale}},
		"more":     {Method: catalog.Must("nystrom"), From: first.Model},
	} {
		memory, err := Do(t.Context(), with(r, set, ""))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r.Output = filepath.Join(t.TempDir(), "m.gram")
		file, err := Do(t.Context(), with(r, nil, path))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		stored, err := os.ReadFile(r.Output)
		if want := encoded(t, memory); err != nil || !bytes.Equal(encoded(t, file), want) || !bytes.Equal(stored, want) {
			t.Errorf("%s: the models of memory and of the file differ (%v)", name, err)
		}
		if (file.Compared != nil) != (name == "a race") || (file.Found != nil) != (name == "a search") || file.Seconds <= 0 || file.Method.Name == "" {
			t.Errorf("%s: %+v", name, file)
		}
	}
}

// with gives a request its rows.
func with(r Request, set *dataset.Set, path string) Request {
	r.Set, r.Path, r.Run = set, path, gram.Run{Seed: 3}
	return r
}

// Many rows of a file are scaled where they are: the model and what is said of it are those of rows in memory, which stay.
func TestRowsOfAFileAreUsedUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(15000, 5, .1, 1)); err != nil {
		t.Fatal(err)
	}
	read := dataset.Options{Task: dataset.Regression}
	set, err := dataset.Open(path, read)
	if err != nil {
		t.Fatal(err)
	}
	before := mat.DenseCopyOf(set.X)
	r := Request{Read: read, Method: catalog.Must("linear"), Prepare: training.Prepare{Scale: training.Standard}}
	memory, err := Do(t.Context(), with(r, set, ""))
	if err != nil {
		t.Fatal(err)
	}
	if memory.Set != set || !mat.Equal(set.X, before) {
		t.Error("the rows in memory are changed")
	}
	file, err := Do(t.Context(), with(r, nil, path))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(t, memory), encoded(t, file)) {
		t.Error("another model of the file")
	}
	if _, all := file.Set.X.(*mat.Dense); all {
		t.Error("all rows of the file are held")
	}
	held := func(set *dataset.Set) *search.HeldOut {
		h, err := search.HoldOut(t.Context(), r.Prepare, r.Method, nil, set, gram.Run{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if a, b := held(set), held(file.Set); !slices.Equal(a.Loss, b.Loss) || !slices.Equal(a.Linear, b.Linear) {
		t.Error("other losses on rows that are held out")
	}
	off := *memory.Model
	shifted := *off.Scaling
	shifted.Shift = slices.Repeat([]float64{100}, 5)
	off.Scaling = &shifted
	if a, b := search.Poor(&off, set, 3), search.Poor(&off, file.Set, 3); a == "" || a != b {
		t.Errorf("of a poor model: %q, and of rows in memory %q", b, a)
	}
}

// Errors name the file.
func TestRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(50, 5, .1, 1)); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		r    Request
		want string
	}{
		"another task":             {Request{Path: path, Method: catalog.Must("svm"), Read: dataset.Options{Task: dataset.Regression}}, "f.csv: method svm does not learn"},
		"nothing":                  {Request{Path: path, Method: catalog.Must("linear"), Read: dataset.Options{Task: dataset.NoTarget}}, "f.csv: there is no target"},
		"memory":                   {Request{Path: path, Run: gram.Run{MemoryLimit: 10}, Read: dataset.Options{MemoryLimit: 10}}, "without --method all rows must fit"},
		"a file that is not there": {Request{Path: path + ".gz", Method: catalog.Must("linear")}, "f.csv.gz"},
	} {
		if r, err := Do(t.Context(), c.r); err == nil || !strings.Contains(err.Error(), c.want) || r != nil {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
	}
	short := Request{Path: path, Method: catalog.Must("svr"), Settings: []string{"max-iter=1"}, Read: dataset.Options{Task: dataset.Regression}, Output: filepath.Join(t.TempDir(), "m.gram")}
	r, err := Do(t.Context(), short)
	if err != nil || r.Short == nil {
		t.Fatalf("a fit that stops early: %v, %+v", err, r)
	}
	var stopped *gram.ConvergenceError
	short.Strict, short.Output = true, filepath.Join(t.TempDir(), "n.gram")
	if _, err := Do(t.Context(), short); !errors.As(err, &stopped) {
		t.Errorf("the same, strict: %v", err)
	}
	if _, err := os.Stat(short.Output); err == nil {
		t.Error("a strict fit that stopped early has stored a model")
	}
}

// A stream that takes over from a fit in memory has the whole limit, for the rows are given up.
func TestStreamHasTheWholeLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(8000, 10, .1, 1)); err != nil {
		t.Fatal(err)
	}
	need := func(work string) int64 {
		settings := []string{"m=256", "gamma=1", "lambda=1"}
		r := Request{Path: path, Method: catalog.Must("nystrom"), Settings: settings, Output: filepath.Join(t.TempDir(), "m.gram"), Run: gram.Run{MemoryLimit: 3e6}, Work: work,
			Stream: &job.Spec{Data: path, Task: "regression", Method: "nystrom", Settings: settings}}
		_, err := Do(t.Context(), r)
		memory := (*gram.MemoryError)(nil)
		if !errors.As(err, &memory) || memory.Limit != 3e6 {
			t.Fatal(err)
		}
		return memory.Need
	}
	if after, alone := need(""), need(filepath.Join(t.TempDir(), "work")); after != alone {
		t.Errorf("a stream after a fit in memory needs %d bytes, and %d alone", after, alone)
	}
}

// A fit in pieces says what it was, and an error of a line names the data as the caller does.
func TestStreamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(300, 5, .1, 1)); err != nil {
		t.Fatal(err)
	}
	r := Request{Path: path, Name: "the rows", Method: catalog.Must("linear"), Output: filepath.Join(t.TempDir(), "m.gram"), Work: filepath.Join(t.TempDir(), "work"),
		Stream: &job.Spec{Data: path, Task: "regression", Method: "linear"}}
	var said []string
	r.Streaming = func(how string) { said = append(said, how) }
	got, err := Do(t.Context(), r)
	if err != nil || !slices.Equal(said, []string{"it reads the rows in one piece"}) {
		t.Fatalf("it says %q: %v", said, err)
	}
	if s := got.Streamed; s == nil || s.N != 300 || s.D != 5 || s.Passes != 2 || s.Parts != 0 {
		t.Errorf("it was %+v", s)
	}
	for _, c := range [][4]string{{"a.csv", "a,y\n", "1,2\n", "1,2,3\n"}, {"b.csv", "b,y\n", "1,2\n", "1,x\n"}, {"c.libsvm", "1 1:2\n", "2 1:1\n", "1 1:x\n"}} { // no text is a category
		path := filepath.Join(t.TempDir(), c[0])
		if err := os.WriteFile(path, []byte(c[1]+strings.Repeat(c[2], 50_000)+c[3]), 0o666); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{path: path + ":50002", "the rows": "the rows:50002"} {
			for _, work := range []string{"", filepath.Join(t.TempDir(), "work")} {
				f := &fitting{Request: r}
				f.Path, f.Name, f.Work, f.Stream = path, name, work, &job.Spec{Data: path, Task: "regression", Method: "linear"}
				if err := f.stream(t.Context(), nil); err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%s, named %q, in %q: got %v, want %s", c[0], name, work, err, want)
				}
			}
		}
	}
	one := filepath.Join(t.TempDir(), "one.csv")
	if err := os.WriteFile(one, []byte("a,y\n"+strings.Repeat("1,x\n2,x\n", 50)), 0o666); err != nil {
		t.Fatal(err)
	}
	f := &fitting{Request: Request{Path: one, Name: one, Output: r.Output, Stream: &job.Spec{Data: one, Task: "classes", Method: "linear"}}}
	if err := f.stream(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "class") {
		t.Errorf("a single class: %v", err)
	}
}

// A search whose trainings are kept in a folder finds what it finds in memory, goes on with what is there, and gives the same model.
func TestSearchInPieces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(200, 5, .1, 1)); err != nil {
		t.Fatal(err)
	}
	grid, err := search.ParseGrid("c=1,10;gamma=0.1,1")
	if err != nil {
		t.Fatal(err)
	}
	svr := catalog.Must("svr")
	r := Request{Path: path, Method: svr, Read: dataset.Options{Task: dataset.Regression, Table: true}, Prepare: training.Prepare{Scale: training.AutoScale}, Run: gram.Run{Seed: 3},
		Trust: training.Trust{Conformal: .2}, Search: &search.Config{Methods: []catalog.Method{svr}, Grid: grid, Folds: 3}, Output: filepath.Join(t.TempDir(), "m.gram")}
	want, err := Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Work = filepath.Join(t.TempDir(), "work")
	r.Stream = &job.Spec{Data: path, Task: "regression", Method: "svr", Scale: "auto", Seed: 3, Table: &job.Table{}, Whole: &job.Whole{Search: "c=1,10;gamma=0.1,1", Folds: 3, Conformal: .2}}
	for _, gone := range []string{"", "fit-0-000000.state", "found-0-000000.state", "search-00-0-000004.state"} {
		if gone != "" {
			if err := os.Remove(filepath.Join(r.Work, gone)); err != nil {
				t.Fatal(err)
			}
		}
		var said []string
		r.Streaming = func(how string) { said = append(said, how) }
		got, err := Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encoded(t, got), encoded(t, want)) {
			t.Errorf("without %q another model than in memory", gone)
		}
		if got.Set == nil || got.Streamed != nil || got.Search == nil || fmt.Sprint(got.Settings, got.Method.Name, got.Chosen) != fmt.Sprint(want.Settings, "svr", want.Chosen) {
			t.Errorf("the result %+v", got)
		}
		goes := "goes on with the pass"
		if gone == "" {
			goes = "keeps each training"
		}
		if len(said) != 1 || !strings.Contains(said[0], goes) {
			t.Errorf("without %q it says %q", gone, said)
		}
	}
}

// A search of settings of a stream is made on a sample: on all rows, if these are few, with the scores of a search in memory.
func TestSearchOnSample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(8000, 20, .1, 1)); err != nil {
		t.Fatal(err)
	}
	for method, text := range map[string]string{"nystrom": "m=10,40;gamma=0.1,1", "linear": "lambda=0.1,1000", "falkon": "m=30;lambda=0.1,1000"} {
		grid, err := search.ParseGrid(text)
		if err != nil {
			t.Fatal(err)
		}
		m := catalog.Must(method)
		r := Request{Path: path, Method: m, Read: dataset.Options{Task: dataset.Regression, Table: true}, Prepare: training.Prepare{Scale: training.AutoScale}, Run: gram.Run{Seed: 3, Workers: 1},
			Search: &search.Config{Methods: []catalog.Method{m}, Grid: grid, Folds: 2}, Output: filepath.Join(t.TempDir(), "m.gram")}
		want, err := Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		spec := job.Spec{Data: path, Task: "regression", Method: method, Scale: "auto", Seed: 3, ItemBytes: 200e3}
		var said []string
		r.Stream, r.Streaming = &spec, func(how string) { said = append(said, how) }
		r.Run.MemoryLimit = 40e6
		f := &fitting{Request: r, streams: true}
		f.got.Method, f.got.Prepare, f.Name = m, r.Prepare, path
		if err := f.stream(t.Context(), errors.New("too much")); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		if len(said) < 2 || !strings.Contains(said[0], "searches on a sample of 8000 rows") || f.got.Streamed == nil || f.got.Streamed.Passes < 3 {
			t.Errorf("%s: it says %q", method, said)
		}
		how, keeps := "pieces in two passes", method == "falkon"
		if keeps {
			how = "pieces in a pass for each product of conjugate gradients"
		}
		if !strings.Contains(said[1], how) || strings.Contains(said[1], "keeps the rows as numbers") != keeps {
			t.Errorf("%s: it says %q", method, said[1])
		}
		if fmt.Sprint(f.got.Settings) != fmt.Sprint(want.Settings) {
			t.Errorf("%s: found are %q, and %q in memory", method, f.got.Settings, want.Settings)
		}
		for k, trial := range f.got.Found.Trials {
			if in := want.Found.Trials[k]; !(abs(trial.Score-in.Score) <= 1e-9*in.Score) {
				t.Errorf("%s: trial %d has %v, and %v in memory", method, k, trial.Score, in.Score)
			}
		}
		spec.Settings, spec.Scale = want.Settings, want.Prepare.Scale.String()
		j, err := job.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		model, _, err := j.Fit(t.Context(), gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encoded(t, &f.got), encoded(t, &Result{Model: model})) {
			t.Errorf("%s: another model than with the settings given", method)
		}
	}
}

func abs(v float64) float64 { return max(v, -v) }

// Rows that are divided into parts give the model that they give in a folder of work, which is stored, and nothing but
// the parts stays beside it.
func TestDivided(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := dataset.Save(t.Context(), path, dataset.Friedman1(120, 5, .1, 1)); err != nil {
		t.Fatal(err)
	}
	var models [][]byte
	for _, work := range []string{"", filepath.Join(t.TempDir(), "work")} {
		dir := t.TempDir()
		var said []string
		spared := 0
		f := &fitting{Request: Request{Path: path, Name: path, Method: catalog.Must("svr"), Output: filepath.Join(dir, "m.gram"), Work: work,
			Stream:    &job.Spec{Data: path, Task: "regression", Method: "svr", Cap: 40, Seed: 1},
			Streaming: func(how string) { said = append(said, how) },
			Spare:     func() func() { spared++; return func() { spared += 10 } }}}
		if err := f.stream(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		s := f.got.Streamed
		if s == nil || s.N != 120 || s.D != 5 || s.Parts < 3 || len(s.Classes) > 0 || work == "" && s.Passes != 2 || spared != 11 || f.got.Seconds <= 0 {
			t.Errorf("in %q: %+v, %d, %v s", work, s, spared, f.got.Seconds)
		}
		want := fmt.Sprintf("it divides the rows into %d parts, each with a model of at most 40 rows", s.Parts)
		if work != "" {
			want = "it reads the rows in one piece and divides them into parts of at most 40, each with a model"
		}
		if len(said) == 0 || said[0] != want {
			t.Errorf("in %q it says %q, want %q", work, said, want)
		}
		stored, err := os.ReadFile(f.Output)
		if left, _ := os.ReadDir(dir); err != nil || len(left) != 2 || left[0].Name() != "m.gram" || left[1].Name() != "m.gram.parts" || !bytes.Equal(stored, encoded(t, &f.got)) {
			t.Errorf("in %q: beside the model are %v, %v", work, left, err)
		}
		models = append(models, stored)
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("a folder of work gives another model")
	}
	bad := filepath.Join(t.TempDir(), "bad.csv")
	if err := os.WriteFile(bad, []byte("a,y\n"+strings.Repeat("1,2\n", 50_000)+"x,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f := &fitting{Request: Request{Path: bad, Name: bad, Output: filepath.Join(t.TempDir(), "m.gram"), Stream: &job.Spec{Data: bad, Task: "regression", Method: "svr", Cap: 40}}}
	if err := f.stream(t.Context(), nil); err == nil || !strings.HasPrefix(err.Error(), bad+":50002") || !strings.Contains(err.Error(), "divided") {
		t.Errorf("a text behind the beginning: %v", err)
	}
}

// What the caller gives is used: weights, the name of the data, reports of a search and scalings to draw. A method without a
// target takes all columns.
func TestRequests(t *testing.T) {
	set := dataset.Friedman1(60, 5, .1, 1)
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := dataset.Save(t.Context(), path, set); err != nil {
		t.Fatal(err)
	}
	all, err := Do(t.Context(), Request{Path: path, Method: catalog.Must("one-class"), Prepare: training.Prepare{Scale: training.AutoScale}})
	if err != nil {
		t.Fatal(err)
	}
	if n, d := all.Set.Dims(); n != 60 || d != 6 || all.Set.Task() != dataset.NoTarget {
		t.Errorf("without a target: %d×%d, %v", n, d, all.Set.Task())
	}
	values := dataset.Options{Task: dataset.Regression}
	_, err = Do(t.Context(), Request{Path: path, Method: catalog.Must("one-class"), Read: values})
	if err == nil || !strings.Contains(err.Error(), "f.csv: method one-class learns without a target") {
		t.Errorf("with a target: %v", err)
	}
	broken := errors.New("broken")
	var weighed *dataset.Set
	weigh := func(s *dataset.Set) error { weighed = s; return broken }
	if _, err := Do(t.Context(), Request{Path: path, Read: values, Method: catalog.Must("linear"), Weigh: weigh}); err != broken || weighed == nil || len(weighed.Value) != 60 {
		t.Errorf("weights: %v, %v", weighed, err)
	}
	set.X.(*mat.Dense).Set(7, 2, math.NaN())
	for _, name := range []string{"", "the rows"} {
		var bad *gram.DataError
		_, err := Do(t.Context(), Request{Set: set, Name: name, Method: catalog.Must("linear")})
		if !errors.As(err, &bad) || bad.Row != 7 || strings.HasPrefix(err.Error(), "the rows: ") != (name != "") {
			t.Errorf("a number that is none, of rows named %q: %v", name, err)
		}
	}
	if err := exceeds(t.Context(), job.Spec{Data: path, Format: "auto", Task: "regression", Method: "linear", Scale: "none"}, 0); err != nil {
		t.Errorf("without a limit: %v", err)
	}
	rings := dataset.Rings(40, 2, .1, 1)
	for _, draw := range []bool{false, true} {
		reports, larger := 0, false
		r := Request{Set: rings, Draw: draw, Search: &search.Config{Methods: []catalog.Method{catalog.Must("linear")}, Trials: 2, Folds: 2}, Run: gram.Run{Seed: 1},
			Report: func(l bool) func(search.Trial) { larger = l; return func(search.Trial) { reports++ } }}
		got, err := Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if reports != 2 || larger != got.Search.Larger(dataset.Classes) || (got.Search.Scales != nil) != draw || got.Method.Name != "linear" || got.Searched <= 0 || r.Search.Scales != nil {
			t.Errorf("draws scalings: %v: %d reports, %v, %+v", draw, reports, larger, got.Search)
		}
	}
}
