package blas

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/symv"
	gblas "gonum.org/v1/gonum/blas"
)

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

// symvCall computes y = alpha·A·x + beta·y with A symmetric, four rows of the
// triangle at a time.
func symvCall[F gram.Float](ul gblas.Uplo, n int, alpha F, a []F, lda int, x []F, incX int, beta F, y []F, incY int) {
	tri := checkUplo(ul)
	checkN(n)
	checkLd(lda, n, badLdA)
	check(incX != 0, "blas: zero x index increment")
	check(incY != 0, "blas: zero y index increment")
	if n == 0 {
		return
	}
	checkLen(len(a), n, n, lda, shortA)
	check(len(x) > (n-1)*max(incX, -incX), "blas: insufficient length of x")
	check(len(y) > (n-1)*max(incY, -incY), "blas: insufficient length of y")
	sum, free := buffer[F](n)
	defer free()
	clear(sum)
	if alpha != 0 {
		x = forward(n, x, incX)[:n]
		rest := n % 4 // rows that are left over lie where the triangle is thin
		if tri == lower {
			triangleTimes(tri, rest, a, lda, x, sum)
			for i := rest; i < n; i += 4 {
				add4(sum[i:], symv.Panel(a[i*lda:], lda, x[:i], sum[:i], (*[4]F)(x[i:])))
				triangleTimes(tri, 4, a[i*lda+i:], lda, x[i:], sum[i:])
			}
		} else {
			for i := 0; i < n-rest; i += 4 {
				if i+4 < n {
					add4(sum[i:], symv.Panel(a[i*lda+i+4:], lda, x[i+4:], sum[i+4:], (*[4]F)(x[i:])))
				}
				triangleTimes(tri, 4, a[i*lda+i:], lda, x[i:], sum[i:])
			}
			if i := n - rest; rest > 0 {
				triangleTimes(tri, rest, a[i*lda+i:], lda, x[i:], sum[i:])
			}
		}
	}
	at := 0
	if incY < 0 {
		at = -(n - 1) * incY
	}
	for _, s := range sum {
		v := alpha * s
		if alpha == 0 {
			v = 0
		}
		if beta != 0 {
			v += F(beta * y[at])
		}
		y[at] = v
		at += incY
	}
}

func add4[F gram.Float](y []F, s [4]F) {
	for r, v := range s {
		y[r] += v
	}
}

// triangleTimes adds A·x to y for a small symmetric matrix.
func triangleTimes[F gram.Float](tri triangle, n int, a []F, lda int, x, y []F) {
	for i := range n {
		y[i] += F(a[i*lda+i] * x[i])
		lo, hi := 0, i
		if tri == upper {
			lo, hi = i+1, n
		}
		for j := lo; j < hi; j++ {
			v := a[i*lda+j]
			y[i] += F(v * x[j])
			y[j] += F(v * x[i])
		}
	}
}

// Dsymv computes y = alpha·A·x + beta·y with A symmetric n×n.
func (i implementation) Dsymv(ul gblas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	symvCall(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Ssymv computes y = alpha·A·x + beta·y with A symmetric n×n.
func (i implementation) Ssymv(ul gblas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	symvCall(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}
