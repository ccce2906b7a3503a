package svm

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// machine is a set of functions Σ_j coef_jf·K(u_j,x) + bias_f on common points.
type machine struct {
	kernel  kernel.Kernel
	points  gram.Samples[float64] // m×d; of pairs in the order of the classes
	coef    *mat.Dense            // m×functions; of pairs m×(classes−1)
	counts  []int                 // of pairs: how many points are of each class; else nil
	bias    []float64
	support []int // rows of the fit that are the points; nil: not known
	product *kernel.Product[float64]
}

// newMachine returns the functions with the coefficients of the rows of x, for
// prediction on that many workers. class has the classes of the rows, and coef
// classes−1 columns, for functions of pairs; else class is nil. Without support
// vectors the functions get the first row, with coefficients 0.
func newMachine(k kernel.Kernel, x gram.Samples[float64], coef *mat.Dense, bias []float64, class []int, classes, workers int) machine {
	m := machine{kernel: k, bias: bias}
	n, _ := coef.Dims()
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
	if class != nil {
		m.counts = sortByClass(m.support, class, classes)
	}
	m.points, m.coef = x.Select(m.support), rows.Dense(gram.Of(coef), m.support)
	m.product = newProduct[float64](&m, workers)
	return m
}

// newProduct prepares predictions in type F.
func newProduct[F gram.Float](m *machine, workers int) *kernel.Product[F] {
	block := kernel.Against[F](m.kernel, m.points).Limit(workers)
	v := program.Rows[F](m.coef)
	if m.counts == nil {
		return block.Times(v)
	}
	return block.TimesGroups(v, len(m.bias), groups(m.counts))
}

// Coefficients returns the n×functions coefficients of the n rows of the fit, to
// start another from. A model read from a LIBSVM file does not know them.
func (m *machine) Coefficients(n int) (*mat.Dense, error) {
	if m.support == nil || slices.Max(m.support) >= n {
		return nil, gram.Refuse("n", n, "the number of rows of the fit, for a model that knows its support vectors' numbers")
	}
	all := mat.NewDense(n, len(m.bias), nil)
	m.widen(gram.View(all), func(k int) int { return m.support[k] })
	return all, nil
}

// Kernel returns the kernel.
func (m *machine) Kernel() kernel.Kernel { return m.kernel }

// Expand returns the functions as sums: function f of a row x is
// Σ_j coef_jf·K(points_j, x) + bias_f. bias is the model's own and must not be
// changed; so are points, unless they are sparse in the model, and coef, unless there
// is a function for each pair of classes: then it is made here, and mostly zeros.
func (m *machine) Expand() (points, coef gram.Rows[float64], bias []float64) {
	points, dense := m.points.Dense()
	if !dense {
		points = gram.View(gram.Matrix(m.points))
	}
	if m.counts == nil {
		return points, gram.View(m.coef), m.bias
	}
	coef = gram.MakeRows[float64](points.N, len(m.bias))
	m.widen(coef, func(k int) int { return k })
	return points, coef, m.bias
}

// Support returns the rows of the fit that are support vectors, in the order of the
// points of Expand: ascending or, with a function for each pair of classes, those of
// class 0 first, ascending within a class. It is the model's own; a model read from a
// LIBSVM file has none.
func (m *machine) Support() []int { return m.support }

// Dim returns the number of columns of the data.
func (m *machine) Dim() int {
	_, d := m.points.Dims()
	return d
}

// values sets dst to the values of all functions.
func (m *machine) values(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = rows.Destination("svm", dst, x, m.Dim(), len(m.bias))
	if n == 0 {
		return dst
	}
	out := gram.View(dst)
	m.product.Mul(out, gram.Of(x))
	addBias(out, m.bias)
	return dst
}

