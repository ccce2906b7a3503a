// Package rows gives the estimators one way to look at the rows of a matrix,
// dense or sparse, without copies.
package rows

import (
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Of returns x itself if it is a *mat.Dense or a *sparse.CSR, and a dense copy
// of anything else.
func Of(x mat.Matrix) mat.Matrix {
	switch x := x.(type) {
	case *mat.Dense, *sparse.CSR:
		return x
	}
	if n, d := x.Dims(); n == 0 || d == 0 {
		return &sparse.CSR{N: n, D: d, Ptr: make([]int, n+1)}
	}
	return mat.DenseCopyOf(x)
}

// CopyBytes is the size of the copy that Of makes of a matrix of this kind.
func CopyBytes(x mat.Matrix) int64 {
	switch x.(type) {
	case *mat.Dense, *sparse.CSR:
		return 0
	}
	n, d := x.Dims()
	return 8 * int64(n) * int64(d)
}

// Slice returns rows lo..hi−1 of x, a result of Of, as a view of the same
// kind. lo < hi for dense matrices.
func Slice(x mat.Matrix, lo, hi int) mat.Matrix {
	switch x := x.(type) {
	case *mat.Dense:
		_, d := x.Dims()
		return x.Slice(lo, hi, 0, d)
	case *sparse.CSR:
		return x.Slice(lo, hi)
	}
	panic("rows: neither dense nor CSR")
}

// Destination returns dst, or a new matrix for nil, with a row for each of x and
// width columns, for a function of package pkg that takes rows of d columns. It
// panics if x or dst has another shape; for no rows dst may have any width.
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

// MulFilled sets dst = C·b for the rows of x, a result of Of, where fill sets rows
// of C from those of x. C is made in blocks of rows that take at most 8 MiB, or one
// row if that is more. The result for a row does not depend on the other rows.
func MulFilled(dst *mat.Dense, x mat.Matrix, b *mat.Dense, fill func(c *mat.Dense, x mat.Matrix)) {
	n, _ := x.Dims()
	if n == 0 {
		return
	}
	width, k := b.Dims()
	block := max(1, min(n, (8<<20)/(8*width)))
	c := mat.NewDense(block, width, nil)
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		part := c.Slice(0, hi-lo, 0, width).(*mat.Dense)
		fill(part, Slice(x, lo, hi))
		Mul(dst.Slice(lo, hi, 0, k).(*mat.Dense), part, b)
	}
}

// Select returns a copy of the given rows of x, a result of Of, as a matrix of
// the same kind.
func Select(x mat.Matrix, index []int) mat.Matrix {
	switch x := x.(type) {
	case *mat.Dense:
		if len(index) == 0 {
			return &mat.Dense{}
		}
		return Dense(x, index)
	case *sparse.CSR:
		return x.Select(index)
	}
	panic("rows: neither dense nor CSR")
}

// Dense returns the given rows of x, a result of Of, as a dense matrix. There
// is at least one row and one column.
func Dense(x mat.Matrix, index []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(index), d, nil)
	for k, i := range index {
		Copy(out.RawRowView(k), x, i)
	}
	return out
}

// Copy writes row i of x, a result of Of, into dst of length d.
func Copy(dst []float64, x mat.Matrix, i int) {
	switch x := x.(type) {
	case *mat.Dense:
		copy(dst, x.RawRowView(i))
	case *sparse.CSR:
		x.DenseRow(dst, i)
	default:
		panic("rows: neither dense nor CSR")
	}
}

// Dot returns the inner product of row i of x, a result of Of, and v.
func Dot(x mat.Matrix, i int, v []float64) float64 {
	switch x := x.(type) {
	case *mat.Dense:
		return blas64.Dot(vector(x.RawRowView(i)), vector(v))
	case *sparse.CSR:
		return x.DotRow(i, v)
	}
	panic("rows: neither dense nor CSR")
}

// Add adds alpha times row i of x, a result of Of, to dst.
func Add(dst []float64, alpha float64, x mat.Matrix, i int) {
	switch x := x.(type) {
	case *mat.Dense:
		blas64.Axpy(alpha, vector(x.RawRowView(i)), vector(dst))
	case *sparse.CSR:
		x.AddRow(dst, alpha, i)
	default:
		panic("rows: neither dense nor CSR")
	}
}

// SumSquares returns the sum of squares of row i of x, a result of Of.
func SumSquares(x mat.Matrix, i int) float64 {
	switch x := x.(type) {
	case *mat.Dense:
		r := vector(x.RawRowView(i))
		return blas64.Dot(r, r)
	case *sparse.CSR:
		return x.SumSquares(i)
	}
	panic("rows: neither dense nor CSR")
}

// Mul sets dst = x·b for a result x of Of.
func Mul(dst *mat.Dense, x mat.Matrix, b *mat.Dense) {
	switch x := x.(type) {
	case *mat.Dense:
		gemm(dst, x, b)
	case *sparse.CSR:
		x.MulTo(dst, b)
	default:
		panic("rows: neither dense nor CSR")
	}
}

// AddMulTrans adds xᵀ·b to dst for a result x of Of.
func AddMulTrans(dst *mat.Dense, x mat.Matrix, b *mat.Dense) {
	switch x := x.(type) {
	case *mat.Dense:
		gemmTrans(dst, x, b)
	case *sparse.CSR:
		x.AddMulTransTo(dst, b)
	default:
		panic("rows: neither dense nor CSR")
	}
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
