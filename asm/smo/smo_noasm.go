//go:build noasm || !amd64

package smo

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels []cpu.Level

func step[F num.Float](g, u, d []float64, k, l []F, a, b float64, least, most *Best, first int) {
	stepGeneric(g, u, d, k, l, a, b, least, most, first)
}

func pair[F num.Float](g, d, diag []float64, k []F, m, kii float64, best *Best, first int) {
	pairGeneric(g, d, diag, k, m, kii, best, first)
}
