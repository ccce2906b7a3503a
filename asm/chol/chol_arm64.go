//go:build !noasm

package chol

import "github.com/gramworks/gram/asm/cpu"

//go:generate go run github.com/gramworks/gram/internal/neon/gen

var levels = []cpu.Level{cpu.NEON}

//go:noescape
func rotate64NEON(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64])

//go:noescape
func rotate32NEON(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32])

//go:noescape
func rotateLower64NEON(kind Kind, l []float64, stride int, w []float64, r *Rotations[float64])

//go:noescape
func rotateLower32NEON(kind Kind, l []float32, stride int, w []float32, r *Rotations[float32])

//go:noescape
func sweep64NEON(b []float64, n, stride int, w, d, c []float64)

//go:noescape
func sweep32NEON(b []float32, n, stride int, w, d, c []float32)

// The rotations give assembly whole vectors, the rest to Go.

func rotate64(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64]) {
	n := 0
	if cpu.Current() >= cpu.NEON {
		if n = len(w) &^ 1; n > 0 {
			rotate64NEON(kind, u, stride, w[:n], r)
		}
	}
	if n < len(w) {
		rotateGeneric(kind, u[n:], stride, w[n:], r)
	}
}

func rotate32(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32]) {
	n := 0
	if cpu.Current() >= cpu.NEON {
		if n = len(w) &^ 3; n > 0 {
			rotate32NEON(kind, u, stride, w[:n], r)
		}
	}
	if n < len(w) {
		rotateGeneric(kind, u[n:], stride, w[n:], r)
	}
}

func rotateLower64(kind Kind, l []float64, stride int, w []float64, r *Rotations[float64]) {
	n := 0
	if cpu.Current() >= cpu.NEON {
		if n = len(w) &^ 1; n > 0 {
			rotateLower64NEON(kind, l, stride, w[:n], r)
		}
	}
	if n < len(w) {
		rotateLowerGeneric(kind, l[n*stride:], stride, w[n:], r)
	}
}

func rotateLower32(kind Kind, l []float32, stride int, w []float32, r *Rotations[float32]) {
	n := 0
	if cpu.Current() >= cpu.NEON {
		if n = len(w) &^ 3; n > 0 {
			rotateLower32NEON(kind, l, stride, w[:n], r)
		}
	}
	if n < len(w) {
		rotateLowerGeneric(kind, l[n*stride:], stride, w[n:], r)
	}
}

func sweep64(b []float64, n, stride int, w, d, c []float64) {
	if cpu.Current() >= cpu.NEON {
		sweep64NEON(b, n, stride, w, d, c)
		return
	}
	sweepGeneric(b, n, stride, w, d, c)
}

func sweep32(b []float32, n, stride int, w, d, c []float32) {
	if cpu.Current() >= cpu.NEON {
		sweep32NEON(b, n, stride, w, d, c)
		return
	}
	sweepGeneric(b, n, stride, w, d, c)
}

func rotatePanel64(kind Kind, l []float64, stride int, w []float64, r []Rotations[float64]) {
	for k := range r {
		rotateLower64(kind, l[4*k:], stride, w, &r[k])
	}
}
