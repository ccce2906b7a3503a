package level2

import (
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// These constants bound the work of one call of assembly, which cannot be
// preempted: vectors and rows are cut into maxColumns elements, and a call takes at
// most maxElements of a matrix.
const (
	maxColumns  = 4096
	maxElements = 4 * maxColumns
)

// rowsPerCall is a multiple of four, which is the number of rows that share loads.
func rowsPerCall(columns int) int { return max(4, maxElements/max(columns, 1)&^3) }

// oneCall reports whether an m×n matrix of stride lda in a slice of a elements is
// the work of one call of assembly. It does so for all small matrices, for which
// the loops and the checks of checkMatrix would cost too much.
func oneCall(a, m, n, lda int) bool {
	return m > 0 && 0 < n && n <= lda && n <= maxColumns && m*n <= maxElements && (m-1)*lda+n <= a
}

func checkLengths(x, y int) {
	if x != y {
		panic("level2: lengths differ")
	}
}

// checkMatrix panics unless a holds m rows of n elements with stride lda.
func checkMatrix(a, m, n, lda int) {
	if lda < max(n, 1) {
		panic("level2: row distance is below the number of columns")
	}
	if m > 0 && n > 0 && a < (m-1)*lda+n {
		panic("level2: matrix is too short")
	}
}

// Dot returns Σ x[i]·y[i]. It panics if the lengths differ.
func Dot[F num.Float](x, y []F) F {
	if len(x) <= maxElements && len(x) == len(y) && !race.Enabled {
		return dot(x, y)
	}
	return dotLong(x, y)
}

// dotLong is Dot in calls of bounded time.
func dotLong[F num.Float](x, y []F) F {
	checkLengths(len(x), len(y))
	race.Read(x)
	race.Read(y)
	var sum F
	for len(x) > maxElements {
		sum += dot(x[:maxElements], y[:maxElements])
		x, y = x[maxElements:], y[maxElements:]
	}
	return sum + dot(x, y)
}

// Axpy adds alpha·x to y. It panics if the lengths differ.
func Axpy[F num.Float](alpha F, x, y []F) {
	checkLengths(len(x), len(y))
	race.Read(x)
	race.Write(y)
	one := [1]F{1} // column of a matrix with one row
	for len(x) > maxColumns {
		ger(y[:maxColumns], maxColumns, one[:], x[:maxColumns], alpha)
		x, y = x[maxColumns:], y[maxColumns:]
	}
	ger(y, len(y), one[:], x, alpha)
}

// Scale multiplies the elements of x by alpha, in place.
func Scale[F num.Float](alpha F, x []F) {
	race.Write(x)
	for len(x) > maxElements {
		scale(x[:maxElements], alpha)
		x = x[maxElements:]
	}
	scale(x, alpha)
}

// Ger adds alpha·x·yᵀ to A, which has len(x) rows and len(y) columns with stride
// lda: a[i·lda+j] += (alpha·x[i])·y[j]. It panics if lda < len(y) or a is too
// short.
func Ger[F num.Float](a []F, lda int, x, y []F, alpha F) {
	m, n := len(x), len(y)
	small := oneCall(len(a), m, n, lda)
	if !small {
		checkMatrix(len(a), m, n, lda)
	}
	race.Read(x)
	race.Read(y)
	race.WriteRows(a, m, lda, n)
	if small {
		ger(a, lda, x, y, alpha)
		return
	}
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		step := rowsPerCall(w)
		for i := 0; i < m; i += step {
			h := min(m-i, step)
			ger(a[i*lda+j:(i+h-1)*lda+j+w], lda, x[i:i+h], y[j:j+w], alpha)
		}
	}
}

// GemvN adds alpha·A·x to y. A has len(y) rows and len(x) columns with stride lda.
// It panics if lda < len(x) or a is too short. Rows of more than maxColumns are
// summed in blocks of that length.
func GemvN[F num.Float](y, a []F, lda int, x []F, alpha F) {
	m, n := len(y), len(x)
	small := oneCall(len(a), m, n, lda)
	if !small {
		checkMatrix(len(a), m, n, lda)
	}
	race.Read(x)
	race.Write(y)
	race.ReadRows(a, m, lda, n)
	if small {
		gemvN(y, a, lda, x, alpha)
		return
	}
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		step := rowsPerCall(w)
		for i := 0; i < m; i += step {
			h := min(m-i, step)
			gemvN(y[i:i+h], a[i*lda+j:(i+h-1)*lda+j+w], lda, x[j:j+w], alpha)
		}
	}
}

// GemvT adds alpha·Aᵀ·x to y. A has len(x) rows and len(y) columns with stride lda:
// y[j] += a[i·lda+j]·(alpha·x[i]) for ascending i. It panics if lda < len(y) or a
// is too short.
func GemvT[F num.Float](y, a []F, lda int, x []F, alpha F) {
	m, n := len(x), len(y)
	small := oneCall(len(a), m, n, lda)
	if !small {
		checkMatrix(len(a), m, n, lda)
	}
	race.Read(x)
	race.Write(y)
	race.ReadRows(a, m, lda, n)
	if small {
		gemvT(y, a, lda, x, alpha)
		return
	}
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		step := rowsPerCall(w)
		for i := 0; i < m; i += step {
			h := min(m-i, step)
			gemvT(y[j:j+w], a[i*lda+j:(i+h-1)*lda+j+w], lda, x[i:i+h], alpha)
		}
	}
}

