package cholupdate

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/chol"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// The solution of Lp = x decides down to the least margin, changes nothing below it, and
// has the backward error of rotations just above it, also where all of p is in the first or
// in the last coordinate.
func TestDowndateSolved(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, uplo := range orders {
			for _, n := range []int{1, 2, 3, 4, 5, 8, 31, 37, 48, 71} {
				l := random(n, uplo, 21, 1)
				f := factorOf(l)
				a := product(l)
				first, last := make([]float64, n), make([]float64, n)
				for i := range n {
					first[i] = f.a[f.at(i, 0)]
				}
				last[n-1] = 1
				for name, x := range map[string][]float64{"any": asmtest.Normal[float64](rng.New(22, uint64(n)), n), "first": first, "last": last} {
					for _, c := range []struct {
						margin float64
						ok     bool
					}{{1 - 1e-14, true}, {.5, true}, {leastSolved * (1 + 1e-9), true}, {leastSolved * (1 - 1e-9), false}, {1e-16, false}, {0, false}, {-1e-12, false}, {-3, false}} {
						x, m := scaled(l, x, c.margin), clone(l)
						margin, ok := factorOf(m).changeSolved(chol.Downdate, x)
						if ok != c.ok {
							t.Fatalf("%c n %d %s, margin %g: decided %t", uplo, n, name, c.margin, ok)
						}
						unchanged(t, m)
						if !ok {
							for i, v := range m.Data {
								if !asmtest.SameBits(v, l.Data[i]) {
									t.Fatalf("%c n %d %s, margin %g: the factor was changed", uplo, n, name, c.margin)
								}
							}
							continue
						}
						if !(math.Abs(margin-c.margin) <= 1e-13*float64(n)) {
							t.Errorf("%c n %d %s: margin %v, want %v", uplo, n, name, margin, c.margin)
						}
						if e := backward(m, a, -1, x); !(e <= 4*math.Sqrt(float64(n))*eps) {
							t.Errorf("%c n %d %s, margin %g: backward error %g", uplo, n, name, c.margin, e)
						}
						r := clone(l)
						must.Have(factorOf(r).rotate(chol.Downdate, x))(t)
						if e := difference(m, r); !(e <= 1e-12*float64(n)) {
							t.Errorf("%c n %d %s, margin %g: rotations give a factor that differs by %g", uplo, n, name, c.margin, e)
						}
					}
				}
			}
		}
	})
}

// difference returns the largest difference of elements of two factors.
func difference(a, b blas64.Triangular) (d float64) {
	f, g := factorOf(a), factorOf(b)
	for i := range f.n {
		for j := range i + 1 {
			d = max(d, math.Abs(f.a[f.at(i, j)]-g.a[g.at(i, j)]))
		}
	}
	return d
}

// Factors and vectors that no downdate accepts are left to the error.
func TestDowndateSolvedRefuses(t *testing.T) {
	x := []float64{0, 0, 0, 0, 0, .1, 0, 0, 0, .1}
	for _, uplo := range orders {
		for k := range x {
			for _, bad := range []float64{0, math.Copysign(0, -1), -1, math.NaN(), math.Inf(-1), math.MaxFloat64, 1e-320} {
				l := random(len(x), uplo, 23, 0)
				l.Data[k*(l.Stride+1)] = bad
				for _, x := range [][]float64{slices.Repeat([]float64{.1}, len(x)), x, make([]float64, len(x))} {
					if bad > 0 && x[k] == 0 {
						continue // x leaves the column alone
					}
					if _, ok := factorOf(l).changeSolved(chol.Downdate, x); ok {
						t.Errorf("%c: element %d of the diagonal %v, x = %v: changed", uplo, k, bad, x)
					}
				}
			}
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308} {
				x := slices.Clone(x)
				x[k] = bad
				if _, ok := factorOf(random(len(x), uplo, 23, 0)).changeSolved(chol.Downdate, x); ok {
					t.Errorf("%c: element %d of x %v: changed", uplo, k, bad)
				}
			}
		}
	}
	if _, ok := factorOf(random(3, blas.Lower, 23, 0)).changeSolved(chol.Downdate, x); ok {
		t.Error("a vector of another length was accepted")
	}
}
