//go:build !noasm && (amd64 || arm64)

package gemm

import (
	"unsafe"

	"github.com/gramworks/gram/num"
)

// load copies the m×n elements of C into the tile buffer that a kernel of whole
// vectors works on, unless beta says that they are not read.
func load[F num.Float](buf []F, w int, c *F, cs, m, n int, beta F) {
	if beta == 0 {
		return
	}
	cc := unsafe.Slice(c, (m-1)*cs+n)
	for i := range m {
		copy(buf[i*w:i*w+n], cc[i*cs:])
	}
}

// store copies the m×n elements back.
func store[F num.Float](buf []F, w int, c *F, cs, m, n int) {
	cc := unsafe.Slice(c, (m-1)*cs+n)
	for i := range m {
		copy(cc[i*cs:i*cs+n], buf[i*w:])
	}
}
