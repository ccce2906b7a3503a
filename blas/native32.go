package blas

import gblas "gonum.org/v1/gonum/blas"

// Sgemm computes C = alpha·op(A)·op(B) + beta·C; op(A) is m×k, op(B) k×n, C m×n.
func (i implementation) Sgemm(tA, tB gblas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	gemmCall(i.b, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssyrk computes a triangle of C = alpha·A·Aᵀ + beta·C, or with Aᵀ·A for Trans; C is n×n.
func (i implementation) Ssyrk(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	syrkCall(i.b, ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// Ssyr2k computes a triangle of C = alpha·(A·Bᵀ + B·Aᵀ) + beta·C, or with Aᵀ·B + Bᵀ·A for Trans.
func (i implementation) Ssyr2k(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	syr2kCall(i.b, ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssymm computes C = alpha·A·B + beta·C (Left) or alpha·B·A + beta·C with A symmetric.
func (i implementation) Ssymm(s gblas.Side, ul gblas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	symmCall(i.b, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Strmm computes B = alpha·op(A)·B (Left) or alpha·B·op(A) with A triangular.
func (i implementation) Strmm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	triCall(i.b, false, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Strsm solves op(A)·X = alpha·B (Left) or X·op(A) = alpha·B with A triangular; X overwrites B.
// A zero on the diagonal gives Inf or NaN.
func (i implementation) Strsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	triCall(i.b, true, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Strmv overwrites x with op(A)·x for a triangle A.
func (i implementation) Strmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, a []float32, lda int, x []float32, incX int) {
	if n < 2*fewRows {
		i.Implementation.Strmv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	triangleCall(false, ul, tA, d, n, 0, false, false, a, lda, x, incX)
}

// Strsv overwrites x with the solution y of op(A)·y = x for a triangle A.
func (i implementation) Strsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, a []float32, lda int, x []float32, incX int) {
	if n < fewRows {
		i.Implementation.Strsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	triangleCall(true, ul, tA, d, n, 0, false, false, a, lda, x, incX)
}

// Stpmv overwrites x with op(A)·x for a packed triangle A.
func (i implementation) Stpmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, ap []float32, x []float32, incX int) {
	if n < fewRows {
		i.Implementation.Stpmv(ul, tA, d, n, ap, x, incX)
		return
	}
	triangleCall(false, ul, tA, d, n, 0, true, false, ap, 0, x, incX)
}

// Stpsv overwrites x with the solution y of op(A)·y = x for a packed triangle A.
func (i implementation) Stpsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, ap []float32, x []float32, incX int) {
	if n < fewRows {
		i.Implementation.Stpsv(ul, tA, d, n, ap, x, incX)
		return
	}
	triangleCall(true, ul, tA, d, n, 0, true, false, ap, 0, x, incX)
}

// Stbmv overwrites x with op(A)·x for a triangle A of k+1 diagonals.
func (i implementation) Stbmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n, k int, a []float32, lda int, x []float32, incX int) {
	if k < fewRows {
		i.Implementation.Stbmv(ul, tA, d, n, k, a, lda, x, incX)
		return
	}
	triangleCall(false, ul, tA, d, n, k, false, true, a, lda, x, incX)
}

// Stbsv overwrites x with the solution y of op(A)·y = x for a triangle A of k+1 diagonals.
func (i implementation) Stbsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n, k int, a []float32, lda int, x []float32, incX int) {
	if k < fewRows {
		i.Implementation.Stbsv(ul, tA, d, n, k, a, lda, x, incX)
		return
	}
	triangleCall(true, ul, tA, d, n, k, false, true, a, lda, x, incX)
}

// Sspmv computes y = alpha·A·x + beta·y with A symmetric and packed.
func (i implementation) Sspmv(ul gblas.Uplo, n int, alpha float32, ap []float32, x []float32, incX int, beta float32, y []float32, incY int) {
	if n < fewRows {
		i.Implementation.Sspmv(ul, n, alpha, ap, x, incX, beta, y, incY)
		return
	}
	symmetricCall(ul, n, 0, true, false, alpha, ap, 0, x, incX, beta, y, incY)
}

// Ssbmv computes y = alpha·A·x + beta·y with A symmetric and k diagonals above the main one.
func (i implementation) Ssbmv(ul gblas.Uplo, n, k int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	if k < fewRows {
		i.Implementation.Ssbmv(ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	symmetricCall(ul, n, k, false, true, alpha, a, lda, x, incX, beta, y, incY)
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

// Sspr adds alpha·x·xᵀ to a packed triangle.
func (i implementation) Sspr(ul gblas.Uplo, n int, alpha float32, x []float32, incX int, ap []float32) {
	if n < fewRows {
		i.Implementation.Sspr(ul, n, alpha, x, incX, ap)
		return
	}
	rankCall(ul, n, true, alpha, x, incX, nil, 0, ap, 0)
}

// Sspr2 adds alpha·(x·yᵀ + y·xᵀ) to a packed triangle.
func (i implementation) Sspr2(ul gblas.Uplo, n int, alpha float32, x []float32, incX int, y []float32, incY int, ap []float32) {
	if n < fewRows {
		i.Implementation.Sspr2(ul, n, alpha, x, incX, y, incY, ap)
		return
	}
	rankCall(ul, n, true, alpha, x, incX, y, incY, ap, 0)
}

// Ssyr2 adds alpha·(x·yᵀ + y·xᵀ) to a triangle of A, n×n.
func (i implementation) Ssyr2(ul gblas.Uplo, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	if n < fewRows {
		i.Implementation.Ssyr2(ul, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	rankCall(ul, n, false, alpha, x, incX, y, incY, a, lda)
}
