package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/routed"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/store"
	"gonum.org/v1/gonum/mat"
)

// objects is a store in memory, which knows no folders and no renaming.
type objects struct {
	mu    sync.Mutex
	files map[string]object
	write func(file string) // is called before a file is there; nil: nothing
}

type object struct {
	text []byte
	time time.Time
	name string
}

type opened struct {
	*bytes.Reader
	object
}

func (opened) Close() error                 { return nil }
func (o opened) Stat() (fs.FileInfo, error) { return described{o.object}, nil }

type described struct{ object }

func (d described) Name() string       { return path.Base(d.name) }
func (d described) Size() int64        { return int64(len(d.text)) }
func (d described) Mode() fs.FileMode  { return 0o666 }
func (d described) ModTime() time.Time { return d.time }
func (d described) IsDir() bool        { return false }
func (d described) Sys() any           { return nil }

func (s *objects) Open(file string) (store.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, is := s.files[file]
	if !is {
		return nil, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
	}
	return opened{bytes.NewReader(o.text), o}, nil
}

func (s *objects) Stat(file string) (fs.FileInfo, error) {
	f, err := s.Open(file)
	if err != nil {
		return nil, err
	}
	return f.Stat()
}

func (s *objects) Glob(pattern string) (found []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range slices.Sorted(maps.Keys(s.files)) {
		if is, err := path.Match(pattern, p); err != nil {
			return nil, err
		} else if is {
			found = append(found, p)
		}
	}
	return found, nil
}

func (s *objects) Write(file string, write func(w io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if s.write != nil {
		s.write(file)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[file] = object{b.Bytes(), time.Now(), file}
	return nil
}

func (s *objects) Remove(file string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, file)
	return nil
}

// far puts files into the store, in the folder objects://b/data, and returns the folder of the disk that has them, too.
func (s *objects) far(t *testing.T, files map[string]*dataset.Set) (dir string) {
	t.Helper()
	store.Register("objects", s)
	s.files = map[string]object{}
	dir = t.TempDir()
	for name, d := range files {
		file := filepath.Join(dir, name)
		done(t, dataset.Save(t.Context(), file, d))
		s.files["objects://b/data/"+name] = object{have(os.ReadFile(file))(t), time.Now(), name}
	}
	return dir
}

// without is an error if the store has rows that were kept.
func (s *objects) without(t *testing.T) {
	t.Helper()
	for name := range s.files {
		if strings.Contains(name, keptPrefix) {
			t.Errorf("%s: rows are kept in a store", name)
		}
	}
}

// Four workers at the same time fit a model to files of a store, with the folder of the job there, and one of them ends in the middle of a
// piece: the model has the bytes of one from the disk.
func TestWorkInStore(t *testing.T) {
	s, files := &objects{}, map[string]*dataset.Set{}
	for k := range 3 {
		files[fmt.Sprintf("part-%d.csv.gz", k)] = dataset.Rings(400, 3, .2, uint64(k))
	}
	dir := s.far(t, files)
	spec := Spec{Data: filepath.Join(dir, "part-*"), Task: "classes", Method: "nystrom", Settings: []string{"m=16"}, Seed: 3, Sample: 300}
	m, _, err := have(Create(filepath.Join(dir, "w"), have(New(spec))(t)))(t).Fit(t.Context(), gram.Run{})
	done(t, err)
	want := bytesOf(t, m)

	const work = "objects://b/work/1"
	spec.Data = "objects://b/data/part-*.csv.gz"
	have(Create(work, have(New(spec))(t)))(t)
	ended, end := context.WithCancel(t.Context())
	var once sync.Once
	s.write = func(file string) {
		if strings.Contains(file, "newton-01") {
			once.Do(end)
		}
	}
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			ctx := t.Context()
			if k == 0 {
				ctx = ended
			}
			w, err := Open(work)
			if err != nil {
				t.Error(err)
				return
			}
			m, _, err := w.Fit(ctx, gram.Run{Workers: 1})
			if k == 0 && ended.Err() != nil && err != nil {
				return
			}
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(bytesOf(t, m), want) {
				t.Error("another model than from the disk")
			}
		})
	}
	all.Wait()
	w := have(Open(work))(t)
	done(t, w.Unchanged())
	s.without(t)
	if status := have(w.Status())(t); !status.Ended || status.Items != 3 {
		t.Errorf("status %+v", status)
	}
	if err := w.Predict(t.Context(), m, 1); err != nil || len(s.files[work+"/predictions-000001.txt"].text) == 0 {
		t.Error(err)
	}
}

