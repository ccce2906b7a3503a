package dcpred

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Classifier tells classes apart. It is safe for concurrent use and keeps no rows.
type Classifier struct {
	cfg   Config
	m     *Machine
	names []string
	stats Stats
}

var _ gram.Classifier = (*Classifier)(nil)

// Regressor predicts values. It is safe for concurrent use and keeps no rows.
type Regressor struct {
	cfg   Config
	m     *Machine
	stats Stats
}

var _ gram.Regressor = (*Regressor)(nil)

// Classes returns the names of the classes.
func (m *Classifier) Classes() []string { return m.names }

// Scores returns the values of the linear functions of the rows' leaves: n×1 for
// two classes, positive for class 1, else n×classes.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.m.values(dst, x) }

// Predict returns the class with the largest score for every row, the lower one
// of equals, and −1 for a row with NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("dcpred", dst, x, m.m.k, m.Scores)
}

// Machine returns the tree with its leaves.
func (m *Classifier) Machine() *Machine { return m.m }

// Dim returns the number of columns of the data.
func (m *Classifier) Dim() int { return m.m.d }

// Config returns the settings with all defaults filled in.
func (m *Classifier) Config() Config { return m.cfg }

// Stats says how the fit went. A model that was read from a file has none.
func (m *Classifier) Stats() Stats { return m.stats }

// Predict returns the values of the rows.
func (m *Regressor) Predict(dst []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, n)
	}
	if len(dst) != n {
		panic("dcpred: the destination has the wrong length")
	}
	if n == 0 {
		return dst
	}
	m.m.values(mat.NewDense(n, 1, dst), x)
	return dst
}

// Machine returns the tree with its leaves.
func (m *Regressor) Machine() *Machine { return m.m }

// Dim returns the number of columns of the data.
func (m *Regressor) Dim() int { return m.m.d }

// Config returns the settings with all defaults filled in.
func (m *Regressor) Config() Config { return m.cfg }

// Stats says how the fit went. A model that was read from a file has none.
func (m *Regressor) Stats() Stats { return m.stats }

// stored is the form of the settings in a model file.
type stored struct {
	Kernel  kernel.Spec
	Columns int
	Config
}

// Encode writes the settings, the tree and the leaves.
func (m *Classifier) Encode(w *modelfile.Writer) error {
	w.Strings("classes", m.names)
	return m.m.encode(w, "dcpred", m.cfg)
}

// Encode writes the settings, the tree and the leaves.
func (m *Regressor) Encode(w *modelfile.Writer) error {
	return m.m.encode(w, "dcpred", m.cfg)
}

func (m *Machine) encode(w *modelfile.Writer, method string, c Config) error {
	spec, err := kernel.Encode(w, m.kernel)
	if err != nil {
		return err
	}
	if err := w.Header(method, 1, stored{spec, m.d, c}); err != nil {
		return err
	}
	if m.tree != nil {
		if err := m.tree.Encode(w.Sub("tree")); err != nil {
			return err
		}
	}
	for i := range m.leaves {
		l := &m.leaves[i]
		name := fmt.Sprintf("leaf%d", i)
		w.Float64(name+".bias", l.bias)
		if l.coef == nil {
			continue
		}
		w.Dense(name+".coef", l.coef)
		var landmarks modelfile.Model = l.columns
		if l.marks != nil {
			landmarks = l.marks
		}
		if err := landmarks.Encode(w.Sub(name)); err != nil {
			return err
		}
	}
	return nil
}

// DecodeClassifier reads what Classifier.Encode wrote. The kernel must be one that
// kernel.Decode makes.
func DecodeClassifier(f *modelfile.File) (*Classifier, error) {
	m := &Classifier{}
	var err error
	if m.names, err = f.Strings("classes"); err != nil {
		return nil, err
	}
	k := len(m.names)
	if k < 2 {
		return nil, f.Errorf("classes", "%d classes", k)
	}
	if m.m, m.cfg, err = decode(f, "dcpred", gram.Functions(k)); err != nil {
		return nil, err
	}
	return m, nil
}

// DecodeRegressor reads what Regressor.Encode wrote.
func DecodeRegressor(f *modelfile.File) (*Regressor, error) {
	m := &Regressor{}
	var err error
	if m.m, m.cfg, err = decode(f, "dcpred", 1); err != nil {
		return nil, err
	}
	return m, nil
}

func decode(f *modelfile.File, method string, k int) (*Machine, Config, error) {
	var s stored
	if err := f.Expect(method, 1, &s); err != nil {
		return nil, s.Config, err
	}
	var err error
	if s.Config.Kernel, err = kernel.Decode(f, s.Kernel); err != nil {
		return nil, s.Config, err
	}
	m := &Machine{kernel: s.Config.Kernel, d: s.Columns, k: k}
	leaves := 1
	if f.HasSub("tree") {
		sub, err := f.Sub("tree")
		if err != nil {
			return nil, s.Config, err
		}
		if m.tree, err = kmeans.DecodeTree(sub); err != nil {
			return nil, s.Config, err
		}
		leaves = m.tree.Leaves()
		if _, centres := m.tree.Nodes(); centres.RawMatrix().Cols != m.d {
			return nil, s.Config, f.Errorf("tree/centers", "%d columns, want %d", centres.RawMatrix().Cols, m.d)
		}
	}
	for i := range leaves {
		l, err := decodeLeaf(f, fmt.Sprintf("leaf%d", i), m.d, k)
		if err != nil {
			return nil, s.Config, err
		}
		m.leaves = append(m.leaves, l)
	}
	m.program = newProgram[float64](m)
	return m, s.Config, nil
}

func decodeLeaf(f *modelfile.File, name string, d, k int) (leaf, error) {
	var l leaf
	var err error
	if l.bias, err = f.Float64(name+".bias", k); err != nil {
		return l, err
	}
	if !f.Has(name + ".coef") {
		return l, nil
	}
	sub, err := f.Sub(name)
	if err != nil {
		return l, err
	}
	var raw gram.FeatureMap
	if sub.Method() == "fastnys.landmarks" {
		if l.marks, err = basis.DecodeStructured(sub); err != nil {
			return l, err
		}
		raw = l.marks
	} else {
		if l.columns, err = basis.DecodePseudo(sub); err != nil {
			return l, err
		}
		raw = l.columns
	}
	cols, width := raw.Dims()
	if cols != d {
		return l, f.Errorf(name, "landmarks in %d dimensions, want %d", cols, d)
	}
	l.coef, err = f.Matrix(name+".coef", width, k)
	return l, err
}
