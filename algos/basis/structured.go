package basis

import (
	"math/bits"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

// Structured is a feature map of the kernel values K(x,U) with structured landmarks. The
// rows of U are U_{(g,q)} = H_q∘v_g for s seeds v_g and b rows H_q of a Haar or Hadamard
// matrix H. The features of a fastnys.Model are linear functions of these values, so a
// linear model of them needs only the landmarks and m coefficients
// (linear.Classifier.On). Memory: that of the seeds. A Structured is immutable and safe for
// concurrent use.
type Structured struct {
	kernel  kernel.Kernel
	matrix  structured.Matrix
	v       *mat.Dense // s×d seeds, for centered rows
	rows    int        // b
	center  []float64  // nil: none
	workers int
	block   *StructuredBlock[float64]
}

var _ gram.FeatureMap = (*Structured)(nil)

// NewStructured returns the kernel values with structured landmarks: for each of the seeds
// in the rows of v, the landmarks that b rows of the matrix h make of it. b must be a power
// of two. center is subtracted from the rows of data; nil means zeros. The kernel must be a
// kernel.Radial or a kernel.Inner; see CheckStructured. NewStructured keeps v and center.
// Map uses up to workers goroutines.
func NewStructured(k kernel.Kernel, h structured.Matrix, v *mat.Dense, b int, center []float64, workers int) *Structured {
	l := &Structured{kernel: k, matrix: h, v: v, rows: b, center: center, workers: workers}
	l.block = NewStructuredBlock[float64](l)
	return l
}

// Dims returns the number d of columns of x and the number m of landmarks.
func (l *Structured) Dims() (d, m int) {
	m, d = l.block.dims()
	return d, m
}

// Kernel returns the kernel whose values the features are made of.
func (l *Structured) Kernel() kernel.Kernel { return l.kernel }

// Seeds returns the matrix H, the s×d seeds for centered rows, and the number b of rows of
// H for each seed. The seeds must not be changed.
func (l *Structured) Seeds() (h structured.Matrix, v *mat.Dense, b int) { return l.matrix, l.v, l.rows }

// Points computes the landmarks, m×d, in the coordinates of the data: H_q∘v_g plus the
// center. It is meant for inspection; predictions do not need it.
func (l *Structured) Points() *mat.Dense {
	d, m := l.Dims()
	u := mat.NewDense(m, d, nil)
	l.block.set.Landmarks(gram.View(u))
	if l.center != nil {
		for i := range m {
			row := u.RawRowView(i)
			for j, c := range l.center {
				row[j] += c
			}
		}
	}
	return u
}

// Flops returns the flops of U·x for one row, and those of a product with m unstructured
// rows.
func (l *Structured) Flops() (fast, dense float64) {
	d, m := l.Dims()
	s, _ := l.v.Dims()
	return StructuredProduct(l.matrix, s, d, l.rows), 2 * float64(m) * float64(d)
}

// StructuredProduct returns the flops of U·x: the products v∘x, their sums over ranges, and
// s transforms of length b.
func StructuredProduct(h structured.Matrix, s, d, b int) float64 {
	one := 2 * float64(b-1)
	if h == structured.Hadamard {
		one = 0
		for k := 1; k < b; k *= 2 {
			one += float64(b)
		}
	}
	return float64(s) * (2*float64(d) + one)
}

// Map computes K(x,U) for the rows of x.
func (l *Structured) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, m := l.Dims()
	dst = rows.Destination("basis", dst, x, d, m)
	if n, _ := x.Dims(); n > 0 {
		l.block.Fill(gram.View(dst), gram.Of(x))
	}
	return dst
}

// With64 returns the program of Σ_j coef_j·k(x,u_j) + bias in float64.
func (l *Structured) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return structuredProgram[float64](l, coef, bias)
}

// With32 returns a program in float32 that computes linear functions of the features, with coefficients coef and
// constants bias.
func (l *Structured) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return structuredProgram[float32](l, coef, bias)
}

func structuredProgram[F gram.Float](l *Structured, coef *mat.Dense, bias []float64) gram.Program[F] {
	return programOf(l, newBlocks(blockRows, coef, bias, manyOutputs, NewStructuredBlock[F](l).Limit(1)), len(bias))
}

// Cost counts the product with the seeds, the transforms and the values.
func (l *Structured) Cost(k, size int) gram.Plan {
	d, m := l.Dims()
	s, _ := l.v.Dims()
	product, _ := l.Flops()
	return gram.Plan{
		Flops:      product + float64(m)*(kernel.Flops(l.kernel, d)-2*float64(d)+2*float64(k)),
		ModelBytes: int64(size) * (int64(m)*int64(k) + int64(s)*int64(d)), PeakBytes: int64(blockRows * size * (m + d)),
		Description: describe(d, k, "%d landmarks of %d seeds, %s kernel", m, s, l.kernel.Spec().Name),
	}
}

const structuredMethod = "fastnys.landmarks" // the name in files since the first version

// Encode writes the kernel, the seeds and the center.
func (l *Structured) Encode(w *modelfile.Writer) error { return modelfile.Put(w, l.form) }

// DecodeStructured reads what Structured.Encode wrote. The kernel must be one that
// kernel.Decode makes.
func DecodeStructured(f *modelfile.File) (*Structured, error) {
	return modelfile.Get(f, &Structured{}, (*Structured).form)
}

// form lists what a file holds of the landmarks. Writing and reading a file go through these same statements.
func (l *Structured) form(x *modelfile.Exchange) {
	stored := struct {
		Matrix structured.Matrix
		Rows   int
	}{l.matrix, l.rows}
	k := l.kernel
	x.Header(structuredMethod, 1, &stored, kernel.Stored(&k))
	if x.Reading() {
		if err := CheckStructured(k); err != nil {
			x.Errorf("", "%v", err)
		}
	}
	x.Dense("seeds", &l.v, -1, -1)
	d := 0
	if l.v != nil {
		_, d = l.v.Dims()
	}
	x.Require(stored.Matrix <= structured.Hadamard && RowsFit(stored.Rows, d), "", "matrix %d with %d rows for %d columns", stored.Matrix, stored.Rows, d)
	if x.Optional("centre", l.center != nil) {
		x.Float64("centre", &l.center, d)
	}
	if x.Reading() {
		*l = *NewStructured(k, stored.Matrix, l.v, stored.Rows, l.center, 0)
	}
}

// padded returns the order of the matrix H for d columns.
func padded(d int) int { return 1 << bits.Len(uint(max(d, 1)-1)) }

// RowsFit reports whether the b leading rows of H can be used for d columns.
func RowsFit(b, d int) bool { return b >= 1 && b&(b-1) == 0 && b <= padded(d) }

// CheckStructured returns a *gram.ConfigError unless the values of k can be computed from
// inner products and norms, which structured landmarks require.
func CheckStructured(k kernel.Kernel) error {
	_, inner := k.(kernel.Inner)
	if !inner && !radial(k) {
		return settings.Refuse("Kernel", k.Spec().Name, "a function of ‖x−y‖² or of ⟨x,y⟩: gaussian, polynomial, homogeneous …")
	}
	return nil
}

func radial(k kernel.Kernel) bool {
	_, ok := k.(kernel.Radial)
	return ok
}
