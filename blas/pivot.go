package blas

import (
	"math"

	"github.com/gramworks/gram/asm/level2"
	gblas "gonum.org/v1/gonum/blas"
)

// How pivots are chosen: a block at a time from a sketch of sketchRows rows.
const (
	pivotBlock = reflectorBlock
	sketchRows = pivotBlock + 8
	sketchCut  = 512 // rows of the matrix that are multiplied by signs at a time
	// Below leastPivoted rows or columns gonum's routine is faster, and below leastTall of columns that are four times as long.
	leastPivoted = 96
	leastTall    = 64
	// pivotRange is how far, from the largest column, columns of the sketch may fall before it is made again:
	// they are then known to half of all digits.
	pivotRange = 0x1p-26
)

// Dgeqp3 computes the factorization A·P = Q·R with column pivoting of an m×n matrix in place: R is the upper triangle, the
// reflectors whose product is Q stand below it, and column j of A·P is column jpvt[j] of A. Columns j whose jpvt[j] is not −1
// come first, in their order; jpvt, tau, work and lwork are those of gonum's routine. Small matrices are left to gonum.
//
// The pivots are not those of LAPACK. LAPACK takes in every step the column of which most is left, so that |r_kk| is the largest
// norm of a column of R[k:, k:] and the diagonal does not increase. Here the norms of the columns that are left are estimated
// from a product of 40 rows of random signs with the matrix, which is factored with pivoting for 32 steps at a time. In
// such a step 40 to 9 rows are left to tell the norms by: a pivot is rarely less than half as long as the longest column (never
// less than a third in the tests), and |r_jj| for j > k can be larger than |r_kk| by that factor. The estimates are made again
// whenever they have lost half of their digits, so that gaps among the singular values show on the diagonal as they
// do with LAPACK, up to this factor, however often they come. ‖A·P − Q·R‖ is of the order of max(m, n) units of the last place of ‖A‖. The signs
// are the same in every call, and the result does not depend on the number of threads.
//
// It takes the flops of Dgeqrf, 2·m·n² − 2/3·n³ for m ≥ n, and about 80·m·n + 100·n² for the choice, a further 80·m·n for
// each time that the estimates are made again, which is at most once in eight decimal orders that the columns fall. Where the
// estimates are not finite, because of NaN, Inf or numbers near the end of the range, it goes on column by column as
// LAPACK does, at 4·m·n² − 4/3·n³ flops. It uses 40·n + 32·(m+2·n) numbers beyond work and cannot be interrupted.
//
//	J. Duersch, M. Gu, "Randomized QR with column pivoting", SIAM J. Sci. Comput. 39 (2017).
//	P.-G. Martinsson, G. Quintana-Ortí, N. Heavner, R. van de Geijn, "Householder QR factorization with randomization
//	for column pivoting (HQRRP)", SIAM J. Sci. Comput. 39 (2017).
func (l nativeLapack) Dgeqp3(m, n int, a []float64, lda int, jpvt []int, tau, work []float64, lwork int) {
	least := min(m, n)
	fit := (least >= leastPivoted || least >= leastTall && m >= 4*n) && fits(m, n, a, lda) && len(jpvt) == n && len(tau) >= least && hasWork(3*n+1, work, lwork)
	for _, j := range jpvt {
		fit = fit && -1 <= j && j < n
	}
	if !fit {
		l.Implementation.Dgeqp3(m, n, a, lda, jpvt, tau, work, lwork)
		return
	}
	fixed := l.leading(m, n, a, lda, jpvt, tau[:least], work)
	if fixed < least {
		buf := take[float64](pivotingSpace(m, n))
		p := newPivoting(implementation{b: l.b}, m, n, a, lda, jpvt, tau, *buf)
		p.factor(fixed)
		give(buf)
	}
	l.Implementation.Dgeqp3(m, n, a, lda, jpvt, tau, work, -1)
}

// leading moves the columns that jpvt asks for to the front, factors them and applies their reflectors to the others. It
// returns how many they are, and sets jpvt to the columns that are in each place.
func (l nativeLapack) leading(m, n int, a []float64, lda int, jpvt []int, tau, work []float64) int {
	fixed := 0
	for j, where := range jpvt {
		jpvt[j] = j
		if where < 0 {
			continue
		}
		if j != fixed {
			for i := range m {
				a[i*lda+j], a[i*lda+fixed] = a[i*lda+fixed], a[i*lda+j]
			}
			jpvt[j], jpvt[fixed] = jpvt[fixed], j
		}
		fixed++
	}
	if k := min(m, fixed); k > 0 {
		l.Dgeqrf(m, k, a, lda, tau[:k], work, len(work))
		if k < n {
			l.Dormqr(gblas.Left, gblas.Trans, m, n-k, k, a, lda, tau[:k], a[k:], lda, work, len(work))
		}
	}
	return fixed
}

