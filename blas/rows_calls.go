package blas

import gblas "gonum.org/v1/gonum/blas"

// fewRows is the order, and of a band the number of diagonals, below which gonum's
// loops are faster than calls of the kernels.
const fewRows = 64

// Dtrmv overwrites x with op(A)·x for a triangle A.
func (i implementation) Dtrmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if n < 2*fewRows {
		i.Implementation.Dtrmv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	triangleCall(false, ul, tA, d, n, 0, false, false, a, lda, x, incX)
}

// Strmv overwrites x with op(A)·x for a triangle A.
func (i implementation) Strmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, a []float32, lda int, x []float32, incX int) {
	if n < 2*fewRows {
		i.Implementation.Strmv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	triangleCall(false, ul, tA, d, n, 0, false, false, a, lda, x, incX)
}

// Dtrsv overwrites x with the solution y of op(A)·y = x for a triangle A.
func (i implementation) Dtrsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if n < fewRows {
		i.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	triangleCall(true, ul, tA, d, n, 0, false, false, a, lda, x, incX)
}

// Strsv overwrites x with the solution y of op(A)·y = x for a triangle A.
func (i implementation) Strsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, a []float32, lda int, x []float32, incX int) {
	if n < fewRows {
		i.Implementation.Strsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	triangleCall(true, ul, tA, d, n, 0, false, false, a, lda, x, incX)
}

// Dtpmv overwrites x with op(A)·x for a packed triangle A.
func (i implementation) Dtpmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, ap []float64, x []float64, incX int) {
	if n < fewRows {
		i.Implementation.Dtpmv(ul, tA, d, n, ap, x, incX)
		return
	}
	triangleCall(false, ul, tA, d, n, 0, true, false, ap, 0, x, incX)
}

// Stpmv overwrites x with op(A)·x for a packed triangle A.
func (i implementation) Stpmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, ap []float32, x []float32, incX int) {
	if n < fewRows {
		i.Implementation.Stpmv(ul, tA, d, n, ap, x, incX)
		return
	}
	triangleCall(false, ul, tA, d, n, 0, true, false, ap, 0, x, incX)
}

// Dtpsv overwrites x with the solution y of op(A)·y = x for a packed triangle A.
func (i implementation) Dtpsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, ap []float64, x []float64, incX int) {
	if n < fewRows {
		i.Implementation.Dtpsv(ul, tA, d, n, ap, x, incX)
		return
	}
	triangleCall(true, ul, tA, d, n, 0, true, false, ap, 0, x, incX)
}

// Stpsv overwrites x with the solution y of op(A)·y = x for a packed triangle A.
func (i implementation) Stpsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, ap []float32, x []float32, incX int) {
	if n < fewRows {
		i.Implementation.Stpsv(ul, tA, d, n, ap, x, incX)
		return
	}
	triangleCall(true, ul, tA, d, n, 0, true, false, ap, 0, x, incX)
}

// Dtbmv overwrites x with op(A)·x for a triangle A of k+1 diagonals.
func (i implementation) Dtbmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	if k < fewRows {
		i.Implementation.Dtbmv(ul, tA, d, n, k, a, lda, x, incX)
		return
	}
	triangleCall(false, ul, tA, d, n, k, false, true, a, lda, x, incX)
}

// Stbmv overwrites x with op(A)·x for a triangle A of k+1 diagonals.
func (i implementation) Stbmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n, k int, a []float32, lda int, x []float32, incX int) {
	if k < fewRows {
		i.Implementation.Stbmv(ul, tA, d, n, k, a, lda, x, incX)
		return
	}
	triangleCall(false, ul, tA, d, n, k, false, true, a, lda, x, incX)
}

// Dtbsv overwrites x with the solution y of op(A)·y = x for a triangle A of k+1 diagonals.
func (i implementation) Dtbsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	if k < fewRows {
		i.Implementation.Dtbsv(ul, tA, d, n, k, a, lda, x, incX)
		return
	}
	triangleCall(true, ul, tA, d, n, k, false, true, a, lda, x, incX)
}

// Stbsv overwrites x with the solution y of op(A)·y = x for a triangle A of k+1 diagonals.
func (i implementation) Stbsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n, k int, a []float32, lda int, x []float32, incX int) {
	if k < fewRows {
		i.Implementation.Stbsv(ul, tA, d, n, k, a, lda, x, incX)
		return
	}
	triangleCall(true, ul, tA, d, n, k, false, true, a, lda, x, incX)
}

