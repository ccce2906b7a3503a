package blas

import (
	"context"
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	lgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// nativeLapack is gonum's LAPACK, which runs on the BLAS installed, with the
// eigenproblems and the usual factorizations replaced.
type nativeLapack struct {
	lgonum.Implementation
	b *nativeBackend
}

var lapackGonum lgonum.Implementation

// leastSymmetric is the order below which symmetric eigenproblems are left to gonum.
const leastSymmetric = 14

// Dsyev computes the eigenvalues of A, ascending, and, with lapack.EVCompute,
// the eigenvectors in the columns of A. Small matrices are left to gonum. Others are
// reduced to tridiagonal form, whose eigenpairs are found by divide and conquer. Beyond
// work it uses about 4·n² numbers.
func (l nativeLapack) Dsyev(jobz lapack.EVJob, ul gblas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) (ok bool) {
	return l.symEigen(context.Background(), jobz, ul, n, a, lda, w, work, lwork) == nil
}

// SymEigen overwrites the symmetric n×n matrix whose upper triangle is in a with its
// eigenvectors, in columns, and w with the eigenvalues, ascending, as DSYEV of the installed
// backend does. With Native it returns ctx.Err() within 200·n² flops, or within those of
// one product in the last merges, once ctx is done; other backends are not interrupted. a
// and w are then destroyed. It panics where they are too short.
func SymEigen(ctx context.Context, n int, a []float64, lda int, w []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	if b, ok := Current().(*nativeBackend); ok {
		work := make([]float64, 3*n)
		return nativeLapack{b: b}.symEigen(ctx, lapack.EVCompute, gblas.Upper, n, a, lda, w, work, len(work))
	}
	s := blas64.Symmetric{Uplo: gblas.Upper, N: n, Stride: lda, Data: a}
	work := make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, s, w, work, -1)
	work = make([]float64, int(work[0]))
	if !lapack64.Syev(lapack.EVCompute, s, w, work, len(work)) {
		return errNoConvergence
	}
	return nil
}

// symEigen is Dsyev, which ends with ctx.Err() when ctx is done.
func (l nativeLapack) symEigen(ctx context.Context, jobz lapack.EVJob, ul gblas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) error {
	fit := n >= leastSymmetric && jobz == lapack.EVCompute && (ul == gblas.Upper || ul == gblas.Lower) && lda >= n &&
		len(a) >= (n-1)*lda+n && len(w) >= n && lwork >= 3*n-1 && len(work) >= lwork
	if fit {
		// matrices near the ends of the range have to be scaled
		norm := l.Dlansy(lapack.MaxAbs, ul, n, a, lda, work)
		fit = norm > 0x1p-400 && norm < 0x1p400
	}
	if !fit {
		if !l.Implementation.Dsyev(jobz, ul, n, a, lda, w, work, lwork) {
			return errNoConvergence
		}
		return nil
	}
	if ul == gblas.Lower {
		mirror(n, a, lda)
	}
	f := implementation{b: l.b}
	buf := take[float64](2*n + max(tridiagonalSpace(n), eigenSpace(n)))
	defer give(buf)
	e, tau, space := (*buf)[:n-1], (*buf)[n:2*n-1], (*buf)[2*n:]
	if err := tridiagonalize(ctx, f, n, a, lda, w, e, tau, space); err != nil {
		return err
	}
	v, err := tridiagonalEigen(ctx, l.b, w[:n], e, space)
	if err != nil {
		return err
	}
	// The vectors are rows: V·Qᵀ.
	q := orthogonal{n: n - 1, k: n - 1, a: a[1:], lda: lda, rows: true, tau: tau, ctx: ctx}
	l.multiply(q, gblas.Right, gblas.Trans, n, v[1:], n)
	if err := ctx.Err(); err != nil {
		return err
	}
	transpose(n, n, v, n, a, lda)
	work[0] = float64(max(lwork, 1))
	if math.IsNaN(w[0]) {
		return errNoConvergence
	}
	return nil
}
