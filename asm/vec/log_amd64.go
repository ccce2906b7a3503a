//go:build !noasm

package vec

import "github.com/gramworks/gram/asm/cpu"

func log64(dst, src []float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		log64U10AVX512(dst, src)
	case l >= cpu.AVX2:
		log64U10AVX2(dst, src)
	default:
		log64Generic(dst, src)
	}
}

func log32(dst, src []float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		log32U10AVX512(dst, src)
	case l >= cpu.AVX2:
		log32U10AVX2(dst, src)
	default:
		log32Generic(dst, src)
	}
}

//go:noescape
func log64U10AVX2(dst, src []float64)

//go:noescape
func log32U10AVX2(dst, src []float32)

//go:noescape
func log64U10AVX512(dst, src []float64)

//go:noescape
func log32U10AVX512(dst, src []float32)
