package svm

import (
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// machine is a set of functions Σ_j coef_jf·K(u_j,x) + bias_f on common points.
type machine struct {
	kernel  kernel.Kernel
	points  mat.Matrix // m×d, *mat.Dense or *sparse.CSR
	coef    *mat.Dense // m×functions
	bias    []float64
	support []int // rows of the fit that are the points; nil: not known
	block   *kernel.Block[float64]
}

// newMachine returns the functions with the coefficients of the rows of x. Without
// support vectors they get the first row, with coefficients 0.
func newMachine(k kernel.Kernel, x mat.Matrix, coef *mat.Dense, bias []float64) machine {
	m := machine{kernel: k, bias: bias}
	n, functions := coef.Dims()
	for i := range n {
		for _, b := range coef.RawRowView(i) {
			if b != 0 {
				m.support = append(m.support, i)
				break
			}
		}
	}
	if len(m.support) == 0 {
		m.support = []int{0}
	}
	m.points = rows.Select(x, m.support)
	m.coef = mat.NewDense(len(m.support), functions, nil)
	for k, i := range m.support {
		m.coef.SetRow(k, coef.RawRowView(i))
	}
	m.block = kernel.Against[float64](k, m.points)
	return m
}

// Coefficients returns the n×functions coefficients of the n rows of the fit, to
// start another from. A model read from a LIBSVM file does not know them.
func (m *machine) Coefficients(n int) (*mat.Dense, error) {
	if m.support == nil || m.support[len(m.support)-1] >= n {
		return nil, &gram.ConfigError{Field: "n", Value: n, Want: "the number of rows of the fit, for a model that knows its support vectors' numbers"}
	}
	_, functions := m.coef.Dims()
	all := mat.NewDense(n, functions, nil)
	for k, i := range m.support {
		all.SetRow(i, m.coef.RawRowView(k))
	}
	return all, nil
}

// Kernel returns the kernel.
func (m *machine) Kernel() kernel.Kernel { return m.kernel }

// Expand returns the functions as sums: function f of a row x is
// Σ_j coef_jf·K(points_j, x) + bias_f. coef and bias are the model's own and must
// not be changed; so are points, unless they are sparse in the model.
func (m *machine) Expand() (points, coef gram.Rows[float64], bias []float64) {
	if a, sparse := m.points.(*sparse.CSR); sparse {
		n, d := a.Dims()
		points = gram.MakeRows[float64](n, d)
		for i := range n {
			a.DenseRow(points.Row(i), i)
		}
	} else {
		points = gram.View(m.points.(*mat.Dense))
	}
	return points, gram.View(m.coef), m.bias
}

// Support returns the rows of the fit that are support vectors, ascending. It is
// the model's own; a model read from a LIBSVM file has none.
func (m *machine) Support() []int { return m.support }

// Dim returns the number of columns of the data.
func (m *machine) Dim() int {
	_, d := m.points.Dims()
	return d
}

// values sets dst to the values of all functions.
func (m *machine) values(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	_, f := m.coef.Dims()
	dst = rows.Destination("svm", dst, x, m.Dim(), f)
	if n == 0 {
		return dst
	}
	out := gram.View(dst)
	m.block.Mul(out, gram.Of(x), gram.View(m.coef))
	for i := range n {
		row := out.Row(i)
		for c, b := range m.bias {
			row[c] += b
		}
	}
	return dst
}

func (m *machine) encode(w *modelfile.Writer) {
	switch p := m.points.(type) {
	case *sparse.CSR:
		w.CSR("points", p)
	case *mat.Dense:
		w.Dense("points", p)
	}
	w.Dense("coefficients", m.coef)
	w.Float64("bias", m.bias)
	if m.support != nil {
		w.Ints("support", m.support)
	}
}

func decodeMachine(f *modelfile.File, spec kernel.Spec, functions int) (machine, error) {
	var m machine
	var err error
	if m.kernel, err = kernel.New(spec); err != nil {
		return m, err
	}
	if f.Has("points") {
		m.points, err = f.Matrix("points", -1, -1)
	} else {
		m.points, err = f.CSR("points")
	}
	if err != nil {
		return m, err
	}
	n, _ := m.points.Dims()
	if m.coef, err = f.Matrix("coefficients", n, functions); err != nil {
		return m, err
	}
	if m.bias, err = f.Float64("bias", functions); err != nil {
		return m, err
	}
	if f.Has("support") {
		if m.support, err = f.Ints("support", n); err != nil {
			return m, err
		}
		last := -1
		for _, i := range m.support {
			if i <= last {
				return m, f.Errorf("support", "the rows are not ascending")
			}
			last = i
		}
	}
	m.block = kernel.Against[float64](m.kernel, m.points)
	return m, nil
}

// Model is a support vector classifier. It is safe for concurrent use. It keeps
// copies of the rows that are support vectors.
type Model struct {
	machine
	cfg   Config
	names []string
	stats Stats
}

var _ gram.Classifier = (*Model)(nil)

// NewModel returns the classifier with given n×functions coefficients of the rows
// of x, signed as those of Problem, and constants: what Config says about training
// alone does not count. Models of parts of the rows can be put together that way.
func NewModel(c Config, names []string, x mat.Matrix, coef *mat.Dense, bias []float64) (*Model, error) {
	c, err := c.Resolve(len(names))
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	if r, f := coef.Dims(); len(names) < 2 || r != n || f != len(bias) || f != functions(len(names), c.Multi) {
		panic("svm: the coefficients have the wrong shape")
	}
	m := &Model{cfg: c, names: names, machine: newMachine(c.Kernel, rows.Of(x), coef, slices.Clone(bias))}
	m.block = m.block.Limit(c.Workers)
	m.stats.Support = len(m.support)
	return m, nil
}

// Classes returns the names of the classes.
func (m *Model) Classes() []string { return m.names }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats says how the fit went. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Values returns the n×functions values of all functions: one for two classes,
// positive for class 1; one per class for OneVsRest; for OneVsOne one per pair
// (0,1), (0,2), …, (1,2), …, positive for the second class of the pair.
func (m *Model) Values(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.values(dst, x) }

// Pairs reports whether there is a function for each pair of classes.
func (m *Model) Pairs() bool { return len(m.names) > 2 && m.cfg.Multi == OneVsOne }

// Scores returns n×1 values for two classes, positive for class 1, else n×classes
// numbers: the values of the functions for OneVsRest, the votes for OneVsOne.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	classes := len(m.names)
	if classes == 2 || m.cfg.Multi == OneVsRest {
		return m.values(dst, x)
	}
	n, _ := x.Dims()
	values := m.values(nil, x)
	dst = rows.Destination("svm", dst, x, m.Dim(), classes)
	for i := range n {
		gram.Vote(dst.RawRowView(i), values.RawRowView(i))
	}
	return dst
}

