package gp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/internal/laplace"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Classifier is the approximate posterior of a Gaussian process for each function of the classes. It is safe for concurrent use. It
// holds a copy of the rows of the fit, and a factor of order of their number for each function. It has no program, as Function says.
type Classifier struct {
	cfg    ClassConfig
	names  []string
	points *mat.Dense       // n×d
	coef   *mat.Dense       // n×functions, α/λ
	root   *mat.Dense       // n×functions, the diagonals of W½, over λ
	factor []blas64.General // U with UᵀU = B
	block  *kernel.Block[float64]
	stats  ClassStats
}

var (
	_ gram.Classifier        = (*Classifier)(nil)
	_ calibration.Calibrated = (*Classifier)(nil)
)

// model returns the classifier for the modes and the λ of p.c. It keeps data and the factors of the modes.
func (p *classProblem) model(data *mat.Dense, names []string) *Classifier {
	n, _ := data.Dims()
	lambda := p.c.Lambda.Value()
	m := &Classifier{cfg: p.c, names: slices.Clone(names), points: data, coef: mat.NewDense(n, len(p.modes), nil), root: mat.NewDense(n, len(p.modes), nil), stats: p.stats}
	for f, mode := range p.modes {
		for i := range n {
			m.coef.Set(i, f, mode.Alpha[i]/lambda)
			m.root.Set(i, f, mode.Root[i]/lambda)
		}
		m.factor = append(m.factor, mode.Factor.RawMatrix())
	}
	m.block = kernel.Against[float64](m.cfg.Kernel, m.points).Limit(m.cfg.Workers)
	return m
}

// Config returns the settings with all defaults filled in, and the λ that was chosen.
func (m *Classifier) Config() ClassConfig { return m.cfg }

// Kernel returns the kernel; with ARD a *kernel.Scaled.
func (m *Classifier) Kernel() kernel.Kernel { return m.cfg.Kernel }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Classifier) Stats() ClassStats { return m.stats }

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (m *Classifier) Classes() []string { return m.names }

// Dim returns the number of columns of the data.
func (m *Classifier) Dim() int {
	_, d := m.points.Dims()
	return d
}

func (m *Classifier) count() int {
	n, _ := m.points.Dims()
	return n
}

// Function returns an error that says why a classifier is not compiled or exported: its scores are no linear functions of kernel values.
func (m *Classifier) Function() (basis.Function, error) {
	return basis.Function{}, errors.New("gp: the probability of a class depends on the variance of its function, for which a row takes as many operations as the factor of all training rows has numbers; the stored model predicts it")
}

// Moments returns the means and the variances of the approximate posteriors of the functions for the rows of x, both n×functions. The
// single function of two classes is positive for class 1. It takes n² operations for each row and function.
func (m *Classifier) Moments(x mat.Matrix) (mean, variance *mat.Dense) {
	_, t := m.coef.Dims()
	n, _ := x.Dims()
	both := m.moments(nil, x)
	if n == 0 {
		return both, &mat.Dense{}
	}
	return both.Slice(0, n, 0, t).(*mat.Dense), both.Slice(0, n, t, 2*t).(*mat.Dense)
}

// together is the number of rows that a triangular system is solved for, or a multiple: a row has the same bits in any of them.
const together = 48

// moments sets the first columns of dst to means and the others to variances.
func (m *Classifier) moments(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	count, functions := m.coef.Dims()
	dst = rows.Destination("gp", dst, x, m.Dim(), 2*functions)
	s := gram.Of(x)
	step := rows.BlockRows(s.N(), 2*count)
	diagonal := make([]float64, s.N())
	kernel.Diagonal(diagonal, m.cfg.Kernel, s)
	lambda := m.cfg.Lambda.Value()
	if s.N() == 0 {
		return dst
	}
	m.block.Mul(gram.View(dst.Slice(0, s.N(), 0, functions).(*mat.Dense)), s, gram.View(m.coef))
	for lo := 0; lo < s.N(); lo += step {
		hi := min(lo+step, s.N())
		padded := (hi - lo + together - 1) / together * together
		values, t := rows.Borrow(hi-lo, count), rows.Borrow(padded, count)
		m.block.Fill(gram.View(values), s.Slice(lo, hi))
		for f, u := range m.factor {
			clear(t.RawMatrix().Data)
			for i := range hi - lo {
				from, to := values.RawRowView(i), t.RawRowView(i)
				for j := range to {
					to[j] = from[j] * m.root.At(j, f)
				}
			}
			blas64.Trsm(blas.Right, blas.NoTrans, 1, upper(u), t.RawMatrix())
			for i := lo; i < hi; i++ {
				r := t.RawRowView(i - lo)
				dst.Set(i, functions+f, max(0, diagonal[i]/lambda-linalg.Dot(r, r))) // NaN if it is
			}
		}
		rows.Return(t)
		rows.Return(values)
	}
	return dst
}

