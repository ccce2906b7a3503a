//go:build !noasm

package level2

import "github.com/gramworks/gram/asm/cpu"

var levels = []cpu.Level{cpu.NEON}

// Matrix kernels go row by row through dot and axpy.

func dot64(x, y []float64) float64 {
	if cpu.Current() >= cpu.NEON {
		return dot64NEON(x, y)
	}
	return dotGeneric(x, y)
}

func scale64(x []float64, alpha float64) {
	if cpu.Current() >= cpu.NEON {
		scale64NEON(x, alpha)
		return
	}
	scaleGeneric(x, alpha)
}

func ger64(a []float64, lda int, x, y []float64, alpha float64) {
	if cpu.Current() < cpu.NEON {
		gerGeneric(a, lda, x, y, alpha)
		return
	}
	for i, v := range x {
		axpy64NEON(a[i*lda:][:len(y)], y, alpha*v)
	}
}

func gemvN64(y, a []float64, lda int, x []float64, alpha float64) {
	if cpu.Current() < cpu.NEON {
		gemvNGeneric(y, a, lda, x, alpha)
		return
	}
	for i := range y {
		y[i] += float64(alpha * dot64NEON(x, a[i*lda:][:len(x)]))
	}
}

func gemvT64(y, a []float64, lda int, x []float64, alpha float64) {
	if cpu.Current() < cpu.NEON {
		gemvTGeneric(y, a, lda, x, alpha)
		return
	}
	for i, v := range x {
		axpy64NEON(y, a[i*lda:][:len(y)], alpha*v)
	}
}

//go:noescape
func dot64NEON(x, y []float64) float64

//go:noescape
func scale64NEON(x []float64, alpha float64)

//go:noescape
func axpy64NEON(y, x []float64, alpha float64)

func dot32(x, y []float32) float32 {
	if cpu.Current() >= cpu.NEON {
		return dot32NEON(x, y)
	}
	return dotGeneric(x, y)
}

func scale32(x []float32, alpha float32) {
	if cpu.Current() >= cpu.NEON {
		scale32NEON(x, alpha)
		return
	}
	scaleGeneric(x, alpha)
}

func ger32(a []float32, lda int, x, y []float32, alpha float32) {
	if cpu.Current() < cpu.NEON {
		gerGeneric(a, lda, x, y, alpha)
		return
	}
	for i, v := range x {
		axpy32NEON(a[i*lda:][:len(y)], y, alpha*v)
	}
}

func gemvN32(y, a []float32, lda int, x []float32, alpha float32) {
	if cpu.Current() < cpu.NEON {
		gemvNGeneric(y, a, lda, x, alpha)
		return
	}
	for i := range y {
		y[i] += float32(alpha * dot32NEON(x, a[i*lda:][:len(x)]))
	}
}

func gemvT32(y, a []float32, lda int, x []float32, alpha float32) {
	if cpu.Current() < cpu.NEON {
		gemvTGeneric(y, a, lda, x, alpha)
		return
	}
	for i, v := range x {
		axpy32NEON(y, a[i*lda:][:len(y)], alpha*v)
	}
}

//go:noescape
func dot32NEON(x, y []float32) float32

//go:noescape
func scale32NEON(x []float32, alpha float32)

//go:noescape
func axpy32NEON(y, x []float32, alpha float32)