// pivoting is a factorization under way. The sketch of the columns that are not factored yet is a product of random signs with
// the rows of A that are left, S = Ω·A[i:, i:].
type pivoting struct {
	f           implementation
	m, n        int
	a           []float64
	lda         int
	jpvt        []int
	tau         []float64
	s           []float64 // the sketch, sketchRows×n at distance n
	norm, known []float64 // squares of the norms of what is left of its columns, and what they were when they were summed
	w           []float64
	space       []float64
	largest     float64 // square of the norm of the largest column when the sketch was made
	from        [pivotBlock]int
}

// pivotingSpace returns the length of the work space that newPivoting needs.
func pivotingSpace(m, n int) int {
	return (sketchRows+3)*n + max(pivotBlock*(m+2*n)+2*pivotBlock*reflectorLeaf, sketchCut*sketchRows)
}

func newPivoting(f implementation, m, n int, a []float64, lda int, jpvt []int, tau, space []float64) *pivoting {
	cut := func(k int) []float64 {
		x := space[:k:k]
		space = space[k:]
		return x
	}
	return &pivoting{
		f: f, m: m, n: n, a: a, lda: lda, jpvt: jpvt, tau: tau,
		s: cut(sketchRows * n), norm: cut(n), known: cut(n), w: cut(n), space: space,
	}
}

// factor factors columns i to the end, up to pivotBlock of them for each sketch. If a sketch is zero or not finite, it goes on
// column by column as LAPACK does.
func (p *pivoting) factor(i int) {
	r := newReflectors(p.f)
	defer r.release()
	fresh := false
	for i < min(p.m, p.n) {
		if !fresh {
			if !p.sketch(i) {
				p.classical(i)
				return
			}
			fresh = true
		}
		k := p.choose(i)
		fresh = k == min(pivotBlock, min(p.m, p.n)-i)
		if k == 0 {
			continue
		}
		p.exchange(i, k)
		p.reflect(r, i, k)
		p.update(i, k)
		i += k
	}
}

// sketch makes the sketch of A[i:, i:]. It returns false if that is zero or not finite.
func (p *pivoting) sketch(i int) bool {
	cols := p.n - i
	signs := p.space[:sketchCut*sketchRows]
	for r := i; r < p.m; r += sketchCut {
		rows := min(sketchCut, p.m-r)
		for q := range rows {
			drawSigns(signs[q*sketchRows:][:sketchRows], uint64(r+q))
		}
		beta := 1.0
		if r == i {
			beta = 0
		}
		p.f.Dgemm(gblas.Trans, gblas.NoTrans, sketchRows, cols, rows, 1, signs, sketchRows, p.a[r*p.lda+i:], p.lda, beta, p.s[i:], p.n)
	}
	top, finite := 0.0, true
	for q := range sketchRows {
		for _, x := range p.s[q*p.n:][i:p.n] {
			x = math.Abs(x)
			top, finite = max(top, x), finite && x <= math.MaxFloat64
		}
	}
	if top == 0 || !finite {
		return false
	}
	_, e := math.Frexp(top)
	for q := range sketchRows {
		for j, x := range p.s[q*p.n:][i:p.n] {
			p.s[q*p.n+i+j] = math.Ldexp(x, -e)
		}
	}
	p.sums(i)
	p.largest = 0
	for _, x := range p.norm[i:] {
		p.largest = max(p.largest, x)
	}
	return true
}

// drawSigns sets x to ±1, the same ones for the same seed.
func drawSigns(x []float64, seed uint64) {
	z := seed*0x9e3779b97f4a7c15 + 0xd1b54a32d192ed03
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	for i := range x {
		x[i] = math.Float64frombits(0x3ff0000000000000 | z<<63)
		z >>= 1
	}
}

// sums computes the squares of the norms of the columns of the sketch from column i on.
func (p *pivoting) sums(i int) {
	norm := p.norm[i:p.n]
	clear(norm)
	for q := range sketchRows {
		for j, x := range p.s[q*p.n:][i:p.n] {
			norm[j] += x * x
		}
	}
	copy(p.known[i:], norm)
}

