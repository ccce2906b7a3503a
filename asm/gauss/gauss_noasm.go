//go:build noasm || (!amd64 && !arm64)

package gauss

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels []cpu.Level

func sums[F num.Float](dst []F, ldd int, x, z []F, d, stride, rows, panels int, op Op, add bool) {
	sumsGeneric(dst, ldd, x, z, d, stride, rows, panels, op, add)
}

func norms[F num.Float](dst, p []F, width, d int) { normsGeneric(dst, p, width, d) }

func sparseRow[F num.Float](dst, z []F, stride, panels int, val []F, at, col []int32) {
	sparseGeneric(dst, z, stride, panels, val, at, col)
}

func gaussRows[F num.Float](dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int, gamma F) {
	gaussGeneric(dst, ldd, s, lds, xn, zn, rows, cols, gamma)
}

func expRows[F num.Float](dst []F, ldd int, s []F, lds int, rows, cols int, gamma F) {
	expGeneric(dst, ldd, s, lds, rows, cols, gamma)
}

func distanceRows[F num.Float](dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int) {
	distanceGeneric(dst, ldd, s, lds, xn, zn, rows, cols)
}

func powerRows[F num.Float](dst []F, ldd int, s []F, lds int, rows, cols int, offset F, p int) {
	powerGeneric(dst, ldd, s, lds, rows, cols, offset, p)
}

func rowSums[F num.Float](sum, s []F, lds int, v []F, rows, cols int) {
	rowSumsGeneric(sum, s, lds, v, rows, cols)
}

func colSums[F num.Float](sum, s []F, lds int, v []F, rows, cols int) {
	colSumsGeneric(sum, s, lds, v, rows, cols)
}
