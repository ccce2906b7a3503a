package blas

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/gemm"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/tuning"
	gblas "gonum.org/v1/gonum/blas"
)

// The level-3 routines for both types; the methods of implementation are thin.

func (b *nativeBackend) work(m, n, k int) int {
	return b.workers(tuning.ProductThreads, float64(m)*float64(n)*float64(k))
}

// gemmOther is GEMM for all products but those that the methods compute with one call of a kernel.
func gemmOther[F gram.Float](nat *nativeBackend, tA, tB gblas.Transpose, m, n, k int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	if !gemmFew(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		gemmCall(nat, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

func gemmCall[F gram.Float](nat *nativeBackend, tA, tB gblas.Transpose, m, n, k int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	ta, tb := checkTrans(tA), checkTrans(tB)
	checkM(m)
	checkN(n)
	checkK(k)
	ar, ac, br, bc := m, k, k, n
	if ta {
		ar, ac = k, m
	}
	if tb {
		br, bc = n, k
	}
	checkLd(lda, ac, badLdA)
	checkLd(ldb, bc, badLdB)
	checkLd(ldc, n, badLdC)
	if m == 0 || n == 0 {
		return
	}
	checkLen(len(a), ar, ac, lda, shortA)
	checkLen(len(b), br, bc, ldb, shortB)
	checkLen(len(c), m, n, ldc, shortC)
	product(nat.work(m, n, k), full, m, n, k, alpha, view(a, lda, ta), view(b, ldb, tb), beta, c, ldc)
}

// diagonal is how many columns more than half a matrix a triangle takes for the tiles on
// its diagonal, times two.
const diagonal = 48

func syrkCall[F gram.Float](nat *nativeBackend, ul gblas.Uplo, t gblas.Transpose, n, k int, alpha F, a []F, lda int, beta F, c []F, ldc int) {
	tri, trans := checkUplo(ul), checkTrans(t)
	checkN(n)
	checkK(k)
	rows, cols := n, k
	if trans {
		rows, cols = k, n
	}
	checkLd(lda, cols, badLdA)
	checkLd(ldc, n, badLdC)
	checkLen(len(a), rows, cols, lda, shortA)
	checkLen(len(c), n, n, ldc, shortC)
	av := view(a, lda, trans)
	product(nat.work(n, n+diagonal, k/2), tri, n, n, k, alpha, av, av.t(), beta, c, ldc)
}

func syr2kCall[F gram.Float](nat *nativeBackend, ul gblas.Uplo, t gblas.Transpose, n, k int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	tri, trans := checkUplo(ul), checkTrans(t)
	checkN(n)
	checkK(k)
	rows, cols := n, k
	if trans {
		rows, cols = k, n
	}
	checkLd(lda, cols, badLdA)
	checkLd(ldb, cols, badLdB)
	checkLd(ldc, n, badLdC)
	checkLen(len(a), rows, cols, lda, shortA)
	checkLen(len(b), rows, cols, ldb, shortB)
	checkLen(len(c), n, n, ldc, shortC)
	av, bv := view(a, lda, trans), view(b, ldb, trans)
	w := nat.work(n, n+diagonal, k/2)
	product(w, tri, n, n, k, alpha, av, bv.t(), beta, c, ldc)
	if alpha != 0 {
		product(w, tri, n, n, k, alpha, bv, av.t(), 1, c, ldc)
	}
}

func symmCall[F gram.Float](nat *nativeBackend, s gblas.Side, ul gblas.Uplo, m, n int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	left, tri := checkSide(s), checkUplo(ul)
	checkM(m)
	checkN(n)
	order := n
	if left {
		order = m
	}
	checkLd(lda, order, badLdA)
	checkLd(ldb, n, badLdB)
	checkLd(ldc, n, badLdC)
	if m == 0 || n == 0 {
		return
	}
	checkLen(len(a), order, order, lda, shortA)
	checkLen(len(b), m, n, ldb, shortB)
	checkLen(len(c), m, n, ldc, shortC)
	av, bv := matrix[F]{x: a, rs: lda, cs: 1, tri: tri}, view(b, ldb, false)
	if left {
		product(nat.work(m, n, m), full, m, n, m, alpha, av, bv, beta, c, ldc)
	} else {
		product(nat.work(m, n, n), full, m, n, n, alpha, bv, av, beta, c, ldc)
	}
}

// triangular is op(A) of TRMM and TRSM and what is done with it.
type triangular[F gram.Float] struct {
	a     matrix[F]
	lower bool
	unit  bool
	left  bool
}

// triCall checks the arguments of TRMM and TRSM, scales B and multiplies or solves
// for slices of B that do not depend on each other.
func triCall[F gram.Float](nat *nativeBackend, solve bool, s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha F, a []F, lda int, b []F, ldb int) {
	left, tri, trans, unit := checkSide(s), checkUplo(ul), checkTrans(tA), checkDiag(d)
	checkM(m)
	checkN(n)
	order, other := n, m
	if left {
		order, other = m, n
	}
	checkLd(lda, order, badLdA)
	checkLd(ldb, n, badLdB)
	if m == 0 || n == 0 {
		return
	}
	checkLen(len(a), order, order, lda, shortA)
	checkLen(len(b), m, n, ldb, shortB)
	scale(full, m, n, alpha, b, ldb)
	if alpha == 0 {
		return
	}
	t := triangular[F]{a: view(a, lda, trans), lower: (tri == lower) != trans, unit: unit, left: left}
	workers := nat.work(m, n, order/2)
	const least = 48 // lines of B that are worth a call
	pieces := min(workers, other/least)
	if workers == 1 || pieces < workers { // then the products inside are the parallel ones
		t.overwrite(solve, workers, m, n, b, ldb)
		return
	}
	run(workers, pieces, 1, func(lo, hi int) {
		from, to := other*lo/pieces, other*hi/pieces
		if left {
			t.overwrite(solve, 1, m, to-from, b[from:], ldb)
		} else {
			t.overwrite(solve, 1, to-from, n, b[from*ldb:], ldb)
		}
	})
}

// triBase is the order at which the recursions end.
const triBase = 16

// half splits an order so that the first part is a multiple of the base.
func half(n int) int { return (n/2 + triBase - 1) / triBase * triBase }

// solve overwrites B with the solution X of op(A)·X = B or X·op(A) = B:
// halves by halves, so that all but the triangles of order triBase are products.
func (t triangular[F]) solve(workers, lo, hi, m, n int, b []F, ldb int) {
	if hi-lo <= triBase {
		if t.left {
			t.solveLeft(lo, hi, n, b, ldb)
		} else {
			t.right(lo, hi, m, b, ldb, triangular[F].solveLeft)
		}
		return
	}
	mid := lo + half(hi-lo)
	if t.left == t.lower { // the part before mid first
		t.solve(workers, lo, mid, m, n, b, ldb)
		t.update(workers, lo, mid, mid, hi, m, n, -1, b, ldb)
		t.solve(workers, mid, hi, m, n, b, ldb)
		return
	}
	t.solve(workers, mid, hi, m, n, b, ldb)
	t.update(workers, mid, hi, lo, mid, m, n, -1, b, ldb)
	t.solve(workers, lo, mid, m, n, b, ldb)
}

// multiply overwrites B with op(A)·B or B·op(A), halves by halves as solve does.
func (t triangular[F]) multiply(workers, lo, hi, m, n int, b []F, ldb int) {
	if hi-lo <= triBase {
		if t.left {
			t.multiplyLeft(lo, hi, n, b, ldb)
		} else {
			t.right(lo, hi, m, b, ldb, triangular[F].multiplyLeft)
		}
		return
	}
	mid := lo + half(hi-lo)
	if t.left == t.lower { // the part after mid first: it needs the other one unchanged
		t.multiply(workers, mid, hi, m, n, b, ldb)
		t.update(workers, lo, mid, mid, hi, m, n, 1, b, ldb)
		t.multiply(workers, lo, mid, m, n, b, ldb)
		return
	}
	t.multiply(workers, lo, mid, m, n, b, ldb)
	t.update(workers, mid, hi, lo, mid, m, n, 1, b, ldb)
	t.multiply(workers, mid, hi, m, n, b, ldb)
}

// update adds alpha times the product of lines [s0, s1) of B with the
// off-diagonal block of op(A) to lines [d0, d1) of B. Lines are rows of B on the
// left and columns on the right.
func (t triangular[F]) update(workers, s0, s1, d0, d1, m, n int, alpha F, b []F, ldb int) {
	if t.left {
		product(workers, full, d1-d0, n, s1-s0, alpha, t.a.at(d0, s0), view(b[s0*ldb:], ldb, false), 1, b[d0*ldb:], ldb)
		return
	}
	product(workers, full, m, d1-d0, s1-s0, alpha, view(b[s0:], ldb, false), t.a.at(s0, d0), 1, b[d0:], ldb)
}

func (t triangular[F]) el(i, j int) F { return t.a.x[i*t.a.rs+j*t.a.cs] }

// baseColumns is how many columns of B a base case on the left works on at a
// time, so that its rows stay in L1.
const baseColumns = 192

func (t triangular[F]) solveLeft(lo, hi, n int, b []F, ldb int) {
	for j := 0; j < n; j += baseColumns {
		w := min(baseColumns, n-j)
		for r := t.solveEights(lo, hi, w, b[j:], ldb); r < hi-lo; r++ {
			if t.lower {
				t.combine(lo+r, lo, lo+r, -1, w, b[j:], ldb)
				t.divide(lo+r, b[(lo+r)*ldb+j:][:w])
			} else {
				t.combine(hi-1-r, hi-r, hi, -1, w, b[j:], ldb)
				t.divide(hi-1-r, b[(hi-1-r)*ldb+j:][:w])
			}
		}
	}
}

// solveEights is solveLeft for as many rows of B as are done eight at a time, and
// returns how many.
func (t triangular[F]) solveEights(lo, hi, n int, b []F, ldb int) (rows int) {
	if !level2.Substitutes() {
		return 0
	}
	for ; rows+8 <= hi-lo; rows += 8 {
		from, first := lo+rows, lo // the eight rows, the first row of B that takes part
		if !t.lower {
			from = hi - rows - 8
			first = from
		}
		var inverse [8]F
		for i := range inverse {
			ok := true
			if inverse[i], ok = t.inverse(from + i); !ok {
				return rows
			}
		}
		level2.Substitute(b[first*ldb:], ldb, n, rows, t.a.at(from, first).x, t.a.rs, t.a.cs, &inverse, !t.lower)
	}
	return rows
}

// inverse returns the factor that stands for a division by diagonal element i. ok is
// false where that is so near to underflow or overflow that a division is needed.
func (t triangular[F]) inverse(i int) (x F, ok bool) {
	if t.unit {
		return 1, true
	}
	d := t.el(i, i)
	if a := max(d, -d); a > 1e-30 && a < 1e30 {
		return 1 / d, true
	}
	return 0, false
}

func (t triangular[F]) multiplyLeft(lo, hi, n int, b []F, ldb int) {
	for j := 0; j < n; j += baseColumns {
		w := min(baseColumns, n-j)
		for r := range hi - lo {
			i, from, to := hi-1-r, lo, hi-1-r
			if !t.lower {
				i, from, to = lo+r, lo+r+1, hi
			}
			if !t.unit {
				level2.Scale(t.el(i, i), b[i*ldb+j:][:w])
			}
			t.combine(i, from, to, 1, w, b[j:], ldb)
		}
	}
}

// combine adds alpha times rows [from, to) of B, multiplied with row i of op(A),
// to row i of B, which has n columns.
func (t triangular[F]) combine(i, from, to int, alpha F, n int, b []F, ldb int) {
	if from == to {
		return
	}
	var row []F
	if t.a.cs == 1 {
		row = t.a.x[i*t.a.rs+from:][:to-from]
	} else {
		var coef [triBase]F
		row = coef[:to-from]
		for j := range row {
			row[j] = t.el(i, from+j)
		}
	}
	level2.GemvT(b[i*ldb:][:n], b[from*ldb:], ldb, row, alpha)
}

// divide divides row i of B by the diagonal element.
func (t triangular[F]) divide(i int, x []F) {
	if t.unit {
		return
	}
	if inverse, ok := t.inverse(i); ok {
		level2.Scale(inverse, x)
		return
	}
	d := t.el(i, i)
	for e := range x {
		x[e] /= d
	}
}

// right does a base case on the right, X·op(A), as one on the left for the
// transposed columns [lo, hi) of B.
func (t triangular[F]) right(lo, hi, m int, b []F, ldb int, left func(t triangular[F], lo, hi, n int, b []F, ldb int)) {
	tt := triangular[F]{a: t.a.at(lo, lo).t(), lower: !t.lower, unit: t.unit, left: true}
	w := hi - lo
	width := min(baseColumns, (m+7)/8*8)
	buf := take[F](2 * triBase * width)
	x, y := (*buf)[:triBase*width], (*buf)[triBase*width:]
	for r := 0; r < m; r += width {
		n := min(width, m-r)
		rows := b[r*ldb+lo:]
		gemm.Pack(x, rows, ldb, 1, n, w, width)
		left(tt, 0, w, n, x, width)
		gemm.Pack(y, x, width, 1, w, n, triBase)
		for i := range n {
			copy(rows[i*ldb:i*ldb+w], y[i*triBase:])
		}
	}
	give(buf)
}

// vector solves or multiplies where B is one row on the right or one column on the
// left, and reports whether it is.
func (t triangular[F]) vector(solve bool, m, n int, b []F, ldb int) bool {
	order, inc := n, 1
	if t.left {
		order, inc = m, ldb
	}
	if m*n != order {
		return false
	}
	trans := t.a.cs != 1 || t.a.rs == 1 && order > 1
	s := storedRows[F]{n: order, a: t.a.x, ld: max(t.a.rs, t.a.cs), upper: t.lower == trans}
	x, buf := forward(order, b, inc)
	s.blocks(solve, trans == t.left, t.unit, x)
	if buf != nil {
		back(x, b, inc)
		give(buf)
	}
	return true
}

// overwrite overwrites B with the solution of the triangular system if solve is set, and with the product otherwise.
func (t triangular[F]) overwrite(solve bool, workers, m, n int, b []F, ldb int) {
	order := n
	if t.left {
		order = m
	}
	switch {
	case t.vector(solve, m, n, b, ldb):
	case solve:
		t.solve(workers, 0, order, m, n, b, ldb)
	default:
		t.multiply(workers, 0, order, m, n, b, ldb)
	}
}

// Dsyrk computes a triangle of C = alpha·A·Aᵀ + beta·C, or with Aᵀ·A for Trans; C is n×n.
func (i implementation) Dsyrk(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if !syrkFew(ul, t, n, k, alpha, a, lda, beta, c, ldc) {
		syrkCall(i.b, ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Ssyrk computes a triangle of C = alpha·A·Aᵀ + beta·C, or with Aᵀ·A for Trans; C is n×n.
func (i implementation) Ssyrk(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	syrkCall(i.b, ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// Dsymm computes C = alpha·A·B + beta·C (Left) or alpha·B·A + beta·C with A symmetric.
func (i implementation) Dsymm(s gblas.Side, ul gblas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !symmFew(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		symmCall(i.b, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ssymm computes C = alpha·A·B + beta·C (Left) or alpha·B·A + beta·C with A symmetric.
func (i implementation) Ssymm(s gblas.Side, ul gblas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	symmCall(i.b, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dtrmm computes B = alpha·op(A)·B (Left) or alpha·B·op(A) with A triangular.
func (i implementation) Dtrmm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if !triangleFew(false, s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		triCall(i.b, false, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Strmm computes B = alpha·op(A)·B (Left) or alpha·B·op(A) with A triangular.
func (i implementation) Strmm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	triCall(i.b, false, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrsm solves op(A)·X = alpha·B (Left) or X·op(A) = alpha·B with A triangular; X overwrites B.
// A zero on the diagonal gives Inf or NaN.
func (i implementation) Dtrsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if !triangleFew(true, s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		triCall(i.b, true, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Strsm solves op(A)·X = alpha·B (Left) or X·op(A) = alpha·B with A triangular; X overwrites B.
// A zero on the diagonal gives Inf or NaN.
func (i implementation) Strsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	triCall(i.b, true, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
