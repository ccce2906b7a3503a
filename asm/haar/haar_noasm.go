//go:build noasm || (!amd64 && !arm64)

package haar

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels []cpu.Level

func forwardRows[F num.Float](dst []F, ds int, src []F, ss, n, d int, _ Scaling, scratch []F, f *factors[F]) {
	forwardGeneric(dst, ds, src, ss, n, d, scratch, f)
}

func backwardRows[F num.Float](dst []F, ds int, src []F, ss, n, d int, _ Scaling, scratch []F, f *factors[F]) {
	backwardGeneric(dst, ds, src, ss, n, d, scratch, f)
}

func split[F num.Float](d, s, x []F, c F)         { splitGeneric(d, s, x, c) }
func split3[F num.Float](d1, d2, d3, s, x, c []F) { split3Generic(d1, d2, d3, s, x, c) }
func join[F num.Float](x, d, s []F, c F)          { joinGeneric(x, d, s, c) }
func join3[F num.Float](x, d1, d2, d3, s, c []F)  { join3Generic(x, d1, d2, d3, s, c) }
