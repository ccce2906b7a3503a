package alacarte

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Model is the mean of the posterior. It keeps no rows and is safe for concurrent use.
type Model struct {
	cfg   Config
	f     basis.Function
	stats Stats
}

var (
	_ gram.Regressor = (*Model)(nil)
	_ gram.Compiler  = (*Model)(nil)
)

// Dim returns the number of columns of the data.
func (m *Model) Dim() int { d, _ := m.f.Basis.Dims(); return d }

// Predict returns the mean of the posterior for every row; a nil dst is allocated.
func (m *Model) Predict(dst []float64, x mat.Matrix) []float64 {
	return rows.First("alacarte", dst, x, 1, func(dst *mat.Dense, x mat.Matrix) *mat.Dense {
		dst = rows.Destination("alacarte", dst, x, m.Dim(), 1)
		rows.MulFilled(dst, x, m.f.Coef, func(phi *mat.Dense, x mat.Matrix) { m.f.Basis.Map(phi, x) })
		rows.AddToAll(dst, m.f.Bias)
		return dst
	})
}

// Function returns the linear function of the features.
func (m *Model) Function() (basis.Function, error) { return m.f, nil }

// Program64 returns the program of the values in float64.
func (m *Model) Program64() (gram.Program[float64], error) { return m.f.Program64() }

// Program32 returns a program in float32 that computes the same values as Program64, up to rounding.
func (m *Model) Program32() (gram.Program[float32], error) { return m.f.Program32() }

// Frequencies returns the frequencies as the columns of a d×m matrix. It must not be changed.
func (m *Model) Frequencies() *mat.Dense { return m.f.Basis.(*basis.Fourier).Points() }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Encode writes the settings, the frequencies and the coefficients.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model), (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("alacarte", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel))
	var omega *mat.Dense
	if x.Writing() {
		omega = m.Frequencies()
	}
	c := &m.cfg
	x.Require(c.M > 0 && c.M <= 1<<14, "", "%d frequencies", c.M)
	x.Dense("omega", &omega, -1, c.M)
	x.Dense("weights", &m.f.Coef, 2*c.M, 1)
	x.Float64("bias", &m.f.Bias, 1)
	if x.Reading() {
		m.f.Basis = basis.NewFourier(omega, 0)
	}
}
