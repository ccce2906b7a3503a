//go:build !noasm

package level2

import "github.com/gramworks/gram/num"

// The matrix kernels call dot and axpy for each row.

func gerNEON[F num.Float](a []F, lda int, x, y []F, alpha F) {
	for i, v := range x {
		axpyNEON(a[i*lda:][:len(y)], y, alpha*v)
	}
}

func gemvNNEON[F num.Float](y, a []F, lda int, x []F, alpha F) {
	for i := range y {
		y[i] += F(alpha * dot(x, a[i*lda:][:len(x)]))
	}
}

func gemvTNEON[F num.Float](y, a []F, lda int, x []F, alpha F) {
	for i, v := range x {
		axpyNEON(y, a[i*lda:][:len(y)], alpha*v)
	}
}