// eachBlock calls use with the values of all functions for rows lo, lo+1, … of x, from
// several goroutines. The values may be used until use returns.
func (m *machine) eachBlock(x mat.Matrix, use func(lo int, values gram.Rows[float64])) {
	if n, _ := x.Dims(); n == 0 {
		return
	}
	m.product.Each(gram.Of(x), func(lo int, values gram.Rows[float64]) {
		addBias(values, m.bias)
		use(lo, values)
	})
}

func addBias[F gram.Float](dst gram.Rows[F], bias []F) {
	for i := range dst.N {
		row := dst.Row(i)
		for f, b := range bias {
			row[f] += b
		}
	}
}

// exchange describes functions of kernel k in a file; classes is the number of classes
// if there is a function for each pair of them, else 0.
func (m *machine) exchange(x *modelfile.Exchange, k kernel.Kernel, functions, classes int) {
	a, dense := m.points.CSR(), (*mat.Dense)(nil)
	if x.Writing() && a == nil {
		dense = gram.Matrix(m.points)
	}
	if x.Optional("points", a == nil) {
		if x.Dense("points", &dense, -1, -1); x.Reading() {
			m.points = gram.Of(dense)
		}
	} else if x.CSR("points", &a, -1, -1); x.Reading() {
		m.points = gram.Of(a)
	}
	n, width := m.points.N(), functions
	x.Require(x.Version() == 1 || classes > 0, "", "is version %d of a machine without pairs of classes", x.Version())
	if x.Version() > 1 {
		width = classes - 1
	}
	x.Dense("coefficients", &m.coef, n, width)
	x.Float64("bias", &m.bias, functions)
	if x.Version() > 1 {
		x.Ints("counts", &m.counts, classes, 0, n)
		total := 0
		for _, c := range m.counts {
			total += c
		}
		x.Require(total == n, "counts", "%v support vectors, there are %d", m.counts, n)
	}
	if x.Optional("support", m.support != nil) {
		x.Ints("support", &m.support, n, 0, math.MaxInt)
		x.Require(!x.Reading() || m.ascends(), "support", "the rows are not ascending")
	}
	if !x.Reading() {
		return
	}
	if x.Version() == 1 && classes > 0 {
		own, class, bad := narrow(m.coef, classes)
		if bad >= 0 {
			x.Errorf("coefficients", "support vector %d has some in functions without a class in common", bad)
			return
		}
		order := make([]int, n)
		for k := range order {
			order[k] = k
		}
		m.counts = sortByClass(order, class, classes)
		m.points, m.coef = m.points.Select(order), rows.Dense(gram.Of(own), order)
		if m.support != nil {
			m.support = pick(m.support, order)
		}
	}
	m.kernel = k
	m.product = newProduct[float64](m, 0)
}

// ascends reports whether the numbers of the support vectors do, within each class
// if they are in the order of the classes, and differ.
func (m *machine) ascends() bool {
	k := 0
	counts := m.counts
	if counts == nil {
		counts = []int{len(m.support)}
	}
	for _, c := range counts {
		last := -1
		for _, i := range m.support[k : k+c] {
			if i <= last {
				return false
			}
			last = i
		}
		k += c
	}
	all := slices.Sorted(slices.Values(m.support))
	return len(slices.Compact(all)) == len(m.support)
}

// Model is a support vector classifier. It is safe for concurrent use. It keeps
// copies of the rows that are support vectors.
type Model struct {
	machine
	cfg   Config
	names []string
	stats Stats
	votes sync.Pool // *[]float64: space for those of a row
}

var _ gram.Classifier = (*Model)(nil)

