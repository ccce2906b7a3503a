//go:build noasm || (!amd64 && !arm64)

package gemm

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels []cpu.Level

func shape64() (mr, nr int) { return genericRows, genericCols }
func shape32() (mr, nr int) { return genericRows, genericCols }

func edges() (rows int, cols bool) { return genericRows, false }

func tile64(k int, a *float64, ras, cas int, b *float64, bs int, c *float64, cs, m, n, next int, alpha, beta float64) {
	tileGeneric(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
}

func tile32(k int, a *float32, ras, cas int, b *float32, bs int, c *float32, cs, m, n, next int, alpha, beta float32) {
	tileGeneric(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
}

func packRows[F num.Float](dst, x []F, ps, k, w int) bool { return false }

func packTransposed[F num.Float](dst, x []F, is, m, k, w int) (lines, cols int) { return 0, 0 }
