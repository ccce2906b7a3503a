package batch

import (
	"github.com/gramworks/gram/asm/gemm"
	"gonum.org/v1/gonum/blas"
)

// Mul computes C = alpha·op(A)·op(B) + beta·C for each triple of matrices, with the bits of Dgemm of Native. C is not
// read where beta is 0, and A and B are not where alpha is 0. C must not overlap A or B. It panics if shapes do not fit, a
// transpose is illegal or the matrices of C overlap. Cost: 2mnk flops for each; transposes of B are written out before.
func Mul(tA, tB blas.Transpose, alpha float64, a, b Matrices, beta float64, c Matrices) {
	a.check("A", false)
	b.check("B", false)
	c.check("C", true)
	m, k, ras, cas := a.Rows, a.Cols, a.Stride, 1
	if transposed(tA) {
		m, k, ras, cas = k, m, 1, a.Stride
	}
	k2, n := b.Rows, b.Cols
	if transposed(tB) {
		k2, n = n, k2
	}
	if a.Count != c.Count || b.Count != c.Count || k != k2 || m != c.Rows || n != c.Cols {
		panic("batch: shapes do not fit")
	}
	if m == 0 || n == 0 || c.Count == 0 {
		return
	}
	if k == 0 || alpha == 0 {
		scale(beta, c)
		return
	}
	if a.Each != nil || b.Each != nil || c.Each != nil {
		mulEach(tB, m, n, k, alpha, a, ras, cas, b, beta, c)
		return
	}
	if !transposed(tB) {
		gemm.Many(c.Count, k, a.Data, ras, cas, a.Step, b.Data, b.Stride, b.Step, c.Data, c.Stride, c.Step, m, n, alpha, beta)
		return
	}
	const together = 16
	x, done := groups((n*k*together + 7) / 8)
	defer done()
	for q := 0; q < c.Count; q += together {
		count := min(together, c.Count-q)
		for i := range count {
			gemm.Transpose(x[i*n*k:], n, b.Data[(q+i)*b.Step:], b.Stride, n, k)
		}
		gemm.Many(count, k, a.Data[q*a.Step:], ras, cas, a.Step, x, n, n*k, c.Data[q*c.Step:], c.Stride, c.Step, m, n, alpha, beta)
	}
}

// mulEach is Mul with a call of the kernel for each triple.
func mulEach(tB blas.Transpose, m, n, k int, alpha float64, a Matrices, ras, cas int, b Matrices, beta float64, c Matrices) {
	var x []float64
	if transposed(tB) {
		var done func()
		x, done = groups((n*k + 7) / 8)
		defer done()
	}
	for q := range c.Count {
		y, bs := b.from(q), b.Stride
		if x != nil {
			gemm.Transpose(x, n, y, b.Stride, n, k)
			y, bs = x, n
		}
		gemm.Many(1, k, a.from(q), ras, cas, 0, y, bs, 0, c.from(q), c.Stride, 0, m, n, alpha, beta)
	}
}

// scale computes C = beta·C for each matrix; where beta is 0, C is not read.
func scale(beta float64, c Matrices) {
	for q := range c.Count {
		for i := range c.Rows {
			row := c.from(q)[i*c.Stride:][:c.Cols]
			if beta == 0 {
				clear(row)
				continue
			}
			for j := range row {
				row[j] *= beta
			}
		}
	}
}

func transposed(t blas.Transpose) bool {
	if t != blas.NoTrans && t != blas.Trans && t != blas.ConjTrans {
		panic("batch: illegal transpose")
	}
	return t != blas.NoTrans
}