// NewModel returns the classifier with given n×functions coefficients of the rows
// of x, signed as those of Problem, and constants: what Config says about training
// alone does not count. Models of parts of the rows can be put together that way. The
// error says which setting is wrong, or which row has coefficients in functions of
// pairs that have no class in common.
func NewModel(c Config, names []string, x mat.Matrix, coef *mat.Dense, bias []float64) (*Model, error) {
	n, _ := x.Dims()
	c, err := settings.Resolved(c, gram.Shape{N: n, Outputs: len(names)})
	if err != nil {
		return nil, err
	}
	if r, f := coef.Dims(); len(names) < 2 || r != n || f != len(bias) || f != c.Functions(len(names)) {
		panic("svm: the coefficients have the wrong shape")
	}
	m := &Model{cfg: c, names: names}
	var class []int
	if m.Pairs() {
		var bad int
		if coef, class, bad = narrow(coef, len(names)); bad >= 0 {
			return nil, fmt.Errorf("svm: row %d has coefficients in functions of pairs without a class in common", bad)
		}
	}
	m.machine = newMachine(c.Kernel, gram.Of(x), coef, slices.Clone(bias), class, len(names), c.Workers)
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
func (m *Model) Pairs() bool { return m.cfg.pairs(len(m.names)) }

// Scores returns n×1 values for two classes, positive for class 1, else n×classes
// numbers: the values of the functions for OneVsRest, the votes for OneVsOne.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if !m.Pairs() {
		return m.values(dst, x)
	}
	dst = rows.Destination("svm", dst, x, m.Dim(), len(m.names))
	m.eachBlock(x, func(lo int, values gram.Rows[float64]) {
		for i := range values.N {
			gram.Vote(dst.RawRowView(lo+i), values.Row(i))
		}
	})
	return dst
}

// Decide returns the class for the values of all functions for one row, as Values
// and the sums of Expand have them: the sign for two classes, the largest for
// OneVsRest, the class with most votes for OneVsOne; of equals the first class. It
// is −1 if one is NaN.
func (m *Model) Decide(values []float64) int {
	if !m.Pairs() {
		return gram.Decide(values)
	}
	return m.decide(values, make([]float64, len(m.names)))
}

// decide is Decide with space for the votes.
func (m *Model) decide(values, votes []float64) int {
	if m.Pairs() {
		gram.Vote(votes, values)
		values = votes
	}
	return gram.Decide(values)
}

// Predict returns the class of every row, −1 for a row with NaN; see Decide.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	n, d := x.Dims()
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("svm: the destination has the wrong length")
	}
	if n > 0 && d != m.Dim() {
		panic("svm: x has the wrong number of columns")
	}
	m.eachBlock(x, func(lo int, values gram.Rows[float64]) {
		votes, ok := m.votes.Get().(*[]float64)
		if !ok {
			votes = new([]float64)
			*votes = make([]float64, len(m.names))
		}
		defer m.votes.Put(votes)
		for i := range values.N {
			dst[lo+i] = m.decide(values.Row(i), *votes)
		}
	})
	return dst
}

// Encode writes the settings, the classes and the functions.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model)) }

// Exchange describes the model in a file. Since version 2 models of pairs have classes−1
// coefficients of each support vector and the number of support vectors of each class;
// the files of others are as they were in version 1.
func (m *Model) Exchange(x *modelfile.Exchange) {
	version := 2
	if x.Writing() && m.counts == nil {
		version = 1
	}
	x.Header("svm", version, &m.cfg, kernel.Stored(&m.cfg.Kernel))
	x.Strings("classes", &m.names)
	x.Require(len(m.names) > 1 && m.cfg.Multi <= OneVsRest, "classes", "%d classes", len(m.names))
	classes := 0
	if m.Pairs() {
		classes = len(m.names)
	}
	m.exchange(x, m.cfg.Kernel, m.cfg.Functions(len(m.names)), classes)
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

// Encode writes the settings and the function.
func (m *Regressor) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m) }

// DecodeRegressor reads what Regressor.Encode wrote.
func DecodeRegressor(f *modelfile.File) (*Regressor, error) { return modelfile.Get(f, new(Regressor)) }

// Exchange describes the model in a file.
func (m *Regressor) Exchange(x *modelfile.Exchange) {
	x.Header("svr", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel), modelfile.Retired("NoEpsilon"))
	m.exchange(x, m.cfg.Kernel, 1, 0)
}