// Decide returns the class for the values of all functions for one row, as Values
// and the sums of Expand have them: the sign for two classes, the largest for
// OneVsRest, the class with most votes for OneVsOne; of equals the first class. It
// is −1 if one is NaN.
func (m *Model) Decide(values []float64) int {
	classes := len(m.names)
	if classes > 2 && m.cfg.Multi == OneVsOne {
		votes := make([]float64, classes)
		gram.Vote(votes, values)
		values = votes
	}
	return gram.Decide(values)
}

// Predict returns the class of every row, −1 for a row with NaN; see Decide.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("svm: the destination has the wrong length")
	}
	if n == 0 {
		return dst
	}
	s := m.Scores(nil, x)
	for i := range n {
		dst[i] = gram.Decide(s.RawRowView(i))
	}
	return dst
}

// stored is the form of the settings in a model file.
type stored struct {
	Kernel kernel.Spec
	Config
}

// Encode writes the settings, the classes and the functions.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("svm", 1, stored{m.kernel.Spec(), m.cfg}); err != nil {
		return err
	}
	w.Strings("classes", m.names)
	m.encode(w)
	return nil
}

// Decode reads what Encode wrote. The kernel must be one that kernel.New makes.
func Decode(f *modelfile.File) (*Model, error) {
	var s stored
	if err := f.Expect("svm", 1, &s); err != nil {
		return nil, err
	}
	m := &Model{cfg: s.Config}
	var err error
	if m.names, err = f.Strings("classes"); err != nil {
		return nil, err
	}
	if len(m.names) < 2 || m.cfg.Multi > OneVsRest {
		return nil, f.Errorf("classes", "%d classes", len(m.names))
	}
	if m.machine, err = decodeMachine(f, s.Kernel, functions(len(m.names), m.cfg.Multi)); err != nil {
		return nil, err
	}
	m.cfg.Kernel = m.kernel
	return m, nil
}

// Regressor is a support vector regression. It is safe for concurrent use. It
// keeps copies of the rows that are support vectors.
type Regressor struct {
	machine
	cfg   Regression
	stats Stats
}

var _ gram.Regressor = (*Regressor)(nil)

// Config returns the settings with all defaults filled in.
func (m *Regressor) Config() Regression { return m.cfg }

// Stats says how the fit went. A model that was read from a file has none.
func (m *Regressor) Stats() Stats { return m.stats }

// Predict returns the value of every row.
func (m *Regressor) Predict(dst []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, n)
	}
	if len(dst) != n {
		panic("svm: the destination has the wrong length")
	}
	if n == 0 {
		return dst
	}
	m.values(mat.NewDense(n, 1, dst), x)
	return dst
}

// storedRegression is the form of the settings in a model file.
type storedRegression struct {
	Kernel kernel.Spec
	Regression
}

// Encode writes the settings and the function.
func (m *Regressor) Encode(w *modelfile.Writer) error {
	if err := w.Header("svr", 1, storedRegression{m.kernel.Spec(), m.cfg}); err != nil {
		return err
	}
	m.encode(w)
	return nil
}

// DecodeRegressor reads what Regressor.Encode wrote.
func DecodeRegressor(f *modelfile.File) (*Regressor, error) {
	var s storedRegression
	if err := f.Expect("svr", 1, &s); err != nil {
		return nil, err
	}
	m := &Regressor{cfg: s.Regression}
	var err error
	if m.machine, err = decodeMachine(f, s.Kernel, 1); err != nil {
		return nil, err
	}
	m.cfg.Kernel = m.kernel
	return m, nil
}
