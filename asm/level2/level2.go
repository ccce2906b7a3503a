package level2

import "github.com/gramworks/gram/internal/race"

//go:generate go run github.com/gramworks/gram/internal/neon/gen

// Work per assembly call, which the scheduler cannot interrupt: vectors and rows
// are cut into maxColumns elements, and a call takes maxElements of a matrix.
const (
	maxColumns  = 4096
	maxElements = 4 * maxColumns
)

// rowsPerCall is a multiple of four, the number of rows that share loads.
func rowsPerCall(columns int) int { return max(4, maxElements/max(columns, 1)&^3) }

// oneCall reports whether an m×n matrix is one call's work: so are all small ones,
// which notice the loops around it.
func oneCall(m, n int) bool { return m > 0 && n > 0 && n <= maxColumns && m*n <= maxElements }

func checkLengths(x, y int) {
	if x != y {
		panic("level2: lengths differ")
	}
}

// checkMatrix panics unless a holds m rows of n at distance lda.
func checkMatrix(a, m, n, lda int) {
	if lda < max(n, 1) {
		panic("level2: row distance is below the number of columns")
	}
	if m > 0 && n > 0 && a < (m-1)*lda+n {
		panic("level2: matrix is too short")
	}
}

// checkVector panics unless x holds n elements at distance inc ≠ 0.
func checkVector(x, n, inc int) {
	switch {
	case n < 0:
		panic("level2: negative length")
	case inc == 0:
		panic("level2: zero increment")
	case n > 0 && x <= (n-1)*max(inc, -inc):
		panic("level2: vector is too short")
	}
}

// start is the index of the first element of a vector as BLAS counts: with a
// negative increment it is the last one in memory.
func start(n, inc int) int {
	if inc < 0 {
		return (1 - n) * inc
	}
	return 0
}

// Dot64 returns Σ x[i]·y[i]. It panics if the lengths differ.
func Dot64(x, y []float64) float64 {
	checkLengths(len(x), len(y))
	race.Read(x)
	race.Read(y)
	var sum float64
	for len(x) > maxElements {
		sum += dot64(x[:maxElements], y[:maxElements])
		x, y = x[maxElements:], y[maxElements:]
	}
	return sum + dot64(x, y)
}

// DotInc64 returns Σ x[i·incX]·y[i·incY], i < n. A negative increment counts from
// the end, as in BLAS. It panics if an increment is 0 or a vector too short.
func DotInc64(n int, x []float64, incX int, y []float64, incY int) float64 {
	checkVector(len(x), n, incX)
	checkVector(len(y), n, incY)
	if incX == 1 && incY == 1 {
		return Dot64(x[:n], y[:n])
	}
	return dotIncGeneric(n, x, incX, y, incY)
}

// Axpy64 adds alpha·x to y. It panics if the lengths differ.
func Axpy64(alpha float64, x, y []float64) {
	checkLengths(len(x), len(y))
	race.Read(x)
	race.Write(y)
	one := [1]float64{1}
	for len(x) > 0 {
		n := min(len(x), maxColumns)
		ger64(y[:n], n, one[:], x[:n], alpha) // a matrix of one row
		x, y = x[n:], y[n:]
	}
}

// AxpyInc64 adds alpha·x[i·incX] to y[i·incY], i < n. See DotInc64.
func AxpyInc64(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	checkVector(len(x), n, incX)
	checkVector(len(y), n, incY)
	if incX == 1 && incY == 1 {
		Axpy64(alpha, x[:n], y[:n])
		return
	}
	axpyIncGeneric(n, alpha, x, incX, y, incY)
}

// Scale64 multiplies x by alpha.
func Scale64(alpha float64, x []float64) {
	race.Write(x)
	for len(x) > 0 {
		n := min(len(x), maxElements)
		scale64(x[:n], alpha)
		x = x[n:]
	}
}

