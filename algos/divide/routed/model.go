package routed

import (
	"container/list"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/store"
	"gonum.org/v1/gonum/mat"
)

// Method is the name of routed models in files.
const Method = "routed"

// defaultCache is the number of bytes of parts that are kept.
const defaultCache = 1 << 30

// Model is a routed model. It is a *Classifier or a *Regressor to those who predict. It is safe
// for concurrent use.
type Model struct {
	tree   *kmeans.TreeModel // nil: the mean of all parts
	names  []string          // of the classes; nil: values
	d      int
	id     string
	parts  int
	folder string // of the parts

	with  any // how models in parts are read
	mu    sync.Mutex
	most  int64 // bytes of parts that are kept
	held  int64
	order *list.List // of *entry, the one used last in front
	have  map[int]*list.Element
}

type entry struct {
	k    int
	part *Part
}

// New returns the model whose parts are in the folder, in the files PartPath, as WritePart has written them. tree sends the rows
// of d columns to the parts; if it is nil, the prediction is the mean of all parts. names holds the names of the classes, and is
// nil for values. id names the model in the files of the parts. with is given to modelfile.File.With to read the models of the
// parts; it has a method Model that reads one, as the registry of the application does.
func New(tree *kmeans.TreeModel, parts, d int, names []string, id, folder string, with any) *Model {
	if len(names) == 0 {
		names = nil
	}
	m := &Model{tree: tree, parts: parts, d: d, names: names, id: id, folder: folder, with: with}
	m.empty()
	return m
}

func (m *Model) empty() {
	m.most, m.order, m.have = defaultCache, list.New(), map[int]*list.Element{}
}

// Keep sets the number of bytes of parts that are kept in memory, 1 GiB by default. At least one
// part is kept.
func (m *Model) Keep(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.most = bytes
}

// Folder returns the folder of the parts of the model in the file path.
func Folder(path string) string { return path + ".parts" }

// PartPath returns the path of the file of part k in the folder of the parts: k in six digits, with the ending .gram.
func PartPath(folder string, k int) string {
	return store.Join(folder, fmt.Sprintf("%06d.gram", k))
}

// WritePart writes part k of the model with the given id. with is what modelfile.File.With is
// given to read the models of the part.
func WritePart(path, id string, k int, p *Part, with any) error {
	return modelfile.Save(path, writing{&stored{p, id, k}, with})
}

// writing is a part that is written with a value.
type writing struct {
	*stored
	with any
}

// Encode writes the part to f, with the value by which its models are written.
func (w writing) Encode(f *modelfile.Writer) error { return w.stored.Encode(f.With(w.with)) }

// ReadPart reads what WritePart has written, of a model with the given number of classes, 0 for
// values, and d columns.
func ReadPart(path, id string, k, classes, d int, with any) (*Part, error) {
	f, err := modelfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := modelfile.Get(f.With(with), &stored{&Part{classes: classes, d: d}, id, k}, (*stored).form)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if info, err := store.Stat(path); err == nil {
		s.bytes = info.Size()
	}
	return s.Part, nil
}

// CopyParts puts the files of all parts into another folder, by links where the file system has
// them. Each of the folders is one of the disk or of a store.
func (m *Model) CopyParts(folder string) error {
	disk := !store.Remote(folder)
	if disk {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
	}
	for k := range m.parts {
		from, to := PartPath(m.folder, k), PartPath(folder, k)
		if from == to && !disk {
			continue
		}
		if disk && !store.Remote(from) {
			temporary := to + ".new"
			_ = os.Remove(temporary) // what an interrupted copy has left
			if os.Link(from, temporary) == nil {
				err := os.Rename(temporary, to)
				_ = os.Remove(temporary) // it stays if both are the same file
				if err != nil {
					return err
				}
				continue
			}
		}
		b, err := store.ReadFile(from)
		if err != nil {
			return err
		}
		if err := modelfile.WriteFile(to, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
			return err
		}
	}
	return nil
}

// part returns part k. It reads the part unless it is kept.
func (m *Model) part(k int) (*Part, error) {
	m.mu.Lock()
	if e := m.have[k]; e != nil {
		m.order.MoveToFront(e)
		m.mu.Unlock()
		return e.Value.(*entry).part, nil
	}
	m.mu.Unlock()
	p, err := ReadPart(PartPath(m.folder, k), m.id, k, len(m.names), m.d, m.with)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.have[k] == nil {
		m.have[k] = m.order.PushFront(&entry{k, p})
		m.held += p.bytes
	}
	for m.held > m.most && m.order.Len() > 1 {
		old := m.order.Remove(m.order.Back()).(*entry)
		delete(m.have, old.k)
		m.held -= old.part.bytes
	}
	return p, nil
}

