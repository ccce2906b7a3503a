package blas

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"
)

// Cholesky factors of up to choleskyRows rows are computed choleskyLeaf rows at a
// time, of more by recursion over halves.
const (
	choleskyRows = 512
	choleskyLeaf = 8
)

// Dpotrf computes the Cholesky factorization A = UᵀU or A = L·Lᵀ of the triangle of
// A in place. It returns false if A is not positive definite or has NaN; the
// triangle is overwritten in part then. It takes n³/3 flops and cannot be
// interrupted. The lower triangle is left to gonum's routine.
func (l nativeLapack) Dpotrf(ul gblas.Uplo, n int, a []float64, lda int) (ok bool) {
	if n <= 0 || ul != gblas.Upper || !fits(n, n, a, lda) {
		return l.Implementation.Dpotrf(ul, n, a, lda)
	}
	return cholesky(implementation{b: l.b}, n, a, lda)
}

// cholesky overwrites the upper triangle of A with U.
func cholesky(f implementation, n int, a []float64, lda int) bool {
	if n <= choleskyRows {
		return choleskySmall(f, n, a, lda)
	}
	n1 := half(n)
	if !cholesky(f, n1, a, lda) {
		return false
	}
	rest := a[n1*lda+n1:]
	f.Dtrsm(gblas.Left, gblas.Upper, gblas.Trans, gblas.NonUnit, n1, n-n1, 1, a, lda, a[n1:], lda)
	f.Dsyrk(gblas.Upper, gblas.Trans, n-n1, n1, -1, a[n1:], lda, 1, rest, lda)
	return cholesky(f, n-n1, rest, lda)
}

func choleskySmall(f implementation, n int, a []float64, lda int) bool {
	var block [choleskyLeaf * choleskyLeaf]float64 // on the diagonal
	for i := 0; i < n; i += choleskyLeaf {
		h := min(choleskyLeaf, n-i)
		rows := a[i*lda+i:]
		above := view(a[i:], lda, false)
		if i > small {
			product(1, upper, h, h, i, -1, above.t(), above, 1, rows, lda)
		}
		for r := range h {
			copy(block[r*choleskyLeaf+r:][:h-r], rows[r*lda+r:])
		}
		if 0 < i && i <= small {
			direct(full, h, h, i, -1, above.t(), above, 1, block[:], choleskyLeaf)
		}
		ok := choleskyBlock(h, &block)
		for r := range h {
			copy(rows[r*lda+r:][:h-r], block[r*choleskyLeaf+r:])
		}
		if !ok {
			return false
		}
		if w := n - i - h; w > 0 {
			if i > 0 {
				product(f.b.work(h, w, i), full, h, w, i, -1, above.t(), above.at(0, h), 1, rows[h:], lda)
			}
			t := triangular[float64]{a: view(rows, lda, true), lower: true, left: true}
			t.solveLeft(0, h, w, rows[h:], lda)
		}
	}
	return true
}

// choleskyBlock factors the upper triangle of a matrix of order n ≤ choleskyLeaf, whose
// rows stand at distance choleskyLeaf, row by row of U. Where a pivot is not positive it ends
// with the pivot in place.
func choleskyBlock(n int, a *[choleskyLeaf * choleskyLeaf]float64) bool {
	for i := range n {
		d := a[i*choleskyLeaf+i]
		for k := range i {
			v := a[k*choleskyLeaf+i]
			d -= v * v
		}
		if !(d > 0) {
			a[i*choleskyLeaf+i] = d
			return false
		}
		d = math.Sqrt(d)
		a[i*choleskyLeaf+i] = d
		inverse := 1 / d
		for j := i + 1; j < n; j++ {
			x := a[i*choleskyLeaf+j]
			for k := range i {
				x -= a[k*choleskyLeaf+i] * a[k*choleskyLeaf+j]
			}
			a[i*choleskyLeaf+j] = x * inverse
		}
	}
	return true
}
