// Package rows is the algebra of samples, dense or sparse: products with matrices
// and vectors, sums and norms of rows.
package rows

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// of is gram.Of for x that is Samples or any other matrix, without putting Samples
// into an interface.
func of[X mat.Matrix](x *X) gram.Samples[float64] {
	if s, ok := any(x).(*gram.Samples[float64]); ok {
		return *s
	}
	return gram.Of(*x)
}

// Of returns x itself if it is a *mat.Dense or a *sparse.CSR, Samples as one of
// these, and a dense copy of anything else.
func Of(x mat.Matrix) mat.Matrix {
	switch x := x.(type) {
	case *mat.Dense, *sparse.CSR:
		return x
	}
	s := gram.Of(x)
	if a := s.CSR(); a != nil {
		return a
	}
	if n, d := s.Dims(); n == 0 || d == 0 {
		return &sparse.CSR{N: n, D: d, Ptr: make([]int, n+1)}
	}
	return gram.Matrix(s)
}

// CopyBytes is the size of the copy that Of makes of a matrix of this kind.
func CopyBytes(x mat.Matrix) int64 {
	switch x.(type) {
	case *mat.Dense, *sparse.CSR, gram.Samples[float64]:
		return 0
	}
	n, d := x.Dims()
	return 8 * int64(n) * int64(d)
}

// Slice returns rows lo..hi−1 of x, a result of Of, as a view of the same
// kind. lo < hi for dense matrices.
func Slice(x mat.Matrix, lo, hi int) mat.Matrix {
	switch x := Of(x).(type) {
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

// BlockRows is the number of rows that predictions work on together, in the same
// workspace, where a row takes width numbers: together they take at most 8 MiB, or are
// one.
func BlockRows(n, width int) int { return max(1, min(n, (8<<20)/(8*max(1, width)))) }

// Decide sets dst to the classes that k scores of each row of x stand for; nil is
// allocated. scores gets a destination with k columns and a block of rows. pkg is the
// package that panics name.
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
	all, step := gram.Of(x), BlockRows(n, k)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		block := Borrow(hi-lo, k)
		scores(block, all.Slice(lo, hi))
		for i := lo; i < hi; i++ {
			dst[i] = gram.Decide(block.RawRowView(i - lo))
		}
		Return(block)
	}
	return dst
}

// MulFilled sets dst = C·b for the rows of x, where fill sets rows of C from those of
// x. C is made in blocks of BlockRows. The result for a row does not depend on the
// other rows.
func MulFilled(dst *mat.Dense, x gram.Samples[float64], b *mat.Dense, fill func(c *mat.Dense, x gram.Samples[float64])) {
	n := x.N()
	if n == 0 {
		return
	}
	width, k := b.Dims()
	block := BlockRows(n, width)
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		c := Borrow(hi-lo, width)
		fill(c, x.Slice(lo, hi))
		Mul(dst.Slice(lo, hi, 0, k).(*mat.Dense), c, b)
		Return(c)
	}
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

// Select returns a copy of the given rows of x, a result of Of, as a matrix of
// the same kind.
func Select(x mat.Matrix, index []int) mat.Matrix {
	switch x := Of(x).(type) {
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

// Dense returns the given rows of x as a dense matrix. There is at least one row and
// one column.
func Dense[X mat.Matrix](x X, index []int) *mat.Dense {
	s := of(&x)
	_, d := s.Dims()
	out := mat.NewDense(len(index), d, nil)
	for k, i := range index {
		s.CopyRow(out.RawRowView(k), i)
	}
	return out
}

// Copy writes row i of x into dst of length d.
func Copy[X mat.Matrix](dst []float64, x X, i int) { of(&x).CopyRow(dst, i) }

// Dot returns the inner product of row i of x and v.
func Dot[X mat.Matrix](x X, i int, v []float64) float64 {
	s := of(&x)
	if a, first := s.Base(); a != nil {
		return a.DotRow(first+i, v)
	}
	r, _ := s.Dense()
	return blas64.Dot(vector(r.Row(i)), vector(v))
}

// Add adds alpha times row i of x to dst.
func Add[X mat.Matrix](dst []float64, alpha float64, x X, i int) {
	s := of(&x)
	if a, first := s.Base(); a != nil {
		a.AddRow(dst, alpha, first+i)
		return
	}
	r, _ := s.Dense()
	blas64.Axpy(alpha, vector(r.Row(i)), vector(dst))
}

// SumSquares returns the sum of squares of row i of x.
func SumSquares[X mat.Matrix](x X, i int) float64 {
	s := of(&x)
	if a, first := s.Base(); a != nil {
		return a.SumSquares(first + i)
	}
	r, _ := s.Dense()
	row := vector(r.Row(i))
	return blas64.Dot(row, row)
}

// Mul sets dst = x·b.
func Mul[X mat.Matrix](dst *mat.Dense, x X, b *mat.Dense) {
	s := of(&x)
	if a := s.CSR(); a != nil {
		a.MulTo(dst, b)
		return
	}
	r, _ := s.Dense()
	gemm(dst, r, b)
}

// AddMulTrans adds xᵀ·b to dst.
func AddMulTrans[X mat.Matrix](dst *mat.Dense, x X, b *mat.Dense) {
	s := of(&x)
	if a := s.CSR(); a != nil {
		a.AddMulTransTo(dst, b)
		return
	}
	r, _ := s.Dense()
	gemmTrans(dst, r, b)
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
