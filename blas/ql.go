package blas

import (
	"math"
	"slices"

	"github.com/gramworks/gram/asm/level2"
)

// Eigenpairs of small symmetric tridiagonal matrices by implicit QL iterations. The
// rotations of a sweep are found first and then applied to the vectors, which are rows,
// all at once.
//
//	A. Dubrulle, R. Martin, J. Wilkinson, "The implicit QL algorithm", Numer. Math. 12
//	(1968).

// maxSweeps is how many sweeps there are at most for each eigenvalue.
const maxSweeps = 30

// ql holds a tridiagonal matrix of order n ≤ leafOrder with diagonal d and off-diagonal
// e, whose elements are at most about 1, and zero or above 2⁻¹²⁰.
type ql struct {
	n    int
	d, e [leafOrder]float64
	z    [leafOrder * leafOrder]float64 // rows of n elements are the vectors
	c, s [leafOrder]float64             // rotations of a sweep
}

// solve overwrites d with the eigenvalues, in no order, and z with the vectors.
func (q *ql) solve() error {
	n := q.n
	clear(q.z[:n*n])
	for i := range n {
		q.z[i*n+i] = 1
	}
	for lo := 0; lo < n; {
		hi := lo
		for hi+1 < n && !(math.Abs(q.e[hi]) <= 0x1p-53*math.Sqrt(math.Abs(q.d[hi]))*math.Sqrt(math.Abs(q.d[hi+1]))) {
			hi++
		}
		// iterations converge where the diagonal is small: that end comes first
		back := math.Abs(q.d[hi]) >= math.Abs(q.d[lo])
		if !back {
			slices.Reverse(q.d[lo : hi+1])
			slices.Reverse(q.e[lo:hi])
		}
		ok := q.block(lo, hi, back)
		if !back {
			slices.Reverse(q.d[lo : hi+1])
		}
		if !ok {
			return errNoConvergence
		}
		lo = hi + 1
	}
	return nil
}

// rotate applies the first m rotations of a sweep that ends in place l of the block
// [lo, hi]. Unless back is set, the places of the block are counted from its end.
func (q *ql) rotate(m, l, lo, hi int, back bool) {
	if !back {
		l = lo + hi - l - m
	}
	level2.RotateRows(q.z[l*q.n:], q.n, q.n, q.c[:m], q.s[:m], back)
}

// block finds the eigenvalues of rows and columns lo to hi, from the first on.
func (q *ql) block(lo, hi int, back bool) bool {
	d, e := q.d[:], q.e[:]
	sweeps := maxSweeps * (hi - lo + 1)
	for l := lo; l < hi; {
		m := l
		for m < hi {
			if v := e[m]; v*v <= 0x1p-106*math.Abs(d[m])*math.Abs(d[m+1])+0x1p-1022 {
				break
			}
			m++
		}
		if m == l {
			l++
			continue
		}
		if m == l+1 {
			d[l], d[m], q.c[0], q.s[0] = lapackGonum.Dlaev2(d[l], e[l], d[m])
			q.s[0] = -q.s[0]
			q.rotate(1, l, lo, hi, back)
			l += 2
			continue
		}
		if sweeps--; sweeps < 0 {
			return false
		}
		q.sweep(l, m)
		q.rotate(m-l, l, lo, hi, back)
	}
	return true
}

// sweep does a QL step with Wilkinson's shift on rows and columns l to m.
func (q *ql) sweep(l, m int) {
	d, e, co, si := q.d[:], q.e[:], q.c[:m-l], q.s[:m-l]
	g := (d[l+1] - d[l]) / (2 * e[l])
	r := math.Sqrt(g*g + 1)
	if math.IsInf(r, 0) {
		r = math.Abs(g)
	}
	g = d[m] - d[l] + e[l]/(g+math.Copysign(r, g))
	c, s, p, next := 1., 1., 0., d[m]
	for k := range co {
		i := m - 1 - k
		f, b := s*e[i], c*e[i]
		if r = math.Sqrt(g*g + f*f); r > 0x1p-400 {
			c, s = g/r, f/r
		} else {
			c, s, r = lapackGonum.Dlartg(g, f)
		}
		co[k], si[k] = c, s
		e[i+1] = r
		g = next - p
		next = d[i]
		r = (next-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
	}
	d[l] -= p
	e[l], e[m] = g, 0
}
