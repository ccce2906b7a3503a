package blas

import "github.com/gramworks/gram"

// forward returns the n elements of a vector with increment inc ≠ 1 in order,
// or x itself.
func forward[F gram.Float](n int, x []F, inc int) []F {
	if inc == 1 || n == 0 {
		return x
	}
	out := make([]F, n)
	at := 0
	if inc < 0 {
		at = -(n - 1) * inc
	}
	for i := range out {
		out[i] = x[at]
		at += inc
	}
	return out
}

// checkGer makes the checks of GER.
func checkGer[F gram.Float](m, n int, x []F, incX int, y []F, incY int, a []F, lda int) {
	checkM(m)
	checkN(n)
	checkLd(lda, n, badLdA)
	check(incX != 0, "blas: zero x index increment")
	check(incY != 0, "blas: zero y index increment")
	if m == 0 || n == 0 {
		return
	}
	check(len(x) > (m-1)*max(incX, -incX), "blas: insufficient length of x")
	check(len(y) > (n-1)*max(incY, -incY), "blas: insufficient length of y")
	checkLen(len(a), m, n, lda, shortA)
}

// Dger computes A += alpha·x·yᵀ; A is m×n. gonum's routine (v0.17.0) is wrong
// for negative increments, so the vectors are put in order before.
func (i implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	checkGer(m, n, x, incX, y, incY, a, lda)
	if m == 0 || n == 0 || alpha == 0 {
		return
	}
	i.Implementation.Dger(m, n, alpha, forward(m, x, incX), 1, forward(n, y, incY), 1, a, lda)
}

// Sger computes A += alpha·x·yᵀ; A is m×n. See Dger.
func (i implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	checkGer(m, n, x, incX, y, incY, a, lda)
	if m == 0 || n == 0 || alpha == 0 {
		return
	}
	i.Implementation.Sger(m, n, alpha, forward(m, x, incX), 1, forward(n, y, incY), 1, a, lda)
}