// ScaleInc64 multiplies x[i·inc], i < n, by alpha. The sign of inc does not
// matter. It panics if inc is 0 or x too short.
func ScaleInc64(n int, alpha float64, x []float64, inc int) {
	checkVector(len(x), n, inc)
	if inc == 1 {
		Scale64(alpha, x[:n])
		return
	}
	scaleIncGeneric(n, alpha, x, max(inc, -inc))
}

// Ger64 adds alpha·x·yᵀ to A, which has len(x) rows and len(y) columns at distance
// lda: a[i·lda+j] += (alpha·x[i])·y[j]. It panics if lda < len(y) or a is too
// short.
func Ger64(a []float64, lda int, x, y []float64, alpha float64) {
	m, n := len(x), len(y)
	checkMatrix(len(a), m, n, lda)
	race.Read(x)
	race.Read(y)
	race.WriteRows(a, m, lda, n)
	if oneCall(m, n) {
		ger64(a[:(m-1)*lda+n], lda, x, y, alpha)
		return
	}
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		step := rowsPerCall(w)
		for i := 0; i < m; i += step {
			h := min(m-i, step)
			ger64(a[i*lda+j:(i+h-1)*lda+j+w], lda, x[i:i+h], y[j:j+w], alpha)
		}
	}
}

// GemvN64 adds alpha·A·x to y; A has len(y) rows and len(x) columns at distance
// lda. It panics if lda < len(x) or a is too short. Rows of more than maxColumns
// are summed in blocks of that length.
func GemvN64(y, a []float64, lda int, x []float64, alpha float64) {
	m, n := len(y), len(x)
	checkMatrix(len(a), m, n, lda)
	race.Read(x)
	race.Write(y)
	race.ReadRows(a, m, lda, n)
	if oneCall(m, n) {
		gemvN64(y, a[:(m-1)*lda+n], lda, x, alpha)
		return
	}
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		step := rowsPerCall(w)
		for i := 0; i < m; i += step {
			h := min(m-i, step)
			gemvN64(y[i:i+h], a[i*lda+j:(i+h-1)*lda+j+w], lda, x[j:j+w], alpha)
		}
	}
}

// GemvT64 adds alpha·Aᵀ·x to y; A has len(x) rows and len(y) columns at distance
// lda: y[j] += a[i·lda+j]·(alpha·x[i]) for i in order. It panics if lda < len(y)
// or a is too short.
func GemvT64(y, a []float64, lda int, x []float64, alpha float64) {
	m, n := len(x), len(y)
	checkMatrix(len(a), m, n, lda)
	race.Read(x)
	race.Write(y)
	race.ReadRows(a, m, lda, n)
	if oneCall(m, n) {
		gemvT64(y, a[:(m-1)*lda+n], lda, x, alpha)
		return
	}
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		step := rowsPerCall(w)
		for i := 0; i < m; i += step {
			h := min(m-i, step)
			gemvT64(y[j:j+w], a[i*lda+j:(i+h-1)*lda+j+w], lda, x[i:i+h], alpha)
		}
	}
}

// Dot32 returns Σ x[i]·y[i]. It panics if the lengths differ.
func Dot32(x, y []float32) float32 {
	checkLengths(len(x), len(y))
	race.Read(x)
	race.Read(y)
	var sum float32
	for len(x) > maxElements {
		sum += dot32(x[:maxElements], y[:maxElements])
		x, y = x[maxElements:], y[maxElements:]
	}
	return sum + dot32(x, y)
}

// DotInc32 returns Σ x[i·incX]·y[i·incY], i < n. A negative increment counts from
// the end, as in BLAS. It panics if an increment is 0 or a vector too short.
func DotInc32(n int, x []float32, incX int, y []float32, incY int) float32 {
	checkVector(len(x), n, incX)
	checkVector(len(y), n, incY)
	if incX == 1 && incY == 1 {
		return Dot32(x[:n], y[:n])
	}
	return dotIncGeneric(n, x, incX, y, incY)
}

