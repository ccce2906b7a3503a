package blas

import (
	"math"
	"unsafe"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/gemm"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/pun"
	"github.com/gramworks/gram/internal/race"
	gblas "gonum.org/v1/gonum/blas"
)

// Matrices of a few rows and columns, in float64. To call a kernel and to prepare its
// operands takes as long as some fifty multiply-adds, so that below these sizes loops
// are faster. The loops of level 3 do the operations of the kernels in the same order: no
// bit of a result depends on which of the two computes it.
const (
	fewVector    = 4  // elements of a vector that is added or scaled
	fewDot       = 12 // elements of a dot product
	fewProduct   = 3  // rows, columns and terms of a product
	fewRank      = 4  // order of a triangle of A·Aᵀ, and its terms
	fewMultiply  = 9  // order of a triangle that is multiplied
	fewSolve     = 7  // order of a triangle that is solved for
	fewSymmetric = 8  // order of a symmetric factor that is written out
	fewOther     = 16 // columns, or rows, of the other factor then
	fewApart     = 32 // elements of a vector that is not contiguous
	fewColumn    = 64 // rows of a matrix of one column
)

// fused reports whether the kernels of the level in force use fused multiply-adds.
func fused() bool { return cpu.Current() != cpu.Generic }

// gather copies the elements of x, inc apart, to dst.
func gather(dst, x []float64, inc int) {
	for i := range dst {
		dst[i] = x[i*inc]
	}
}

// apart reports whether one of two vectors of up to fewApart elements is not contiguous. Copies of
// them on the stack then take the place of those that forward makes.
func apart(lenX int, x []float64, incX, lenY int, y []float64, incY int) bool {
	return (incX != 1 || incY != 1) && min(incX, incY, lenX, lenY) > 0 && max(lenX, lenY) <= fewApart &&
		len(x) > (lenX-1)*incX && len(y) > (lenY-1)*incY
}

// gemvFew is gemvCall for vectors that are apart. It reports whether they are, and the arguments right.
func gemvFew(tA gblas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) bool {
	lenX, lenY := n, m
	if tA != gblas.NoTrans {
		lenX, lenY = m, n
	}
	if !apart(lenX, x, incX, lenY, y, incY) || alpha == 0 || !fits(m, n, a, lda) || tA != gblas.NoTrans && tA != gblas.Trans && tA != gblas.ConjTrans {
		return false
	}
	var bufX, bufY [fewApart]float64
	xs, ys := bufX[:lenX], bufY[:lenY]
	gather(xs, x, incX)
	if beta != 0 {
		gather(ys, y, incY)
		multiplyBy(beta, ys)
	}
	if tA == gblas.NoTrans {
		level2.GemvN(ys, a, lda, xs, alpha)
	} else {
		level2.GemvT(ys, a, lda, xs, alpha)
	}
	for i, v := range ys {
		y[i*incY] = v
	}
	return true
}

// dotColumn is gemvCall for the transpose of a matrix of one column, as LAPACK applies reflections to a
// vector. It reports whether the matrix is one, and the arguments right.
func dotColumn(tA gblas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) bool {
	if n != 1 || m < 1 || m > fewColumn || incX < 1 || incY < 1 || len(y) < 1 || len(x) <= (m-1)*incX || alpha == 0 || !fits(m, 1, a, lda) || tA != gblas.Trans && tA != gblas.ConjTrans {
		return false
	}
	multiplyBy(beta, y[:1])
	sum, fused := y[0], fused()
	for i := range m {
		if by := alpha * x[i*incX]; fused {
			sum = math.FMA(by, a[i*lda], sum)
		} else {
			sum += float64(by * a[i*lda])
		}
	}
	y[0] = sum
	return true
}

// addColumn computes what gerCall does for a matrix of one column, as LAPACK applies reflections to a vector. It reports whether
// the matrix is one, and the arguments right.
func addColumn(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) bool {
	if n != 1 || m < 1 || m > fewColumn || incX < 1 || incY < 1 || len(y) < 1 || len(x) <= (m-1)*incX || alpha == 0 || !fits(m, 1, a, lda) {
		return false
	}
	v, fused := y[0], fused()
	for i := range m {
		if by := alpha * x[i*incX]; fused {
			a[i*lda] = math.FMA(by, v, a[i*lda])
		} else {
			a[i*lda] += float64(by * v)
		}
	}
	return true
}

