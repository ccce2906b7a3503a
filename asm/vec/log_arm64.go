//go:build !noasm

package vec

import "github.com/gramworks/gram/asm/cpu"

func log64(dst, src []float64) {
	if cpu.Current() >= cpu.NEON {
		log64U10NEON(dst, src)
		return
	}
	log64Generic(dst, src)
}

func log32(dst, src []float32) {
	if cpu.Current() >= cpu.NEON {
		log32U10NEON(dst, src)
		return
	}
	log32Generic(dst, src)
}

//go:noescape
func log64U10NEON(dst, src []float64)

//go:noescape
func log32U10NEON(dst, src []float32)
