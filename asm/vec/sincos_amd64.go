//go:build !noasm

package vec

import "github.com/gramworks/gram/asm/cpu"

func sincos64(sin, cos, src []float64) (large bool) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return sincos64U10AVX512(sin, cos, src)
	case l >= cpu.AVX2:
		return sincos64U10AVX2(sin, cos, src)
	default:
		return sincos64Generic(sin, cos, src)
	}
}

func sincos32(sin, cos, src []float32) (large bool) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return sincos32U10AVX512(sin, cos, src)
	case l >= cpu.AVX2:
		return sincos32U10AVX2(sin, cos, src)
	default:
		return sincos32Generic(sin, cos, src)
	}
}

//go:noescape
func sincos64U10AVX2(sin, cos, src []float64) (large bool)

//go:noescape
func sincos32U10AVX2(sin, cos, src []float32) (large bool)

//go:noescape
func sincos64U10AVX512(sin, cos, src []float64) (large bool)

//go:noescape
func sincos32U10AVX512(sin, cos, src []float32) (large bool)
