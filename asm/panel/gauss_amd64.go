//go:build !noasm

package panel

import "github.com/gramworks/gram/num"

// sumsAVX2 takes six rows of a panel of x at a time, or four if there are only
// four.
func sumsAVX2[F num.Float](dst []F, ldd int, x, z []F, d, stride, rows, panels int, op Op, add int) {
	tile := min(rows, 6)
	for r := 0; r < rows; r += tile {
		tileAVX2(&dst[r*ldd], ldd, &x[r], &z[0], d, stride, tile, panels, op, add)
	}
}
