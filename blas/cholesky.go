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
	for i := 0; i < n; i += choleskyLeaf {
		h := min(choleskyLeaf, n-i)
		rows := a[i*lda+i:]
		if i > 0 {
			above := view(a[i:], lda, false)
			product(1, upper, h, h, i, -1, above.t(), above, 1, rows, lda)
			if w := n - i - h; w > 0 {
				product(f.b.work(h, w, i), full, h, w, i, -1, above.t(), above.at(0, h), 1, rows[h:], lda)
			}
		}
		if !choleskyRowsOf(h, rows, lda) {
			return false
		}
		if i+h < n {
			t := triangular[float64]{a: view(rows, lda, true), lower: true, left: true}
			t.solveLeft(0, h, n-i-h, rows[h:], lda)
		}
	}
	return true
}

// choleskyRowsOf factors a matrix of order n ≤ choleskyLeaf row by row of U.
func choleskyRowsOf(n int, a []float64, lda int) bool {
	for i := range n {
		row := a[i*lda+i:][:n-i]
		if !(row[0] > 0) {
			return false
		}
		row[0] = math.Sqrt(row[0])
		inverse := 1 / row[0]
		for j := 1; j < len(row); j++ {
			row[j] *= inverse
		}
		for r := 1; r < len(row); r++ {
			x, y := row[r:], a[(i+r)*lda+i+r:]
			v := x[0]
			y = y[:len(x)]
			for j, w := range x {
				y[j] -= v * w
			}
		}
	}
	return true
}
