package blas

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// Dpocon estimates the reciprocal of the condition number of A from its Cholesky factor, as
// gonum's does, and reads the factor by rows also where A is nearly singular.
func (l nativeLapack) Dpocon(ul gblas.Uplo, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64 {
	if n > 0 && (ul == gblas.Upper || ul == gblas.Lower) && anorm > 0 && fits(n, n, a, lda) && len(work) >= 3*n && len(iwork) >= n {
		first, second := gblas.NoTrans, gblas.Trans
		if ul == gblas.Upper {
			first, second = second, first
		}
		f := implementation{b: l.b}
		inverse, ok := l.inverseNorm(n, work, iwork, func(x []float64, _ bool) {
			f.Dtrsv(ul, first, gblas.NonUnit, n, a, lda, x, 1)
			f.Dtrsv(ul, second, gblas.NonUnit, n, a, lda, x, 1)
		})
		if ok {
			return 1 / inverse / anorm
		}
	}
	return l.Implementation.Dpocon(ul, n, a, lda, anorm, work, iwork)
}

// Dgecon estimates the reciprocal of the condition number of A from its LU factors, as
// gonum's does, and reads the factors by rows also where A is nearly singular.
func (l nativeLapack) Dgecon(norm lapack.MatrixNorm, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64 {
	if n > 0 && (norm == lapack.MaxColumnSum || norm == lapack.MaxRowSum) && anorm > 0 && !math.IsInf(anorm, 1) && fits(n, n, a, lda) && len(work) >= 4*n && len(iwork) >= n {
		f := implementation{b: l.b}
		inverse, ok := l.inverseNorm(n, work, iwork, func(x []float64, trans bool) {
			if trans == (norm == lapack.MaxColumnSum) {
				f.Dtrsv(gblas.Upper, gblas.Trans, gblas.NonUnit, n, a, lda, x, 1)
				f.Dtrsv(gblas.Lower, gblas.Trans, gblas.Unit, n, a, lda, x, 1)
			} else {
				f.Dtrsv(gblas.Lower, gblas.NoTrans, gblas.Unit, n, a, lda, x, 1)
				f.Dtrsv(gblas.Upper, gblas.NoTrans, gblas.NonUnit, n, a, lda, x, 1)
			}
		})
		if ok {
			return 1 / inverse / anorm
		}
	}
	return l.Implementation.Dgecon(norm, n, a, lda, anorm, work, iwork)
}

// Dtrcon estimates the reciprocal of the condition number of a triangular matrix, as gonum's
// does, and reads the matrix by rows also where it is nearly singular.
func (l nativeLapack) Dtrcon(norm lapack.MatrixNorm, ul gblas.Uplo, diag gblas.Diag, n int, a []float64, lda int, work []float64, iwork []int) float64 {
	if n > 0 && (norm == lapack.MaxColumnSum || norm == lapack.MaxRowSum) && (ul == gblas.Upper || ul == gblas.Lower) &&
		(diag == gblas.NonUnit || diag == gblas.Unit) && fits(n, n, a, lda) && len(work) >= 3*n && len(iwork) >= n {
		if anorm := l.Dlantr(norm, ul, diag, n, n, a, lda, work); anorm > 0 {
			f := implementation{b: l.b}
			inverse, ok := l.inverseNorm(n, work, iwork, func(x []float64, trans bool) {
				which := gblas.NoTrans
				if trans == (norm == lapack.MaxColumnSum) {
					which = gblas.Trans
				}
				f.Dtrsv(ul, which, diag, n, a, lda, x, 1)
			})
			if ok {
				return 1 / anorm / inverse
			}
		}
	}
	return l.Implementation.Dtrcon(norm, ul, diag, n, a, lda, work, iwork)
}

// inverseNorm estimates ‖B‖₁ for the matrix of an inverse, which solve applies to x, or its
// transpose (N. J. Higham, FORTRAN codes for estimating the one-norm of a real or complex
// matrix, ACM TOMS 14, 1988). It takes up to eleven products. gonum bounds the growth of every
// solution before it solves and, where the bound is too large, goes through the matrix column by
// column with a scale, which takes five times as long; here solutions are looked at afterwards,
// and ok is false if one is beyond the range of the numbers.
func (l nativeLapack) inverseNorm(n int, work []float64, iwork []int, solve func(x []float64, trans bool)) (norm float64, ok bool) {
	var state [3]int
	x, kase := work[:n], 0
	f := implementation{b: l.b}
	for {
		norm, kase = l.Dlacn2(n, work[n:2*n], x, iwork, norm, kase, &state)
		if kase == 0 {
			return norm, norm > 0
		}
		solve(x, kase == 2)
		if !(f.Dasum(n, x, 1) < math.MaxFloat64/4) {
			return 0, false
		}
	}
}
