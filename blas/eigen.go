package blas

import (
	"math"

	"gonum.org/v1/gonum/lapack"
)

// leastEigen is the order below which eigenvalues are left to gonum.
const leastEigen = 8

// Dgeev computes the eigenvalues wr + i·wi of the n×n matrix A and, as jobvl and
// jobvr say, its left and right eigenvectors in the columns of vl and vr: columns
// j and j+1 are the real and imaginary part for a pair of conjugate values.
// Vectors have norm 1 and a real largest component. A is balanced, reduced to
// Hessenberg form, and taken to Schur form by sweeps with many shifts and early
// deflation.
//
// It returns 0, or the number of the first values that have not been found; no
// vectors are computed then. It takes about 10·n³ flops for the values, 25·n³ with
// vectors, and cannot be interrupted. Beyond work it uses 2·n² numbers.
func (l nativeLapack) Dgeev(jobvl lapack.LeftEVJob, jobvr lapack.RightEVJob, n int, a []float64, lda int, wr, wi []float64, vl []float64, ldvl int, vr []float64, ldvr int, work []float64, lwork int) (first int) {
	left, right := jobvl == lapack.LeftEVCompute, jobvr == lapack.RightEVCompute
	fit := n >= leastEigen && (left || jobvl == lapack.LeftEVNone) && (right || jobvr == lapack.RightEVNone) && fits(n, n, a, lda) &&
		len(wr) == n && len(wi) == n && ldvl >= 1 && ldvr >= 1 && (!left || fits(n, n, vl, ldvl)) && (!right || fits(n, n, vr, ldvr)) &&
		hasWork(4*n, work, lwork)
	if fit {
		// matrices near the ends of the range have to be scaled
		norm := l.Dlange(lapack.MaxAbs, n, n, a, lda, nil)
		fit = norm > 0x1p-400 && norm < 0x1p400
	}
	if !fit {
		return l.Implementation.Dgeev(jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork)
	}
	f := implementation{b: l.b}
	balance, tau := work[:n], work[n:2*n-1]
	lo, hi := l.Dgebal(lapack.PermuteScale, n, a, lda, balance)
	l.Dgehrd(n, lo, hi, a, lda, tau, work[2*n:], lwork-2*n)

	c := schurForm{f: f, n: n, h: a, ldh: lda, wantForm: left || right}
	order := hi - lo
	q := orthogonal{n: order, k: order, a: a[min(lo+1, n-1)*lda+lo:], lda: lda, tau: tau[lo:hi]}
	space := max(schurSpace(n), 5*n)
	if c.wantForm {
		space = max(space, q.space(order))
	}
	buf := take[float64](space)
	defer give(buf)
	if c.wantForm {
		if c.z, c.ldz = vr, ldvr; !right {
			c.z, c.ldz = vl, ldvl
		}
		for i := range n {
			row := c.z[i*c.ldz:][:n]
			clear(row)
			row[i] = 1
		}
		if order > 0 {
			q.form(f, order, c.z[(lo+1)*c.ldz+lo+1:], c.ldz, *buf)
		}
	}
	for i := 2; i < n; i++ {
		clear(a[i*lda:][:i-1])
	}
	for i := range n {
		if i < lo || i > hi {
			wr[i], wi[i] = a[i*lda+i], 0
		}
	}
	if first = c.iterate(lo, hi, wr, wi, *buf); first > 0 || !c.wantForm {
		return first
	}
	side := lapack.EVRight
	switch {
	case left && right:
		side = lapack.EVBoth
		for i := range n {
			copy(vl[i*ldvl:][:n], vr[i*ldvr:])
		}
	case left:
		side = lapack.EVLeft
	}
	l.Dtrevc3(side, lapack.EVAllMulQ, nil, n, a, lda, vl, ldvl, vr, ldvr, n, work[n:], min(lwork-n, n+2*n*eigenvectorsTogether))
	if left {
		l.Dgebak(lapack.PermuteScale, lapack.EVLeft, n, lo, hi, balance, n, vl, ldvl)
		normalizeEigen(n, wi, vl, ldvl, *buf)
	}
	if right {
		l.Dgebak(lapack.PermuteScale, lapack.EVRight, n, lo, hi, balance, n, vr, ldvr)
		normalizeEigen(n, wi, vr, ldvr, *buf)
	}
	work[0] = float64(lwork)
	return 0
}

// eigenvectorsTogether is how many eigenvectors Dtrevc3 computes between two products. Its
// substitution goes down columns of a matrix with twice as many: the distance of their
// elements is 256 bytes. With the 1 KiB or more of its own choice columns of 300 rows
// share so few places of L1 that eigenvectors of order 300 take a fifth longer.
const eigenvectorsTogether = 16

// normalizeEigen scales eigenvectors, columns of v, to norm 1 and turns complex
// ones so that their largest component is real. space holds 5·n numbers.
func normalizeEigen(n int, wi []float64, v []float64, ldv int, space []float64) {
	clear(space[:5*n])
	scale, norm, top, cosine, sine := space[:n], space[n:2*n], space[2*n:3*n], space[3*n:4*n], space[4*n:5*n]
	row := func(i int) []float64 { return v[i*ldv:][:n] }
	for i := range n {
		for j, x := range row(i) {
			if wi[j] < 0 {
				j-- // the imaginary part of a pair
			}
			scale[j] = max(scale[j], math.Abs(x))
		}
	}
	at := make([]int, n) // row of the largest component
	for i := range n {
		r := row(i)
		for j := 0; j < n; j++ {
			x := r[j] / scale[j]
			s, k := x*x, j
			if wi[j] != 0 {
				j++
				y := r[j] / scale[k]
				s += y * y
			}
			norm[k] += s
			if s > top[k] {
				top[k], at[k] = s, i
			}
		}
	}
	for j := 0; j < n; j++ {
		cosine[j] = 1 / (scale[j] * math.Sqrt(norm[j]))
		if wi[j] != 0 {
			r := row(at[j])
			co, si, _ := lapackGonum.Dlartg(r[j], r[j+1])
			cosine[j], sine[j] = cosine[j]*co, cosine[j]*si
			j++
		}
	}
	for i := range n {
		r := row(i)
		for j := 0; j < n; j++ {
			x := r[j]
			if wi[j] == 0 {
				r[j] = cosine[j] * x
				continue
			}
			y := r[j+1]
			r[j], r[j+1] = cosine[j]*x+sine[j]*y, cosine[j]*y-sine[j]*x
			if i == at[j] {
				r[j+1] = 0
			}
			j++
		}
	}
}
