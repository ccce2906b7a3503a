//go:build !noasm

package dist

import "github.com/gramworks/gram/asm/cpu"

var levels = []cpu.Level{cpu.NEON}

func squared64(dst, x, z []float64, ld int) {
	if cpu.Current() >= cpu.NEON {
		squared64NEON(dst, x, z, ld)
		return
	}
	squaredGeneric(dst, x, z, ld)
}

func squared32(dst, x, z []float32, ld int) {
	if cpu.Current() >= cpu.NEON {
		squared32NEON(dst, x, z, ld)
		return
	}
	squaredGeneric(dst, x, z, ld)
}

func abs64(dst, x, z []float64, ld int) {
	if cpu.Current() >= cpu.NEON {
		abs64NEON(dst, x, z, ld)
		return
	}
	absGeneric(dst, x, z, ld)
}

func abs32(dst, x, z []float32, ld int) {
	if cpu.Current() >= cpu.NEON {
		abs32NEON(dst, x, z, ld)
		return
	}
	absGeneric(dst, x, z, ld)
}

//go:noescape
func squared64NEON(dst, x, z []float64, ld int)

//go:noescape
func squared32NEON(dst, x, z []float32, ld int)

//go:noescape
func abs64NEON(dst, x, z []float64, ld int)

//go:noescape
func abs32NEON(dst, x, z []float32, ld int)
