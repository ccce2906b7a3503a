//go:build !noasm

package vec

import "github.com/gramworks/gram/asm/cpu"

func sincos64(sin, cos, src []float64) (large bool) {
	if cpu.Current() >= cpu.NEON {
		return sincos64U10NEON(sin, cos, src)
	}
	return sincos64Generic(sin, cos, src)
}

func sincos32(sin, cos, src []float32) (large bool) {
	if cpu.Current() >= cpu.NEON {
		return sincos32U10NEON(sin, cos, src)
	}
	return sincos32Generic(sin, cos, src)
}

//go:noescape
func sincos64U10NEON(sin, cos, src []float64) (large bool)

//go:noescape
func sincos32U10NEON(sin, cos, src []float32) (large bool)
