package blas

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	gblas "gonum.org/v1/gonum/blas"
)

// The rest of level 2: triangular, packed and band matrices. In each of these
// storages a row of what is stored is contiguous, so that every routine is one
// loop over rows with a dot product or an axpy for each.

// fewRows is the order, and of a band the number of diagonals, below which gonum's
// loops are faster than calls of the kernels.
const fewRows = 64

// storedRows is a matrix of which row i has elements from a column on: a whole
// triangle, a packed one, or a band.
type storedRows[F gram.Float] struct {
	n                    int // columns
	a                    []F
	ld                   int
	upper                bool // of a triangle; the diagonal comes first then, else last
	packed               bool
	lowerBand, upperBand int // diagonals of a band, where ld says that it is one
	band                 bool
}

// row returns the elements of row i that are stored and the column of the first.
func (m *storedRows[F]) row(i int) (x []F, from int) {
	switch {
	case m.band:
		from, to := max(0, i-m.lowerBand), min(m.n, i+m.upperBand+1)
		at := i*m.ld + m.lowerBand - i
		return m.a[at+from : at+max(from, to)], from
	case m.packed && m.upper:
		at := i * (2*m.n - i + 1) / 2
		return m.a[at : at+m.n-i], i
	case m.packed:
		at := i * (i + 1) / 2
		return m.a[at : at+i+1], 0
	case m.upper:
		return m.a[i*m.ld+i : i*m.ld+m.n], i
	}
	return m.a[i*m.ld : i*m.ld+i+1], 0
}

// triangleRow returns the diagonal element of row i, the others, and the column of
// the first of those.
func (m *storedRows[F]) triangleRow(i int) (diagonal F, x []F, from int) {
	x, from = m.row(i)
	if m.upper {
		return x[0], x[1:], i + 1
	}
	return x[len(x)-1], x[:len(x)-1], from
}

// fewElements is how many are summed without a kernel.
const fewElements = 8

func dotFew[F gram.Float](x, y []F) F {
	if len(x) > fewElements {
		return level2.Dot(x, y)
	}
	var s F
	y = y[:len(x)]
	for i, v := range x {
		s += F(v * y[i])
	}
	return s
}

func axpyFew[F gram.Float](alpha F, x, y []F) {
	if len(x) > fewElements {
		level2.Axpy(alpha, x, y)
		return
	}
	axpy(alpha, x, y)
}

// multiply overwrites x with op(A)·x for a triangle A.
func (m *storedRows[F]) multiply(trans, unit bool, x []F) {
	for i := range m.n {
		if m.upper == trans {
			i = m.n - 1 - i
		}
		d, row, from := m.triangleRow(i)
		v := x[i]
		if unit {
			d = 1
		}
		if trans {
			axpyFew(v, row, x[from:from+len(row)])
			x[i] = F(d * v)
		} else {
			x[i] = F(d*v) + dotFew(row, x[from:from+len(row)])
		}
	}
}

// solve overwrites x with the solution of op(A)·y = x for a triangle A.
func (m *storedRows[F]) solve(trans, unit bool, x []F) {
	for i := range m.n {
		if m.upper != trans {
			i = m.n - 1 - i
		}
		d, row, from := m.triangleRow(i)
		if !trans {
			x[i] -= dotFew(row, x[from:from+len(row)])
		}
		if !unit {
			x[i] /= d
		}
		if trans {
			axpyFew(-x[i], row, x[from:from+len(row)])
		}
	}
}

// triangleBlock is how many rows of a whole triangle are taken at a time.
const triangleBlock = 16

