//go:build !noasm

package chol

import "github.com/gramworks/gram/asm/cpu"

var levels = []cpu.Level{cpu.AVX2, cpu.AVX512}

//go:noescape
func rotate64AVX2(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64])

//go:noescape
func rotate32AVX2(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32])

//go:noescape
func rotate64AVX512(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64])

//go:noescape
func rotate32AVX512(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32])

//go:noescape
func rotateLower64AVX2(kind Kind, l []float64, stride int, w []float64, r *Rotations[float64])

//go:noescape
func rotateLower32AVX2(kind Kind, l []float32, stride int, w []float32, r *Rotations[float32])

//go:noescape
func rotatePanel64AVX2(kind Kind, l []float64, stride int, w []float64, r []Rotations[float64])

//go:noescape
func sweep64AVX2(b []float64, n, stride int, w, d, c []float64)

//go:noescape
func sweep32AVX2(b []float32, n, stride int, w, d, c []float32)

//go:noescape
func sweep64AVX512(b []float64, n, stride int, w, d, c []float64)

//go:noescape
func sweep32AVX512(b []float32, n, stride int, w, d, c []float32)

func rotate64(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64]) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		rotate64AVX512(kind, u, stride, w, r)
	case l >= cpu.AVX2:
		rotate64AVX2(kind, u, stride, w, r)
	default:
		rotateGeneric(kind, u, stride, w, r)
	}
}

func rotate32(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32]) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		rotate32AVX512(kind, u, stride, w, r)
	case l >= cpu.AVX2:
		rotate32AVX2(kind, u, stride, w, r)
	default:
		rotateGeneric(kind, u, stride, w, r)
	}
}

// rotateLower64 gives assembly the rows up to a multiple of 4, the rest to Go.
func rotateLower64(kind Kind, l []float64, stride int, w []float64, r *Rotations[float64]) {
	n := 0
	if cpu.Current() >= cpu.AVX2 {
		if n = len(w) &^ 3; n > 0 {
			rotateLower64AVX2(kind, l, stride, w[:n], r)
		}
	}
	if n < len(w) {
		rotateLowerGeneric(kind, l[n*stride:], stride, w[n:], r)
	}
}

func rotatePanel64(kind Kind, l []float64, stride int, w []float64, r []Rotations[float64]) {
	if cpu.Current() >= cpu.AVX2 {
		rotatePanel64AVX2(kind, l, stride, w, r)
		return
	}
	rotatePanelGeneric(kind, l, stride, w, r)
}

// rotateLower32 gives assembly the rows up to a multiple of 8, the rest to Go.
func rotateLower32(kind Kind, l []float32, stride int, w []float32, r *Rotations[float32]) {
	n := 0
	if cpu.Current() >= cpu.AVX2 {
		if n = len(w) &^ 7; n > 0 {
			rotateLower32AVX2(kind, l, stride, w[:n], r)
		}
	}
	if n < len(w) {
		rotateLowerGeneric(kind, l[n*stride:], stride, w[n:], r)
	}
}

func sweep64(b []float64, n, stride int, w, d, c []float64) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		sweep64AVX512(b, n, stride, w, d, c)
	case l >= cpu.AVX2:
		sweep64AVX2(b, n, stride, w, d, c)
	default:
		sweepGeneric(b, n, stride, w, d, c)
	}
}

func sweep32(b []float32, n, stride int, w, d, c []float32) {
	switch l := cpu.Current(); {
	case l >= cpu.AVX512:
		sweep32AVX512(b, n, stride, w, d, c)
	case l >= cpu.AVX2:
		sweep32AVX2(b, n, stride, w, d, c)
	default:
		sweepGeneric(b, n, stride, w, d, c)
	}
}
