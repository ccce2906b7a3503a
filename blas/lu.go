package blas

import (
	"math"

	"github.com/gramworks/gram/asm/level2"
	gblas "gonum.org/v1/gonum/blas"
)

// LU factorization with row interchanges by recursion over the columns
// (S. Toledo, "Locality of reference in LU decomposition with partial pivoting",
// SIAM J. Matrix Anal. Appl. 18, 1997). A panel of luPanel columns is copied so
// that its columns are contiguous and factored by luLeaf columns at a time.
const (
	luPanel = 32
	luLeaf  = 8
	luRows  = 32 // matrices of as many rows and columns are factored where they stand
)

// Dgetrf computes the factorization A = P·L·U of an m×n matrix in place: row i was
// exchanged with row ipiv[i] ≥ i. It returns false if an element on the diagonal
// of U is zero. It takes m·n² − n³/3 flops for m ≥ n and cannot be interrupted.
func (l nativeLapack) Dgetrf(m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	k := min(m, n)
	if k <= 0 || lda < n || len(a) < (m-1)*lda+n || len(ipiv) != k {
		return l.Implementation.Dgetrf(m, n, a, lda, ipiv)
	}
	if max(m, n) <= luRows {
		return luSmall(m, n, a, lda, ipiv)
	}
	c := luSpace{f: implementation{b: l.b}}
	panel := min(luPanel, n) * m
	buf := take[float64](panel + n)
	defer give(buf)
	c.panel, c.row = (*buf)[:panel], (*buf)[panel:]
	return c.factor(m, n, a, lda, ipiv)
}

// luSmall factors a matrix of at most luRows rows and columns column by column.
func luSmall(m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	ok = true
	var column [luRows]float64
	for j := range ipiv {
		x := column[j:m]
		for i := range x {
			x[i] = a[(j+i)*lda+j]
		}
		p := j + largest(x)
		ipiv[j] = p
		row := a[j*lda:][:n]
		if p != j {
			for q, v := range a[p*lda:][:n] {
				a[p*lda+q], row[q] = row[q], v
			}
			x[0], x[p-j] = x[p-j], x[0]
		}
		d, x := x[0], x[1:]
		ok = divideColumn(x, d) && ok
		for i, v := range x {
			a[(j+1+i)*lda+j] = v
		}
		if j+1 < n && len(x) > 0 {
			level2.Ger(a[(j+1)*lda+j+1:], lda, x, row[j+1:], -1)
		}
	}
	return ok
}

// divideColumn divides the column of L by the pivot d. It returns false if that is 0,
// and leaves the column as it is then.
func divideColumn(x []float64, d float64) bool {
	switch {
	case d == 0:
		return false
	case math.Abs(d) >= 0x1p-1022:
		level2.Scale(1/d, x)
	default:
		for i := range x {
			x[i] /= d
		}
	}
	return true
}

// luSpace holds the copy of a panel and of a row.
type luSpace struct {
	f          implementation
	panel, row []float64
}

// factor overwrites the m×n matrix A with the factors of P·A = L·U by recursion on halves of its columns, and sets ipiv[i] to the
// row that was exchanged with row i. It returns false if a pivot is 0.
func (c *luSpace) factor(m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	k := min(m, n)
	if n <= luPanel {
		p := c.panel[:n*m]
		transpose(m, n, a, lda, p, m)
		ok = c.factorPanel(m, n, p, ipiv)
		transpose(n, m, p, m, a, lda)
		return ok
	}
	n1 := min((k/2+luPanel-1)/luPanel*luPanel, k)
	if n1 == 0 {
		n1 = k
	}
	ok = c.factor(m, n1, a, lda, ipiv[:n1])
	c.exchange(n-n1, a[n1:], lda, ipiv[:n1])
	c.f.Dtrsm(gblas.Left, gblas.Lower, gblas.NoTrans, gblas.Unit, n1, n-n1, 1, a, lda, a[n1:], lda)
	if m == n1 {
		return ok
	}
	rest := a[n1*lda:]
	c.f.Dgemm(gblas.NoTrans, gblas.NoTrans, m-n1, n-n1, n1, -1, rest, lda, a[n1:], lda, 1, rest[n1:], lda)
	ok = c.factor(m-n1, n-n1, rest[n1:], lda, ipiv[n1:]) && ok
	c.exchange(n1, rest, lda, ipiv[n1:])
	for i := n1; i < k; i++ {
		ipiv[i] += n1
	}
	return ok
}

// exchange exchanges rows i and ipiv[i] of n elements in turn.
func (c *luSpace) exchange(n int, a []float64, lda int, ipiv []int) {
	row := c.row[:n]
	for i, p := range ipiv {
		if p != i {
			x, y := a[i*lda:][:n], a[p*lda:][:n]
			copy(row, x)
			copy(x, y)
			copy(y, row)
		}
	}
}

// factorPanel factors the matrix whose k columns of m elements are the rows of p.
func (c *luSpace) factorPanel(m, k int, p []float64, ipiv []int) (ok bool) {
	ok = true
	var coef [luPanel * luLeaf]float64
	for j0 := 0; j0 < min(m, k); j0 += luLeaf {
		j1 := min(j0+luLeaf, min(m, k))
		for j := j0; j < j1; j++ {
			column := p[j*m : (j+1)*m]
			// The part of U above the diagonal, then what is left of the column.
			solveUnit(column, p, m, j0, j)
			if j > j0 {
				level2.GemvT(column[j:], p[j0*m+j:], m, column[j0:j], -1)
			}
			i := j + largest(column[j:])
			ipiv[j] = i
			if i != j {
				for q := range k {
					p[q*m+i], p[q*m+j] = p[q*m+j], p[q*m+i]
				}
			}
			ok = divideColumn(column[j+1:], column[j]) && ok
		}
		if j1 == k {
			break
		}
		w := j1 - j0
		for q := j1; q < k; q++ {
			column := p[q*m : (q+1)*m]
			solveUnit(column, p, m, j0, j1)
			copy(coef[(q-j1)*w:][:w], column[j0:j1])
		}
		if j1 < m {
			c.f.Dgemm(gblas.NoTrans, gblas.NoTrans, k-j1, m-j1, w, -1, coef[:], w, p[j0*m+j1:], m, 1, p[j1*m+j1:], m)
		}
	}
	return ok
}

// solveUnit overwrites elements [lo, hi) of x with the solution of the system with
// the unit lower triangle in rows and columns [lo, hi) of the matrix whose columns
// are the rows of p.
func solveUnit(x, p []float64, ld, lo, hi int) {
	for i := lo; i < hi; i++ {
		v := x[i]
		for r, l := range p[i*ld+i+1 : i*ld+hi] {
			x[i+1+r] -= l * v
		}
	}
}

// largest returns the index of the first element of the largest absolute value.
func largest(x []float64) int {
	at, top := 0, math.Abs(x[0])
	for i, v := range x {
		if v := math.Abs(v); v > top {
			at, top = i, v
		}
	}
	return at
}
