package gp

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Model is the posterior of a Gaussian process. It is safe for concurrent use. It holds a
// copy of the rows of the fit or of the landmarks, and factors of order of their number.
type Model struct {
	cfg       Config
	points    *mat.Dense // m×d
	coef      *mat.Dense // m×1, of the mean; with a bias m×2: s = C⁻¹1 as coefficients of the points, too
	bias      float64
	ones      float64 // 1ᵀC⁻¹1; 0 without a bias
	amplitude float64
	factor    blas64.General // U with UᵀU = C, or K(u,u) of landmarks
	inner     blas64.General // landmarks: U with UᵀU = I + VᵀΛ⁻¹V; else empty
	block     *kernel.Block[float64]
	stats     Stats
}

var (
	_ gram.Posterior = (*Model)(nil)
	_ gram.Compiler  = (*Model)(nil)
)

// model returns the posterior for a solution, which keeps its factor for variances.
func (p *problem) model(s *solution) *Model {
	m := &Model{cfg: p.c, points: p.points, coef: s.coef, bias: p.mean, amplitude: s.amplitude, factor: s.factor, stats: p.stats}
	m.cfg.Lambda = gram.Set(s.lambda)
	m.stats.LogLikelihood = s.likelihood
	if p.k == nil {
		m.factor, m.inner = p.root, s.factor
	}
	if !p.c.NoBias {
		m.bias += s.bias
		m.ones = s.ones
		n, _ := m.coef.Dims()
		for i := range n {
			row := m.coef.RawRowView(i)
			row[0] -= s.bias * row[1]
		}
	}
	m.block = kernel.Against[float64](m.cfg.Kernel, m.points).Limit(m.cfg.Workers)
	return m
}

// Config returns the settings with all defaults filled in, and the λ that was chosen.
func (m *Model) Config() Config { return m.cfg }

// Kernel returns the kernel; with ARD a *kernel.Scaled.
func (m *Model) Kernel() kernel.Kernel { return m.cfg.Kernel }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Amplitude returns a, the factor of the kernel in the covariance of the process.
func (m *Model) Amplitude() float64 { return m.amplitude }

// Noise returns a·λ, the variance of a target of weight 1 about the function.
func (m *Model) Noise() float64 { return m.amplitude * m.cfg.Lambda.Value() }

// Dim returns the number of columns of the data.
func (m *Model) Dim() int {
	_, d := m.points.Dims()
	return d
}

// Predict returns the mean of the posterior for every row of x.
func (m *Model) Predict(dst []float64, x mat.Matrix) []float64 {
	return rows.First("gp", dst, x, 1, func(dst *mat.Dense, x mat.Matrix) *mat.Dense {
		dst = rows.Destination("gp", dst, x, m.Dim(), 1)
		s := gram.Of(x)
		if s.N() > 0 {
			m.block.Mul(gram.View(dst), s, gram.View(m.coef.Slice(0, m.count(), 0, 1).(*mat.Dense)))
		}
		for i := range s.N() {
			dst.RawRowView(i)[0] += m.bias
		}
		return dst
	})
}

func (m *Model) count() int {
	n, _ := m.points.Dims()
	return n
}

// Variance returns the variance of the function for every row of x, without that of the
// noise; see Noise. It takes m² operations for each row and each factor of order m.
func (m *Model) Variance(dst []float64, x mat.Matrix) []float64 {
	return rows.First("gp", dst, x, 1, m.variance)
}

