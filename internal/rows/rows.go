// Package rows has the algebra of samples, dense or sparse: products with matrices and
// vectors, and sums and norms of rows.
package rows

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Destination returns dst, or a new matrix if dst is nil, with a row for each row of x and
// width columns, for a function of package pkg that takes rows of d columns. It panics if
// x or dst has another shape; for no rows dst may have any width.
func Destination(pkg string, dst *mat.Dense, x mat.Matrix, d, width int) *mat.Dense {
	n, columns := x.Dims()
	if columns != d {
		panic(pkg + ": x has the wrong number of columns")
	}
	if dst == nil {
		if n == 0 {
			return &mat.Dense{}
		}
		return mat.NewDense(n, width, nil)
	}
	if r, c := dst.Dims(); r != n || n > 0 && c != width {
		panic(pkg + ": the destination has the wrong shape")
	}
	return dst
}

// BlockRows returns the number of rows that predictions process together in one workspace
// if a row takes width numbers: as many as fit 8 MiB, but at least one.
func BlockRows(n, width int) int { return max(1, min(n, (1<<20)/max(1, width))) }

// Decide sets dst to the classes that k scores of each row of x stand for; a nil dst is
// allocated. scores is called with blocks of rows and a destination of k columns. pkg is
// the package that panics name.
func Decide(pkg string, dst []int, x mat.Matrix, k int, scores func(dst *mat.Dense, x mat.Matrix) *mat.Dense) []int {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic(pkg + ": the destination has the wrong length")
	}
	if n == 0 {
		return dst
	}
	eachBlock(x, BlockRows(n, k), func(lo, hi int, x mat.Matrix) {
		block := Borrow(hi-lo, k)
		scores(block, x)
		for i := lo; i < hi; i++ {
			dst[i] = multiclass.Decide(block.RawRowView(i - lo))
		}
		Return(block)
	})
	return dst
}

// First sets dst to the first of k functions for each row of x; a nil dst is allocated.
// all sets a matrix of k columns to the values of all functions. pkg is the package that
// panics name.
func First(pkg string, dst []float64, x mat.Matrix, k int, all func(dst *mat.Dense, x mat.Matrix) *mat.Dense) []float64 {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, n)
	}
	if len(dst) != n {
		panic(pkg + ": the destination has the wrong length")
	}
	if n == 0 {
		return dst
	}
	if k == 1 {
		all(mat.NewDense(n, 1, dst), x)
		return dst
	}
	return mat.Col(dst, 0, all(nil, x))
}

// eachBlock calls body for blocks of step rows of x. If one block has all rows, body gets
// x itself, because making a view would take as long as a small model takes for a single
// row.
func eachBlock(x mat.Matrix, step int, body func(lo, hi int, x mat.Matrix)) {
	n, _ := x.Dims()
	if n <= step {
		body(0, n, x)
		return
	}
	all := gram.Of(x)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		body(lo, hi, all.Slice(lo, hi))
	}
}

// MulFilled sets dst = C·b, where fill computes rows of C from rows of x. C is computed in
// blocks of BlockRows rows. The result for a row does not depend on the other rows.
func MulFilled(dst *mat.Dense, x mat.Matrix, b *mat.Dense, fill func(c *mat.Dense, x mat.Matrix)) {
	n, _ := x.Dims()
	if n == 0 {
		return
	}
	width, k := b.Dims()
	eachBlock(x, BlockRows(n, width), func(lo, hi int, x mat.Matrix) {
		c, to := Borrow(hi-lo, width), dst
		fill(c, x)
		if hi-lo < n {
			to = dst.Slice(lo, hi, 0, k).(*mat.Dense)
		}
		gemm(to, gram.View(c), b)
		Return(c)
	})
}

// AddToAll adds v to every row of dst.
func AddToAll(dst *mat.Dense, v []float64) {
	n, _ := dst.Dims()
	for i := range n {
		row := dst.RawRowView(i)
		for j, b := range v {
			row[j] += b
		}
	}
}

// Dense returns the given rows of x as a dense matrix; nil means all rows. There must be at least
// one row and one column.
func Dense(x gram.Samples[float64], index []int) *mat.Dense {
	n, d := x.Dims()
	if index == nil {
		out := mat.NewDense(n, d, nil)
		for i := range n {
			x.CopyRow(out.RawRowView(i), i)
		}
		return out
	}
	out := mat.NewDense(len(index), d, nil)
	for k, i := range index {
		x.CopyRow(out.RawRowView(k), i)
	}
	return out
}

