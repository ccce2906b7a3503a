package blas

import (
	"github.com/gramworks/gram/asm/level2"
	gblas "gonum.org/v1/gonum/blas"
)

// reflectorLeaf is how many columns of a panel, or of a whole matrix, are factored
// with products of matrices and vectors.
const reflectorLeaf = 16

// factorSpace is how many numbers factorQR takes, and factorLQ of an n×m matrix.
func factorSpace(m, n int) int {
	return min(m, n, reflectorBlock)*(m+2*n) + 2*reflectorBlock*reflectorLeaf
}

// factorFew factors the columns of a matrix that stand in the rows of p, n×m, by one
// reflector after the other: p becomes the transpose of what Dgeqrf returns.
func factorFew(m, n int, p []float64, ldp int, tau []float64) {
	var buf [reflectorLeaf]float64
	for q := range min(m, n) {
		v := p[q*ldp+q:][:m-q]
		beta, t := reflector(v)
		tau[q] = t
		if w := buf[:n-q-1]; len(w) > 0 {
			clear(w)
			others := p[(q+1)*ldp+q:]
			level2.GemvN(w, others, ldp, v, 1)
			level2.Ger(others, ldp, w, v, -t)
		}
		v[0] = beta
	}
}

// factorQR overwrites the m×n matrix A = Q·R with R in and above the diagonal and
// the reflectors of Q below it. Of up to reflectorBlock columns the reflectors are also
// the first rows of space, at distance m, with their zeros and ones.
func factorQR(f implementation, m, n int, a []float64, lda int, tau, space []float64) {
	held := min(m, n, reflectorBlock) * m
	panel, products := space[:held], space[held:]
	r := newReflectors(f)
	defer r.release()
	for i := 0; i < min(m, n); i += reflectorBlock {
		k, rows, rest := min(reflectorBlock, min(m, n)-i), m-i, a[i*lda+i:]
		p := panel[:k*rows]
		transpose(rows, k, rest, lda, p, rows)
		r.panelLQ(k, rows, p, rows, tau[i:], products)
		transpose(k, rows, p, rows, rest, lda)
		for q := range k { // the vectors begin with zeros and 1
			for j, x := range r.l[q*reflectorBlock:][:q+1] {
				rest[j*lda+q] = x
			}
		}
		if i+k < n {
			r.set(k, rows, p, rows, tau[i:])
			r.left(gblas.Trans, n-i-k, rest[k:], lda, products)
		}
	}
}

// factorLQ overwrites the m×n matrix A = L·Q with L in and below the diagonal and
// the reflectors of Q right of it.
func factorLQ(f implementation, m, n int, a []float64, lda int, tau, space []float64) {
	r := newReflectors(f)
	defer r.release()
	for i := 0; i < min(m, n); i += reflectorBlock {
		k, columns, rest := min(reflectorBlock, min(m, n)-i), n-i, a[i*lda+i:]
		r.panelLQ(k, columns, rest, lda, tau[i:], space)
		if i+k < m {
			r.set(k, columns, rest, lda, tau[i:])
			r.right(gblas.NoTrans, m-i-k, rest[k*lda:], lda, space)
		}
		for q := range k {
			copy(rest[q*lda:], r.l[q*reflectorBlock:][:q+1])
		}
	}
}

// panelLQ factors the k×n matrix p = L·Q, k ≤ reflectorBlock and n: the reflectors
// overwrite it, with their zeros and ones, and r.l is set to L.
func (r *reflectors) panelLQ(k, n int, p []float64, ldp int, tau, space []float64) {
	var buf [reflectorLeaf]float64
	l := r.l[:]
	for i := 0; i < k; i += reflectorLeaf {
		end := min(i+reflectorLeaf, k)
		for q := i; q < end; q++ {
			row := p[q*ldp:][:n]
			copy(l[q*reflectorBlock:], row[:q])
			clear(row[:q])
			v := row[q:]
			l[q*reflectorBlock+q], tau[q] = reflector(v)
			if w := buf[:end-q-1]; len(w) > 0 {
				clear(w)
				others := p[(q+1)*ldp+q:]
				level2.GemvN(w, others, ldp, v, 1)
				level2.Ger(others, ldp, w, v, -tau[q])
			}
		}
		if end < k {
			r.set(end-i, n-i, p[i*ldp+i:], ldp, tau[i:])
			r.right(gblas.NoTrans, k-end, p[end*ldp+i:], ldp, space)
		}
	}
}

// Dgeqrf computes the factorization A = Q·R of an m×n matrix in place: R is the
// upper triangle, and the reflectors whose product is Q stand below it. It takes
// 2·m·n² − 2/3·n³ flops for m ≥ n and cannot be interrupted.
func (l nativeLapack) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	if min(m, n) <= 0 || !fits(m, n, a, lda) || len(tau) != min(m, n) || !hasWork(n, work, lwork) {
		l.Implementation.Dgeqrf(m, n, a, lda, tau, work, lwork)
		return
	}
	if n <= reflectorLeaf {
		buf := take[float64](n * m)
		p := *buf
		transpose(m, n, a, lda, p, m)
		factorFew(m, n, p, m, tau)
		transpose(n, m, p, m, a, lda)
		give(buf)
		work[0] = float64(n)
		return
	}
	buf := take[float64](factorSpace(m, n))
	factorQR(implementation{b: l.b}, m, n, a, lda, tau, *buf)
	give(buf)
	work[0] = float64(n)
}

