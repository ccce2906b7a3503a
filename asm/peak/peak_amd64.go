//go:build !noasm

package peak

import "github.com/gramworks/gram/asm/cpu"

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

//go:noescape
func fma32AVX2(x []float32, a, b float32, rounds int)

//go:noescape
func fma32AVX512(x []float32, a, b float32, rounds int)

func fma32(x []float32, a, b float32, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		fma32AVX512(x, a, b, rounds)
	case l >= cpu.AVX2:
		for ; len(x) > 0; x = x[96:] {
			fma32AVX2(x[:96], a, b, rounds)
		}
	default:
		fmaGeneric(x, a, four(b), rounds)
	}
}

//go:noescape
func fma64AVX2(x []float64, a, b float64, rounds int)

//go:noescape
func fma64AVX512(x []float64, a, b float64, rounds int)

func fma64(x []float64, a, b float64, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		fma64AVX512(x, a, b, rounds)
	case l >= cpu.AVX2:
		for ; len(x) > 0; x = x[48:] {
			fma64AVX2(x[:48], a, b, rounds)
		}
	default:
		fmaGeneric(x, a, four(b), rounds)
	}
}

//go:noescape
func add32AVX2(x []float32, b float32, rounds int)

//go:noescape
func add32AVX512(x []float32, b float32, rounds int)

func add32(x []float32, b float32, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		add32AVX512(x, b, rounds)
	case l >= cpu.AVX2:
		for ; len(x) > 0; x = x[96:] {
			add32AVX2(x[:96], b, rounds)
		}
	default:
		addGeneric(x, b, rounds)
	}
}

//go:noescape
func add64AVX2(x []float64, b float64, rounds int)

//go:noescape
func add64AVX512(x []float64, b float64, rounds int)

func add64(x []float64, b float64, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		add64AVX512(x, b, rounds)
	case l >= cpu.AVX2:
		for ; len(x) > 0; x = x[48:] {
			add64AVX2(x[:48], b, rounds)
		}
	default:
		addGeneric(x, b, rounds)
	}
}

//go:noescape
func mix32AVX2(x []float32, a, b float32, rounds int)

//go:noescape
func mix32AVX512(x []float32, a, b float32, rounds int)

func mix32(x []float32, a, b float32, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		mix32AVX512(x, a, b, rounds)
	case l >= cpu.AVX2:
		for ; len(x) > 0; x = x[96:] {
			mix32AVX2(x[:96], a, b, rounds)
		}
	default:
		mixGeneric(x, a, four(b), rounds)
	}
}

//go:noescape
func mix64AVX2(x []float64, a, b float64, rounds int)

//go:noescape
func mix64AVX512(x []float64, a, b float64, rounds int)

func mix64(x []float64, a, b float64, rounds int) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		mix64AVX512(x, a, b, rounds)
	case l >= cpu.AVX2:
		for ; len(x) > 0; x = x[48:] {
			mix64AVX2(x[:48], a, b, rounds)
		}
	default:
		mixGeneric(x, a, four(b), rounds)
	}
}

//go:noescape
func sum32AVX2(x []float32) float32

//go:noescape
func sum32AVX512(x []float32) float32

func sum32(x []float32) float32 {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return sum32AVX512(x)
	case l >= cpu.AVX2:
		return sum32AVX2(x)
	default:
		return sumGeneric(x)
	}
}

//go:noescape
func sum64AVX2(x []float64) float64

//go:noescape
func sum64AVX512(x []float64) float64

func sum64(x []float64) float64 {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return sum64AVX512(x)
	case l >= cpu.AVX2:
		return sum64AVX2(x)
	default:
		return sumGeneric(x)
	}
}

//go:noescape
func copy32AVX2(dst, src []float32)

//go:noescape
func copy32AVX512(dst, src []float32)

func copy32(dst, src []float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		copy32AVX512(dst, src)
	case l >= cpu.AVX2:
		copy32AVX2(dst, src)
	default:
		copyGeneric(dst, src)
	}
}

//go:noescape
func copy64AVX2(dst, src []float64)

//go:noescape
func copy64AVX512(dst, src []float64)

func copy64(dst, src []float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		copy64AVX512(dst, src)
	case l >= cpu.AVX2:
		copy64AVX2(dst, src)
	default:
		copyGeneric(dst, src)
	}
}

//go:noescape
func shift32AVX2(x []float32, b float32)

//go:noescape
func shift32AVX512(x []float32, b float32)

func shift32(x []float32, b float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		shift32AVX512(x, b)
	case l >= cpu.AVX2:
		shift32AVX2(x, b)
	default:
		shiftGeneric(x, b)
	}
}

//go:noescape
func shift64AVX2(x []float64, b float64)

//go:noescape
func shift64AVX512(x []float64, b float64)

func shift64(x []float64, b float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		shift64AVX512(x, b)
	case l >= cpu.AVX2:
		shift64AVX2(x, b)
	default:
		shiftGeneric(x, b)
	}
}

//go:noescape
func fill32AVX2(dst []float32, v float32)

//go:noescape
func fill32AVX512(dst []float32, v float32)

func fill32(dst []float32, v float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		fill32AVX512(dst, v)
	case l >= cpu.AVX2:
		fill32AVX2(dst, v)
	default:
		fillGeneric(dst, v)
	}
}

//go:noescape
func fill64AVX2(dst []float64, v float64)

//go:noescape
func fill64AVX512(dst []float64, v float64)

func fill64(dst []float64, v float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		fill64AVX512(dst, v)
	case l >= cpu.AVX2:
		fill64AVX2(dst, v)
	default:
		fillGeneric(dst, v)
	}
}

//go:noescape
func stream32AVX2(dst []float32, v float32)

//go:noescape
func stream32AVX512(dst []float32, v float32)

func stream32(dst []float32, v float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		stream32AVX512(dst, v)
	case l >= cpu.AVX2:
		stream32AVX2(dst, v)
	default:
		fillGeneric(dst, v)
	}
}

//go:noescape
func stream64AVX2(dst []float64, v float64)

//go:noescape
func stream64AVX512(dst []float64, v float64)

func stream64(dst []float64, v float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		stream64AVX512(dst, v)
	case l >= cpu.AVX2:
		stream64AVX2(dst, v)
	default:
		fillGeneric(dst, v)
	}
}
