package level2

import "github.com/gramworks/gram/num"

// The generic variants round every product before they add it.

func dotGeneric[F num.Float](x, y []F) F {
	var s0, s1, s2, s3 F // a single sum would wait for each addition
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

func symvGeneric[F num.Float](a []F, lda int, x, y []F, xr, s *[4]F) {
	n := len(x)
	a0, a1, a2, a3 := a[:n], a[lda:][:n], a[2*lda:][:n], a[3*lda:][:n]
	y = y[:n]
	x0, x1, x2, x3 := xr[0], xr[1], xr[2], xr[3]
	var s0, s1, s2, s3 F
	for j, v := range x {
		v0, v1, v2, v3 := a0[j], a1[j], a2[j], a3[j]
		s0 += F(v0 * v)
		s1 += F(v1 * v)
		s2 += F(v2 * v)
		s3 += F(v3 * v)
		y[j] += F(x0*v0) + F(x1*v1) + F(x2*v2) + F(x3*v3)
	}
	*s = [4]F{s0, s1, s2, s3}
}

// symvRowsGeneric also serves four rows that are too long for one call of assembly.
func symvRowsGeneric[F num.Float](a []F, lda, first, rows int, x, y []F, lower bool) {
	n := len(x)
	for i := first; i < first+rows; i += 4 {
		row := a[(i-first)*lda:]
		if lower {
			add4(y[i:], Symv4(row, lda, x[:i], y[:i], (*[4]F)(x[i:])))
		} else if i+4 < n {
			add4(y[i:], Symv4(row[i+4:], lda, x[i+4:], y[i+4:], (*[4]F)(x[i:])))
		}
		smallSymv(4, row[i:], lda, x[i:], y[i:], lower)
	}
}

func add4[F num.Float](y []F, s [4]F) {
	for r, v := range s {
		y[r] += v
	}
}

// smallSymv adds A·x to y for a small symmetric matrix.
func smallSymv[F num.Float](n int, a []F, lda int, x, y []F, lower bool) {
	for i := range n {
		y[i] += F(a[i*lda+i] * x[i])
		lo, hi := i+1, n
		if lower {
			lo, hi = 0, i
		}
		for j := lo; j < hi; j++ {
			v := a[i*lda+j]
			y[i] += F(v * x[j])
			y[j] += F(v * x[i])
		}
	}
}

func substituteGeneric[F num.Float](b []F, ldb, n, k int, t []F, rs, cs int, d *[8]F, back bool) {
	for s := range 8 {
		i, first, step := s, 0, 1 // row of t, first row of b in the sum
		row := k + s
		if back {
			i, first, step = 7-s, k+7, -1
			row = i
		}
		x := b[row*ldb:][:n]
		for q := first; q != row; q += step {
			axpyGeneric(-t[i*rs+q*cs], b[q*ldb:][:n], x)
		}
		scaleGeneric(x, d[i])
	}
}

// reversed returns the scales of substitution from the last row on.
func reversed[F num.Float](d *[8]F) (r [8]F) {
	for i, v := range d {
		r[7-i] = v
	}
	return r
}

func reflectGeneric[F num.Float](x, y, z []F, a, b, tau F) {
	y, z = y[:len(x)], z[:len(x)]
	for j, p := range x {
		q, r := y[j], z[j]
		s := tau * (p + (F(a*q) + F(b*r)))
		x[j] = p - s
		y[j] = q - F(a*s)
		z[j] = r - F(b*s)
	}
}

// firstRow returns where the first row of rotateRows stands and the distance from there
// to the next.
func firstRow(rotations, lda int, back bool) (first, step int) {
	if back {
		return rotations * lda, -lda
	}
	return 0, lda
}

func rotateRowsGeneric[F num.Float](a []F, lda, n int, c, s []F, back bool) {
	at, step := firstRow(len(c), lda, back)
	for k, co := range c {
		si, x, y := s[k], a[at:][:n], a[at+step:][:n]
		for j, p := range x {
			q := y[j]
			x[j], y[j] = F(co*p)+F(si*q), F(co*q)-F(si*p)
		}
		at += step
	}
}
