//go:build !noasm

package gemm

//go:generate go run github.com/gramworks/gram/internal/neon/gen

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels = []cpu.Level{cpu.NEON}

func shape64() (mr, nr int) {
	if cpu.Current() >= cpu.NEON {
		return 4, 12
	}
	return genericRows, genericCols
}

func shape32() (mr, nr int) {
	if cpu.Current() >= cpu.NEON {
		return 4, 24
	}
	return genericRows, genericCols
}

func edges() (rows int, cols bool) { return 4, false }

// The kernels of Tile for whole tiles; strides are in elements.

//go:noescape
func gemm64NEON(k int, a *float64, ras, cas int, b *float64, bs int, c *float64, cs int, alpha, beta float64)

//go:noescape
func gemm32NEON(k int, a *float32, ras, cas int, b *float32, bs int, c *float32, cs int, alpha, beta float32)

func tile64(k int, a *float64, ras, cas int, b *float64, bs int, c *float64, cs, m, n, next int, alpha, beta float64) {
	switch {
	case cpu.Current() < cpu.NEON:
		tileGeneric(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
	case m == 4 && n == 12:
		gemm64NEON(k, a, ras, cas, b, bs, c, cs, alpha, beta)
	default:
		var buf [4 * 12]float64
		load(buf[:], 12, c, cs, m, n, beta)
		gemm64NEON(k, a, ras, cas, b, bs, &buf[0], 12, alpha, beta)
		store(buf[:], 12, c, cs, m, n)
	}
}

func tile32(k int, a *float32, ras, cas int, b *float32, bs int, c *float32, cs, m, n, next int, alpha, beta float32) {
	switch {
	case cpu.Current() < cpu.NEON:
		tileGeneric(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
	case m == 4 && n == 24:
		gemm32NEON(k, a, ras, cas, b, bs, c, cs, alpha, beta)
	default:
		var buf [4 * 24]float32
		load(buf[:], 24, c, cs, m, n, beta)
		gemm32NEON(k, a, ras, cas, b, bs, &buf[0], 24, alpha, beta)
		store(buf[:], 24, c, cs, m, n)
	}
}

// packRows and packTransposed are left to the compiler: packing is a small part
// of a product.
func packRows[F num.Float](dst, x []F, ps, k, w int) bool { return false }

func packTransposed[F num.Float](dst, x []F, is, m, k, w int) (lines, cols int) { return 0, 0 }