// Dgelqf computes the factorization A = L·Q of an m×n matrix in place: L is the
// lower triangle, and the reflectors of Q stand right of it. It takes
// 2·n·m² − 2/3·m³ flops for m ≤ n and cannot be interrupted.
func (l nativeLapack) Dgelqf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	if min(m, n) <= 0 || !fits(m, n, a, lda) || len(tau) != min(m, n) || !hasWork(m, work, lwork) {
		l.Implementation.Dgelqf(m, n, a, lda, tau, work, lwork)
		return
	}
	if m <= reflectorLeaf {
		factorFew(n, m, a, lda, tau)
		work[0] = float64(m)
		return
	}
	buf := take[float64](factorSpace(n, m))
	factorLQ(implementation{b: l.b}, m, n, a, lda, tau, *buf)
	give(buf)
	work[0] = float64(m)
}

// fewReflectors reports whether gonum, which applies up to 32 reflectors one after the other, is
// faster for k of them and a matrix of m columns or rows: a product with T pays if it is
// applied to many vectors.
func fewReflectors(k, m int) bool { return k <= 6 || k <= 32 && m <= 4 }

// Dorgqr overwrites the k reflectors of Dgeqrf with the first n columns of Q, m×n.
func (l nativeLapack) Dorgqr(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if n <= 0 || n > m || k <= 0 || k > n || fewReflectors(k, n) || !fits(m, n, a, lda) || len(tau) != k || !hasWork(n, work, lwork) {
		l.Implementation.Dorgqr(m, n, k, a, lda, tau, work, lwork)
		return
	}
	l.form(orthogonal{n: m, k: k, a: a, lda: lda, tau: tau}, n)
	work[0] = float64(n)
}

// Dorglq overwrites the k reflectors of Dgelqf with the first m rows of Q, m×n.
func (l nativeLapack) Dorglq(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if m <= 0 || m > n || k <= 0 || k > m || fewReflectors(k, m) || !fits(m, n, a, lda) || len(tau) < k || !hasWork(m, work, lwork) {
		l.Implementation.Dorglq(m, n, k, a, lda, tau, work, lwork)
		return
	}
	l.form(orthogonal{n: n, k: k, a: a, lda: lda, rows: true, tau: tau}, m)
	work[0] = float64(m)
}

// form overwrites the matrix that holds q with its first m columns or rows.
func (l nativeLapack) form(q orthogonal, m int) {
	buf := take[float64](q.space(m))
	q.form(implementation{b: l.b}, m, q.a, q.lda, *buf)
	give(buf)
}

// Dormqr multiplies the m×n matrix C by the Q of Dgeqrf or its transpose.
func (l nativeLapack) Dormqr(side gblas.Side, trans gblas.Transpose, m, n, k int, a []float64, lda int, tau, c []float64, ldc int, work []float64, lwork int) {
	nq, nw, ok := ormShape(side, trans, m, n, k, c, ldc)
	if !ok || fewReflectors(k, nw) || !fits(nq, k, a, lda) || len(tau) != k || !hasWork(nw, work, lwork) {
		l.Implementation.Dormqr(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork)
		return
	}
	l.multiply(orthogonal{n: nq, k: k, a: a, lda: lda, tau: tau}, side, trans, nw, c, ldc)
	work[0] = float64(nw)
}

// Dormlq multiplies the m×n matrix C by the Q of Dgelqf or its transpose.
func (l nativeLapack) Dormlq(side gblas.Side, trans gblas.Transpose, m, n, k int, a []float64, lda int, tau, c []float64, ldc int, work []float64, lwork int) {
	nq, nw, ok := ormShape(side, trans, m, n, k, c, ldc)
	if !ok || fewReflectors(k, nw) || !fits(k, nq, a, lda) || len(tau) < k || !hasWork(nw, work, lwork) {
		l.Implementation.Dormlq(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork)
		return
	}
	other := gblas.Trans
	if trans == gblas.Trans {
		other = gblas.NoTrans
	}
	l.multiply(orthogonal{n: nq, k: k, a: a, lda: lda, rows: true, tau: tau}, side, other, nw, c, ldc)
	work[0] = float64(nw)
}

func (l nativeLapack) multiply(q orthogonal, s gblas.Side, t gblas.Transpose, m int, c []float64, ldc int) {
	buf := take[float64](q.space(m))
	q.times(implementation{b: l.b}, s, t, m, c, ldc, *buf)
	give(buf)
}

// ormShape returns the order of Q and the other dimension of C, and whether the
// arguments are right and there is something to do.
func ormShape(side gblas.Side, trans gblas.Transpose, m, n, k int, c []float64, ldc int) (nq, nw int, ok bool) {
	nq, nw = n, m
	if side == gblas.Left {
		nq, nw = m, n
	}
	ok = (side == gblas.Left || side == gblas.Right) && (trans == gblas.NoTrans || trans == gblas.Trans) &&
		m > 0 && n > 0 && k > 0 && k <= nq && fits(m, n, c, ldc)
	return nq, nw, ok
}

// fits reports whether a holds an m×n matrix at distance lda.
func fits(m, n int, a []float64, lda int) bool { return lda >= n && len(a) >= (m-1)*lda+n }

// hasWork reports whether work is space for a call and not a question how much of
// it there should be.
func hasWork(least int, work []float64, lwork int) bool { return lwork >= least && len(work) >= lwork }
