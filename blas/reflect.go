package blas

import (
	"context"
	"math"
	"sync"

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

// How many reflectors are found and how many are applied at a time.
const (
	reflectorBlock   = 32
	reflectorProduct = 48
	reflectorMax     = max(reflectorBlock, reflectorProduct)
)

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

// reflectors are the product H of up to reflectorMax reflectors of n elements
// and the space to apply it.
type reflectors struct {
	f    implementation
	k, n int
	v    []float64 // k×n at distance ldv
	ldv  int
	t    [reflectorMax * reflectorMax]float64
	g    [reflectorMax * reflectorMax]float64     // V·Vᵀ
	l    [reflectorBlock * reflectorBlock]float64 // triangle of a panel, at distance reflectorBlock
}

var pooledReflectors = sync.Pool{New: func() any { return new(reflectors) }}

// newReflectors returns space for products of reflectors, for release.
func newReflectors(f implementation) *reflectors {
	r := pooledReflectors.Get().(*reflectors)
	r.f = f
	return r
}

func (r *reflectors) release() {
	r.v = nil
	pooledReflectors.Put(r)
}

// set makes r the product of the reflectors in the rows of v.
func (r *reflectors) set(k, n int, v []float64, ldv int, tau []float64) {
	r.k, r.n, r.v, r.ldv = k, n, v, ldv
	g := r.g[:]
	r.f.Dsyrk(gblas.Lower, gblas.NoTrans, k, n, 1, v, ldv, 0, g, reflectorMax)
	clear(r.t[:k*reflectorMax])
	r.factor(0, k, tau)
}

// reflectorFew is the order up to which T is computed column by column.
const reflectorFew = 8

// factor sets rows and columns [lo, hi) of T, those of the product of these reflectors,
// from those of V·Vᵀ below the diagonal. With T₁ and T₂ of the two halves the block above
// the diagonal is −T₁·V₁·V₂ᵀ·T₂; what stands above the diagonal of g is space.
func (r *reflectors) factor(lo, hi int, tau []float64) {
	t, g := r.t[:], r.g[:]
	if hi-lo <= reflectorFew {
		for q := lo; q < hi; q++ {
			for i := lo; i < q; i++ {
				var s float64
				for j := i; j < q; j++ {
					s += t[i*reflectorMax+j] * g[q*reflectorMax+j]
				}
				t[i*reflectorMax+q] = -tau[q] * s
			}
			t[q*reflectorMax+q] = tau[q]
		}
		return
	}
	mid := lo + max((hi-lo)/2/reflectorFew, 1)*reflectorFew
	r.factor(lo, mid, tau)
	r.factor(mid, hi, tau)
	up, down, above := lo*reflectorMax+lo, mid*reflectorMax+mid, lo*reflectorMax+mid
	m, n := mid-lo, hi-mid
	r.f.Dgemm(gblas.Trans, gblas.NoTrans, m, n, n, 1, g[mid*reflectorMax+lo:], reflectorMax, t[down:], reflectorMax, 0, g[above:], reflectorMax)
	r.f.Dgemm(gblas.NoTrans, gblas.NoTrans, m, n, m, -1, t[up:], reflectorMax, g[above:], reflectorMax, 0, t[above:], reflectorMax)
}

// right overwrites the m×n matrix C with C·H or, transposed, with C·Hᵀ. space
// holds 2·m·k numbers.
func (r *reflectors) right(trans gblas.Transpose, m int, c []float64, ldc int, space []float64) {
	x, y := space[:m*r.k], space[m*r.k:2*m*r.k]
	r.f.Dgemm(gblas.NoTrans, gblas.Trans, m, r.k, r.n, 1, c, ldc, r.v, r.ldv, 0, x, r.k)
	r.f.Dgemm(gblas.NoTrans, trans, m, r.k, r.k, 1, x, r.k, r.t[:], reflectorMax, 0, y, r.k)
	r.f.Dgemm(gblas.NoTrans, gblas.NoTrans, m, r.n, r.k, -1, y, r.k, r.v, r.ldv, 1, c, ldc)
}

// left overwrites the n×m matrix C with H·C or, transposed, with Hᵀ·C. space
// holds 2·m·k numbers.
func (r *reflectors) left(trans gblas.Transpose, m int, c []float64, ldc int, space []float64) {
	x, y := space[:m*r.k], space[m*r.k:2*m*r.k]
	r.f.Dgemm(gblas.NoTrans, gblas.NoTrans, r.k, m, r.n, 1, r.v, r.ldv, c, ldc, 0, x, m)
	r.f.Dgemm(trans, gblas.NoTrans, r.k, m, r.k, 1, r.t[:], reflectorMax, x, m, 0, y, m)
	r.f.Dgemm(gblas.Trans, gblas.NoTrans, r.n, m, r.k, -1, r.v, r.ldv, y, m, 1, c, ldc)
}

// orthogonal is the product H₀·H₁·…·H_{k−1} of reflectors of n elements, of which
// number i is zero before element i. It stands in the columns of a below the
// diagonal, as the Q of a QR factorization, or in the rows right of it, as the
// transpose of the Q of an LQ factorization.
type orthogonal struct {
	n, k int
	a    []float64
	lda  int
	rows bool
	tau  []float64
	ctx  context.Context // that ends times when it is done; or nil
}

// space is how many numbers times and form take for an m×n or n×m matrix C.
func (q *orthogonal) space(m int) int { return (q.n + 2*m) * min(q.k, reflectorProduct) }

// vectors copies reflectors [i, i+k) to the rows of v, at distance n−i.
func (q *orthogonal) vectors(i, k int, v []float64) {
	n, a := q.n-i, q.a[i*q.lda+i:]
	for r := range k {
		row := v[r*n : (r+1)*n]
		if q.rows {
			copy(row, a[r*q.lda:])
		}
		clear(row[:r])
		row[r] = 1
	}
	if q.rows {
		return
	}
	for r := 1; r < n; r++ {
		for c, x := range a[r*q.lda:][:min(r, k)] {
			v[c*n+r] = x
		}
	}
}

// times overwrites C with H·C, where C is n×m, or with C·H, where C is m×n;
// transposed with Hᵀ.
func (q *orthogonal) times(f implementation, s gblas.Side, t gblas.Transpose, m int, c []float64, ldc int, space []float64) {
	blocks := (q.k + reflectorProduct - 1) / reflectorProduct
	held := q.n * min(q.k, reflectorProduct)
	v, products := space[:held], space[held:]
	r := newReflectors(f)
	defer r.release()
	for b := range blocks {
		if q.ctx != nil && q.ctx.Err() != nil {
			return
		}
		if (s == gblas.Left) == (t == gblas.NoTrans) { // the last factor is the first to be applied
			b = blocks - 1 - b
		}
		i := b * reflectorProduct
		k := min(reflectorProduct, q.k-i)
		q.vectors(i, k, v)
		r.set(k, q.n-i, v, q.n-i, q.tau[i:])
		if s == gblas.Left {
			r.left(t, m, c[i*ldc:], ldc, products)
		} else {
			r.right(t, m, c[i:], ldc, products)
		}
	}
}

// form sets the n×m matrix C, m ≥ k, to the first m columns of H, or by rows the
// m×n matrix to the first m rows of Hᵀ. C may be the matrix that holds the
// reflectors.
func (q orthogonal) form(f implementation, m int, c []float64, ldc int, space []float64) {
	held := q.n * min(q.k, reflectorProduct)
	v, products := space[:held], space[held:]
	// identity sets rows [r0, r1) and columns [c0, c1) to those of the identity.
	identity := func(r0, r1, c0, c1 int) {
		if q.rows {
			r0, r1, c0, c1 = c0, c1, r0, r1
		}
		for i := r0; i < r1; i++ {
			clear(c[i*ldc+c0 : i*ldc+max(c0, c1)])
			if c0 <= i && i < c1 {
				c[i*ldc+i] = 1
			}
		}
	}
	identity(0, q.n, q.k, m)
	r := newReflectors(f)
	defer r.release()
	for i := (q.k - 1) / reflectorProduct * reflectorProduct; i >= 0; i -= reflectorProduct {
		k := min(reflectorProduct, q.k-i)
		q.vectors(i, k, v)
		identity(i, q.n, i, i+k)
		identity(i, i+k, i+k, m)
		r.set(k, q.n-i, v, q.n-i, q.tau[i:])
		if q.rows {
			r.right(gblas.Trans, m-i, c[i*ldc+i:], ldc, products)
		} else {
			r.left(gblas.NoTrans, m-i, c[i*ldc+i:], ldc, products)
		}
	}
}
