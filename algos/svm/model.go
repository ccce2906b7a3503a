package svm

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// machine is a set of functions Σ_j coef_jf·K(u_j,x) + bias_f that share their points u_j.
type machine struct {
	kernel  kernel.Kernel
	points  gram.Samples[float64] // m×d; for functions of pairs, sorted by class
	coef    *mat.Dense            // m×functions; for functions of pairs, m×(classes−1)
	counts  []int                 // for functions of pairs, the number of points of each class; else nil
	bias    []float64
	support []int // the rows of the training data that are the points; nil: not known
	product *kernel.Product[float64]
	sure    *sure // the same in float32
}

// newMachine returns the functions with the given coefficients of the rows of x.
// Predictions run on the given number of workers. For functions of pairs, class holds
// the class of each row and coef has classes−1 columns; otherwise class is nil. If
// there are no support vectors, the machine keeps the first row with coefficients 0.
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
	m.prepare(workers)
	return m
}

// prepare makes m ready for predictions on the given number of workers.
func (m *machine) prepare(workers int) {
	m.product, m.sure = newProduct[float64](m, workers), &sure{workers: workers}
}

// ofMatrix replaces a kernel.Matrix by the kernel that is known by its columns, and x, which is that matrix, by
// the numbers of its rows. It returns how many there are, and false for other kernels.
func ofMatrix(k *kernel.Kernel, x *mat.Matrix) (n int, is bool, err error) {
	if _, is = (*k).(kernel.Matrix); !is {
		return 0, false, nil
	}
	known, err := kernel.FromMatrix(*x)
	if err != nil {
		return 0, true, err
	}
	n, _ = (*x).Dims()
	*k, *x = known, kernel.Indices(n)
	return n, true, nil
}

// onMatrix makes functions of the numbers of rows, by a kernel that is known by its columns, functions of the
// values of that kernel with all n training rows: the points become unit vectors. It returns their kernel.
func (m *machine) onMatrix(n, workers int) kernel.Kernel {
	units := &sparse.CSR{N: m.points.N(), D: n, Ptr: []int{0}, Val: []float64{}}
	row := make([]float64, 1)
	for k := range units.N {
		m.points.CopyRow(row, k)
		units.Col, units.Val, units.Ptr = append(units.Col, int32(row[0])), append(units.Val, 1), append(units.Ptr, k+1)
	}
	m.points, m.kernel = gram.Of(units), kernel.Linear{}
	m.prepare(workers)
	return m.kernel
}

// newProduct returns the product of kernel values and coefficients, which gives the values of all functions but for their
// constants, in type F.
func newProduct[F gram.Float](m *machine, workers int) *kernel.Product[F] {
	block := kernel.Against[F](m.kernel, m.points).Limit(workers)
	v := program.Rows[F](m.coef)
	if m.counts == nil {
		return block.Times(v)
	}
	return block.TimesGroups(v, len(m.bias), groups(m.counts))
}

// Coefficients returns the n×functions coefficients of the n training rows, from
// which another fit can start. It returns an error for a model read from a LIBSVM
// file, which does not hold the row numbers.
func (m *machine) Coefficients(n int) (*mat.Dense, error) {
	if m.support == nil || slices.Max(m.support) >= n {
		return nil, settings.Refuse("n", n, "the number of rows of the fit, for a model that knows its support vectors' numbers")
	}
	all := mat.NewDense(n, len(m.bias), nil)
	m.widen(gram.View(all), func(k int) int { return m.support[k] })
	return all, nil
}

// Kernel returns the kernel of the expansion in support vectors.
func (m *machine) Kernel() kernel.Kernel { return m.kernel }

// Expand returns the functions as sums: function f of a row x is
// Σ_j coef_jf·K(points_j, x) + bias_f. bias is the model's own memory and must not be
// changed. The same holds for points, unless the model stores them in sparse form,
// and for coef, unless there is a function for each pair of classes: Expand then
// makes a new coef, most of which is zeros.
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

// Stored returns the functions as the model stores them. points and bias are as from Expand. If there is a function for each pair
// of classes, a support vector has classes−1 coefficients, one for the function of its class and each other class, in the order
// of the other classes, and counts has the number of support vectors of each class, in whose order the points lie. Otherwise coef
// is as from Expand, and counts is nil. All of it is the model's own memory and must not be changed.
func (m *machine) Stored() (points gram.Samples[float64], coef gram.Rows[float64], counts []int, bias []float64) {
	return m.points, gram.View(m.coef), m.counts, m.bias
}

// Support returns the training rows that are support vectors, in the order of the
// points of Expand. They ascend; with a function for each pair of classes the rows of
// class 0 come first, and rows ascend within a class. The slice is the model's own and
// must not be changed. A model read from a LIBSVM file has none.
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

// eachBlock calls use with the values of all functions for the rows lo, lo+1, … of x,
// from several goroutines. use must not keep the values after it returns.
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

// exchange describes functions of kernel k in a model file. classes is the number of
// classes if there is a function for each pair of them, else 0.
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
	if _, d := m.points.Dims(); x.Reading() {
		x.Require(kernel.Fits(k, d) == nil, "points", "the kernel is for rows of another length than %d", d)
		shape := gram.ShapeOf(m.points, 0)
		if m.points.IsSparse() {
			shape.NNZ++ // 0 would say that the rows are dense
		}
		x.Reserve(kernel.PlannedBytes[float64](int64(n), shape))
	}
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
			m.support = rows.Pick(m.support, order)
		}
	}
	m.kernel = k
	m.prepare(0)
}

// ascends reports whether the numbers of the support vectors strictly ascend, within
// each class if the support vectors are sorted by class.
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
	votes sync.Pool // *[]float64: memory for the votes of a row
	proba *calibration.Map
}

