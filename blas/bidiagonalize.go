package blas

import (
	"github.com/gramworks/gram/asm/level2"
	gblas "gonum.org/v1/gonum/blas"
)

// bidiagonalPanel is how many rows and columns are reduced between two updates of
// the rest of the matrix.
const bidiagonalPanel = 32

// bidiagonalize reduces the m×n matrix A, m ≥ n, to an upper bidiagonal one,
// A = Q·B·Pᵀ, with diagonal d and superdiagonal e. Reflector i of Q is row i of u,
// n×m, from element i on; reflector i of P, of which there are n−1, is row i of v,
// n×n, from element i+1 on. A is destroyed. space holds 2·bidiagonalPanel·(m+n)
// numbers.
//
// Within a panel the matrix is not updated: it is A − Wᵀ·Z with rows of W and Z
// for each reflector, u and x = tauP·A·v in W against y = tauQ·Aᵀ·u and v in Z.
// Half of the 8·(m−n/3)·n²/2 flops are products with vectors.
//
//	J. Dongarra, S. Hammarling, D. Sorensen, "Block reduction of matrices to
//	condensed forms for eigenvalue computations", J. Comput. Appl. Math. 27
//	(1989).
func bidiagonalize(f implementation, m, n int, a []float64, lda int, d, e, tauQ, tauP, u []float64, ldu int, v []float64, ldv int, space []float64) {
	w, z := space[:2*bidiagonalPanel*m], space[2*bidiagonalPanel*m:][:2*bidiagonalPanel*n]
	var buf [2 * bidiagonalPanel]float64
	for i := 0; i < n; i += bidiagonalPanel {
		width := min(bidiagonalPanel, n-i)
		rest, m, n := a[i*lda+i:], m-i, n-i
		for j := range width {
			done := buf[:2*j]
			left := w[2*j*m:]
			column := left[j:m]
			for r := range column {
				column[r] = rest[(j+r)*lda+j]
			}
			if j > 0 {
				for k := range done {
					done[k] = z[k*n+j]
				}
				level2.GemvT(column, w[j:], m, done, -1)
			}
			d[i+j], tauQ[i+j] = reflector(column)
			copy(u[(i+j)*ldu+i+j:][:m-j], column)
			if j+1 == n {
				break
			}

			y := z[2*j*n+j+1:][:n-j-1]
			clear(y)
			gemv(f.b, true, y, rest[j*lda+j+1:], lda, column, 1)
			if j > 0 {
				clear(done)
				level2.GemvN(done, w[j:], m, column, 1)
				level2.GemvT(y, z[j+1:], n, done, -1)
			}
			level2.Scale(tauQ[i+j], y)

			row := z[(2*j+1)*n+j+1:][:n-j-1]
			copy(row, rest[j*lda+j+1:])
			done = buf[:2*j+1]
			for k := range done {
				done[k] = w[k*m+j]
			}
			level2.GemvT(row, z[j+1:], n, done, -1)
			e[i+j], tauP[i+j] = reflector(row)
			copy(v[(i+j)*ldv+i+j+1:], row)

			x := left[m+j+1:][:m-j-1]
			clear(x)
			gemv(f.b, false, x, rest[(j+1)*lda+j+1:], lda, row, 1)
			clear(done)
			level2.GemvN(done, z[j+1:], n, row, 1)
			level2.GemvT(x, w[j+1:], m, done, -1)
			level2.Scale(tauP[i+j], x)
		}
		if width < n {
			f.Dgemm(gblas.Trans, gblas.NoTrans, m-width, n-width, 2*width, -1, w[width:], m, z[width:], n, 1, rest[width*lda+width:], lda)
		}
	}
}
