package blas

import (
	"context"

	"github.com/gramworks/gram/asm/level2"
	gblas "gonum.org/v1/gonum/blas"
)

// tridiagonalPanel is how many rows are reduced between two updates of the rest of the
// matrix and two looks at the context.
const tridiagonalPanel = 32

// tridiagonalSpace returns the length of the work space that tridiagonalize needs.
func tridiagonalSpace(n int) int { return 4 * tridiagonalPanel * distance(n) }

// distance is a distance of rows of n elements that does not take the elements of a
// column to the same few places of the cache.
func distance(n int) int { return (n+7)/8*8 | 8 }

// tridiagonalize reduces the symmetric matrix whose upper triangle is in a to a
// tridiagonal one, A = Q·T·Qᵀ, with diagonal d and off-diagonal e. Reflector i of Q is
// row i of a, from element i+1 on. It returns ctx.Err() when ctx is done. space holds
// tridiagonalSpace(n) numbers.
//
// Within a panel the matrix is not updated: it is A − Wᵀ·Z with two rows for each
// reflector, v and x in W against x and v in Z, where x = tau·(A·v − tau/2·(vᵀAv)·v).
// Half of the 4/3·n³ flops are products with vectors.
//
//	J. Dongarra, S. Hammarling, D. Sorensen, "Block reduction of matrices to
//	condensed forms for eigenvalue computations", J. Comput. Appl. Math. 27
//	(1989).
func tridiagonalize(ctx context.Context, f implementation, n int, a []float64, lda int, d, e, tau, space []float64) error {
	ld := distance(n)
	w, z := space[:2*tridiagonalPanel*ld], space[2*tridiagonalPanel*ld:][:2*tridiagonalPanel*ld]
	var buf [2 * tridiagonalPanel]float64
	for i := 0; i < n; i += tridiagonalPanel {
		if err := ctx.Err(); err != nil {
			return err
		}
		width := min(tridiagonalPanel, n-i)
		for j := i; j < i+width; j++ {
			done := buf[:2*(j-i)]
			row := a[j*lda+j:][:n-j]
			if j > i {
				for k := range done {
					done[k] = z[k*ld+j]
				}
				level2.GemvT(row, w[j:], ld, done, -1)
			}
			d[j] = row[0]
			if j+1 == n {
				break
			}
			v := row[1:]
			e[j], tau[j] = reflector(v)
			x := w[2*(j-i)*ld+ld+j+1:][:n-j-1]
			symvCall(gblas.Upper, n-j-1, tau[j], a[(j+1)*lda+j+1:], lda, v, 1, 0, x, 1)
			if j > i {
				clear(done)
				level2.GemvN(done, z[j+1:], ld, v, 1)
				level2.GemvT(x, w[j+1:], ld, done, -tau[j])
			}
			level2.Axpy(-tau[j]/2*level2.Dot(x, v), v, x)
			copy(w[2*(j-i)*ld+j+1:], v)
			copy(z[2*(j-i)*ld+j+1:], x)
			copy(z[2*(j-i)*ld+ld+j+1:], v)
		}
		if next := i + width; next < n {
			left, right := view(w[next:], ld, true), view(z[next:], ld, false)
			workers := f.b.work(n-next, n-next+diagonal, width)
			product(workers, upper, n-next, n-next, 2*width, -1, left, right, 1, a[next*lda+next:], lda)
		}
	}
	return nil
}

// mirror copies the lower triangle of an n×n matrix to the upper one.
func mirror(n int, a []float64, lda int) {
	const block = 32
	for i := 0; i < n; i += block {
		end := min(i+block, n)
		for r := i; r < end; r++ {
			for c := r + 1; c < end; c++ {
				a[r*lda+c] = a[c*lda+r]
			}
		}
		if end < n {
			transpose(n-end, end-i, a[end*lda+i:], lda, a[i*lda+end:], lda)
		}
	}
}
