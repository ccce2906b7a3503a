//go:build openblas

package eig

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/blas/openblas"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// TestAgainstLAPACK compares with dsyev of OpenBLAS on the full matrix.
func TestAgainstLAPACK(t *testing.T) {
	b := must.Have(openblas.New())(t)
	for _, n := range []int{1, 2, 7, 60, 200} {
		for _, p := range problems(n) {
			u := must.Have(RankOne(p.d, p.z, p.rho))(t)
			a, want := make([]float64, n*n), make([]float64, n)
			var norm float64
			for i := range n {
				for j := range n {
					a[i*n+j] = p.rho * p.z[i] * p.z[j]
				}
				a[i*n+i] += p.d[i]
				norm = max(norm, math.Abs(a[i*n+i]))
			}
			work := make([]float64, 1)
			b.Lapack().Dsyev(lapack.EVNone, blas.Lower, n, slices.Clone(a), n, want, work, -1)
			work = make([]float64, int(work[0]))
			if !b.Lapack().Dsyev(lapack.EVNone, blas.Lower, n, a, n, want, work, len(work)) {
				t.Fatalf("%s: LAPACK did not converge", p.name)
			}
			for j, v := range u.Values() {
				norm = max(norm, math.Abs(want[j]))
				if tol := 10 * float64(n) * 0x1p-52 * norm; !(math.Abs(v-want[j]) <= tol) {
					t.Errorf("n %d, %s: eigenvalue %d is %g, LAPACK's %g", n, p.name, j, v, want[j])
				}
			}
		}
	}
}
