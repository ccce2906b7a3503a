//go:build !noasm

package chol

import (
	"math"

	"github.com/gramworks/gram/asm/cpu"
)

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
func sweepPanel64AVX2(b []float64, n, stride int, w, d, c []float64, s *[8]float64)

//go:noescape
func sweepRow64AVX2(b, w, d, c []float64, s *[8]float64)

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
		sweepPanels64(b, n, stride, w, d, c)
	default:
		sweepGeneric(b, n, stride, w, d, c)
	}
}

// sweepPanels64 gives assembly eight rows, four or one at a time and the columns
// right of the first len(w)%4.
func sweepPanels64(b []float64, n, stride int, w, d, c []float64) {
	left := len(w) % 4
	for n > 0 {
		m := 1
		switch {
		case n >= 8:
			m = 8
		case n >= 4:
			m = 4
		}
		var s [8]float64
		switch {
		case len(w) < 4:
		case m == 1:
			sweepRow64AVX2(b[left:], w[left:], d[left:], c[left:], &s)
		default:
			sweepPanel64AVX2(b[left:], m, stride, w[left:], d[left:], c[left:], &s)
		}
		for i := 0; left > 0 && i < m; i++ {
			row := b[i*stride:][:left]
			for j := left - 1; j >= 0; j-- {
				v := row[j]
				row[j] = math.FMA(c[j], s[i], d[j]*v)
				s[i] = math.FMA(w[j], v, s[i])
			}
		}
		if n -= m; n > 0 {
			b = b[m*stride:]
		}
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
