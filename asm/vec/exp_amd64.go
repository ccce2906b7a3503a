//go:build !noasm

package vec

import "github.com/gramworks/gram/asm/cpu"

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

func exp64(dst, src []float64, f factor[float64]) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		exp64U10AVX512(dst, src, f.hi, f.lo, f.cut)
	case l >= cpu.AVX2:
		exp64U10AVX2(dst, src, f.hi, f.lo, f.cut)
	default:
		exp64Generic(dst, src, f.scale, f.cut)
	}
}

func exp32(dst, src []float32, f factor[float32]) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		exp32U10AVX512(dst, src, f.hi, f.lo, f.cut)
	case l >= cpu.AVX2:
		exp32U10AVX2(dst, src, f.hi, f.lo, f.cut)
	default:
		exp32Generic(dst, src, f.scale, f.cut)
	}
}

//go:noescape
func exp64U10AVX2(dst, src []float64, hi, lo, cut float64)

//go:noescape
func exp32U10AVX2(dst, src []float32, hi, lo, cut float32)

//go:noescape
func exp64U10AVX512(dst, src []float64, hi, lo, cut float64)

//go:noescape
func exp32U10AVX512(dst, src []float32, hi, lo, cut float32)