// blocks is multiply or solve for a triangle that is not packed: what lies beside
// the triangles on the diagonal are products of matrices and vectors.
func (m *storedRows[F]) blocks(solve, trans, unit bool, x []F) {
	count := (m.n + triangleBlock - 1) / triangleBlock
	for b := range count {
		if (m.upper == trans) != solve {
			b = count - 1 - b
		}
		lo, hi := b*triangleBlock, min((b+1)*triangleBlock, m.n)
		from, to := 0, lo
		if m.upper {
			from, to = hi, m.n
		}
		t := storedRows[F]{n: hi - lo, a: m.a[lo*m.ld+lo:], ld: m.ld, upper: m.upper}
		near, far := x[lo:hi], x[from:to]
		var beside []F
		if len(far) > 0 {
			beside = m.a[lo*m.ld+from:]
		}
		switch {
		case solve && trans:
			t.solve(trans, unit, near)
			level2.GemvT(far, beside, m.ld, near, -1)
		case solve:
			level2.GemvN(near, beside, m.ld, far, -1)
			t.solve(trans, unit, near)
		case trans:
			level2.GemvT(far, beside, m.ld, near, 1)
			t.multiply(trans, unit, near)
		default:
			t.multiply(trans, unit, near)
			level2.GemvN(near, beside, m.ld, far, 1)
		}
	}
}

// addSymmetric adds alpha·A·x to y for a symmetric A.
func (m *storedRows[F]) addSymmetric(alpha F, x, y []F) {
	for i := range m.n {
		d, row, from := m.triangleRow(i)
		y[i] += F(alpha * (F(d*x[i]) + dotFew(row, x[from:from+len(row)])))
		axpyFew(alpha*x[i], row, y[from:from+len(row)])
	}
}

// addProduct adds alpha·op(A)·x to y for a matrix A of some rows.
func (m *storedRows[F]) addProduct(rows int, trans bool, alpha F, x, y []F) {
	for i := range rows {
		row, from := m.row(i)
		if trans {
			axpyFew(alpha*x[i], row, y[from:from+len(row)])
		} else {
			y[i] += F(alpha * dotFew(row, x[from:from+len(row)]))
		}
	}
}

// addOuter adds alpha·x·yᵀ to the triangle, and alpha·y·xᵀ if twice.
func (m *storedRows[F]) addOuter(twice bool, alpha F, x, y []F) {
	for i := range m.n {
		row, from := m.row(i)
		axpyFew(alpha*x[i], y[from:from+len(row)], row)
		if twice {
			axpyFew(alpha*y[i], x[from:from+len(row)], row)
		}
	}
}

// checkRows checks the storage and the length of vectors of n elements; k is the
// number of diagonals beside the main one, lda 0 that of a packed triangle. ok is
// false where there is nothing to do.
func checkRows[F gram.Float](ul gblas.Uplo, n, k int, packed, band bool, a []F, lda int) (m storedRows[F], ok bool) {
	m = storedRows[F]{n: n, a: a, ld: lda, upper: checkUplo(ul) == upper, packed: packed, band: band}
	checkN(n)
	switch {
	case band:
		checkK(k)
		checkLd(lda, k+1, badLdA)
		m.lowerBand = k
		if m.upper {
			m.lowerBand, m.upperBand = 0, k
		}
	case !packed:
		checkLd(lda, n, badLdA)
	}
	if n == 0 {
		return m, false
	}
	switch {
	case packed:
		check(len(a) >= n*(n+1)/2, shortAP)
	case band:
		check(len(a) >= (n-1)*lda+k+1, shortA)
	default:
		checkLen(len(a), n, n, lda, shortA)
	}
	return m, true
}

func checkVector[F gram.Float](n int, x []F, inc int, message string) {
	check(n == 0 || len(x) > (n-1)*max(inc, -inc), message)
}

// back copies the elements of a vector that forward has copied back.
func back[F gram.Float](from []F, x []F, inc int) {
	at := first(len(from), inc)
	for _, v := range from {
		x[at] = v
		at += inc
	}
}

// inPlace calls body with the n elements of x as a contiguous slice: x itself, or a copy that is written back, if inc is not 1.
func inPlace[F gram.Float](n int, x []F, inc int, body func(x []F)) {
	y, buf := forward(n, x, inc)
	body(y)
	if buf != nil {
		back(y, x, inc)
		give(buf)
	}
}

