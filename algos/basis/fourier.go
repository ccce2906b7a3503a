package basis

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Fourier has the cosines and sines of m frequencies as features: first the m cosines,
// then the m sines, all divided by √m.
type Fourier struct {
	omega   *mat.Dense // d×m: one frequency in each column
	workers int
	plain   bool // the features are not divided by √m
}

var _ Learnable = (*Fourier)(nil)

// NewFourier returns the features for the frequencies in the columns of omega, d×m, which
// it keeps. Map uses up to workers goroutines (≤ 0: GOMAXPROCS).
func NewFourier(omega *mat.Dense, workers int) *Fourier {
	return &Fourier{omega: omega, workers: workers}
}

// NewPlainFourier is NewFourier without the division by √m, which the coefficients must
// then include.
func NewPlainFourier(omega *mat.Dense, workers int) *Fourier {
	f := NewFourier(omega, workers)
	f.plain = true
	return f
}

// folded returns the plain features of the same frequencies, and the coefficients for them.
func (f *Fourier) folded(coef *mat.Dense) (*Fourier, *mat.Dense) {
	if f.plain {
		return f, coef
	}
	_, m := f.omega.Dims()
	scaled := mat.DenseCopyOf(coef)
	scaled.Scale(1/math.Sqrt(float64(m)), coef)
	return NewPlainFourier(f.omega, f.workers), scaled
}

// Points returns the frequencies as the columns of a d×m matrix. The matrix belongs to
// the basis and must not be changed.
func (f *Fourier) Points() *mat.Dense { return f.omega }

// Plain reports whether the features are not divided by √m.
func (f *Fourier) Plain() bool { return f.plain }

// Dims returns the number of columns of x and the number of features, 2m.
func (f *Fourier) Dims() (d, features int) {
	d, m := f.omega.Dims()
	return d, 2 * m
}

// Map computes the features of the rows of x: the m cosines, then the m sines. The
// features of a row do not depend on the other rows.
func (f *Fourier) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, p := f.Dims()
	dst = rows.Destination("basis", dst, x, d, p)
	_ = f.Fill(context.Background(), f.workers, dst, gram.Of(x))
	return dst
}

// Fill is Map with a context. Besides the result it takes memory for 240 rows of
// projections for each goroutine.
func (f *Fourier) Fill(ctx context.Context, workers int, dst *mat.Dense, x gram.Samples[float64]) error {
	_, m := f.omega.Dims()
	return par.For(ctx, workers, x.N(), fillRows, func(lo, hi int) {
		z := rows.Borrow(hi-lo, m)
		rows.Mul(z, x.Slice(lo, hi), f.omega)
		for i := range hi - lo {
			if f.plain {
				cosinesAndSines(dst.RawRowView(lo+i), z.RawRowView(i))
			} else {
				Waves(dst.RawRowView(lo+i), z.RawRowView(i))
			}
		}
		rows.Return(z)
	})
}

// Waves sets the first half of dst to the cosines of the angles and the second half to
// their sines, all divided by the square root of the number of angles.
func Waves(dst, angles []float64) {
	cosinesAndSines(dst, angles)
	blas64.Scal(1/math.Sqrt(float64(len(angles))), blas64.Vector{N: 2 * len(angles), Data: dst, Inc: 1})
}

// cosinesAndSines sets dst to the cosines of the angles and then their sines, which are features once divided by √M.
func cosinesAndSines(dst, angles []float64) { vec.SinCos(dst[len(angles):], dst[:len(angles)], angles) }

// With returns the features of other frequencies, the columns of a d×m matrix, which the result keeps. They are divided by √m if
// those of f are.
func (f *Fourier) With(points *mat.Dense) Learnable {
	g := NewFourier(points, f.workers)
	g.plain = f.plain
	return g
}

// Chain uses ∂cos⟨u,x⟩/∂u = −sin⟨u,x⟩·x and ∂sin⟨u,x⟩/∂u = cos⟨u,x⟩·x. It does not change s.
func (f *Fourier) Chain(e, phi *mat.Dense, _ []float64) {
	n, p := phi.Dims()
	m := p / 2
	for i := range n {
		row, v := e.RawRowView(i), phi.RawRowView(i)
		for j := range m {
			row[j] = float64(row[m+j]*v[j]) - float64(row[j]*v[m+j])
		}
	}
}

// Scale returns the Frobenius norm of the frequencies.
func (f *Fourier) Scale() float64 {
	var s float64
	n, _ := f.omega.Dims()
	for i := range n {
		r := blas64.Vector{N: len(f.omega.RawRowView(i)), Data: f.omega.RawRowView(i), Inc: 1}
		s += blas64.Dot(r, r)
	}
	return math.Sqrt(s)
}

// With64 returns the program of φ(x)·coef + bias in float64.
func (f *Fourier) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return fourierProgram[float64](f, coef, bias)
}

// With32 returns a program in float32 that computes linear functions of the features, with coefficients coef and
// constants bias.
func (f *Fourier) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return fourierProgram[float32](f, coef, bias)
}

// fourierRows is the number of rows that are processed together.
const fourierRows = 48

func fourierProgram[F gram.Float](f *Fourier, coef *mat.Dense, bias []float64) gram.Program[F] {
	_, m := f.omega.Dims()
	_, coef = f.folded(coef)
	e := newBlocks(fourierRows, coef, bias, manyOutputs, valuesOf[F](kernel.Linear{}, f.omega.T()))
	e.wide = m
	e.turn = func(phi, angles []F) { vec.SinCos(phi[m:], phi[:m], angles) }
	return programOf(f, e, len(bias))
}

// Cost counts the angles, their cosines and sines, and the linear functions.
func (f *Fourier) Cost(k, size int) gram.Plan {
	d, m := f.omega.Dims()
	return gram.Plan{
		Flops: FourierFlops(m, d, k), ModelBytes: int64(size) * int64(m) * int64(d+2*k),
		PeakBytes:   int64(fourierRows * size * (3*m + d)),
		Description: describe(d, k, "%d frequencies", m),
	}
}

const fourierMethod = "basis.fourier"

// Encode writes the frequencies.
func (f *Fourier) Encode(w *modelfile.Writer) error { return modelfile.Put(w, f.form) }

// form lists what a file holds of the frequencies. Writing and reading a file go through these same statements.
func (f *Fourier) form(x *modelfile.Exchange) {
	settings := struct{ Plain bool }{f.plain}
	x.Header(fourierMethod, 1, &settings)
	f.plain = settings.Plain
	x.Dense("frequencies", &f.omega, -1, -1)
}