// Symv4 returns s[r] = Σⱼ a[r·lda+j]·x[j] for four rows of n = len(x) elements and
// adds Σᵣ xr[r]·a[r·lda+j] to y[j]. The four rows belong to one triangle of a
// symmetric matrix, to the right or left of the diagonal block. It panics if len(y)
// is not n, lda < n or a is too short. Rows of more than maxColumns are summed in
// blocks of that length.
func Symv4[F num.Float](a []F, lda int, x, y []F, xr *[4]F) (s [4]F) {
	n := len(x)
	checkLengths(n, len(y))
	if n == 0 {
		return s
	}
	checkMatrix(len(a), 4, n, lda)
	race.ReadRows(a, 4, lda, n)
	race.Read(x)
	race.Write(y)
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		var part [4]F
		symv(a[j:3*lda+j+w], lda, x[j:j+w], y[j:j+w], xr, &part)
		for r, v := range part {
			s[r] += v
		}
	}
	return s
}

// Symv adds A·x to y for a symmetric matrix A of order n = len(x), of which a holds the
// upper or the lower triangle with stride lda. What stands in the other triangle is read,
// but does not matter. It panics if len(y) is not n, lda < n or a is too short.
func Symv[F num.Float](y, a []F, lda int, x []F, lower bool) {
	n := len(x)
	checkLengths(n, len(y))
	if n == 0 {
		return
	}
	checkMatrix(len(a), n, n, lda)
	race.ReadRows(a, n, lda, n)
	race.Read(x)
	race.Write(y)
	whole := n &^ 3 // the rest are rows one by one
	for i := 0; i < whole; {
		width := n - i
		if lower {
			width = i + 4
		}
		rows := min(rowsPerCall(width), whole-i)
		part, from := a[i*lda:(i+rows-1)*lda+n], i
		if !lower {
			part, from = part[i:], 0
		}
		if x, y := x[i-from:], y[i-from:]; width > maxElements { // even four rows are too much for one call
			symvRowsGeneric(part, lda, from, rows, x, y, lower)
		} else {
			symvRows(part, lda, from, rows, x, y, lower)
		}
		i += rows
	}
	if lower {
		for i := whole; i < n; i++ {
			row := a[i*lda:][:i]
			y[i] += Dot(row, x[:i]) + F(a[i*lda+i]*x[i])
			Axpy(x[i], row, y[:i])
		}
		return
	}
	smallSymv(n-whole, a[min(whole*lda+whole, len(a)):], lda, x[whole:], y[whole:], false)
}

// Substitute does eight steps of the substitution T·X = B in the rows of B, which has
// k+8 rows of n elements with stride ldb, n·(k+8) ≤ 16384. Forward, the first k rows
// are solved and row k+i becomes (b[k+i] − Σ_q t[i·rs+q·cs]·b[q])·d[i] for i = 0…7,
// summed over the rows q before it in this order. Back, the last k rows are solved
// and row i becomes (b[i] − Σ_q t[i·rs+q·cs]·b[q])·d[i] for i = 7…0, summed over the
// rows q after it, the last one first. It panics if rows overlap or lie outside of b
// or if elements lie outside of t.
func Substitute[F num.Float](b []F, ldb, n, k int, t []F, rs, cs int, d *[8]F, back bool) {
	if n <= 0 {
		return
	}
	if k < 0 || n*(k+8) > maxElements {
		panic("level2: too many elements")
	}
	checkMatrix(len(b), k+8, n, ldb)
	_ = t[7*rs+(k+7)*cs]
	race.WriteRows(b, k+8, ldb, n)
	substitute(b, ldb, n, k, t, rs, cs, d, back)
}

// Reflect multiplies the matrix with rows x, y and z by the reflector I − tau·v·vᵀ
// with v = (1, a, b) from the left. It panics if the lengths differ.
func Reflect[F num.Float](x, y, z []F, a, b, tau F) {
	checkLengths(len(x), len(y))
	checkLengths(len(x), len(z))
	race.Write(x)
	race.Write(y)
	race.Write(z)
	for len(x) > maxColumns {
		reflect(x[:maxColumns], y[:maxColumns], z[:maxColumns], a, b, tau)
		x, y, z = x[maxColumns:], y[maxColumns:], z[maxColumns:]
	}
	reflect(x, y, z, a, b, tau)
}

// maxRotations bounds the rotations in one call of assembly.
const maxRotations = 256

// RotateRows applies m = len(c) plane rotations, one after the other, to m+1 rows of n
// elements with stride lda. Rotation k replaces rows k and k+1 by
//
//	c[k]·row k + s[k]·row k+1   and   c[k]·row k+1 − s[k]·row k
//
// Rows are counted from the last one in a if back is set, else from the first. It
// panics if len(s) is not m, lda < n or a is too short.
func RotateRows[F num.Float](a []F, lda, n int, c, s []F, back bool) {
	m := len(c)
	checkLengths(m, len(s))
	if m == 0 || n <= 0 {
		return
	}
	checkMatrix(len(a), m+1, n, lda)
	race.WriteRows(a, m+1, lda, n)
	for k := 0; k < m; k += maxRotations {
		end := min(k+maxRotations, m)
		first := k * lda // the least of the rows that these rotations change
		if back {
			first = (m - end) * lda
		}
		step := maxElements / (end - k + 1)
		for j := 0; j < n; j += step {
			w := min(n-j, step)
			rotateRows(a[first+j:first+j+(end-k)*lda+w], lda, w, c[k:end], s[k:end], back)
		}
	}
}
