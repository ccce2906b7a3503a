//go:build !noasm

package vec

import "github.com/gramworks/gram/asm/cpu"

var levels = []cpu.Level{cpu.NEON}

func exp64(dst, src []float64, f factor[float64]) {
	if cpu.Current() >= cpu.NEON {
		exp64U10NEON(dst, src, f.hi, f.lo, f.cut)
		return
	}
	exp64Generic(dst, src, f.scale, f.cut)
}

func exp32(dst, src []float32, f factor[float32]) {
	if cpu.Current() >= cpu.NEON {
		exp32U10NEON(dst, src, f.hi, f.lo, f.cut)
		return
	}
	exp32Generic(dst, src, f.scale, f.cut)
}

//go:noescape
func exp64U10NEON(dst, src []float64, hi, lo, cut float64)

//go:noescape
func exp32U10NEON(dst, src []float32, hi, lo, cut float32)
