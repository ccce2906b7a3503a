package falkon

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// expansion is what a Model computes: Predict, PredictAll, Dims, Expand, Kernel, Function
// and the programs are its methods.
type expansion = krr.Model

// Model is the function Σ_j α_j·K(u_j,x) + b for one or several targets. It holds the
// landmarks u_j. It is safe for concurrent use.
type Model struct {
	*expansion
	cfg   Config
	stats Stats
}

var (
	_ krr.Functions  = (*Model)(nil)
	_ gram.Regressor = (*Model)(nil)
)

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Encode writes the settings, the landmarks and their coefficients.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model), (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("falkon.functions", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel))
	var points, coef *mat.Dense
	var bias []float64
	n := -1
	if x.Writing() {
		u, a, b := m.Expand()
		points, coef, bias = dense(u), dense(a), b
	}
	x.Dense("points", &points, -1, -1)
	if points != nil {
		var d int
		n, d = points.Dims()
		x.Require(kernel.Fits(m.cfg.Kernel, d) == nil, "points", "the kernel is for rows of another length than %d", d)
	}
	x.Dense("coefficients", &coef, n, -1)
	x.Float64("bias", &bias, -1)
	if !x.Reading() {
		return
	}
	_, t := coef.Dims()
	if x.Require(len(bias) == t, "bias", "%d constants of %d functions", len(bias), t); x.Reading() {
		*m = *newModel(m.cfg, points, coef, bias, Stats{})
	}
}

// dense returns rows as a matrix that shares their memory.
func dense(r gram.Rows[float64]) *mat.Dense {
	a := new(mat.Dense)
	a.SetRawMatrix(blas64.General{Rows: r.N, Cols: r.D, Stride: r.Stride, Data: r.Data})
	return a
}

// DecodeAny reads a model of this package: a *krr.Classifier or a *krr.Regressor of
// Method, or a *Model.
func DecodeAny(f *modelfile.File) (modelfile.Model, error) {
	return krr.DecodeNamed(f, Method, func(f *modelfile.File) (krr.Functions, error) {
		m, err := Decode(f)
		if err != nil {
			return nil, err
		}
		return m, nil
	})
}
