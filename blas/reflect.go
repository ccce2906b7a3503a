package blas

import (
	"math"

	"github.com/gramworks/gram/asm/level2"
	gblas "gonum.org/v1/gonum/blas"
)

// Householder reflectors I − tau·v·vᵀ with v[0] = 1, and products of them. The
// vectors of a product are the rows of a matrix V, so that each is contiguous:
// H₀·H₁·…·H_{k−1} = I − Vᵀ·T·V with an upper triangular T.
//
//	R. Schreiber, C. Van Loan, "A storage-efficient WY representation for
//	products of Householder transformations", SIAM J. Sci. Stat. Comput. 10
//	(1989).

// reflectorBlock is how many reflectors are applied at a time.
const reflectorBlock = 32

// reflector overwrites x with the vector v of the reflector that takes x to
// (beta, 0, …, 0). Where tau is 0, it is the identity.
func reflector(x []float64) (beta, tau float64) {
	alpha, rest := x[0], x[1:]
	x[0] = 1
	if len(rest) == 0 {
		return alpha, 0
	}
	s := level2.Dot(rest, rest)
	if !(s > 0x1p-900 && s < 0x1p900 && math.Abs(alpha) < 0x1p450) {
		return lapackGonum.Dlarfg(len(x), alpha, rest, 1)
	}
	beta = -math.Copysign(math.Sqrt(alpha*alpha+s), alpha)
	level2.Scale(1/(alpha-beta), rest)
	return beta, (beta - alpha) / beta
}

// reflectors are the product H of up to reflectorBlock reflectors of n elements
// and the space to apply it.
type reflectors struct {
	f    implementation
	k, n int
	v    []float64 // k×n at distance ldv
	ldv  int
	t    [reflectorBlock * reflectorBlock]float64
}

// set makes r the product of the reflectors in the rows of v.
func (r *reflectors) set(k, n int, v []float64, ldv int, tau []float64) {
	r.k, r.n, r.v, r.ldv = k, n, v, ldv
	var g [reflectorBlock * reflectorBlock]float64
	r.f.Dsyrk(gblas.Lower, gblas.NoTrans, k, n, 1, v, ldv, 0, g[:], reflectorBlock)
	clear(r.t[:])
	for q := range k {
		for i := range q {
			var s float64
			for j := i; j < q; j++ {
				s += r.t[i*reflectorBlock+j] * g[q*reflectorBlock+j]
			}
			r.t[i*reflectorBlock+q] = -tau[q] * s
		}
		r.t[q*reflectorBlock+q] = tau[q]
	}
}

// columns makes r the product of the k reflectors of n elements that LAPACK
// leaves below the diagonal of a, in space for k·n numbers.
func (r *reflectors) columns(k, n int, a []float64, lda int, tau, space []float64) {
	for q := range k {
		row := space[q*n : (q+1)*n]
		clear(row[:q])
		row[q] = 1
	}
	for i := 1; i < n; i++ {
		for q, x := range a[i*lda:][:min(i, k)] {
			space[q*n+i] = x
		}
	}
	r.set(k, n, space, n, tau)
}

// right overwrites the m×n matrix C with C·H or, transposed, with C·Hᵀ. space
// holds 2·m·k numbers.
func (r *reflectors) right(trans gblas.Transpose, m int, c []float64, ldc int, space []float64) {
	x, y := space[:m*r.k], space[m*r.k:2*m*r.k]
	r.f.Dgemm(gblas.NoTrans, gblas.Trans, m, r.k, r.n, 1, c, ldc, r.v, r.ldv, 0, x, r.k)
	r.f.Dgemm(gblas.NoTrans, trans, m, r.k, r.k, 1, x, r.k, r.t[:], reflectorBlock, 0, y, r.k)
	r.f.Dgemm(gblas.NoTrans, gblas.NoTrans, m, r.n, r.k, -1, y, r.k, r.v, r.ldv, 1, c, ldc)
}

// left overwrites the n×m matrix C with H·C or, transposed, with Hᵀ·C. space
// holds 2·m·k numbers.
func (r *reflectors) left(trans gblas.Transpose, m int, c []float64, ldc int, space []float64) {
	x, y := space[:m*r.k], space[m*r.k:2*m*r.k]
	r.f.Dgemm(gblas.NoTrans, gblas.NoTrans, r.k, m, r.n, 1, r.v, r.ldv, c, ldc, 0, x, m)
	r.f.Dgemm(trans, gblas.NoTrans, r.k, m, r.k, 1, r.t[:], reflectorBlock, x, m, 0, y, m)
	r.f.Dgemm(gblas.Trans, gblas.NoTrans, r.n, m, r.k, -1, r.v, r.ldv, y, m, 1, c, ldc)
}

// rowsTimes overwrites the m×n matrix C with C·Hᵀ for the product H of the count
// reflectors in the rows of v, of which row i is zero before element first+i and
// 1 there. space holds 2·m·reflectorBlock numbers.
func (f implementation) rowsTimes(m, n int, c []float64, ldc, count, first int, v []float64, ldv int, tau, space []float64) {
	r := reflectors{f: f}
	for i := (count+reflectorBlock-1)/reflectorBlock*reflectorBlock - reflectorBlock; i >= 0; i -= reflectorBlock {
		k := min(reflectorBlock, count-i)
		r.set(k, n-first-i, v[i*ldv+first+i:], ldv, tau[i:])
		r.right(gblas.Trans, m, c[first+i:], ldc, space)
	}
}