// Select returns a copy of the given rows of x, an argument of a fit, for a fit to them. The error is
// that of check.Index, or of sparse.CSR.Validate.
func Select(x mat.Matrix, index []int) (gram.Samples[float64], error) {
	s := gram.Of(x)
	if a := s.CSR(); a != nil {
		if err := a.Validate(); err != nil {
			return gram.Samples[float64]{}, err
		}
	}
	if err := check.Index("rows", index, s.N()); err != nil {
		return gram.Samples[float64]{}, err
	}
	return s.Select(index), nil
}

// Numbers returns the numbers that row i of x stores: all of a dense row, which must not be
// changed, and those of a sparse row that are not 0, in buffer if it is large enough.
func Numbers(buffer []float64, x gram.Samples[float64], i int) []float64 {
	if r, dense := x.Dense(); dense {
		return r.Row(i)
	}
	col, val := x.Nonzeros(i)
	if val != nil {
		return append(buffer[:0], val...)
	}
	buffer = buffer[:0]
	for range col {
		buffer = append(buffer, 1)
	}
	return buffer
}

// Groups returns the rows of every group in ascending order. label has the group of each
// row, from 0 to count−1.
func Groups(label []int, count int) [][]int {
	index := make([][]int, count)
	for i, g := range label {
		index[g] = append(index[g], i)
	}
	return index
}

// Vectors gives loops access to single rows of samples: the fields hold what is needed of
// a row, so that the samples are not copied for every row.
type Vectors struct {
	dense  gram.Rows[float64]
	sparse *sparse.CSR // nil if the rows are dense
	first  int         // the row of sparse that is row 0
}

// NewVectors returns access to the rows of x, whose memory it shares.
func NewVectors(x gram.Samples[float64]) *Vectors {
	v := new(Vectors)
	v.dense, _ = x.Dense()
	v.sparse, v.first = x.Base()
	return v
}

// Dot returns the inner product of row i and w.
func (v *Vectors) Dot(i int, w []float64) float64 {
	if v.sparse != nil {
		return v.sparse.DotRow(v.first+i, w)
	}
	return linalg.Dot(v.dense.Row(i), w)
}

// Dot returns the inner product of row i of x and v. For many rows Vectors is faster.
func Dot(x gram.Samples[float64], i int, v []float64) float64 {
	if a, first := x.Base(); a != nil {
		return a.DotRow(first+i, v)
	}
	r, _ := x.Dense()
	return linalg.Dot(r.Row(i), v)
}

// Add adds alpha times row i of x to dst.
func Add(dst []float64, alpha float64, x gram.Samples[float64], i int) {
	if a, first := x.Base(); a != nil {
		a.AddRow(dst, alpha, first+i)
		return
	}
	r, _ := x.Dense()
	blas64.Axpy(alpha, linalg.Vector(r.Row(i)), linalg.Vector(dst))
}

// SumSquares returns the sum of squares of row i of x.
func SumSquares(x gram.Samples[float64], i int) float64 {
	if a, first := x.Base(); a != nil {
		return a.SumSquares(first + i)
	}
	r, _ := x.Dense()
	row := linalg.Vector(r.Row(i))
	return blas64.Dot(row, row)
}

// Squares returns the sum of squares of the entries of a.
func Squares(a *mat.Dense) float64 {
	var s float64
	n, _ := a.Dims()
	for i := range n {
		r := linalg.Vector(a.RawRowView(i))
		s += blas64.Dot(r, r)
	}
	return s
}

// Mul sets dst = x·b for dense or sparse x. It panics if the shapes do not fit.
func Mul(dst *mat.Dense, x gram.Samples[float64], b *mat.Dense) {
	if a := x.CSR(); a != nil {
		a.MulTo(dst, b)
		return
	}
	r, _ := x.Dense()
	gemm(dst, r, b)
}

// AddMulTrans adds xᵀ·b to dst for dense or sparse x. It panics if the shapes do not fit.
func AddMulTrans(dst *mat.Dense, x gram.Samples[float64], b *mat.Dense) {
	if a := x.CSR(); a != nil {
		a.AddMulTransTo(dst, b)
		return
	}
	r, _ := x.Dense()
	gemmTrans(dst, r, b)
}
