package basis

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Outer is a basis whose features are those of an inner basis times a matrix, or equal to
// them if the matrix is nil. Rooted is one; others are models that represent their basis.
type Outer interface {
	Inner() (b Basis, root *mat.Dense)
}

// Rooted is a basis with the features φ(x)·R, where φ are the features of an inner basis
// and R is a matrix. Programs multiply R into their coefficients unless that costs more.
type Rooted struct {
	inner Basis
	root  *mat.Dense // features of inner×r
}

var _ Basis = (*Rooted)(nil)

// NewRooted returns the features of inner times root, which has a row for each feature of
// inner. It keeps both.
func NewRooted(inner Basis, root *mat.Dense) *Rooted {
	_, m := inner.Dims()
	if p, _ := root.Dims(); p != m {
		panic("basis: the root does not have a row for every feature")
	}
	return &Rooted{inner, root}
}

// Inner returns the inner basis and the matrix R.
func (r *Rooted) Inner() (Basis, *mat.Dense) { return r.inner, r.root }

// Root returns the matrix R. It belongs to the basis and must not be changed.
func (r *Rooted) Root() *mat.Dense { return r.root }

// Factor returns the inner basis and R. Every linear function of the features is a linear
// function of those of the inner basis.
func (r *Rooted) Factor() (raw gram.FeatureMap, a *mat.Dense) { return r.inner, r.root }

// Dims returns the number of columns of x and the number of features.
func (r *Rooted) Dims() (d, features int) {
	d, _ = r.inner.Dims()
	_, features = r.root.Dims()
	return d, features
}

// Map computes the features of the rows of x in blocks of rows. Besides the result it takes
// at most 8 MiB, or one row of the inner features if that is more. The features of a row
// do not depend on other rows.
func (r *Rooted) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, m := r.Dims()
	dst = rows.Destination("basis", dst, x, d, m)
	rows.MulFilled(dst, x, r.root, func(c *mat.Dense, x mat.Matrix) { r.inner.Map(c, x) })
	return dst
}

// folded returns root·coef.
func folded(root, coef *mat.Dense) *mat.Dense {
	var w mat.Dense
	w.Mul(root, coef)
	return &w
}

// With64 returns the program of φ(x)·R·coef + bias in float64. The program stores R·coef,
// unless R has so few columns for so many functions that multiplying by R and then by coef
// costs less.
func (r *Rooted) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return rootedProgram[float64](r, coef, bias)
}

// With32 returns the program in float32, see With64.
func (r *Rooted) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return rootedProgram[float32](r, coef, bias)
}

// rootedRows is the number of rows whose features are stored at a time.
const rootedRows = 48

func rootedProgram[F gram.Float](r *Rooted, coef *mat.Dense, bias []float64) gram.Program[F] {
	if !r.narrow(len(bias)) {
		return With[F](r.inner, folded(r.root, coef), bias)
	}
	_, features := r.root.Dims()
	var from source[F]
	if _, plain := r.inner.(Identity); plain {
		from = valuesOf[F](kernel.Linear{}, r.root.T())
	} else {
		from = through[F]{With[F](r.inner, r.root, make([]float64, features))}
	}
	return programOf(r, newBlocks(rootedRows, coef, bias, 1, from), len(bias))
}

// through is the source of the outputs of another program.
type through[F gram.Float] struct{ gram.Program[F] }

func (t through[F]) fill(dst gram.Rows[F], x gram.Samples[F]) { t.Rows(dst, x) }

func (t through[F]) bytes() int64 { return t.Program.Cost().ModelBytes }

// narrow reports whether k functions of the features cost less than k functions of the
// inner features.
func (r *Rooted) narrow(k int) bool {
	_, features := r.root.Dims()
	return k >= manyOutputs && r.inner.Cost(features, 8).Flops+LinearFlops(features, k) < r.inner.Cost(k, 8).Flops
}

// Cost returns the cost of the inner basis or, if R is narrow, that of the products with R
// and with the coefficients.
func (r *Rooted) Cost(k, size int) gram.Plan {
	if !r.narrow(k) {
		return r.inner.Cost(k, size)
	}
	d, features := r.Dims()
	p := r.inner.Cost(features, size)
	p.Flops += LinearFlops(features, k)
	p.ModelBytes += int64(size) * int64(features) * int64(k)
	p.PeakBytes += int64(size) * rootedRows * int64(features+1)
	p.Description = describe(d, k, "%d features of: %s", features, p.Description)
	return p
}

const rootedMethod = "basis.rooted"

// Encode writes the inner basis and the root.
func (r *Rooted) Encode(w *modelfile.Writer) error {
	if err := w.Header(rootedMethod, 1, struct{}{}); err != nil {
		return err
	}
	if err := Encode(w.Sub("inner"), r.inner); err != nil {
		return err
	}
	w.Dense("root", r.root)
	return nil
}
