//go:build !noasm

package chol

import (
	"unsafe"

	"github.com/gramworks/gram/num"
)

// The functions below call assembly for the columns or rows that fill vectors,
// and Go for the rest.

func rotateNEON[F num.Float](kind Kind, u []F, stride int, w []F, r *Rotations[F]) {
	n := len(w) &^ (16/int(unsafe.Sizeof(F(0))) - 1)
	if n > 0 {
		rotateVectorsNEON(kind, u, stride, w[:n], r)
	}
	if n < len(w) {
		rotateGeneric(kind, u[n:], stride, w[n:], r)
	}
}

func rotateLowerNEON[F num.Float](kind Kind, l []F, stride int, w []F, r *Rotations[F]) {
	n := len(w) &^ (16/int(unsafe.Sizeof(F(0))) - 1)
	if n > 0 {
		rotateLowerVectorsNEON(kind, l, stride, w[:n], r)
	}
	if n < len(w) {
		rotateLowerGeneric(kind, l[n*stride:], stride, w[n:], r)
	}
}