// Three workers at the same time make a divided fit in a store, of which one ends between its parts. The model, whose parts lie in the
// store, predicts what one from the disk does, also after it was stored elsewhere.
func TestDividedInStore(t *testing.T) {
	s := &objects{}
	dir := s.far(t, map[string]*dataset.Set{"part-0.csv": dataset.Rings(300, 3, .2, 1), "part-1.csv": dataset.Rings(200, 3, .2, 2)})
	spec := Spec{Data: filepath.Join(dir, "part-*"), Task: "classes", Method: "dc-krr", Settings: []string{"lambda=.01"}, Cap: 100, Seed: 3}
	m, _, err := have(Create(filepath.Join(dir, "w"), have(New(spec))(t)))(t).Fit(t.Context(), gram.Run{})
	done(t, err)
	set := have(dataset.Open(spec.Data, dataset.Options{Task: dataset.Classes}))(t)
	want := have(m.Predict(set.X, true, 0))(t)

	const work = "objects://b/divided"
	spec.Data = "objects://b/data/part-*"
	have(Create(work, have(New(spec))(t)))(t)
	ended, end := context.WithCancel(t.Context())
	var once sync.Once
	s.write = func(path string) {
		if strings.Contains(path, "parts/000003") {
			once.Do(end)
		}
	}
	models := make([]*pipeline.Model, 3)
	var all sync.WaitGroup
	for k := range models {
		all.Go(func() {
			ctx := t.Context()
			if k == 0 {
				ctx = ended
			}
			var err error
			if models[k], _, err = have(Open(work))(t).Fit(ctx, gram.Run{Workers: 1}); err != nil && (k > 0 || ended.Err() == nil) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, path := range []string{"objects://b/m.gram", "objects://b/m.gram", filepath.Join(dir, "m.gram"), "objects://b/again.gram"} {
		done(t, Save(path, models[2]))
		back := have(catalog.LoadFitted(path))(t)
		if got := have(back.Predict(set.X, true, 0))(t); !slices.Equal(got.Class, want.Class) || !mat.Equal(got.Scores, want.Scores) {
			t.Errorf("%s predicts otherwise than a model from the disk", path)
		}
		models[2] = back
	}
	done(t, store.Remove(routed.PartPath(routed.Folder("objects://b/m.gram"), 2)))
	if _, err := catalog.LoadFitted("objects://b/m.gram"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part is missing: %v", err)
	}
}

// Three workers at the same time grow trees in a store, of which one ends in the middle of a round, and have the bytes from the disk. The sums
// of rounds that are made are gone.
func TestTreesInStore(t *testing.T) {
	s := &objects{}
	dir := s.far(t, map[string]*dataset.Set{"part-0.csv": dataset.Friedman1(500, 5, .5, 1), "part-1.csv": dataset.Friedman1(400, 5, .5, 2)})
	spec := Spec{Data: filepath.Join(dir, "part-*"), Task: "regression", Method: "gbdt", Settings: []string{"rounds=4", "leaves=5"}, Scale: "auto", Seed: 3}
	m, _, err := have(Create(filepath.Join(dir, "w"), have(New(spec))(t)))(t).Fit(t.Context(), gram.Run{})
	done(t, err)
	want := bytesOf(t, m)

	const work = "objects://b/trees"
	spec.Data = "objects://b/data/part-*"
	have(Create(work, have(New(spec))(t)))(t)
	ended, end := context.WithCancel(t.Context())
	var once sync.Once
	s.write = func(path string) {
		if strings.Contains(path, "scores-000002") {
			once.Do(end)
		}
	}
	var all sync.WaitGroup
	for k := range 3 {
		all.Go(func() {
			ctx := t.Context()
			if k == 0 {
				ctx = ended
			}
			m, _, err := have(Open(work))(t).Fit(ctx, gram.Run{Workers: 1})
			switch {
			case k == 0 && ended.Err() != nil && err != nil:
			case err != nil:
				t.Error(err)
			case !bytes.Equal(bytesOf(t, m), want):
				t.Error("another model than from the disk")
			}
		})
	}
	all.Wait()
	if status := have(have(Open(work))(t).Status())(t); !status.Ended {
		t.Errorf("status %+v", status)
	}
	if ended.Err() == nil {
		t.Error("no worker has ended early")
	}
}

// Falkon, which keeps rows on the disk, and a search over rows in memory have the bytes from the disk, too, and the store has no rows.
func TestRowsInStore(t *testing.T) {
	s := &objects{}
	file := filepath.Join(s.far(t, map[string]*dataset.Set{"a.csv": dataset.Friedman1(600, 5, .5, 1)}), "a.csv")
	const far = "objects://b/data/a.csv"

	spec := Spec{Method: "falkon", Settings: []string{"m=20", "gamma=0.5", "lambda=0.1", "tol=0.001"}, Scale: "minmax", Sample: 200, ItemBytes: int64(len(s.files[far].text) / 4)}
	var models [][]byte
	for data, dir := range map[string]string{file: filepath.Join(t.TempDir(), "w"), far: "objects://b/falkon"} {
		spec.Data = data
		m, _, err := have(Create(dir, have(New(spec))(t)))(t).Fit(t.Context(), gram.Run{})
		done(t, err)
		models = append(models, bytesOf(t, m))
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("falkon: another model than from the disk")
	}

	spec = Spec{Method: "gbdt", Seed: 3, Settings: []string{"rounds=5"}, Table: &Table{}, Scale: "auto", Whole: &Whole{Search: "depth=2,3", Folds: 2}}
	models = nil
	for data, dir := range map[string]string{file: filepath.Join(t.TempDir(), "w"), far: "objects://b/search"} {
		spec.Data = data
		w := have(Create(dir, have(NewWhole(t.Context(), spec))(t)))(t)
		have(w.Begin(t.Context(), gram.Run{}))(t)
		model, _ := makeWhole(t, w)
		models = append(models, model)
		if status := have(w.Status())(t); !status.Ended {
			t.Errorf("status %+v", status)
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("search: another model than from the disk")
	}
	s.without(t)
}