// Axpy32 adds alpha·x to y. It panics if the lengths differ.
func Axpy32(alpha float32, x, y []float32) {
	checkLengths(len(x), len(y))
	race.Read(x)
	race.Write(y)
	one := [1]float32{1}
	for len(x) > 0 {
		n := min(len(x), maxColumns)
		ger32(y[:n], n, one[:], x[:n], alpha) // a matrix of one row
		x, y = x[n:], y[n:]
	}
}

// AxpyInc32 adds alpha·x[i·incX] to y[i·incY], i < n. See DotInc32.
func AxpyInc32(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	checkVector(len(x), n, incX)
	checkVector(len(y), n, incY)
	if incX == 1 && incY == 1 {
		Axpy32(alpha, x[:n], y[:n])
		return
	}
	axpyIncGeneric(n, alpha, x, incX, y, incY)
}

// Scale32 multiplies x by alpha.
func Scale32(alpha float32, x []float32) {
	race.Write(x)
	for len(x) > 0 {
		n := min(len(x), maxElements)
		scale32(x[:n], alpha)
		x = x[n:]
	}
}

// ScaleInc32 multiplies x[i·inc], i < n, by alpha. The sign of inc does not
// matter. It panics if inc is 0 or x too short.
func ScaleInc32(n int, alpha float32, x []float32, inc int) {
	checkVector(len(x), n, inc)
	if inc == 1 {
		Scale32(alpha, x[:n])
		return
	}
	scaleIncGeneric(n, alpha, x, max(inc, -inc))
}

// Ger32 adds alpha·x·yᵀ to A, which has len(x) rows and len(y) columns at distance
// lda: a[i·lda+j] += (alpha·x[i])·y[j]. It panics if lda < len(y) or a is too
// short.
func Ger32(a []float32, lda int, x, y []float32, alpha float32) {
	m, n := len(x), len(y)
	checkMatrix(len(a), m, n, lda)
	race.Read(x)
	race.Read(y)
	race.WriteRows(a, m, lda, n)
	if oneCall(m, n) {
		ger32(a[:(m-1)*lda+n], lda, x, y, alpha)
		return
	}
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		step := rowsPerCall(w)
		for i := 0; i < m; i += step {
			h := min(m-i, step)
			ger32(a[i*lda+j:(i+h-1)*lda+j+w], lda, x[i:i+h], y[j:j+w], alpha)
		}
	}
}

// GemvN32 adds alpha·A·x to y; A has len(y) rows and len(x) columns at distance
// lda. It panics if lda < len(x) or a is too short. Rows of more than maxColumns
// are summed in blocks of that length.
func GemvN32(y, a []float32, lda int, x []float32, alpha float32) {
	m, n := len(y), len(x)
	checkMatrix(len(a), m, n, lda)
	race.Read(x)
	race.Write(y)
	race.ReadRows(a, m, lda, n)
	if oneCall(m, n) {
		gemvN32(y, a[:(m-1)*lda+n], lda, x, alpha)
		return
	}
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		step := rowsPerCall(w)
		for i := 0; i < m; i += step {
			h := min(m-i, step)
			gemvN32(y[i:i+h], a[i*lda+j:(i+h-1)*lda+j+w], lda, x[j:j+w], alpha)
		}
	}
}

// GemvT32 adds alpha·Aᵀ·x to y; A has len(x) rows and len(y) columns at distance
// lda: y[j] += a[i·lda+j]·(alpha·x[i]) for i in order. It panics if lda < len(y)
// or a is too short.
func GemvT32(y, a []float32, lda int, x []float32, alpha float32) {
	m, n := len(x), len(y)
	checkMatrix(len(a), m, n, lda)
	race.Read(x)
	race.Write(y)
	race.ReadRows(a, m, lda, n)
	if oneCall(m, n) {
		gemvT32(y, a[:(m-1)*lda+n], lda, x, alpha)
		return
	}
	for j := 0; j < n; j += maxColumns {
		w := min(n-j, maxColumns)
		step := rowsPerCall(w)
		for i := 0; i < m; i += step {
			h := min(m-i, step)
			gemvT32(y[j:j+w], a[i*lda+j:(i+h-1)*lda+j+w], lda, x[i:i+h], alpha)
		}
	}
}
