//go:build !noasm

package level2

import "github.com/gramworks/gram/asm/cpu"

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

func dot64(x, y []float64) float64 {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return dot64AVX512(x, y)
	case l >= cpu.AVX2:
		return dot64AVX2(x, y)
	default:
		return dotGeneric(x, y)
	}
}

func dot32(x, y []float32) float32 {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		return dot32AVX512(x, y)
	case l >= cpu.AVX2:
		return dot32AVX2(x, y)
	default:
		return dotGeneric(x, y)
	}
}

func scale64(x []float64, alpha float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		scale64AVX512(x, alpha)
	case l >= cpu.AVX2:
		scale64AVX2(x, alpha)
	default:
		scaleGeneric(x, alpha)
	}
}

func scale32(x []float32, alpha float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		scale32AVX512(x, alpha)
	case l >= cpu.AVX2:
		scale32AVX2(x, alpha)
	default:
		scaleGeneric(x, alpha)
	}
}

func ger64(a []float64, lda int, x, y []float64, alpha float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		ger64AVX512(a, lda, x, y, alpha)
	case l >= cpu.AVX2:
		ger64AVX2(a, lda, x, y, alpha)
	default:
		gerGeneric(a, lda, x, y, alpha)
	}
}

func ger32(a []float32, lda int, x, y []float32, alpha float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		ger32AVX512(a, lda, x, y, alpha)
	case l >= cpu.AVX2:
		ger32AVX2(a, lda, x, y, alpha)
	default:
		gerGeneric(a, lda, x, y, alpha)
	}
}

func gemvN64(y, a []float64, lda int, x []float64, alpha float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		gemvN64AVX512(y, a, lda, x, alpha)
	case l >= cpu.AVX2:
		gemvN64AVX2(y, a, lda, x, alpha)
	default:
		gemvNGeneric(y, a, lda, x, alpha)
	}
}

func gemvN32(y, a []float32, lda int, x []float32, alpha float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		gemvN32AVX512(y, a, lda, x, alpha)
	case l >= cpu.AVX2:
		gemvN32AVX2(y, a, lda, x, alpha)
	default:
		gemvNGeneric(y, a, lda, x, alpha)
	}
}

func gemvT64(y, a []float64, lda int, x []float64, alpha float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		gemvT64AVX512(y, a, lda, x, alpha)
	case l >= cpu.AVX2:
		gemvT64AVX2(y, a, lda, x, alpha)
	default:
		gemvTGeneric(y, a, lda, x, alpha)
	}
}

func gemvT32(y, a []float32, lda int, x []float32, alpha float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		gemvT32AVX512(y, a, lda, x, alpha)
	case l >= cpu.AVX2:
		gemvT32AVX2(y, a, lda, x, alpha)
	default:
		gemvTGeneric(y, a, lda, x, alpha)
	}
}

//go:noescape
func dot64AVX2(x, y []float64) float64

//go:noescape
func dot64AVX512(x, y []float64) float64

//go:noescape
func dot32AVX2(x, y []float32) float32

//go:noescape
func dot32AVX512(x, y []float32) float32

//go:noescape
func scale64AVX2(x []float64, alpha float64)

//go:noescape
func scale64AVX512(x []float64, alpha float64)

//go:noescape
func scale32AVX2(x []float32, alpha float32)

//go:noescape
func scale32AVX512(x []float32, alpha float32)

//go:noescape
func ger64AVX2(a []float64, lda int, x, y []float64, alpha float64)

//go:noescape
func ger64AVX512(a []float64, lda int, x, y []float64, alpha float64)

//go:noescape
func ger32AVX2(a []float32, lda int, x, y []float32, alpha float32)

//go:noescape
func ger32AVX512(a []float32, lda int, x, y []float32, alpha float32)

//go:noescape
func gemvN64AVX2(y, a []float64, lda int, x []float64, alpha float64)

//go:noescape
func gemvN64AVX512(y, a []float64, lda int, x []float64, alpha float64)

//go:noescape
func gemvN32AVX2(y, a []float32, lda int, x []float32, alpha float32)

//go:noescape
func gemvN32AVX512(y, a []float32, lda int, x []float32, alpha float32)

//go:noescape
func gemvT64AVX2(y, a []float64, lda int, x []float64, alpha float64)

//go:noescape
func gemvT64AVX512(y, a []float64, lda int, x []float64, alpha float64)

//go:noescape
func gemvT32AVX2(y, a []float32, lda int, x []float32, alpha float32)

//go:noescape
func gemvT32AVX512(y, a []float32, lda int, x []float32, alpha float32)
