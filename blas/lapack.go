package blas

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	lgonum "gonum.org/v1/gonum/lapack/gonum"
)

// nativeLapack is gonum's LAPACK, which runs on the BLAS installed, with the
// symmetric eigenproblem replaced.
type nativeLapack struct {
	lgonum.Implementation
	b *native
}

// Dsyev computes the eigenvalues of A, ascending, and, with lapack.EVCompute,
// the eigenvectors in the columns of A. It is gonum's reduction to tridiagonal
// form followed by divide and conquer; gonum's QL iterations take O(n³)
// rotations column by column instead. Beyond work it allocates 4n² numbers.
func (l nativeLapack) Dsyev(jobz lapack.EVJob, ul gblas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) (ok bool) {
	fit := jobz == lapack.EVCompute && (ul == gblas.Upper || ul == gblas.Lower) && n >= 2 && lda >= n &&
		len(a) >= (n-1)*lda+n && len(w) >= n && lwork >= 3*n-1 && len(work) >= lwork
	if fit {
		// matrices near the ends of the range have to be scaled
		norm := l.Dlansy(lapack.MaxAbs, ul, n, a, lda, work)
		fit = norm > 0x1p-400 && norm < 0x1p400
	}
	if !fit {
		return l.Implementation.Dsyev(jobz, ul, n, a, lda, w, work, lwork)
	}
	if ul == gblas.Upper {
		for i := range n {
			for j := i + 1; j < n; j++ {
				a[j*lda+i] = a[i*lda+j]
			}
		}
	}
	e, tau := make([]float64, n-1), make([]float64, n-1)
	var size [1]float64
	l.Dsytrd(gblas.Lower, n, a, lda, w, e, tau, size[:], -1)
	space := make([]float64, int(size[0]))
	l.Dsytrd(gblas.Lower, n, a, lda, w, e, tau, space, len(space))
	v, err := tridiagonalEigen(l.b, n, w, e)
	if err != nil {
		return false
	}
	backTransform(implementation{b: l.b}, n, a, lda, tau, v)
	const nb = 16
	for i0 := 0; i0 < n; i0 += nb {
		for j0 := 0; j0 < n; j0 += nb {
			for i := i0; i < min(i0+nb, n); i++ {
				for j := j0; j < min(j0+nb, n); j++ {
					a[i*lda+j] = v[j*n+i]
				}
			}
		}
	}
	work[0] = float64(max(lwork, 1))
	return !math.IsNaN(w[0])
}

// backTransform overwrites M with M·Qᵀ, where Q = H₀·H₁·…·H_{n−2} is the
// orthogonal matrix of DSYTRD with a lower triangle: reflector i is
// I − tau[i]·v·vᵀ with v = 0 up to row i, 1 in row i+1 and a[r·lda+i] below.
// Blocks of them are applied as I − V·T·Vᵀ. (gonum's DORMQR is not used: its
// DLARFT, v0.17.0, leaves out products where the second reflector of a block
// ends in more zeros than the first.)
func backTransform(f implementation, n int, a []float64, lda int, tau, m []float64) {
	const nb = 32
	v, x, y := make([]float64, n*nb), make([]float64, n*nb), make([]float64, n*nb)
	var g, t [nb * nb]float64
	for i0 := (n - 2) / nb * nb; i0 >= 0; i0 -= nb {
		k := min(nb, n-1-i0)
		first := i0 + 1 // rows before it are zero
		rows := n - first
		clear(v[:rows*nb])
		for q := range k {
			v[q*nb+q] = 1
			for r := q + 1; r < rows; r++ {
				v[r*nb+q] = a[(first+r)*lda+i0+q]
			}
		}
		f.Dgemm(gblas.Trans, gblas.NoTrans, k, k, rows, 1, v, nb, v, nb, 0, g[:], nb)
		clear(t[:])
		for q := range k {
			for i := range q {
				var s float64
				for j := i; j < q; j++ {
					s += t[i*nb+j] * g[j*nb+q]
				}
				t[i*nb+q] = -tau[i0+q] * s
			}
			t[q*nb+q] = tau[i0+q]
		}
		f.Dgemm(gblas.NoTrans, gblas.NoTrans, n, k, rows, 1, m[first:], n, v, nb, 0, x, nb)
		f.Dgemm(gblas.NoTrans, gblas.Trans, n, k, k, 1, x, nb, t[:], nb, 0, y, nb)
		f.Dgemm(gblas.NoTrans, gblas.Trans, n, rows, k, -1, y, nb, v, nb, 1, m[first:], n)
	}
}