// Scores sets dst to logarithms: for two classes, n×1, of the odds of class 1, and for more classes, n×classes, of the probability of
// each class against the rest. These probabilities are the averages of the logistic function over the posterior. The map that Calibration
// returns makes those of the classes of them.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	_, functions := m.coef.Dims()
	dst = rows.Destination("gp", dst, x, m.Dim(), functions)
	s := gram.Of(x)
	step := rows.BlockRows(s.N(), 2*m.count())
	for lo := 0; lo < s.N(); lo += step {
		hi := min(lo+step, s.N())
		both := rows.Borrow(hi-lo, 2*functions)
		m.moments(both, s.Slice(lo, hi))
		for i := lo; i < hi; i++ {
			row, to := both.RawRowView(i-lo), dst.RawRowView(i)
			for f := range to {
				p := logarithm(laplace.Average(row[f], row[functions+f]))
				if functions == 1 {
					p -= logarithm(laplace.Average(-row[f], row[functions+f]))
				}
				to[f] = p
			}
		}
		rows.Return(both)
	}
	return dst
}

// logarithm returns ln p, for p = 0 that of the least number.
func logarithm(p float64) float64 { return math.Log(max(p, math.SmallestNonzeroFloat64)) }

// Calibration returns the map from scores to probabilities: those of two classes, and for more classes the probabilities of the class
// against the rest, divided by their sum.
func (m *Classifier) Calibration() *calibration.Map { return calibration.Softmax(len(m.names)) }

// Probabilities sets dst to the n×classes probabilities of the classes for the rows of x.
func (m *Classifier) Probabilities(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return m.Calibration().Probabilities(dst, m.Scores(nil, x))
}

// Predict returns the class with the largest probability for every row, or −1 for a row with NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("gp", dst, x, multiclass.Functions(len(m.names)), m.Scores)
}

// Encode writes the settings, the classes, the points and the factors.
func (m *Classifier) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// DecodeClassifier reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func DecodeClassifier(f *modelfile.File) (*Classifier, error) {
	return modelfile.Get(f, new(Classifier), (*Classifier).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
// The factors are stored as their upper triangles, row by row.
func (m *Classifier) form(x *modelfile.Exchange) {
	x.Header("gp.classifier", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel))
	lambda := m.cfg.Lambda
	x.Require(lambda.Given() && lambda.Value() > 0, "", "the settings are not of a fit")
	x.Strings("classes", &m.names)
	x.Dense("points", &m.points, -1, -1)
	n := 0
	if m.points != nil {
		n, _ = m.points.Dims()
		x.Require(kernel.Fits(m.cfg.Kernel, m.Dim()) == nil, "points", "the kernel is for rows of another length than %d", m.Dim())
	}
	x.Require(len(m.names) > 1, "classes", "%d classes, not at least 2", len(m.names))
	functions := multiclass.Functions(len(m.names))
	x.Dense("coefficients", &m.coef, n, functions)
	x.Dense("roots", &m.root, n, functions)
	if x.Reading() {
		m.factor = make([]blas64.General, functions)
	}
	for f := range m.factor {
		exchangeFactor(x, fmt.Sprintf("factor%d", f), &m.factor[f], n)
	}
	if x.Reading() {
		m.block = kernel.Against[float64](m.cfg.Kernel, m.points)
	}
}
