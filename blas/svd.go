package blas

import (
	"math"
	"slices"

	"github.com/gramworks/gram/asm/gemm"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// tallSVD is how many times as many rows as columns a matrix has whose QR
// factorization is taken before its singular value decomposition.
const tallSVD = 1.6

// leastSVD and leastValues are the numbers of rows or columns below which a decomposition
// with vectors, and one without, is left to gonum.
const (
	leastSVD    = 18
	leastValues = 64
)

// Dgesvd computes the singular value decomposition A = U·diag(s)·Vᵀ of an m×n
// matrix, s descending. Small matrices are left to gonum. Others are reduced to a
// bidiagonal matrix, whose values are found by the dqds algorithm where no vectors are
// wanted, and whose values and vectors by divide and conquer else. Of a matrix that is
// much taller than wide, or wider than tall, the QR factorization comes first. Values and
// residuals are exact up to a small multiple of max(m,n)·eps·‖A‖, as in LAPACK's DGESDD.
//
// With k = min(m, n), it takes about 4·m·n·k flops for the values and 14·k³ more for
// the vectors of a square matrix, and cannot be interrupted. Beyond work it uses
// about 7·k² + 2·m·n numbers. It returns false for a matrix with NaN or infinity.
func (l nativeLapack) Dgesvd(jobU, jobVT lapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, lwork int) (ok bool) {
	k := min(m, n)
	// columns of U and rows of Vᵀ
	vectors := func(job lapack.SVDJob, all int) int {
		switch job {
		case lapack.SVDNone:
			return 0
		case lapack.SVDStore:
			return k
		case lapack.SVDAll:
			return all
		}
		return -1
	}
	cols, rows := vectors(jobU, m), vectors(jobVT, n)
	fit := cols >= 0 && rows >= 0 && k > 0 && lda >= n && ldu >= max(1, cols) && (rows == 0 || ldvt >= n) && ldvt >= 1 &&
		lwork >= max(3*k+max(m, n), 5*k) && len(work) >= lwork && len(a) >= (m-1)*lda+n && len(s) >= k &&
		(cols == 0 || len(u) >= (m-1)*ldu+cols) && (rows == 0 || len(vt) >= (rows-1)*ldvt+n)
	if !fit { // work space is asked for, or an argument is wrong
		return l.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	}
	norm := l.Dlange(lapack.MaxAbs, m, n, a, lda, nil)
	if norm-norm != 0 {
		return false
	}
	if k < leastSVD || k < leastValues && cols == 0 && rows == 0 {
		return l.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	}
	work[0] = float64(lwork)
	_, exponent := math.Frexp(norm)
	if scaled := exponent < -300 || exponent > 300; scaled && norm > 0 {
		for i := range m {
			ldexp(a[i*lda:][:n], -exponent)
		}
		defer func() { ldexp(s[:k], exponent) }()
	}
	c := svd{f: implementation{b: l.b}, m: max(m, n), n: k, long: cols, short: rows}
	if m < n {
		c.long, c.short = rows, cols
	}
	buf := take[float64](c.space(m < n))
	defer give(buf)
	c.scratch = *buf
	if m < n {
		t := c.take(m * n)
		transpose(m, n, a, lda, t, m)
		a, lda = t, m
	}
	// What goes to vt lies there as it is computed.
	outLong, ldLong := vt, ldvt
	outShort, ldShort := vt, ldvt
	if m >= n {
		outLong, ldLong = c.take(c.long*c.m), c.m
	} else {
		outShort, ldShort = c.take(c.short*c.n), c.n
	}
	if !c.decompose(a, lda, s[:k], outLong, ldLong, outShort, ldShort) {
		return false
	}
	if m >= n {
		transpose(cols, m, outLong, ldLong, u, ldu)
	} else {
		transpose(cols, m, outShort, ldShort, u, ldu)
	}
	return true
}

// ldexp multiplies x by a power of two.
func ldexp(x []float64, exponent int) {
	for i := range x {
		x[i] = math.Ldexp(x[i], exponent)
	}
}

// transpose sets the n×m matrix b to the transpose of the m×n matrix a.
func transpose(m, n int, a []float64, lda int, b []float64, ldb int) {
	gemm.Transpose(b, ldb, a, lda, m, n)
}

// svd decomposes an m×n matrix A with m ≥ n.
type svd struct {
	f           implementation
	m, n        int
	long, short int // how many of the m- and n-element vectors are wanted
	scratch     []float64
}

// take returns a part of the work space.
func (c *svd) take(n int) []float64 {
	x := c.scratch[:n:n]
	c.scratch = c.scratch[n:]
	return x
}

// tall reports whether the QR factorization comes first.
func (c *svd) tall() bool { return float64(c.m) >= tallSVD*float64(c.n) }

// space is how many numbers all parts take; wide says that A is transposed first.
func (c *svd) space(wide bool) int {
	m, n := c.m, c.n
	rows, total := m, 0
	if wide {
		total += m * n
	} else {
		total += c.long * m
	}
	total += c.short * n
	if c.tall() {
		total += n*n + factorSpace(m, n)
		rows = n
	}
	total += n*rows + n*n + 2*bidiagonalPanel*(rows+n) + 8*n
	if c.long > 0 || c.short > 0 {
		total += bidiagonalSpace(n) + (m+2*max(c.long, c.short))*min(n, reflectorProduct)
	}
	return total
}

// decompose sets s to the singular values of A, descending, and the rows of long
// and short to the left and right singular vectors. A is destroyed.
func (c *svd) decompose(a []float64, lda int, s, long []float64, ldl int, short []float64, lds int) bool {
	m, n := c.m, c.n
	var tauA []float64
	r, rows, ldr := a, m, lda // what is reduced to bidiagonal form
	if c.tall() {
		tauA = c.take(n)
		factorQR(c.f, m, n, a, lda, tauA, c.take(factorSpace(m, n)))
		r, rows, ldr = c.take(n*n), n, n
		for i := range n {
			clear(r[i*n : i*n+i])
			copy(r[i*n+i:(i+1)*n], a[i*lda+i:])
		}
	}
	e, tauQ, tauP := c.take(n), c.take(n), c.take(n)
	q, p := c.take(n*rows), c.take(n*n)
	bidiagonalize(c.f, rows, n, r, ldr, s, e, tauQ, tauP, q, rows, p, n, c.take(2*bidiagonalPanel*(rows+n)))
	if c.long == 0 && c.short == 0 {
		return lapackGonum.Dbdsqr(gblas.Upper, n, 0, 0, 0, s, e, nil, 1, nil, 1, nil, 1, c.take(4*n))
	}
	u, v, err := bidiagonalVectors(c.f.b, s, e, c.take(bidiagonalSpace(n)))
	if err != nil {
		return false
	}
	slices.Reverse(s)
	if c.short > 0 {
		for i := range n {
			copy(short[i*lds:][:n], v[(n-1-i)*n:])
		}
		if n > 1 {
			c.rowsTimes(&orthogonal{n: n - 1, k: n - 1, a: p[1:], lda: n, rows: true, tau: tauP}, n, short[1:], lds)
		}
	}
	if c.long == 0 {
		return true
	}
	for i := range c.long {
		row := long[i*ldl:][:m]
		clear(row)
		if i < n {
			copy(row, u[(n-1-i)*n:][:n])
		} else {
			row[i] = 1
		}
	}
	if tauA == nil {
		c.rowsTimes(&orthogonal{n: m, k: n, a: q, lda: m, rows: true, tau: tauQ}, c.long, long, ldl)
		return true
	}
	c.rowsTimes(&orthogonal{n: n, k: n, a: q, lda: n, rows: true, tau: tauQ}, n, long, ldl)
	c.rowsTimes(&orthogonal{n: m, k: n, a: a, lda: lda, tau: tauA}, c.long, long, ldl)
	return true
}

// rowsTimes multiplies each of m rows by the transpose of q.
func (c *svd) rowsTimes(q *orthogonal, m int, x []float64, ld int) {
	free := c.scratch
	q.times(c.f, gblas.Right, gblas.Trans, m, x, ld, c.take(q.space(m)))
	c.scratch = free
}
