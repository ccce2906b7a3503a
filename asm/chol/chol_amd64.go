//go:build !noasm

package chol

import (
	"math"
	"unsafe"

	"github.com/gramworks/gram/num"
)

// rotateLowerAVX2 gives assembly the rows that fill vectors, the rest to Go.
func rotateLowerAVX2[F num.Float](kind Kind, l []F, stride int, w []F, r *Rotations[F]) {
	n := len(w) &^ (32/int(unsafe.Sizeof(F(0))) - 1)
	if n > 0 {
		rotateLowerVectorsAVX2(kind, l, stride, w[:n], r)
	}
	if n < len(w) {
		rotateLowerGeneric(kind, l[n*stride:], stride, w[n:], r)
	}
}

// sweepAVX2 gives assembly eight rows of float64, four or one at a time and the
// columns right of the first len(w)%4.
func sweepAVX2[F num.Float](b []F, n, stride int, w, d, c []F) {
	left := len(w) % 4
	for n > 0 {
		m := 1
		switch {
		case n >= 8:
			m = 8
		case n >= 4:
			m = 4
		}
		var s [8]F
		switch {
		case len(w) < 4:
		case m == 1:
			sweepRowAVX2(b[left:], w[left:], d[left:], c[left:], &s)
		default:
			sweepPanelAVX2(b[left:], m, stride, w[left:], d[left:], c[left:], &s)
		}
		for i := 0; left > 0 && i < m; i++ {
			row := b[i*stride:][:left]
			for j := left - 1; j >= 0; j-- {
				v := row[j]
				row[j] = fma(c[j], s[i], d[j]*v)
				s[i] = fma(w[j], v, s[i])
			}
		}
		if n -= m; n > 0 {
			b = b[m*stride:]
		}
	}
}

func fma[F num.Float](x, y, z F) F { return F(math.FMA(float64(x), float64(y), float64(z))) }
