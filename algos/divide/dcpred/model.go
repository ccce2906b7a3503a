package dcpred

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Classifier predicts classes. It keeps no rows and is safe for concurrent use.
type Classifier struct {
	cfg   Config
	m     *Machine
	names []string
	stats Stats
}

var _ gram.Classifier = (*Classifier)(nil)

// Regressor predicts values. It keeps no rows and is safe for concurrent use.
type Regressor struct {
	cfg   Config
	m     *Machine
	stats Stats
}

var _ gram.Regressor = (*Regressor)(nil)

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (m *Classifier) Classes() []string { return m.names }

// Scores returns the values of the linear functions of each row's leaf: n×1 for two classes,
// positive for class 1, else n×classes.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.m.values(dst, x) }

// Predict returns the class with the largest score for every row, the first
// of equals, and −1 for a row with NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("dcpred", dst, x, m.m.k, m.Scores)
}

// Machine returns the tree and the functions of its leaves, which the model evaluates. It is immutable.
func (m *Classifier) Machine() *Machine { return m.m }

// Dim returns the number of columns of the data.
func (m *Classifier) Dim() int { return m.m.d }

// Config returns the settings with all defaults filled in.
func (m *Classifier) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Classifier) Stats() Stats { return m.stats }

// Predict sets dst to the value that each row gets from the function of its leaf, and returns it; a nil dst is allocated.
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

// Machine returns the tree and the functions of its leaves, which the model evaluates. It is immutable.
func (m *Regressor) Machine() *Machine { return m.m }

// Dim returns the number of columns of the data.
func (m *Regressor) Dim() int { return m.m.d }

// Config returns the settings with all defaults filled in.
func (m *Regressor) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Regressor) Stats() Stats { return m.stats }

// Encode writes the settings, the tree and the leaves.
func (m *Classifier) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Encode writes the settings, the tree and the leaves.
func (m *Regressor) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// DecodeClassifier reads what Classifier.Encode wrote. The kernel must be one that
// kernel.Decode makes.
func DecodeClassifier(f *modelfile.File) (*Classifier, error) {
	return modelfile.Get(f, &Classifier{m: new(Machine)}, (*Classifier).form)
}

// DecodeRegressor reads a Regressor that Encode has written. The error says what is wrong with a damaged file.
func DecodeRegressor(f *modelfile.File) (*Regressor, error) {
	return modelfile.Get(f, &Regressor{m: new(Machine)}, (*Regressor).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Classifier) form(x *modelfile.Exchange) {
	x.Strings("classes", &m.names)
	x.Require(len(m.names) > 1, "classes", "%d classes", len(m.names))
	m.m.exchange(x, 1, &m.cfg, multiclass.Functions(len(m.names)))
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements. Leaves of version 1
// have no bounds.
func (m *Regressor) form(x *modelfile.Exchange) { m.m.exchange(x, 2, &m.cfg, 1) }

// exchange lists what a file holds of a machine of k functions: the settings, the tree and the leaves. Writing and reading a file
// go through these same statements.
func (m *Machine) exchange(x *modelfile.Exchange, version int, c *Config, k int) {
	x.Header("dcpred", version, &struct {
		Columns *int
		*Config
	}{&m.d, c}, kernel.Stored(&c.Kernel))
	leaves := 1
	if x.OptionalPart("tree", m.router != nil) {
		if modelfile.Part(x, "tree", &m.router, kmeans.DecodeCentered); x.Reading() {
			var d int
			leaves, d = m.router.Dims()
			x.Require(d == m.d, "tree/centers", "%d columns, want %d", d, m.d)
		}
	}
	if x.Reading() {
		m.kernel, m.k, m.leaves = c.Kernel, k, make([]localModel, leaves)
	}
	for i := range m.leaves {
		m.leaves[i].exchange(x, fmt.Sprintf("leaf%d", i), m.d, k)
	}
	if x.Reading() {
		m.program = newProgram[float64](m)
	}
}

func (l *localModel) exchange(x *modelfile.Exchange, name string, d, k int) {
	x.Float64(name+".bias", &l.bias, k)
	if x.Optional(name+".bounds", l.bounds != nil) {
		if x.Float64(name+".bounds", &l.bounds, 2); x.Reading() {
			x.Require(l.bounds[0] <= l.bounds[1], name+".bounds", "from %g to %g", l.bounds[0], l.bounds[1])
		}
	}
	if !x.Optional(name+".coef", l.coef != nil) {
		return
	}
	x.Dense(name+".coef", &l.coef, -1, k)
	if modelfile.Part(x, name, &l.landmarks, decodeLandmarks); x.Reading() {
		columns, width := l.landmarks.Dims()
		x.Require(columns == d, name, "landmarks in %d dimensions, want %d", columns, d)
		n, _ := l.coef.Dims()
		x.Require(n == width, name+".coef", "%d rows for %d features", n, width)
	}
}

func decodeLandmarks(f *modelfile.File) (basis.Basis, error) {
	if f.Method() == "fastnys.landmarks" {
		return basis.DecodeStructured(f)
	}
	return basis.DecodePseudo(f)
}
