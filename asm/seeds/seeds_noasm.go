//go:build noasm || (!amd64 && !arm64)

package seeds

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels []cpu.Level

func ranges[F num.Float](t []F, place []int, x []F, xs, n int, v []F, s, d, width int) {
	rangesGeneric(t, place, x, xs, n, v, s, d, width)
}

func split[F num.Float](s []F, ss int, d []F, ds int, x, y, v, u []F, n, h int) {
	splitGeneric(s, ss, d, ds, x, y, v, u, n, h)
}

func addSub[F num.Float](s, d, a []F, pairs, n int) { addSubGeneric(s, d, a, pairs, n) }

func transpose[F num.Float](dst []F, ds int, t []F, ks, ts, n, rows, cols int) {
	transposeGeneric(dst, ds, t, ks, ts, n, rows, cols)
}

func deal[F num.Float](a, b, x []F) { dealGeneric(a, b, x) }