// gerFew computes what gerCall does for few elements, and reports false if the arguments do not fit.
func gerFew(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) bool {
	if !apart(m, x, incX, n, y, incY) || alpha == 0 || !fits(m, n, a, lda) {
		return false
	}
	var bufX, bufY [fewApart]float64
	gather(bufX[:m], x, incX)
	gather(bufY[:n], y, incY)
	level2.Ger(a, lda, bufX[:m], bufY[:n], alpha)
	return true
}

// isTiny reports whether three dimensions are at least 1 and at most tiny, which is a power of two.
func isTiny(m, n, k int) bool { return uint(m-1)|uint(n-1)|uint(k-1) < tiny }

func legal(t gblas.Transpose) bool {
	return t == gblas.NoTrans || t == gblas.Trans || t == gblas.ConjTrans
}

// stored returns the rows and columns of A, where op(A) is m×n, and the distances of rows and columns of op(A).
func stored(t gblas.Transpose, m, n, lda int) (rows, cols, rs, cs int) {
	if t == gblas.NoTrans {
		return m, n, lda, 1
	}
	return n, m, 1, lda
}

// fitFew reports whether three matrices of up to planned rows have distances and memory for their columns: no difference is
// negative then, and no product too large for a number.
func fitFew(rowsA, colsA, lenA, lda, rowsB, colsB, lenB, ldb, rowsC, colsC, lenC, ldc int) bool {
	return (lda-colsA)|(ldb-colsB)|(ldc-colsC)|(math.MaxInt/planned-(lda|ldb|ldc))|
		(lenA-colsA-(rowsA-1)*lda)|(lenB-colsB-(rowsB-1)*ldb)|(lenC-colsC-(rowsC-1)*ldc) >= 0
}

// gemmFew is gemmCall for up to tiny rows, columns and terms. It reports whether the arguments are right
// and of such a size, and the level has a kernel for it or, in float64, loops are faster.
func gemmFew[F gram.Float](tA, tB gblas.Transpose, m, n, k int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) bool {
	if !isTiny(m, n, k) || alpha == 0 || !legal(tA) || !legal(tB) {
		return false
	}
	rowsA, colsA, ra, ca := stored(tA, m, k, lda)
	rowsB, colsB, rb, cb := stored(tB, k, n, ldb)
	switch {
	case !fitFew(rowsA, colsA, len(a), lda, rowsB, colsB, len(b), ldb, m, n, len(c), ldc):
		return false
	case fused() && tB == gblas.NoTrans:
		return gemm.Few(k, a, ra, ca, b, rb, c, ldc, m, n, alpha, beta)
	case fused():
		return gemmTransposed(m, n, k, alpha, a, ra, ca, b, ldb, beta, c, ldc)
	case unsafe.Sizeof(F(0)) == 8 && max(m, n, k) <= fewProduct:
		productFew(full, m, n, k, float64(alpha), pun.Slice[float64](a), ra, ca, pun.Slice[float64](b), rb, cb, float64(beta), pun.Slice[float64](c), ldc)
		return true
	}
	return false
}

// gemmTransposed is gemmFew for the transpose of B.
func gemmTransposed[F gram.Float](m, n, k int, alpha F, a []F, ra, ca int, b []F, ldb int, beta F, c []F, ldc int) bool {
	if !race.Enabled && gemm.FewTransposedAt(k, &a[0], ra, ca, &b[0], ldb, &c[0], ldc, m, n, alpha, beta) {
		return true
	}
	if n*k <= 32 { // it is written out before
		var space [32]F
		gemm.Transpose(space[:], n, b, ldb, n, k)
		return gemm.Few(k, a, ra, ca, space[:], n, c, ldc, m, n, alpha, beta)
	}
	space := take[F](n * k)
	defer give(space)
	gemm.Transpose(*space, n, b, ldb, n, k)
	return gemm.Few(k, a, ra, ca, *space, n, c, ldc, m, n, alpha, beta)
}

