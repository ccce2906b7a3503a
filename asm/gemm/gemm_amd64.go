//go:build !noasm

package gemm

import (
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

func shape64() (mr, nr int) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return 8, 24
	case l >= cpu.AVX2:
		return 4, 12
	}
	return genericRows, genericCols
}

func shape32() (mr, nr int) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return 8, 48
	case l >= cpu.AVX2:
		return 4, 24
	}
	return genericRows, genericCols
}

func edges() (rows int, cols bool) { return 4, cpu.Current() >= cpu.AVX512 }

// The kernels of Tile; strides are in elements.

//go:noescape
func gemm64AVX512(k int, a *float64, ras, cas int, b *float64, bs int, c *float64, cs, m, n, next int, alpha, beta float64)

//go:noescape
func gemm32AVX512(k int, a *float32, ras, cas int, b *float32, bs int, c *float32, cs, m, n, next int, alpha, beta float32)

// The AVX2 kernels write four whole rows and v whole vectors.

//go:noescape
func gemm64AVX2(k int, a *float64, ras, cas int, b *float64, bs int, c *float64, cs, v int, alpha, beta float64)

//go:noescape
func gemm32AVX2(k int, a *float32, ras, cas int, b *float32, bs int, c *float32, cs, v int, alpha, beta float32)

func tile64(k int, a *float64, ras, cas int, b *float64, bs int, c *float64, cs, m, n, next int, alpha, beta float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		gemm64AVX512(k, a, ras, cas, b, bs, c, cs, m, n, next, alpha, beta)
	case l >= cpu.AVX2:
		if m == 4 && n%4 == 0 {
			gemm64AVX2(k, a, ras, cas, b, bs, c, cs, n/4, alpha, beta)
			return
		}
		var buf [4 * 12]float64
		load(buf[:], 12, c, cs, m, n, beta)
		gemm64AVX2(k, a, ras, cas, b, bs, &buf[0], 12, (n+3)/4, alpha, beta)
		store(buf[:], 12, c, cs, m, n)
	default:
		tileGeneric(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
	}
}

func tile32(k int, a *float32, ras, cas int, b *float32, bs int, c *float32, cs, m, n, next int, alpha, beta float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		gemm32AVX512(k, a, ras, cas, b, bs, c, cs, m, n, next, alpha, beta)
	case l >= cpu.AVX2:
		if m == 4 && n%8 == 0 {
			gemm32AVX2(k, a, ras, cas, b, bs, c, cs, n/8, alpha, beta)
			return
		}
		var buf [4 * 24]float32
		load(buf[:], 24, c, cs, m, n, beta)
		gemm32AVX2(k, a, ras, cas, b, bs, &buf[0], 24, (n+7)/8, alpha, beta)
		store(buf[:], 24, c, cs, m, n)
	default:
		tileGeneric(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
	}
}

//go:noescape
func packRowsAVX2(k int, x unsafe.Pointer, ps int, dst unsafe.Pointer, w int)

//go:noescape
func packTransposed64AVX2(k int, x *float64, is int, dst *float64, w int)

//go:noescape
func packTransposed32AVX2(k int, x *float32, is int, dst *float32, w int)

// packRows copies k rows of w elements, at distance ps in x and w in dst, and
// reports whether it could.
func packRows[F num.Float](dst, x []F, ps, k, w int) bool {
	var f F
	size := int(unsafe.Sizeof(f))
	if cpu.Current() < cpu.AVX2 || w*size%16 != 0 {
		return false
	}
	packRowsAVX2(k, unsafe.Pointer(&x[0]), ps*size, unsafe.Pointer(&dst[0]), w*size)
	return true
}

// packTransposed packs the leading lines and columns in groups of four and
// returns how many it has done.
func packTransposed[F num.Float](dst, x []F, is, m, k, w int) (lines, cols int) {
	lines, cols = m&^3, k&^3
	if cpu.Current() < cpu.AVX2 || w%4 != 0 || cols == 0 {
		return 0, 0
	}
	var f F
	for i := 0; i < lines; i += 4 {
		if unsafe.Sizeof(f) == 4 {
			packTransposed32AVX2(cols, (*float32)(unsafe.Pointer(&x[i*is])), is, (*float32)(unsafe.Pointer(&dst[i])), w)
		} else {
			packTransposed64AVX2(cols, (*float64)(unsafe.Pointer(&x[i*is])), is, (*float64)(unsafe.Pointer(&dst[i])), w)
		}
	}
	return lines, cols
}