var _ gram.Classifier = (*Model)(nil)

// NewModel returns the classifier with the given n×functions coefficients of the rows
// of x, signed as in Problem, and the constants of the functions. Models of parts of
// the rows can be combined in this way. Settings of Config that concern training alone
// have no effect. NewModel returns an error for a setting that is not legal, and for a
// row with coefficients in functions of pairs that have no class in common.
func NewModel(c Config, names []string, x mat.Matrix, coef *mat.Dense, bias []float64) (*Model, error) {
	n, _ := x.Dims()
	c, err := settings.Resolved(c, gram.Shape{N: n, Outputs: len(names)})
	if err != nil {
		return nil, err
	}
	if r, f := coef.Dims(); len(names) < 2 || r != n || f != len(bias) || f != c.Functions(len(names)) {
		panic("svm: the coefficients have the wrong shape")
	}
	c.Start = AutoStart
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

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (m *Model) Classes() []string { return m.names }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Calibration returns the map from the values of the functions to probabilities, nil if
// there is none. Model files do not hold it; those of pipeline do.
func (m *Model) Calibration() *calibration.Map { return m.proba }

// WithCalibration returns the same model with another map, nil for none. It panics if the map
// is not for the model's functions.
func (m *Model) WithCalibration(c *calibration.Map) *Model {
	if c != nil && (c.Classes() != len(m.names) || c.Pairs() != m.Pairs()) {
		panic("svm: the calibration is not for the functions of the model")
	}
	return &Model{machine: m.machine, cfg: m.cfg, names: m.names, stats: m.stats, proba: c}
}

// Values returns the n×functions values of all functions. Two classes have one
// function, positive for class 1. OneVsRest has one function for each class. OneVsOne
// has one for each pair (0,1), (0,2), …, (1,2), …, positive for the second class.
func (m *Model) Values(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.values(dst, x) }

// Pairs reports whether there is a function for each pair of classes.
func (m *Model) Pairs() bool { return m.cfg.pairs(len(m.names)) }

// Scores returns n×1 values for two classes, positive for class 1. For more classes
// it returns an n×classes matrix: the values of the functions for OneVsRest, and the
// numbers of votes for OneVsOne.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if !m.Pairs() {
		return m.values(dst, x)
	}
	dst = rows.Destination("svm", dst, x, m.Dim(), len(m.names))
	m.eachBlock(x, func(lo int, values gram.Rows[float64]) {
		for i := range values.N {
			multiclass.Vote(dst.RawRowView(lo+i), values.Row(i))
		}
	})
	return dst
}

// Decide returns the class for the values of all functions at one row, in the order
// of Values. The sign decides between two classes, the largest value for OneVsRest,
// and the number of votes for OneVsOne; the first of equal classes wins. Decide
// returns −1 if a value is NaN.
func (m *Model) Decide(values []float64) int {
	if !m.Pairs() {
		return multiclass.Decide(values)
	}
	return m.decide(values, make([]float64, len(m.names)))
}

// decide is Decide with memory for the votes.
func (m *Model) decide(values, votes []float64) int {
	if m.Pairs() {
		multiclass.Vote(votes, values)
		values = votes
	}
	return multiclass.Decide(values)
}

// Predict returns the class of every row, and −1 for a row with NaN: that of Decide for its
// Values. For many rows and a Gaussian kernel Predict computes values in float32, with a
// bound on their errors, and computes those rows again whose class the errors might change.
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
	rest := m.predictSure(dst, x)
	if rest == nil {
		m.predict(dst, x)
	} else if len(rest) > 0 {
		exact := make([]int, len(rest))
		m.predict(exact, gram.Of(x).Select(rest))
		for k, i := range rest {
			dst[i] = exact[k]
		}
	}
	return dst
}

// predict sets dst to the classes by values in float64.
func (m *Model) predict(dst []int, x mat.Matrix) {
	m.eachBlock(x, func(lo int, values gram.Rows[float64]) {
		votes := m.ballot()
		defer m.votes.Put(votes)
		for i := range values.N {
			dst[lo+i] = m.decide(values.Row(i), *votes)
		}
	})
}

// ballot returns memory for the votes of a row.
func (m *Model) ballot() *[]float64 {
	votes, ok := m.votes.Get().(*[]float64)
	if !ok {
		votes = new([]float64)
		*votes = make([]float64, len(m.names))
	}
	return votes
}

// Encode writes the settings, the classes and the functions.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model), (*Model).form) }

// form describes the model in a file. Since version 2, models with a function for
// each pair of classes store classes−1 coefficients of each support vector and the
// number of support vectors of each class. Files of other models are the same as in
// version 1.
func (m *Model) form(x *modelfile.Exchange) {
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
	noise float64
}

var _ gram.Regressor = (*Regressor)(nil)

// Config returns the settings with all defaults filled in.
func (m *Regressor) Config() Regression { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Regressor) Stats() Stats { return m.stats }

// Noise returns the scale σ of the Laplace distribution exp(−|z|/σ)/(2σ) of the differences z
// between targets and predictions that a model file of LIBSVM has, 0 if there is none.
// Other model files do not hold it.
func (m *Regressor) Noise() float64 { return m.noise }

// Predict returns the value of every row of x, in dst or, if that is nil, in new memory. It panics if dst has another length than
// x has rows.
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
func (m *Regressor) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// DecodeRegressor reads a Regressor that Encode has written. The error says what is wrong with a damaged file.
func DecodeRegressor(f *modelfile.File) (*Regressor, error) {
	return modelfile.Get(f, new(Regressor), (*Regressor).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Regressor) form(x *modelfile.Exchange) {
	x.Header("svr", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel), modelfile.Retired("NoEpsilon"))
	m.exchange(x, m.cfg.Kernel, 1, 0)
}
