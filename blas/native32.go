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
