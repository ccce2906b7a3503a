//go:build !noasm

package chol

import (
	"math"
	"unsafe"

	"github.com/gramworks/gram/num"
)

// wide reports whether Rotate of n columns is faster on AVX-512, with the given
// number of lanes, than on AVX2. The limits were measured for orders of 16 to 1024
// on Sapphire Rapids, the upper limit on a Zen 4: longer rows of float64 come from further away
// than the second-level cache, and wide loads and stores take 1.6 times as long there.
func wide(kind Kind, n, stride, lanes int) bool {
	alike := stride%lanes == 0 // all rows begin at the same place in a cache line
	switch {
	case kind != Downdate:
		return n >= 8*lanes && (lanes == 16 || alike && n < 32*lanes)
	case alike:
		return n >= 20*lanes
	}
	return n >= 32*lanes
}

// rotateLowerAVX512 calls assembly for as many rows of float64 as are a multiple of
// eight, and AVX2 for the rest.
func rotateLowerAVX512[F num.Float](kind Kind, l []F, stride int, w []F, r *Rotations[F]) {
	n := len(w) &^ 7
	rotateLowerVectorsAVX512(kind, l, stride, w[:n], r)
	if n < len(w) {
		rotateLowerAVX2(kind, l[n*stride:], stride, w[n:], r)
	}
}

// rotateLowerAVX2 calls assembly for the rows that fill vectors, and Go for the rest.
func rotateLowerAVX2[F num.Float](kind Kind, l []F, stride int, w []F, r *Rotations[F]) {
	n := len(w) &^ (32/int(unsafe.Sizeof(F(0))) - 1)
	if n > 0 {
		rotateLowerVectorsAVX2(kind, l, stride, w[:n], r)
	}
	if n < len(w) {
		rotateLowerGeneric(kind, l[n*stride:], stride, w[n:], r)
	}
}

// sweep64AVX2 calls assembly for eight, four or one rows at a time and for all
// columns except the first len(w)%4, which Go computes.
func sweep64AVX2(b []float64, n, stride int, w, d, c []float64) {
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
