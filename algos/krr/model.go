package krr

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Model is the function Σ_j α_j·K(u_j,x) + b for one or several targets. It holds a copy
// of the training rows u_j. It is safe for concurrent use.
type Model struct {
	cfg   Config
	x     *mat.Dense // n×d
	alpha *mat.Dense // n×t
	bias  []float64  // t
	block *kernel.Block[float64]
	stats Stats
}

var _ gram.Regressor = (*Model)(nil)

// NewModel returns Σ_j coef_j·K(u_j,x) + bias for the kernel of c. points is n×d and has
// the rows u_j, coef is n×t, and bias has t constants; the model keeps all of them. It
// serves methods of other packages that have found these numbers with the settings c;
// st describes how.
func NewModel(c Config, points, coef *mat.Dense, bias []float64, st Stats) *Model {
	n, _ := points.Dims()
	if m, t := coef.Dims(); m != n || t != len(bias) {
		panic("krr: points, coefficients and constants do not belong together")
	}
	return &Model{cfg: c, x: points, alpha: coef, bias: bias, block: kernel.Against[float64](c.Kernel, points).Limit(c.Workers), stats: st}
}

// Predict returns the value of the first function for every row.
func (m *Model) Predict(dst []float64, x mat.Matrix) []float64 {
	_, t := m.Dims()
	return rows.First("krr", dst, x, t, m.PredictAll)
}

// PredictAll returns the n×t values of all functions.
func (m *Model) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, t := m.Dims()
	dst = rows.Destination("krr", dst, x, d, t)
	m.predict(dst, gram.Of(x))
	return dst
}

// predict sets dst = K(x,U)·α + b.
func (m *Model) predict(dst *mat.Dense, x gram.Samples[float64]) {
	if x.N() > 0 {
		m.block.Mul(gram.View(dst), x, gram.View(m.alpha))
	}
	for i := range x.N() {
		row := dst.RawRowView(i)
		for j, b := range m.bias {
			row[j] += b
		}
	}
}

// Dims returns the number of columns of the data and of outputs.
func (m *Model) Dims() (d, outputs int) {
	_, d = m.x.Dims()
	return d, len(m.bias)
}

// Dim returns the number of columns of the data.
func (m *Model) Dim() int {
	_, d := m.x.Dims()
	return d
}

// Expand returns the n×d rows u_j, their n×t coefficients and the t constants. The
// value for a row x is Σ_j coef_j·K(u_j,x) + bias. The memory is the model's own and
// must not be changed.
func (m *Model) Expand() (points, coef gram.Rows[float64], bias []float64) {
	return gram.View(m.x), gram.View(m.alpha), m.bias
}

// Kernel returns the kernel K of the expansion Σ_j coef_j·K(u_j,x) + bias.
func (m *Model) Kernel() kernel.Kernel { return m.cfg.Kernel }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Encode writes the settings, the rows and their coefficients.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model), (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("krr", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel), modelfile.Retired("NoPenalty"))
	x.Dense("points", &m.x, -1, -1)
	n := -1
	if m.x != nil {
		var d int
		n, d = m.x.Dims()
		x.Require(kernel.Fits(m.cfg.Kernel, d) == nil, "points", "the kernel is for rows of another length than %d", d)
	}
	x.Dense("coefficients", &m.alpha, n, -1)
	x.Float64("bias", &m.bias, -1)
	if x.Reading() {
		_, t := m.alpha.Dims()
		x.Require(len(m.bias) == t, "bias", "%d constants of %d functions", len(m.bias), t)
		m.block = kernel.Against[float64](m.cfg.Kernel, m.x)
	}
}
