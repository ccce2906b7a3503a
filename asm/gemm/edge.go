//go:build !noasm && (amd64 || arm64)

package gemm

import (
	"unsafe"

	"github.com/gramworks/gram/num"
)

// bufferBytes is the size of a whole tile at AVX2 and NEON, for either type.
const bufferBytes = 4 * 96

// bufferOf returns space as the elements of a tile, and the number of elements
// in a row.
func bufferOf[F num.Float](space *[bufferBytes / 8]float64) (buf []F, w int) {
	size := int(unsafe.Sizeof(F(0)))
	return unsafe.Slice((*F)(unsafe.Pointer(space)), bufferBytes/size), bufferBytes / 4 / size
}

// load copies the m×n elements of C into the buffer of a whole tile, on which a
// kernel of whole vectors works. It copies nothing if beta is 0.
func load[F num.Float](buf []F, w int, c *F, cs, m, n int, beta F) {
	if beta == 0 {
		return
	}
	cc := unsafe.Slice(c, (m-1)*cs+n)
	for i := range m {
		copy(buf[i*w:i*w+n], cc[i*cs:])
	}
}

// store copies the m×n elements of the buffer back to C.
func store[F num.Float](buf []F, w int, c *F, cs, m, n int) {
	cc := unsafe.Slice(c, (m-1)*cs+n)
	for i := range m {
		copy(cc[i*cs:i*cs+n], buf[i*w:])
	}
}

// manyFew computes many products one by one, where a level has no routine for their shape.
func manyFew[F num.Float](count, k int, a []F, ras, cas, am int, b []F, bs, bm int, c []F, cs, cm, m, n, put int, alpha, beta F) {
	for q := range count {
		few(k, &a[q*am], ras, cas, &b[q*bm], bs, &c[q*cm], cs, m, n, alpha, beta)
	}
}
