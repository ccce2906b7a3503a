//go:build !noasm

package gemm

import (
	"unsafe"

	"github.com/gramworks/gram/num"
)

// tileNEON computes a tile in a buffer of the size of a whole tile.
func tileNEON[F num.Float](k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n, next int, alpha, beta F) {
	var space [bufferBytes / 8]float64
	buf, w := bufferOf[F](&space)
	load(buf, w, c, cs, m, n, beta)
	vectorsNEON(k, a, ras, cas, b, bs, &buf[0], w, n, alpha, beta)
	store(buf, w, c, cs, m, n)
}

// packTransposedNEON packs the leading lines and columns, four lines at a time, and returns how many: the largest multiples of four
// in m and k. The caller packs the rest.
func packTransposedNEON[F num.Float](dst, x []F, is, m, k, w int) (lines, cols int) {
	lines, cols = m&^3, k&^3
	for i := 0; i < lines; i += 4 {
		packFourNEON(cols, &x[i*is], is, &dst[i], w)
	}
	return lines, cols
}

// fewVectors computes two vectors of columns at a time.
func fewVectors[F num.Float](k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F) bool {
	const bytes = 32 // of two vectors
	w := bytes / int(unsafe.Sizeof(F(0)))
	for ; n > w; n -= w {
		fewColumnsNEON(k, a, ras, cas, b, bs, c, cs, m, w, alpha, beta)
		b, c = (*F)(unsafe.Add(unsafe.Pointer(b), bytes)), (*F)(unsafe.Add(unsafe.Pointer(c), bytes))
	}
	fewColumnsNEON(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
	return true
}

// fewTransposedNEON transposes four rows of B at a time, of float64, and multiplies by them.
func fewTransposedNEON[F num.Float](k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F) bool {
	ap, bp, cp := (*float64)(unsafe.Pointer(a)), unsafe.Pointer(b), unsafe.Pointer(c)
	for j := 0; j < n; j += 4 {
		fourTransposedNEON(k, ap, ras, cas, (*float64)(unsafe.Add(bp, 8*j*bs)), bs, (*float64)(unsafe.Add(cp, 8*j)), cs, m, min(4, n-j), float64(alpha), float64(beta))
	}
	return true
}