// Dspmv computes y = alpha·A·x + beta·y with A symmetric and packed.
func (i implementation) Dspmv(ul gblas.Uplo, n int, alpha float64, ap []float64, x []float64, incX int, beta float64, y []float64, incY int) {
	if n < fewRows {
		i.Implementation.Dspmv(ul, n, alpha, ap, x, incX, beta, y, incY)
		return
	}
	symmetricCall(ul, n, 0, true, false, alpha, ap, 0, x, incX, beta, y, incY)
}

// Sspmv computes y = alpha·A·x + beta·y with A symmetric and packed.
func (i implementation) Sspmv(ul gblas.Uplo, n int, alpha float32, ap []float32, x []float32, incX int, beta float32, y []float32, incY int) {
	if n < fewRows {
		i.Implementation.Sspmv(ul, n, alpha, ap, x, incX, beta, y, incY)
		return
	}
	symmetricCall(ul, n, 0, true, false, alpha, ap, 0, x, incX, beta, y, incY)
}

// Dsbmv computes y = alpha·A·x + beta·y with A symmetric and k diagonals above the main one.
func (i implementation) Dsbmv(ul gblas.Uplo, n, k int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if k < fewRows {
		i.Implementation.Dsbmv(ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	symmetricCall(ul, n, k, false, true, alpha, a, lda, x, incX, beta, y, incY)
}

// Ssbmv computes y = alpha·A·x + beta·y with A symmetric and k diagonals above the main one.
func (i implementation) Ssbmv(ul gblas.Uplo, n, k int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	if k < fewRows {
		i.Implementation.Ssbmv(ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	symmetricCall(ul, n, k, false, true, alpha, a, lda, x, incX, beta, y, incY)
}

// Dgbmv computes y = alpha·op(A)·x + beta·y; A is m×n with kL diagonals below the main one
// and kU above it.
func (i implementation) Dgbmv(tA gblas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if kL+kU < fewRows {
		i.Implementation.Dgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	gbmvCall(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

// Sgbmv computes y = alpha·op(A)·x + beta·y; A is m×n with kL diagonals below the main one
// and kU above it.
func (i implementation) Sgbmv(tA gblas.Transpose, m, n, kL, kU int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	if kL+kU < fewRows {
		i.Implementation.Sgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	gbmvCall(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

// Dspr adds alpha·x·xᵀ to a packed triangle.
func (i implementation) Dspr(ul gblas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	if n < fewRows {
		i.Implementation.Dspr(ul, n, alpha, x, incX, ap)
		return
	}
	rankCall(ul, n, true, alpha, x, incX, nil, 0, ap, 0)
}

// Sspr adds alpha·x·xᵀ to a packed triangle.
func (i implementation) Sspr(ul gblas.Uplo, n int, alpha float32, x []float32, incX int, ap []float32) {
	if n < fewRows {
		i.Implementation.Sspr(ul, n, alpha, x, incX, ap)
		return
	}
	rankCall(ul, n, true, alpha, x, incX, nil, 0, ap, 0)
}

// Dspr2 adds alpha·(x·yᵀ + y·xᵀ) to a packed triangle.
func (i implementation) Dspr2(ul gblas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, ap []float64) {
	if n < fewRows {
		i.Implementation.Dspr2(ul, n, alpha, x, incX, y, incY, ap)
		return
	}
	rankCall(ul, n, true, alpha, x, incX, y, incY, ap, 0)
}

// Sspr2 adds alpha·(x·yᵀ + y·xᵀ) to a packed triangle.
func (i implementation) Sspr2(ul gblas.Uplo, n int, alpha float32, x []float32, incX int, y []float32, incY int, ap []float32) {
	if n < fewRows {
		i.Implementation.Sspr2(ul, n, alpha, x, incX, y, incY, ap)
		return
	}
	rankCall(ul, n, true, alpha, x, incX, y, incY, ap, 0)
}

// Dsyr2 adds alpha·(x·yᵀ + y·xᵀ) to a triangle of A, n×n.
func (i implementation) Dsyr2(ul gblas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if n < fewRows {
		i.Implementation.Dsyr2(ul, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	rankCall(ul, n, false, alpha, x, incX, y, incY, a, lda)
}

// Ssyr2 adds alpha·(x·yᵀ + y·xᵀ) to a triangle of A, n×n.
func (i implementation) Ssyr2(ul gblas.Uplo, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	if n < fewRows {
		i.Implementation.Ssyr2(ul, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	rankCall(ul, n, false, alpha, x, incX, y, incY, a, lda)
}
