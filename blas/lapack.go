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

var lapackGonum lgonum.Implementation

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
	// The vectors are rows: V·Qᵀ with the reflectors of DSYTRD. (gonum's DORMQR is
	// not used: its DLARFT, v0.17.0, leaves out products where the second reflector
	// of a block ends in more zeros than the first.)
	l.multiply(orthogonal{n: n - 1, k: n - 1, a: a[lda:], lda: lda, tau: tau}, gblas.Right, gblas.Trans, n, v[1:], n)
	transpose(n, n, v, n, a, lda)
	work[0] = float64(max(lwork, 1))
	return !math.IsNaN(w[0])
}
