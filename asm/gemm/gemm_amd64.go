//go:build !noasm

package gemm

import (
	"unsafe"

	"github.com/gramworks/gram/num"
)

// tileAVX2 computes a tile in a buffer that has four rows of whole vectors.
func tileAVX2[F num.Float](k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n, next int, alpha, beta F) {
	var space [bufferBytes / 8]float64
	buf, w := bufferOf[F](&space)
	load(buf, w, c, cs, m, n, beta)
	vectorsAVX2(k, a, ras, cas, b, bs, &buf[0], w, n, alpha, beta)
	store(buf, w, c, cs, m, n)
}

// packTransposedAVX2 packs the leading lines and columns, four lines at a time, and returns how many: the largest multiples of four
// in m and k. The caller packs the rest.
func packTransposedAVX2[F num.Float](dst, x []F, is, m, k, w int) (lines, cols int) {
	lines, cols = m&^3, k&^3
	for i := 0; i < lines; i += 4 {
		packFourAVX2(cols, &x[i*is], is, &dst[i], w)
	}
	return lines, cols
}

// fewVectors computes two vectors of columns at a time.
func fewVectors[F num.Float](k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F) bool {
	const bytes = 64 // of two vectors
	w := bytes / int(unsafe.Sizeof(F(0)))
	for ; n > w; n -= w {
		fewColumnsAVX2(k, a, ras, cas, b, bs, c, cs, m, w, alpha, beta)
		b, c = (*F)(unsafe.Add(unsafe.Pointer(b), bytes)), (*F)(unsafe.Add(unsafe.Pointer(c), bytes))
	}
	fewColumnsAVX2(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
	return true
}

// manyFew computes many products one by one, where a level has no routine for their shape.
func manyFew[F num.Float](count, k int, a []F, ras, cas, am int, b []F, bs, bm int, c []F, cs, cm, m, n, put int, alpha, beta F) {
	for q := range count {
		few(k, &a[q*am], ras, cas, &b[q*bm], bs, &c[q*cm], cs, m, n, alpha, beta)
	}
}
