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

func dotIncGeneric[F num.Float](n int, x []F, incX int, y []F, incY int) F {
	var s0, s1 F
	ix, iy := start(n, incX), start(n, incY)
	for ; n >= 2; n -= 2 {
		s0 += F(x[ix] * y[iy])
		s1 += F(x[ix+incX] * y[iy+incY])
		ix += 2 * incX
		iy += 2 * incY
	}
	if n > 0 {
		s0 += F(x[ix] * y[iy])
	}
	return s0 + s1
}

func axpyGeneric[F num.Float](alpha F, x, y []F) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += F(alpha * v)
	}
}

func axpyIncGeneric[F num.Float](n int, alpha F, x []F, incX int, y []F, incY int) {
	ix, iy := start(n, incX), start(n, incY)
	for range n {
		y[iy] += F(alpha * x[ix])
		ix += incX
		iy += incY
	}
}

func scaleGeneric[F num.Float](x []F, alpha F) {
	for i := range x {
		x[i] *= alpha
	}
}

func scaleIncGeneric[F num.Float](n int, alpha F, x []F, inc int) {
	for i := range n {
		x[i*inc] *= alpha
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
