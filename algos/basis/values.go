package basis

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Values has the kernel values of a row with m points as features. For the Gaussian kernel
// it is Learnable; Chain and Scale panic for other kernels.
type Values struct {
	kernel  kernel.Kernel
	u       *mat.Dense // m×d
	block   *kernel.Block[float64]
	workers int
	thin    bool       // the block does not subtract a center
	points  *mat.Dense // d×m; nil until With or Points makes it
}

var _ Learnable = (*Values)(nil)

// NewValues returns the kernel values with the rows of u, which it keeps. Map uses up to
// workers goroutines (≤ 0: GOMAXPROCS).
func NewValues(k kernel.Kernel, u *mat.Dense, workers int) *Values {
	return &Values{kernel: k, u: u, block: kernel.Against[float64](k, u).Limit(workers), workers: workers}
}

// NewSparseValues is NewValues for sparse samples. It does not subtract a center from the
// rows, so the cost of kernel values depends on the nonzeros alone.
func NewSparseValues(k kernel.Kernel, u *mat.Dense, workers int) *Values {
	return &Values{kernel: k, u: u, block: kernel.Against[float64](k, sparse.FromDense(u)).Limit(workers), workers: workers, thin: true}
}

// Kernel returns the kernel whose values the features are made of.
func (v *Values) Kernel() kernel.Kernel { return v.kernel }

// Landmarks returns the points as the rows of an m×d matrix, which must not be changed.
func (v *Values) Landmarks() *mat.Dense { return v.u }

// Thin reports whether the values were made for sparse samples, by NewSparseValues.
func (v *Values) Thin() bool { return v.thin }

// Block returns the block of kernel values with the points.
func (v *Values) Block() *kernel.Block[float64] { return v.block }

// Dims returns the number of columns of x and the number of points.
func (v *Values) Dims() (d, m int) {
	m, d = v.u.Dims()
	return d, m
}

// Map computes the kernel values of the rows of x with the points.
func (v *Values) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, m := v.Dims()
	dst = rows.Destination("basis", dst, x, d, m)
	if n, _ := x.Dims(); n > 0 {
		v.block.Fill(gram.View(dst), gram.Of(x))
	}
	return dst
}

// fillRows is the number of rows between two looks at the context.
const fillRows = 240

// Fill sets dst to the features of the rows of x, as Map does, with a context that can end it between blocks of rows.
func (v *Values) Fill(ctx context.Context, workers int, dst *mat.Dense, x gram.Samples[float64]) error {
	b, to := v.block.Limit(1), gram.View(dst)
	return par.For(ctx, workers, x.N(), fillRows, func(lo, hi int) {
		b.Fill(to.Slice(lo, hi), x.Slice(lo, hi))
	})
}

// Points returns the points as the columns of a d×m matrix.
func (v *Values) Points() *mat.Dense {
	if v.points != nil {
		return v.points
	}
	return mat.DenseCopyOf(v.u.T())
}

// With returns the values with other points, the columns of a d×m matrix.
func (v *Values) With(points *mat.Dense) Learnable {
	u := mat.DenseCopyOf(points.T())
	w := NewValues(v.kernel, u, v.workers)
	if v.thin {
		w = NewSparseValues(v.kernel, u, v.workers)
	}
	w.points = points
	return w
}

func (v *Values) gamma() float64 {
	g, ok := v.kernel.(kernel.Gaussian)
	if !ok {
		panic("basis: only landmarks of the Gaussian kernel are learned")
	}
	return g.Gamma
}

// Chain overwrites e by the matrix B and adds the sums of its columns to s, by ∂k(x,u)/∂u = 2γ·k(x,u)·(x−u).
func (v *Values) Chain(e, phi *mat.Dense, s []float64) {
	two := 2 * v.gamma()
	n, _ := phi.Dims()
	for i := range n {
		row := e.RawRowView(i)
		for j, k := range phi.RawRowView(i) {
			row[j] *= two * k
			s[j] += row[j]
		}
	}
}

// Scale returns √(m/2γ): the width 1/√(2γ) of the Gaussian kernel, times √m for m landmarks together.
func (v *Values) Scale() float64 {
	_, m := v.Dims()
	return math.Sqrt(float64(m) / (2 * v.gamma()))
}