// triangleCall multiplies x by op(A) or solves for it.
func triangleCall[F gram.Float](solve bool, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, n, k int, packed, band bool, a []F, lda int, x []F, incX int) {
	trans, unit := checkTrans(tA), checkDiag(d)
	check(incX != 0, zeroIncX)
	m, ok := checkRows(ul, n, k, packed, band, a, lda)
	checkVector(n, x, incX, shortX)
	if !ok {
		return
	}
	inPlace(n, x, incX, func(x []F) {
		switch {
		case !packed && !band:
			m.blocks(solve, trans, unit, x)
		case solve:
			m.solve(trans, unit, x)
		default:
			m.multiply(trans, unit, x)
		}
	})
}

// addCall computes y = beta·y + alpha·…: add adds to y. Where beta is 0, y is not
// read, where alpha is 0, x is not.
func addCall[F gram.Float](lenX int, alpha F, x []F, incX int, lenY int, beta F, y []F, incY int, add func(x, y []F)) {
	checkVector(lenX, x, incX, shortX)
	checkVector(lenY, y, incY, shortY)
	inPlace(lenY, y, incY, func(y []F) {
		scale(full, 1, lenY, beta, y, lenY)
		if alpha == 0 {
			return
		}
		x, buf := forward(lenX, x, incX)
		add(x, y)
		give(buf)
	})
}

// symmetricCall computes y = alpha·A·x + beta·y with A symmetric.
func symmetricCall[F gram.Float](ul gblas.Uplo, n, k int, packed, band bool, alpha F, a []F, lda int, x []F, incX int, beta F, y []F, incY int) {
	checkInc(incX, incY)
	m, ok := checkRows(ul, n, k, packed, band, a, lda)
	if !ok {
		return
	}
	addCall(n, alpha, x, incX, n, beta, y, incY, func(x, y []F) { m.addSymmetric(alpha, x, y) })
}

// gbmvCall computes y = alpha·op(A)·x + beta·y for an m×n matrix A with kL diagonals
// below the main one and kU above it.
func gbmvCall[F gram.Float](tA gblas.Transpose, m, n, kL, kU int, alpha F, a []F, lda int, x []F, incX int, beta F, y []F, incY int) {
	trans := checkTrans(tA)
	checkM(m)
	checkN(n)
	check(kL >= 0, "blas: kL < 0")
	check(kU >= 0, "blas: kU < 0")
	checkLd(lda, kL+kU+1, badLdA)
	checkInc(incX, incY)
	if m == 0 || n == 0 {
		return
	}
	rows := min(m, n+kL)
	check(len(a) >= (rows-1)*lda+kL+kU+1, shortA)
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	s := storedRows[F]{n: n, a: a, ld: lda, band: true, lowerBand: kL, upperBand: kU}
	addCall(lenX, alpha, x, incX, lenY, beta, y, incY, func(x, y []F) { s.addProduct(rows, trans, alpha, x, y) })
}

// rankCall adds alpha·x·yᵀ and, unless x and y are one vector, alpha·y·xᵀ to a
// triangle.
func rankCall[F gram.Float](ul gblas.Uplo, n int, packed bool, alpha F, x []F, incX int, y []F, incY int, a []F, lda int) {
	check(incX != 0, zeroIncX)
	check(y == nil || incY != 0, zeroIncY)
	m, ok := checkRows(ul, n, 0, packed, false, a, lda)
	if !ok {
		return
	}
	checkVector(n, x, incX, shortX)
	if y != nil {
		checkVector(n, y, incY, shortY)
	}
	if alpha == 0 {
		return
	}
	x, bufX := forward(n, x, incX)
	defer give(bufX)
	if y == nil {
		m.addOuter(false, alpha, x, x)
		return
	}
	y, bufY := forward(n, y, incY)
	m.addOuter(true, alpha, x, y)
	give(bufY)
}
