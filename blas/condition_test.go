package blas

import (
	"math"
	"math/rand/v2"
	"testing"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	lgonum "gonum.org/v1/gonum/lapack/gonum"
)

// The condition numbers of well conditioned, nearly singular, singular and huge matrices are
// gonum's, whose solutions are scaled where they are out of range.
func TestCondition(t *testing.T) {
	l := nativeLapack{b: Native.(*nativeBackend)}
	var g lgonum.Implementation
	for _, n := range []int{1, 2, 5, 33, 150} {
		for name, last := range map[string]float64{"well": 1, "nearly singular": 1e-13, "singular": 0, "beyond the range": 1e-320, "NaN": math.NaN()} {
			lda := n + 3
			r := rand.New(rand.NewPCG(uint64(n), 1))
			a := make([]float64, n*lda)
			for i := range a {
				a[i] = r.NormFloat64()
			}
			for i := range n {
				for j := range n {
					a[i*lda+j] /= float64(n)
				}
				a[i*lda+i] += 2
			}
			a[(n-1)*lda+n-1] = last
			same := func(what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 1e-10*want) && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("n %d, %s, %s: %g, want %g", n, name, what, got, want)
				}
			}
			work, iwork := make([]float64, 4*n), make([]int, n)
			for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
				same("Dpocon", l.Dpocon(ul, n, a, lda, 3, work, iwork), g.Dpocon(ul, n, a, lda, 3, work, iwork))
				for _, norm := range []lapack.MatrixNorm{lapack.MaxColumnSum, lapack.MaxRowSum} {
					for _, diag := range []gblas.Diag{gblas.NonUnit, gblas.Unit} {
						same("Dtrcon", l.Dtrcon(norm, ul, diag, n, a, lda, work, iwork), g.Dtrcon(norm, ul, diag, n, a, lda, work, iwork))
					}
				}
			}
			for _, norm := range []lapack.MatrixNorm{lapack.MaxColumnSum, lapack.MaxRowSum} {
				same("Dgecon", l.Dgecon(norm, n, a, lda, 3, work, iwork), g.Dgecon(norm, n, a, lda, 3, work, iwork))
			}
		}
	}
}