// Dim returns the number d of columns that rows to predict must have.
func (m *Model) Dim() int { return m.d }

// Parts returns the number of parts, each of which is a file of its own.
func (m *Model) Parts() int { return m.parts }

// width returns the number of columns of Evaluate.
func (m *Model) width() int {
	if m.names == nil {
		return 1
	}
	return multiclass.Functions(len(m.names))
}

// Evaluate sets dst to the scores of the classes, or to the values, of the rows of x; a nil dst is made. It reads each part that
// rows of x reach at most once. The error says why a part cannot be read.
func (m *Model) Evaluate(dst *mat.Dense, x mat.Matrix) (*mat.Dense, error) {
	dst = rows.Destination("routed", dst, x, m.d, m.width())
	n, _ := x.Dims()
	if n == 0 {
		return dst, nil
	}
	s := gram.Of(x)
	if m.tree != nil {
		return dst, scatter(dst, s, m.tree.Assign(nil, x), m.parts, func(k int, dst *mat.Dense, x gram.Samples[float64]) error {
			p, err := m.part(k)
			if err == nil {
				p.Values(dst, x)
			}
			return err
		})
	}
	dst.Zero()
	one := mat.NewDense(n, m.width(), nil)
	for k := range m.parts {
		p, err := m.part(k)
		if err != nil {
			return nil, err
		}
		p.Values(one, s)
		dst.Add(dst, one)
	}
	dst.Scale(1/float64(m.parts), dst)
	return dst, nil
}

// classifier is a Model with names of classes, as a gram.Classifier.
type classifier struct{ *Model }

// regressor is a Model without names of classes, as a gram.Regressor.
type regressor struct{ *Model }

var (
	_ gram.Classifier = classifier{}
	_ gram.Regressor  = regressor{}
)

// Predictor returns the model as a gram.Classifier or a gram.Regressor.
func (m *Model) Predictor() modelfile.Model {
	if m.names == nil {
		return regressor{m}
	}
	return classifier{m}
}

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (c classifier) Classes() []string { return c.names }

// Scores returns the scores of the row's part: n×1 for two classes, positive for class 1, else
// n×classes. It panics if a part cannot be read; Evaluate returns the error.
func (c classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst, err := c.Evaluate(dst, x)
	if err != nil {
		panic(err)
	}
	return dst
}

// Predict returns the class with the largest score for every row, −1 for a row with NaN. It panics
// if a part cannot be read.
func (c classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("routed", dst, x, c.width(), c.Scores)
}

// Predict returns the value of every row. It panics if a part cannot be read.
func (r regressor) Predict(dst []float64, x mat.Matrix) []float64 {
	return rows.First("routed", dst, x, 1, func(dst *mat.Dense, x mat.Matrix) *mat.Dense {
		dst, err := r.Evaluate(dst, x)
		if err != nil {
			panic(err)
		}
		return dst
	})
}

// Encode writes the main file of the model. Its parts are files of their own.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode has written, from a file; the parts must be in Folder of its path. The
// value of f must say how the models of parts are read, by a method Model.
func Decode(f *modelfile.File) (modelfile.Model, error) {
	if f.Path() == "" {
		return nil, errors.New("routed: the parts lie beside the file, but the model is not read from a file")
	}
	m, err := modelfile.Get(f, &Model{folder: Folder(f.Path()), with: f.Value()}, (*Model).form)
	if err != nil {
		return nil, err
	}
	for k := range m.parts {
		if _, err := store.Stat(PartPath(m.folder, k)); err != nil {
			return nil, fmt.Errorf("a part of the model is missing: %w", err)
		}
	}
	return m.Predictor(), nil
}

// form lists what the main file holds of the model: its id and shape, the names of the classes and the tree. Writing and reading
// a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	head := struct {
		ID       string
		Parts, D int
	}{m.id, m.parts, m.d}
	x.Header(Method, 1, &head)
	x.Require(head.Parts > 0 && head.Parts <= modelfile.MaxCount && head.D > 0, "", "%d parts of %d columns", head.Parts, head.D)
	m.id, m.parts, m.d = head.ID, head.Parts, head.D
	if x.Optional("classes", m.names != nil) {
		x.Strings("classes", &m.names)
		x.Require(len(m.names) > 1, "classes", "%d classes", len(m.names))
	}
	if x.OptionalPart("tree", m.tree != nil) {
		modelfile.Part(x, "tree", &m.tree, kmeans.DecodeTree)
	}
	if x.Reading() {
		if m.tree != nil {
			leaves, d := m.tree.Dims()
			x.Require(leaves == m.parts && d == m.d, "tree", "a tree of %d leaves for %d columns", leaves, d)
		}
		m.empty()
	}
}
