package blas

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/tuning"
	gblas "gonum.org/v1/gonum/blas"
)

// forward returns the n elements of a vector in order: x itself if inc is 1, else
// a copy in a buffer for give.
func forward[F gram.Float](n int, x []F, inc int) ([]F, *[]F) {
	if inc == 1 {
		return x[:n], nil
	}
	buf := take[F](n)
	out, at := *buf, first(n, inc)
	for i := range out {
		out[i] = x[at]
		at += inc
	}
	return out, buf
}

// first is the index of element 0 of a vector of n elements: with a negative
// increment it is the last one in memory.
func first(n, inc int) int {
	if inc < 0 {
		return (1 - n) * inc
	}
	return 0
}

// gemvCall computes y = alpha·op(A)·x + beta·y; A is m×n. An element of the result has the
// same bits however the rows of op(A) are split, and however far the elements of x and y are apart.
func gemvCall[F gram.Float](nat *nativeBackend, tA gblas.Transpose, m, n int, alpha F, a []F, lda int, x []F, incX int, beta F, y []F, incY int) {
	if incX != 1 || incY != 1 || m < 1 || n < 1 || m*n >= leastShared || lda < n || len(a) < (m-1)*lda+n || alpha == 0 {
		gemvAny(nat, tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	// A small matrix takes less time than the general case takes to begin.
	switch {
	case tA == gblas.NoTrans && len(x) >= n && len(y) >= m:
		y = y[:m]
		multiplyBy(beta, y)
		level2.GemvN(y, a, lda, x[:n], alpha)
	case (tA == gblas.Trans || tA == gblas.ConjTrans) && len(x) >= m && len(y) >= n:
		y = y[:n]
		multiplyBy(beta, y)
		level2.GemvT(y, a, lda, x[:m], alpha)
	default:
		gemvAny(nat, tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// multiplyBy multiplies x by beta; where that is 0, x is not read.
func multiplyBy[F gram.Float](beta F, x []F) {
	switch beta {
	case 1:
	case 0:
		clear(x)
	default:
		for i := range x {
			x[i] *= beta
		}
	}
}

// gemvAny computes gemv for arguments that the short path of gemvCall does not take.
func gemvAny[F gram.Float](nat *nativeBackend, tA gblas.Transpose, m, n int, alpha F, a []F, lda int, x []F, incX int, beta F, y []F, incY int) {
	trans := checkTrans(tA)
	checkM(m)
	checkN(n)
	checkLd(lda, n, badLdA)
	checkInc(incX, incY)
	if m == 0 || n == 0 {
		return
	}
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	check(len(x) > (lenX-1)*max(incX, -incX), shortX)
	check(len(y) > (lenY-1)*max(incY, -incY), shortY)
	checkLen(len(a), m, n, lda, shortA)
	if alpha == 0 {
		inc := max(incY, -incY)
		scale(full, lenY, 1, beta, y, inc)
		return
	}
	if incX != 1 {
		x, buf := forward(lenX, x, incX)
		gemvAny(nat, tA, m, n, alpha, a, lda, x, 1, beta, y, incY)
		give(buf)
		return
	}
	x = x[:lenX]
	if incY == 1 {
		y = y[:lenY]
		multiplyBy(beta, y)
		gemv(nat, trans, y, a, lda, x, alpha)
		return
	}
	out, buf := forward(lenY, y, incY)
	multiplyBy(beta, out)
	gemv(nat, trans, out, a, lda, x, alpha)
	at := first(lenY, incY)
	for _, v := range out {
		y[at] = v
		at += incY
	}
	give(buf)
}

// gemv adds alpha·op(A)·x to y, each worker at its part of y.
func gemv[F gram.Float](nat *nativeBackend, trans bool, y, a []F, lda int, x []F, alpha F) {
	n := len(y)
	workers := min(nat.workers(tuning.VectorThreads, float64(n)*float64(len(x))), n)
	if workers > 1 {
		gemvParallel(workers, trans, y, a, lda, x, alpha)
	} else if trans {
		level2.GemvT(y, a, lda, x, alpha)
	} else {
		level2.GemvN(y, a, lda, x, alpha)
	}
}

// gemvParallel is gemv for more than one worker.
func gemvParallel[F gram.Float](workers int, trans bool, y, a []F, lda int, x []F, alpha F) {
	n := len(y)
	run(workers, workers, 1, func(lo, hi int) {
		lo, hi = n*lo/workers, n*hi/workers
		if trans {
			level2.GemvT(y[lo:hi], a[lo:], lda, x, alpha)
		} else {
			level2.GemvN(y[lo:hi], a[lo*lda:], lda, x, alpha)
		}
	})
}

// gerCall computes A += alpha·x·yᵀ; A is m×n. gonum's routine (v0.17.0) is wrong
// for negative increments.
func gerCall[F gram.Float](m, n int, alpha F, x []F, incX int, y []F, incY int, a []F, lda int) {
	checkM(m)
	checkN(n)
	checkLd(lda, n, badLdA)
	checkInc(incX, incY)
	if m == 0 || n == 0 {
		return
	}
	check(len(x) > (m-1)*max(incX, -incX), shortX)
	check(len(y) > (n-1)*max(incY, -incY), shortY)
	checkLen(len(a), m, n, lda, shortA)
	if alpha == 0 {
		return
	}
	if incX == 1 && incY == 1 {
		level2.Ger(a, lda, x[:m], y[:n], alpha)
		return
	}
	x, bufX := forward(m, x, incX)
	y, bufY := forward(n, y, incY)
	level2.Ger(a, lda, x, y, alpha)
	give(bufX)
	give(bufY)
}

// axpy computes y += alpha·x in pure Go, for short vectors; y is at least as long as x.
func axpy[F gram.Float](alpha F, x, y []F) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += F(alpha * v)
	}
}

// syrRows is how many rows of a triangle SYR updates at a time.
const syrRows = 8

// syrCall adds alpha·x·xᵀ to a triangle of A, syrRows rows at a time.
func syrCall[F gram.Float](ul gblas.Uplo, n int, alpha F, x []F, incX int, a []F, lda int) {
	tri := checkUplo(ul)
	checkN(n)
	checkLd(lda, n, badLdA)
	check(incX != 0, zeroIncX)
	if n == 0 {
		return
	}
	check(len(x) > (n-1)*max(incX, -incX), shortX)
	checkLen(len(a), n, n, lda, shortA)
	if alpha == 0 {
		return
	}
	x, buf := forward(n, x, incX)
	defer give(buf)
	for i := 0; i < n; i += syrRows {
		end := min(i+syrRows, n)
		for r := i; r < end; r++ {
			lo, hi := i, r+1
			if tri == upper {
				lo, hi = r, end
			}
			axpy(alpha*x[r], x[lo:hi], a[r*lda+lo:])
		}
		if tri == lower && i > 0 {
			level2.Ger(a[i*lda:], lda, x[i:end], x[:i], alpha)
		} else if tri == upper && end < n {
			level2.Ger(a[i*lda+end:], lda, x[i:end], x[end:], alpha)
		}
	}
}

// symvCall computes y = alpha·A·x + beta·y with A symmetric.
func symvCall[F gram.Float](ul gblas.Uplo, n int, alpha F, a []F, lda int, x []F, incX int, beta F, y []F, incY int) {
	tri := checkUplo(ul)
	checkN(n)
	checkLd(lda, n, badLdA)
	checkInc(incX, incY)
	if n == 0 {
		return
	}
	checkLen(len(a), n, n, lda, shortA)
	check(len(x) > (n-1)*max(incX, -incX), shortX)
	check(len(y) > (n-1)*max(incY, -incY), shortY)
	space := take[F](n)
	defer give(space)
	sum := *space
	clear(sum)
	if alpha != 0 {
		x, buf := forward(n, x, incX)
		defer give(buf)
		level2.Symv(sum, a[:(n-1)*lda+n], lda, x, tri == lower)
	}
	at := first(n, incY)
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

// Dsymv computes y = alpha·A·x + beta·y with A symmetric n×n.
func (i implementation) Dsymv(ul gblas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if n <= fewSymmetric && fused() {
		i.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	symvCall(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Ssymv computes y = alpha·A·x + beta·y with A symmetric n×n.
func (i implementation) Ssymv(ul gblas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	symvCall(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dgemv computes y = alpha·op(A)·x + beta·y; A is m×n.
func (i implementation) Dgemv(tA gblas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if n == 1 && dotColumn(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) || (incX != 1 || incY != 1) && gemvFew(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		return
	}
	gemvCall(i.b, tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dger computes A += alpha·x·yᵀ; A is m×n.
func (i implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if n == 1 && addColumn(m, n, alpha, x, incX, y, incY, a, lda) || (incX != 1 || incY != 1) && gerFew(m, n, alpha, x, incX, y, incY, a, lda) {
		return
	}
	if incX == 1 && incY == 1 && min(m, n) > 0 && alpha != 0 && len(x) >= m && len(y) >= n && fits(m, n, a, lda) {
		level2.Ger(a, lda, x[:m], y[:n], alpha)
		return
	}
	gerCall(m, n, alpha, x, incX, y, incY, a, lda)
}

// Sgemv computes y = alpha·op(A)·x + beta·y; A is m×n.
func (i implementation) Sgemv(tA gblas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	gemvCall(i.b, tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Sger computes A += alpha·x·yᵀ; A is m×n.
func (i implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	gerCall(m, n, alpha, x, incX, y, incY, a, lda)
}
