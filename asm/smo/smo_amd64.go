//go:build !noasm

package smo

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

// AVX-512 machines run the AVX2 variants: the passes are bound by memory.
var levels = []cpu.Level{cpu.AVX2}

// The assembly takes a multiple of Lanes variables.
func step[F num.Float](g, u, d []float64, k, l []F, a, b float64, least, most *Best, first int) {
	w := 0
	if cpu.Current() >= cpu.AVX2 {
		w = len(g) &^ (Lanes - 1)
		switch k := any(k).(type) {
		case []float32:
			step32AVX2(g[:w], u, d, k, any(l).([]float32), a, b, least, most, first)
		case []float64:
			step64AVX2(g[:w], u, d, k, any(l).([]float64), a, b, least, most, first)
		}
	}
	stepGeneric(g[w:], u[w:], d[w:], k[w:], l[w:], a, b, least, most, first+w)
}

func pair[F num.Float](g, d, diag []float64, k []F, m, kii float64, best *Best, first int) {
	w := 0
	if cpu.Current() >= cpu.AVX2 {
		w = len(g) &^ (Lanes - 1)
		switch k := any(k).(type) {
		case []float32:
			pair32AVX2(g[:w], d, diag, k, m, kii, best, first)
		case []float64:
			pair64AVX2(g[:w], d, diag, k, m, kii, best, first)
		}
	}
	pairGeneric(g[w:], d[w:], diag[w:], k[w:], m, kii, best, first+w)
}

// step32AVX2 is stepGeneric; see there.
//
//go:noescape
func step32AVX2(g, u, d []float64, k, l []float32, a, b float64, least, most *Best, first int)

// step64AVX2 is stepGeneric; see there.
//
//go:noescape
func step64AVX2(g, u, d []float64, k, l []float64, a, b float64, least, most *Best, first int)

// pair32AVX2 is pairGeneric; see there.
//
//go:noescape
func pair32AVX2(g, d, diag []float64, k []float32, m, kii float64, best *Best, first int)

// pair64AVX2 is pairGeneric; see there.
//
//go:noescape
func pair64AVX2(g, d, diag []float64, k []float64, m, kii float64, best *Best, first int)
