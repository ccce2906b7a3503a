//go:generate go run github.com/gramworks/gram/internal/neon/gen

//go:build !noasm

package peak

import "github.com/gramworks/gram/asm/cpu"

var levels = []cpu.Level{cpu.NEON}

//go:noescape
func fma32NEON(x []float32, a, b float32, rounds int)

func fma32(x []float32, a, b float32, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		for ; len(x) > 0; x = x[96:] {
			fma32NEON(x[:96], a, b, rounds)
		}
	default:
		fmaGeneric(x, a, four(b), rounds)
	}
}

//go:noescape
func fma64NEON(x []float64, a, b float64, rounds int)

func fma64(x []float64, a, b float64, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		for ; len(x) > 0; x = x[48:] {
			fma64NEON(x[:48], a, b, rounds)
		}
	default:
		fmaGeneric(x, a, four(b), rounds)
	}
}

//go:noescape
func add32NEON(x []float32, b float32, rounds int)

func add32(x []float32, b float32, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		for ; len(x) > 0; x = x[96:] {
			add32NEON(x[:96], b, rounds)
		}
	default:
		addGeneric(x, b, rounds)
	}
}

//go:noescape
func add64NEON(x []float64, b float64, rounds int)

func add64(x []float64, b float64, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		for ; len(x) > 0; x = x[48:] {
			add64NEON(x[:48], b, rounds)
		}
	default:
		addGeneric(x, b, rounds)
	}
}

//go:noescape
func mix32NEON(x []float32, a, b float32, rounds int)

func mix32(x []float32, a, b float32, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		for ; len(x) > 0; x = x[96:] {
			mix32NEON(x[:96], a, b, rounds)
		}
	default:
		mixGeneric(x, a, four(b), rounds)
	}
}

//go:noescape
func mix64NEON(x []float64, a, b float64, rounds int)

func mix64(x []float64, a, b float64, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		for ; len(x) > 0; x = x[48:] {
			mix64NEON(x[:48], a, b, rounds)
		}
	default:
		mixGeneric(x, a, four(b), rounds)
	}
}

//go:noescape
func sum32NEON(x []float32) float32

func sum32(x []float32) float32 {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		return sum32NEON(x)
	default:
		return sumGeneric(x)
	}
}

//go:noescape
func sum64NEON(x []float64) float64

func sum64(x []float64) float64 {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		return sum64NEON(x)
	default:
		return sumGeneric(x)
	}
}

//go:noescape
func copy32NEON(dst, src []float32)

func copy32(dst, src []float32) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		copy32NEON(dst, src)
	default:
		copyGeneric(dst, src)
	}
}

//go:noescape
func copy64NEON(dst, src []float64)

func copy64(dst, src []float64) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		copy64NEON(dst, src)
	default:
		copyGeneric(dst, src)
	}
}

//go:noescape
func shift32NEON(x []float32, b float32)

func shift32(x []float32, b float32) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		shift32NEON(x, b)
	default:
		shiftGeneric(x, b)
	}
}

//go:noescape
func shift64NEON(x []float64, b float64)

func shift64(x []float64, b float64) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		shift64NEON(x, b)
	default:
		shiftGeneric(x, b)
	}
}

//go:noescape
func fill32NEON(dst []float32, v float32)

func fill32(dst []float32, v float32) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		fill32NEON(dst, v)
	default:
		fillGeneric(dst, v)
	}
}

//go:noescape
func fill64NEON(dst []float64, v float64)

func fill64(dst []float64, v float64) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		fill64NEON(dst, v)
	default:
		fillGeneric(dst, v)
	}
}

func stream32(dst []float32, v float32) { fill32(dst, v) }

func stream64(dst []float64, v float64) { fill64(dst, v) }
