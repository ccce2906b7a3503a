package level2

import "github.com/gramworks/gram/num"

// The generic variants round every product before the sum.

func dotGeneric[F num.Float](x, y []F) F {
	var s0, s1, s2, s3 F // four sums: one would wait for each addition
	y = y[:len(x)]
	for len(x) >= 4 {
		s0 += F(x[0] * y[0])
		s1 += F(x[1] * y[1])
		s2 += F(x[2] * y[2])
		s3 += F(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += F(v * y[i])
	}
	return (s0 + s1) + (s2 + s3)
}

func axpyGeneric[F num.Float](alpha F, x, y []F) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += F(alpha * v)
	}
}

func scaleGeneric[F num.Float](x []F, alpha F) {
	for i := range x {
		x[i] *= alpha
	}
}

func gerGeneric[F num.Float](a []F, lda int, x, y []F, alpha F) {
	for i, v := range x {
		axpyGeneric(alpha*v, y, a[i*lda:])
	}
}

func gemvNGeneric[F num.Float](y, a []F, lda int, x []F, alpha F) {
	for i := range y {
		y[i] += F(alpha * dotGeneric(x, a[i*lda:]))
	}
}

func gemvTGeneric[F num.Float](y, a []F, lda int, x []F, alpha F) {
	for i, v := range x {
		axpyGeneric(alpha*v, a[i*lda:][:len(y)], y)
	}
}
