package bka

import (
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Model is a classifier made of one for each cluster, or of all coefficients
// together. It is safe for concurrent use.
type Model struct {
	cfg      SVM
	names    []string
	router   router
	local    []*svm.Model // of each cluster; nil where there is a constant, or whole
	constant []int        // the class of a cluster without a model, −1 if it has one
	whole    *svm.Model   // with Whole
	stats    Stats

	once    sync.Once
	program gram.Program[float64] // of the scores, without whole
}

var _ gram.Classifier = (*Model)(nil)

// Classes returns the names of the classes.
func (m *Model) Classes() []string { return m.names }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() SVM { return m.cfg }

// Stats says how the fit went. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Whole returns the model of all coefficients together; nil unless the settings ask
// for it.
func (m *Model) Whole() *svm.Model { return m.whole }

// Clusters returns the number of clusters, empty ones included.
func (m *Model) Clusters() int { return len(m.constant) }

// Local returns the model of a cluster or, if it has none, the class of all its
// rows.
func (m *Model) Local(cluster int) (*svm.Model, int) { return m.local[cluster], m.constant[cluster] }

// Route returns the cluster of every row of x, −1 for a row with NaN.
func (m *Model) Route(dst []int, x mat.Matrix) []int { return m.router.Assign(dst, x) }

// width is the number of scores of a row.
func (m *Model) width() int { return gram.Functions(len(m.names)) }

// Scores returns n×1 values for two classes, positive for class 1, else n×classes:
// those of svm.Model.Scores of the row's cluster. A cluster of a single class has
// ±1, or all votes.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if m.whole != nil {
		return m.whole.Scores(dst, x)
	}
	m.once.Do(func() {
		var err error
		if m.program, err = m.Program64(); err != nil {
			panic(err) // there is one in float64
		}
	})
	d, k := m.program.Dims()
	dst = rows.Destination("bka", dst, x, d, k)
	program.Evaluate(m.cfg.Machine.Workers, evaluateRows, m.program, dst, x)
	return dst
}

// evaluateRows is the number of rows that one goroutine takes at a time.
const evaluateRows = 1024

// certain writes the scores of a cluster of a single class.
func (m *Model) certain(row []float64, class int) {
	low, high := -1.0, 1.0
	if len(row) > 1 && m.cfg.Machine.Multi == svm.OneVsOne {
		low, high = 0, float64(len(row)-1)
	}
	if len(row) == 1 {
		row[0] = low
		if class == 1 {
			row[0] = high
		}
		return
	}
	for c := range row {
		row[c] = low
	}
	row[class] = high
}

// Predict returns the class of every row, −1 for a row with NaN.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("bka", dst, x, m.width(), m.Scores)
}

// stored is the form of the settings in a model file.
type stored struct {
	Kernel kernel.Spec
	SVM
}

// Encode writes the settings, the clusters and their models.
func (m *Model) Encode(w *modelfile.Writer) error {
	spec, err := kernel.Encode(w, m.cfg.Machine.Kernel)
	if err != nil {
		return err
	}
	if err := w.Header("bka-svm", 1, stored{spec, m.cfg}); err != nil {
		return err
	}
	w.Strings("classes", m.names)
	w.Ints("constant", m.constant)
	if err := m.router.Encode(w.Sub("clusters")); err != nil {
		return err
	}
	if m.whole != nil {
		return m.whole.Encode(w.Sub("whole"))
	}
	for c, local := range m.local {
		if local == nil {
			continue
		}
		if err := local.Encode(w.Sub(fmt.Sprint("cluster", c))); err != nil {
			return err
		}
	}
	return nil
}

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) {
	var s stored
	if err := f.Expect("bka-svm", 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.Decode(f, s.Kernel)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: s.SVM}
	m.cfg.Machine.Kernel = k
	if m.names, err = f.Strings("classes"); err != nil {
		return nil, err
	}
	if len(m.names) < 2 {
		return nil, f.Errorf("classes", "%d classes", len(m.names))
	}
	sub, err := f.Sub("clusters")
	if err != nil {
		return nil, err
	}
	var parts, columns int
	if m.router, parts, columns, err = decodeRouter(sub); err != nil {
		return nil, err
	}
	if m.constant, err = f.Ints("constant", parts); err != nil {
		return nil, err
	}
	for _, c := range m.constant {
		if c < -1 || c >= len(m.names) {
			return nil, f.Errorf("constant", "class %d of %d", c, len(m.names))
		}
	}
	if m.cfg.Whole {
		m.whole, err = m.decodePart(f, "whole", columns)
		return m, err
	}
	m.local = make([]*svm.Model, parts)
	for c := range parts {
		name := fmt.Sprint("cluster", c)
		if !f.HasSub(name) {
			if m.constant[c] < 0 {
				return nil, f.Errorf("constant", "cluster %d has neither a model nor a class", c)
			}
			continue
		}
		if m.local[c], err = m.decodePart(f, name, columns); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// decodePart reads the model of a cluster, or that of all.
func (m *Model) decodePart(f *modelfile.File, name string, columns int) (*svm.Model, error) {
	sub, err := f.Sub(name)
	if err != nil {
		return nil, err
	}
	part, err := svm.Decode(sub)
	if err != nil {
		return nil, err
	}
	if len(part.Classes()) != len(m.names) || part.Config().Multi != m.cfg.Machine.Multi {
		return nil, f.Errorf("classes", "%s has other classes", name)
	}
	if part.Dim() != columns {
		return nil, f.Errorf("clusters", "%s has %d columns, the clusters %d", name, part.Dim(), columns)
	}
	return part, nil
}
