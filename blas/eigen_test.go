package blas_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/blas"
	"gonum.org/v1/gonum/lapack"
)

// squareCases are matrices that are hard on QR iterations: defective, graded,
// orthogonal, decoupled, companion ones.
func squareCases(n int) map[string]func(i, j int) float64 {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	a := make([]float64, n*n)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	random := func(i, j int) float64 { return a[i*n+j] }
	return map[string]func(i, j int) float64{
		"random":   random,
		"zero":     func(i, j int) float64 { return 0 },
		"identity": func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] },
		"jordan":   func(i, j int) float64 { return map[bool]float64{true: 1}[i == j || j == i+1] },
		"cyclic":   func(i, j int) float64 { return map[bool]float64{true: 1}[i == (j+1)%n] },
		"companion": func(i, j int) float64 {
			return map[bool]float64{true: 1, false: 0}[i == j+1] + map[bool]float64{true: -1}[j == n-1]
		},
		"graded":    func(i, j int) float64 { return a[i*n+j] * math.Pow(2, -float64(i+j)/3) },
		"scaled":    func(i, j int) float64 { return a[i*n+j] * math.Pow(2, float64(i-j)) },
		"symmetric": func(i, j int) float64 { return a[i*n+j] + a[j*n+i] },
		"skew":      func(i, j int) float64 { return a[i*n+j] - a[j*n+i] },
		"blocks": func(i, j int) float64 {
			return map[bool]float64{true: a[i*n+j]}[i/7 == j/7 || j > i+20]
		},
		"tiny": func(i, j int) float64 { return 1e-200 * a[i*n+j] },
		"huge": func(i, j int) float64 { return 1e200 * a[i*n+j] },
	}
}

// spectrum is what Dgeev returns.
type spectrum struct{ wr, wi, vl, vr []float64 }

func eigen(l lapack.Float64, left lapack.LeftEVJob, right lapack.RightEVJob, n int, el func(i, j int) float64) (spectrum, int) {
	ld := n + pad
	a, s := make([]float64, n*ld), spectrum{make([]float64, n), make([]float64, n), make([]float64, n*ld), make([]float64, n*ld)}
	for i := range n {
		for j := range n {
			a[i*ld+j] = el(i, j)
		}
	}
	size := make([]float64, 1)
	l.Dgeev(left, right, n, a, ld, s.wr, s.wi, s.vl, ld, s.vr, ld, size, -1)
	work := make([]float64, int(size[0]))
	return s, l.Dgeev(left, right, n, a, ld, s.wr, s.wi, s.vl, ld, s.vr, ld, work, len(work))
}

// TestDgeev checks A·v = λ·v and uᴴ·A = λ·uᴴ for vectors of norm 1, and that the
// values do not depend on what else is computed.
func TestDgeev(t *testing.T) {
	l := blas.Native.Lapack()
	sizes := []int{8, 40, 76, 120}
	if testing.Short() {
		sizes = sizes[1:3]
	}
	for _, n := range sizes {
		for name, el := range squareCases(n) {
			t.Run(fmt.Sprintf("%s/n=%d", name, n), func(t *testing.T) {
				s, first := eigen(l, lapack.LeftEVCompute, lapack.RightEVCompute, n, el)
				if first != 0 {
					t.Fatalf("the first %d values have not been found", first)
				}
				var norm float64
				for i := range n {
					for j := range n {
						norm = math.Hypot(norm, el(i, j))
					}
				}
				tol := 10 * 0x1p-52 * float64(n) * norm
				var trace, sum float64
				for i := range n {
					trace += el(i, i)
					sum += s.wr[i]
				}
				if !(math.Abs(trace-sum) <= tol) {
					t.Errorf("sum of the eigenvalues %v, trace %v", sum, trace)
				}
				vector := func(v []float64, j int) []complex128 {
					x := make([]complex128, n)
					for i := range x {
						row := v[i*(n+pad):]
						switch {
						case s.wi[j] > 0:
							x[i] = complex(row[j], row[j+1])
						case s.wi[j] < 0:
							x[i] = complex(row[j-1], -row[j])
						default:
							x[i] = complex(row[j], 0)
						}
					}
					return x
				}
				for j := range n {
					lambda := complex(s.wr[j], s.wi[j])
					v, u := vector(s.vr, j), vector(s.vl, j)
					var nv, nu float64
					for i := range n {
						nv, nu = math.Hypot(nv, cmplx.Abs(v[i])), math.Hypot(nu, cmplx.Abs(u[i]))
						rv, ru := -lambda*v[i], -cmplx.Conj(lambda)*u[i]
						for k := range n {
							rv += complex(el(i, k), 0) * v[k]
							ru += complex(el(k, i), 0) * u[k]
						}
						// balancing moves the error of a scaled matrix to where it is large
						if name != "scaled" && !(cmplx.Abs(rv) <= tol && cmplx.Abs(ru) <= tol) {
							t.Fatalf("residuals of value %d, %v, are %v and %v, norm %v", j, lambda, rv, ru, norm)
						}
					}
					if !(math.Abs(nv-1) <= 1e-14*float64(n) && math.Abs(nu-1) <= 1e-14*float64(n)) {
						t.Fatalf("norms of vectors %d are %v and %v", j, nv, nu)
					}
				}
				// the values are computed in another order if no vectors are wanted, and round differently
				only, first := eigen(l, lapack.LeftEVNone, lapack.RightEVNone, n, el)
				if first != 0 {
					t.Fatalf("without vectors the first %d values have not been found", first)
				}
				if name == "random" || name == "symmetric" || name == "skew" || name == "cyclic" {
					for j, x := range s.wr {
						nearest := math.Inf(1)
						for k, y := range only.wr {
							nearest = min(nearest, math.Hypot(x-y, s.wi[j]-only.wi[k]))
						}
						if !(nearest <= 100*tol) {
							t.Errorf("value %d, %v, is off by %v without vectors", j, complex(x, s.wi[j]), nearest)
						}
					}
				}
			})
		}
	}
}

// Same bits for any number of threads.
func TestDgeevThreads(t *testing.T) {
	defer blas.Native.SetThreads(0)
	const n = 180
	var want spectrum
	for _, threads := range []int{1, 3} {
		blas.Native.SetThreads(threads)
		s, first := eigen(blas.Native.Lapack(), lapack.LeftEVNone, lapack.RightEVCompute, n, squareCases(n)["random"])
		if first != 0 {
			t.Fatalf("the first %d values have not been found", first)
		}
		if want.wr == nil {
			want = s
		} else if !slices.Equal(s.wr, want.wr) || !slices.Equal(s.wi, want.wi) || !slices.Equal(s.vr, want.vr) {
			t.Errorf("other bits with %d threads", threads)
		}
	}
}