func (m *Model) variance(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = rows.Destination("gp", dst, x, m.Dim(), 1)
	s, count := gram.Of(x), m.count()
	step := rows.BlockRows(s.N(), count)
	diagonal := make([]float64, s.N())
	kernel.Diagonal(diagonal, m.cfg.Kernel, s)
	for lo := 0; lo < s.N(); lo += step {
		hi := min(lo+step, s.N())
		t := rows.Borrow(hi-lo, count)
		m.block.Fill(gram.View(t), s.Slice(lo, hi))
		var constant *mat.Dense // 1 − kᵀs
		if m.ones > 0 {
			constant = mat.NewDense(hi-lo, 1, nil)
			constant.Mul(t, m.coef.ColView(1))
		}
		add := func(i int, v float64) { dst.Set(i, 0, dst.At(i, 0)+v) }
		subtract := func(sign float64) {
			for i := lo; i < hi; i++ {
				r := linalg.Vector(t.RawRowView(i - lo))
				add(i, sign*blas64.Dot(r, r))
			}
		}
		for i := lo; i < hi; i++ {
			dst.Set(i, 0, diagonal[i])
		}
		blas64.Trsm(blas.Right, blas.NoTrans, 1, upper(m.factor), t.RawMatrix())
		subtract(-1)
		if m.inner.Rows > 0 {
			blas64.Trsm(blas.Right, blas.NoTrans, 1, upper(m.inner), t.RawMatrix())
			subtract(1)
		}
		for i := lo; i < hi; i++ {
			v := max(dst.At(i, 0), 0) // NaN if it is
			if constant != nil {
				c := 1 - constant.At(i-lo, 0)
				v += c * c / m.ones
			}
			dst.Set(i, 0, m.amplitude*v)
		}
		rows.Return(t)
	}
	return dst
}

// Function returns the mean as a function of kernel values.
func (m *Model) Function() (basis.Function, error) {
	return basis.Expansion(m.cfg.Kernel, m.points, mat.DenseCopyOf(m.coef.Slice(0, m.count(), 0, 1)), []float64{m.bias}), nil
}

// Program64 returns a program in float64 that computes the mean of the posterior for rows.
func (m *Model) Program64() (gram.Program[float64], error) {
	f, _ := m.Function()
	return f.Program64()
}

// Program32 returns a program in float32 that computes the mean of the posterior for rows.
func (m *Model) Program32() (gram.Program[float32], error) {
	f, _ := m.Function()
	return f.Program32()
}

// Encode writes the settings, the points and the factors.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model), (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
// The factors are stored as their upper triangles, row by row.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("gp", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel))
	lambda := m.cfg.Lambda
	x.Require(lambda.Given() && (lambda.Value() > 0 || m.cfg.Approximation == Exact && lambda.Value() == 0) && m.cfg.Approximation <= FITC, "", "the settings are not of a fit")
	x.Dense("points", &m.points, -1, -1)
	n, columns := 0, 1
	if m.points != nil {
		n = m.count()
		x.Require(kernel.Fits(m.cfg.Kernel, m.Dim()) == nil, "points", "the kernel is for rows of another length than %d", m.Dim())
	}
	if !m.cfg.NoBias {
		columns = 2
	}
	x.Dense("coefficients", &m.coef, n, columns)
	x.Number("bias", &m.bias)
	x.Number("amplitude", &m.amplitude)
	x.Require(m.amplitude >= 0, "amplitude", "%v is negative", m.amplitude)
	if !m.cfg.NoBias {
		x.Number("ones", &m.ones)
		x.Require(m.ones > 0, "ones", "%v is not positive", m.ones)
	}
	exchangeFactor(x, "factor", &m.factor, n)
	if m.cfg.Approximation != Exact {
		exchangeFactor(x, "inner", &m.inner, n)
	}
	if x.Reading() {
		m.block = kernel.Against[float64](m.cfg.Kernel, m.points)
	}
}

// exchangeFactor describes the upper triangle of a Cholesky factor of order n.
func exchangeFactor(x *modelfile.Exchange, name string, u *blas64.General, n int) {
	var packed []float64
	if x.Writing() {
		packed = make([]float64, 0, n*(n+1)/2)
		for i := range n {
			packed = append(packed, u.Data[i*u.Stride+i:i*u.Stride+n]...)
		}
	}
	x.Float64(name, &packed, n*(n+1)/2)
	if !x.Reading() {
		return
	}
	*u = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	for i := range n {
		packed = packed[copy(u.Data[i*n+i:(i+1)*n], packed):]
		x.Require(u.Data[i*n+i] > 0, name, "diagonal element %d is not positive", i)
	}
}
