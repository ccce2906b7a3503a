//go:build openblas && cgo

package openblas

import gblas "gonum.org/v1/gonum/blas"

// The routines that run in OpenBLAS, each under the lock. go generate in package blas writes
// locked32.go after this file.

// Dgemv is OpenBLAS's.
func (implementation) Dgemv(tA gblas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dger is OpenBLAS's.
func (implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dger(m, n, alpha, x, incX, y, incY, a, lda)
}

// Dsymv is OpenBLAS's.
func (implementation) Dsymv(ul gblas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dsyr is OpenBLAS's.
func (implementation) Dsyr(ul gblas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dsyr(ul, n, alpha, x, incX, a, lda)
}

// Dsyr2 is OpenBLAS's.
func (implementation) Dsyr2(ul gblas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dsyr2(ul, n, alpha, x, incX, y, incY, a, lda)
}

// Dtrmv is OpenBLAS's.
func (implementation) Dtrmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dtrmv(ul, tA, d, n, a, lda, x, incX)
}

// Dtrsv is OpenBLAS's.
func (implementation) Dtrsv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dtrsv(ul, tA, d, n, a, lda, x, incX)
}

// Dgemm is OpenBLAS's.
func (implementation) Dgemm(tA, tB gblas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsymm is OpenBLAS's.
func (implementation) Dsymm(s gblas.Side, ul gblas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsyrk is OpenBLAS's.
func (implementation) Dsyrk(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// Dsyr2k is OpenBLAS's.
func (implementation) Dsyr2k(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dtrmm is OpenBLAS's.
func (implementation) Dtrmm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrsm is OpenBLAS's.
func (implementation) Dtrsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	lock.Lock()
	defer lock.Unlock()
	lib.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