// stridesFew returns the distances of rows and columns of op(A), m×n, and whether the
// arguments are right.
func stridesFew[F gram.Float](t gblas.Transpose, m, n int, a []F, lda int) (row, column int, ok bool) {
	if t == gblas.NoTrans {
		return lda, 1, lda >= n && len(a) >= (m-1)*lda+n
	}
	return 1, lda, (t == gblas.Trans || t == gblas.ConjTrans) && lda >= m && len(a) >= (n-1)*lda+m
}

// syrkFew computes what syrkCall does for few elements, and reports false if the arguments do not fit.
func syrkFew(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) bool {
	most := fewRank
	if t == gblas.NoTrans { // rows of A by rows of A, which the tiles do not read where they stand
		most += 2
	}
	if n < 1 || n > most || k < 1 || k > most || alpha == 0 || !fits(n, n, c, ldc) || ul != gblas.Upper && ul != gblas.Lower {
		return false
	}
	row, column, ok := stridesFew(t, n, k, a, lda)
	if ok {
		productFew(checkUplo(ul), n, n, k, alpha, a, row, column, a, column, row, beta, c, ldc)
	}
	return ok
}

// symmFew is symmCall as gemmFew is gemmCall. It writes out both triangles of A.
func symmFew(s gblas.Side, ul gblas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) bool {
	order := n
	if s == gblas.Left {
		order = m
	}
	if order < 1 || order > fewSymmetric || min(m, n) < 1 || max(m, n) > small || alpha == 0 || !fits(order, order, a, lda) || !fits(m, n, b, ldb) || !fits(m, n, c, ldc) ||
		s != gblas.Left && s != gblas.Right || ul != gblas.Upper && ul != gblas.Lower {
		return false
	}
	var whole [fewSymmetric * fewSymmetric]float64
	for i := range order {
		for j := i; j < order; j++ {
			at := i*lda + j
			if ul == gblas.Lower {
				at = j*lda + i
			}
			whole[i*order+j], whole[j*order+i] = a[at], a[at]
		}
	}
	x, ldx, y, ldy := whole[:], order, b, ldb
	if s == gblas.Right {
		x, ldx, y, ldy = y, ldy, x, ldx
	}
	if max(m, n) <= fewProduct {
		productFew(full, m, n, order, alpha, x, ldx, 1, y, ldy, 1, beta, c, ldc)
	} else {
		direct(full, m, n, order, alpha, view(x, ldx, false), view(y, ldy, false), beta, c, ldc)
	}
	return true
}

// productFew computes C = alpha·A·B + beta·C, or only a triangle of C, for matrices whose
// rows and columns have the given distances.
func productFew(tri triangle, m, n, k int, alpha float64, a []float64, ra, ca int, b []float64, rb, cb int, beta float64, c []float64, ldc int) {
	fused := fused()
	for i := range m {
		lo, hi := tri.columns(i, n)
		row := c[i*ldc:][:hi]
		for j := lo; j < hi; j++ {
			var s float64
			x, y := a[i*ra:], b[j*cb:]
			if fused && ca == 1 && rb == 1 {
				x, y = x[:k], y[:k]
				for p, v := range x {
					s = math.FMA(v, y[p], s)
				}
			} else if fused {
				for p := range k {
					s = math.FMA(x[p*ca], y[p*rb], s)
				}
			} else {
				for p := range k {
					s += float64(x[p*ca] * y[p*rb])
				}
			}
			switch {
			case beta == 0:
				row[j] = alpha * s
			case fused:
				row[j] = math.FMA(alpha, s, beta*row[j])
			default:
				row[j] = float64(alpha*s) + float64(beta*row[j])
			}
		}
	}
}