// choose factors the sketch from column i on, with pivoting, for up to pivotBlock steps. It returns how many, and from has where
// the columns came from. It ends early where the columns left are so small that the sketch does not know them.
func (p *pivoting) choose(i int) int {
	n, s := p.n, p.s
	var buf [sketchRows]float64
	p.sums(i)
	b := min(pivotBlock, min(p.m, p.n)-i)
	for q := range b {
		j := i + q
		c, top := j, p.norm[j]
		for o, x := range p.norm[j:n] {
			if x > top {
				c, top = j+o, x
			}
		}
		if !(top > pivotRange*pivotRange*p.largest) {
			return q
		}
		p.from[q] = c
		if c != j {
			for r := range sketchRows {
				s[r*n+j], s[r*n+c] = s[r*n+c], s[r*n+j]
			}
			p.norm[c], p.known[c] = p.norm[j], p.known[j]
			p.jpvt[j], p.jpvt[c] = p.jpvt[c], p.jpvt[j]
		}
		v := buf[q:]
		for r := range v {
			v[r] = s[(q+r)*n+j]
			s[(q+r)*n+j] = 0
		}
		beta, tau := reflector(v)
		s[q*n+j] = beta
		if j+1 == n {
			continue
		}
		rest, w := s[q*n+j+1:], p.w[:n-j-1]
		clear(w)
		level2.GemvT(w, rest, n, v, 1)
		level2.Ger(rest, n, v, w, -tau)
		p.downdate(q, j+1)
	}
	return b
}

// downdate takes row q of the sketch from the squares of the norms of the columns from j on. Where little is left, they are
// summed again.
func (p *pivoting) downdate(q, j int) {
	const little = 1e-3
	norm, known := p.norm[j:p.n], p.known[j:p.n]
	for c, x := range p.s[q*p.n:][j:p.n] {
		norm[c] -= x * x
		if norm[c] < little*known[c] {
			var sum float64
			for r := q + 1; r < sketchRows; r++ {
				x := p.s[r*p.n+j+c]
				sum += x * x
			}
			norm[c], known[c] = sum, sum
		}
	}
}

// exchange puts the k chosen columns of A behind column i.
func (p *pivoting) exchange(i, k int) {
	for r := range p.m {
		row := p.a[r*p.lda:][:p.n]
		for q, c := range p.from[:k] {
			row[i+q], row[c] = row[c], row[i+q]
		}
	}
}

// reflect factors columns i to i+k and applies their reflectors to those behind.
func (p *pivoting) reflect(r *reflectors, i, k int) {
	rows, rest := p.m-i, p.a[i*p.lda+i:]
	factorQR(p.f, rows, k, rest, p.lda, p.tau[i:], p.space)
	if i+k < p.n {
		r.set(k, rows, p.space, rows, p.tau[i:])
		r.left(gblas.Trans, p.n-i-k, rest[k:], p.lda, p.space[k*rows:])
	}
}

// update makes the sketch of A[i:, i:] that of A[i+k:, i+k:]: with the factors Qˢ·(S₁₁ S₁₂; 0 S₂₂) of the former and
// R₁₁, R₁₂ of A, that of the latter is Qˢ·(S₁₂ − S₁₁·R₁₁⁻¹·R₁₂; S₂₂), and Qˢ does not change norms.
func (p *pivoting) update(i, k int) {
	if i+k >= min(p.m, p.n) {
		return
	}
	r := p.a[i*p.lda+i:]
	m := p.space[:k*k]
	for q := range k {
		copy(m[q*k:][:k], p.s[q*p.n+i:])
	}
	p.f.Dtrsm(gblas.Right, gblas.Upper, gblas.NoTrans, gblas.NonUnit, k, k, 1, r, p.lda, m, k)
	p.f.Dgemm(gblas.NoTrans, gblas.NoTrans, k, p.n-i-k, k, -1, m, k, r[k:], p.lda, 1, p.s[i+k:], p.n)
}

// classical factors columns i to the end one by one.
func (p *pivoting) classical(i int) {
	n := p.n - i
	norm, known := p.norm[i:p.n], p.known[i:p.n]
	for j := range n {
		norm[j] = p.f.Dnrm2(p.m-i, p.a[i*p.lda+i+j:], p.lda)
	}
	copy(known, norm)
	lapackGonum.Dlaqp2(p.m, n, i, p.a[i:], p.lda, p.jpvt[i:p.n], p.tau[i:], norm, known, p.w)
}