// without drops the points whose coefficients are all 0 but keeps at least one point.
func (v *Values) without(coef *mat.Dense) (*Values, *mat.Dense) {
	m, k := coef.Dims()
	var keep []int
	for j := range m {
		for _, c := range coef.RawRowView(j) {
			if c != 0 {
				keep = append(keep, j)
				break
			}
		}
	}
	if len(keep) == m {
		return v, coef
	}
	if len(keep) == 0 {
		keep = []int{0}
	}
	_, d := v.u.Dims()
	u, c := mat.NewDense(len(keep), d, nil), mat.NewDense(len(keep), k, nil)
	for to, from := range keep {
		copy(u.RawRowView(to), v.u.RawRowView(from))
		copy(c.RawRowView(to), coef.RawRowView(from))
	}
	return NewValues(v.kernel, u, v.workers), c
}

// With64 returns the program of Σ_j coef_j·k(x,u_j) + bias in float64. It multiplies blocks
// of kernel values by the coefficients and stores these blocks only for many functions.
func (v *Values) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return valuesProgram[float64](v, coef, bias)
}

// With32 returns a program in float32 that computes linear functions of the features, with coefficients coef and
// constants bias.
func (v *Values) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return valuesProgram[float32](v, coef, bias)
}

const (
	manyValues = 32 // number of functions from which on kernel values are stored and multiplied
	valueRows  = 48 // rows whose kernel values are stored together
)

func valuesProgram[F gram.Float](v *Values, coef *mat.Dense, bias []float64) gram.Program[F] {
	v, coef = v.without(coef)
	if len(bias) >= manyValues {
		return programOf(v, newBlocks(valueRows, coef, bias, manyValues, valuesOf[F](v.kernel, v.u)), len(bias))
	}
	e := &fused[F]{product: kernel.Against[F](v.kernel, v.u).Times(program.Rows[F](coef)), bias: program.Convert[F](bias)}
	return programOf(v, e, len(bias))
}

// Cost counts the product with a block of the kernel matrix. The workspace is a packed
// block of rows and a strip of that matrix, or whole rows of it for many functions.
func (v *Values) Cost(k, size int) gram.Plan {
	d, m := v.Dims()
	work := 12<<10 + 240*size*k
	if k >= manyValues {
		work = valueRows * size * (m + 1)
	}
	return gram.Plan{
		Flops: ValuesFlops(v.kernel, m, d, k), ModelBytes: int64(size) * int64(m) * int64(d+k),
		PeakBytes:   int64(max(256<<10, 48*size*d) + work),
		Description: describe(d, k, "%d points of the %s kernel", m, v.kernel.Spec().Name),
	}
}

// NewProduct returns the program that adds the constants bias to a product of kernel values
// and coefficients.
func NewProduct[F gram.Float](p *kernel.Product[F], bias []float64) gram.Program[F] {
	d, k := p.Dims()
	e := &fused[F]{product: p, bias: program.Convert[F](bias)}
	cost := p.Cost()
	cost.Flops += float64(k)
	cost.ModelBytes = e.bytes()
	return &basisProgram[F]{d, k, e, cost}
}

// fused is the evaluator of a product with kernel values.
type fused[F gram.Float] struct {
	product interface {
		Rows(dst gram.Rows[F], x gram.Samples[F])
		Bytes() int64
	}
	bias []F
}

func (e *fused[F]) rows(dst gram.Rows[F], x gram.Samples[F]) {
	e.product.Rows(dst, x)
	for i := range dst.N {
		row := dst.Row(i)
		for c, b := range e.bias {
			row[c] += b
		}
	}
}

func (e *fused[F]) bytes() int64 { return e.product.Bytes() + program.Size[F](len(e.bias)) }

// storedValues is how the settings are stored in a model file.
type storedValues struct {
	kernel.Spec
	Thin bool `json:"thin,omitempty"` // not in files of old versions
}

const valuesMethod = "basis.values"

// Encode writes the kernel and the points.
func (v *Values) Encode(w *modelfile.Writer) error {
	spec, err := kernel.Encode(w, v.kernel)
	if err != nil {
		return err
	}
	if err := w.Header(valuesMethod, 1, storedValues{spec, v.thin}); err != nil {
		return err
	}
	w.Dense("points", v.u)
	return nil
}
