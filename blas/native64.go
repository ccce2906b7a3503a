package blas

import (
	"github.com/gramworks/gram/asm/gemm"
	"github.com/gramworks/gram/internal/race"
	gblas "gonum.org/v1/gonum/blas"
)

// The routines that are alike for both types. go generate writes native32.go after this file.

//go:generate go run ./gen

// Dgemm computes C = alpha·op(A)·op(B) + beta·C; op(A) is m×k, op(B) k×n, C m×n.
func (i implementation) Dgemm(tA, tB gblas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	// Of a product of few rows and columns the calls and checks are a good part, so that there are as few as possible.
	if isTiny(m, n, k) && alpha != 0 && legal(tA) && !race.Enabled {
		rows, cols, rs, cs := stored(tA, m, k, lda)
		if tB == gblas.NoTrans {
			if fitFew(rows, cols, len(a), lda, k, n, len(b), ldb, m, n, len(c), ldc) && gemm.FewAt(k, &a[0], rs, cs, &b[0], ldb, &c[0], ldc, m, n, alpha, beta) {
				return
			}
		} else if legal(tB) && fitFew(rows, cols, len(a), lda, n, k, len(b), ldb, m, n, len(c), ldc) && gemm.FewTransposedAt(k, &a[0], rs, cs, &b[0], ldb, &c[0], ldc, m, n, alpha, beta) {
			return
		}
	}
	gemmOther(i.b, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsyr2k computes a triangle of C = alpha·(A·Bᵀ + B·Aᵀ) + beta·C, or with Aᵀ·B + Bᵀ·A for Trans.
func (i implementation) Dsyr2k(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	syr2kCall(i.b, ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dtrmv overwrites x with op(A)·x for a triangle A.
func (i implementation) Dtrmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if n < 2*fewRows {
		i.Implementation.Dtrmv(ul, tA, d, n, a, lda, x, incX)
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

// Dtpmv overwrites x with op(A)·x for a packed triangle A.
func (i implementation) Dtpmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n int, ap []float64, x []float64, incX int) {
	if n < fewRows {
		i.Implementation.Dtpmv(ul, tA, d, n, ap, x, incX)
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

// Dtbmv overwrites x with op(A)·x for a triangle A of k+1 diagonals.
func (i implementation) Dtbmv(ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	if k < fewRows {
		i.Implementation.Dtbmv(ul, tA, d, n, k, a, lda, x, incX)
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

// Dspmv computes y = alpha·A·x + beta·y with A symmetric and packed.
func (i implementation) Dspmv(ul gblas.Uplo, n int, alpha float64, ap []float64, x []float64, incX int, beta float64, y []float64, incY int) {
	if n < fewRows {
		i.Implementation.Dspmv(ul, n, alpha, ap, x, incX, beta, y, incY)
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

// Dgbmv computes y = alpha·op(A)·x + beta·y; A is m×n with kL diagonals below the main one
// and kU above it.
func (i implementation) Dgbmv(tA gblas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if kL+kU < fewRows {
		i.Implementation.Dgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
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

// Dspr2 adds alpha·(x·yᵀ + y·xᵀ) to a packed triangle.
func (i implementation) Dspr2(ul gblas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, ap []float64) {
	if n < fewRows {
		i.Implementation.Dspr2(ul, n, alpha, x, incX, y, incY, ap)
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

// Dsyr adds alpha·x·xᵀ to a triangle of A, n×n.
func (i implementation) Dsyr(ul gblas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	syrCall(ul, n, alpha, x, incX, a, lda)
}