// triangleFew is triCall for a triangle of order fewMultiply or fewSolve at most, and at
// most fewOther lines of B. It reports whether the arguments are right and of such a size.
func triangleFew(solve bool, s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) bool {
	// Element (i, c) of the matrix that stands right of the triangle is b[i·rb+c·cb].
	order, other, rb, cb := m, n, ldb, 1
	trans := tA != gblas.NoTrans
	if s == gblas.Right {
		order, other, rb, cb = n, m, 1, ldb
		trans = !trans
	}
	most := fewMultiply
	if solve {
		most = fewSolve
	}
	if order < 1 || order > most || other < 1 || other > fewOther || alpha == 0 || !fits(order, order, a, lda) || !fits(m, n, b, ldb) ||
		s != gblas.Left && s != gblas.Right || ul != gblas.Upper && ul != gblas.Lower || d != gblas.Unit && d != gblas.NonUnit ||
		tA != gblas.NoTrans && tA != gblas.Trans && tA != gblas.ConjTrans {
		return false
	}
	if alpha != 1 {
		scale(full, m, n, alpha, b, ldb)
	}
	if other == 1 {
		vectorFew(solve, ul == gblas.Upper, trans, d == gblas.Unit, order, a, lda, b, rb)
		return true
	}
	lower, unit := (ul == gblas.Lower) != trans, d == gblas.Unit
	row, column := lda, 1 // distances of the rows and columns of op(A)
	if trans {
		row, column = 1, lda
	}
	fused, last, sign := fused(), (other-1)*cb, 1.
	if solve {
		sign = -1
	}
	for r := range order {
		i := r
		if lower != solve {
			i = order - 1 - r
		}
		from, to := 0, i // the rows that row i is combined with
		if !lower {
			from, to = i+1, order
		}
		x, diagonal := b[i*rb:][:last+1], a[i*lda+i]
		if !solve && !unit {
			for c := 0; c <= last; c += cb {
				x[c] *= diagonal
			}
		}
		if cb == 1 && (to-from)*other >= 12 {
			var coef [fewMultiply]float64
			beside := coef[:to-from]
			for j := range beside {
				beside[j] = a[i*row+(from+j)*column]
			}
			level2.GemvT(x, b[from*rb:], rb, beside, sign)
			from = to
		}
		for j := from; j < to; j++ {
			by, y := sign*a[i*row+j*column], b[j*rb:][:len(x)]
			if fused {
				for c := 0; c < len(x); c += cb {
					x[c] = math.FMA(by, y[c], x[c])
				}
			} else {
				for c := 0; c < len(x); c += cb {
					x[c] += float64(by * y[c])
				}
			}
		}
		if !solve || unit {
			continue
		}
		if size := math.Abs(diagonal); size > 1e-30 && size < 1e30 { // as in triangular.divide
			diagonal = 1 / diagonal
			for c := 0; c <= last; c += cb {
				x[c] *= diagonal
			}
		} else {
			for c := 0; c <= last; c += cb {
				x[c] /= diagonal
			}
		}
	}
	return true
}

// vectorFew overwrites x with the solution of op(A)·y = x, or with op(A)·x, in the order of
// operations of storedRows.
func vectorFew(solve, upper, trans, unit bool, n int, a []float64, lda int, x []float64, inc int) {
	for r := range n {
		i := r
		if (upper == trans) != solve {
			i = n - 1 - r
		}
		from, row, d, v := 0, a[i*lda:][:i], a[i*lda+i], x[i*inc]
		if upper {
			from, row = i+1, a[i*lda+i+1:i*lda+n]
		}
		at := from * inc
		if trans {
			if solve && !unit {
				v /= d
			}
			by := v
			if solve {
				by = -v
			}
			for _, u := range row {
				x[at] += float64(by * u)
				at += inc
			}
			if !solve && !unit {
				v *= d
			}
			x[i*inc] = v
			continue
		}
		var sum float64
		for _, u := range row {
			sum += float64(u * x[at])
			at += inc
		}
		switch {
		case solve && unit:
			v -= sum
		case solve:
			v = (v - sum) / d
		case unit:
			v += sum
		default:
			v = float64(d*v) + sum
		}
		x[i*inc] = v
	}
}

// dotSmall returns Σ x[i]·y[i] in pure Go, with four sums, for vectors so short that a call of assembly would cost more.
func dotSmall(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	for len(x) >= 4 {
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += float64(v * y[i])
	}
	return (s0 + s1) + (s2 + s3)
}
