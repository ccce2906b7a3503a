package blas_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// symmetricCases are matrices that are hard on divide and conquer: much or no
// deflation, clusters, graded, tridiagonal ones.
func symmetricCases(n int) map[string]func(i, j int) float64 {
	r := rand.New(rand.NewPCG(8, uint64(n)))
	dense := make([]float64, n*n)
	for i := range dense {
		dense[i] = r.NormFloat64()
	}
	thin := make([]float64, n*3)
	for i := range thin {
		thin[i] = r.NormFloat64()
	}
	tri := func(diag func(i int) float64, off float64) func(i, j int) float64 {
		return func(i, j int) float64 {
			switch i - j {
			case 0:
				return diag(i)
			case 1, -1:
				return off
			}
			return 0
		}
	}
	return map[string]func(i, j int) float64{
		"random":   func(i, j int) float64 { return dense[min(i, j)*n+max(i, j)] },
		"zero":     func(i, j int) float64 { return 0 },
		"identity": tri(func(int) float64 { return 1 }, 0),
		"low rank": func(i, j int) (s float64) {
			for q := range 3 {
				s += thin[i*3+q] * thin[j*3+q]
			}
			return s
		},
		"gaussian":  func(i, j int) float64 { return math.Exp(-float64((i-j)*(i-j)) / float64(n)) },
		"toeplitz":  tri(func(int) float64 { return 2 }, -1),
		"wilkinson": tri(func(i int) float64 { return math.Abs(float64(i) - float64(n-1)/2) }, 1),
		"graded":    func(i, j int) float64 { return math.Pow(2, -float64(i+j)/4) },
		"small":     func(i, j int) float64 { return 1e-60 * dense[min(i, j)*n+max(i, j)] },
		"tiny":      func(i, j int) float64 { return 1e-300 * dense[min(i, j)*n+max(i, j)] },
		"huge":      func(i, j int) float64 { return 1e200 * dense[min(i, j)*n+max(i, j)] },
		// a half that is far smaller than the other is exact for its own size
		// the smaller half is exact for its own size
		"small half": func(i, j int) float64 {
			switch v := dense[min(i, j)*n+max(i, j)]; {
			case max(i, j) < n/2:
				return v
			case min(i, j) >= n/2:
				return math.Ldexp(v, -30)
			}
			return 0
		},
		"glued": tri(func(i int) float64 { return math.Abs(float64(i%21 - 10)) }, 1),
		"ones":  func(i, j int) float64 { return 1 },
	}
}

// TestDsyev checks A·V = V·diag(w), VᵀV = I and the order of w, and against the
// sum and the sum of squares of the eigenvalues.
func TestDsyev(t *testing.T) {
	l, f := blas.Native.Lapack(), blas.Gonum.Float64()
	sizes := []int{2, 3, 20, 33, 47, 65, 150, 257}
	if testing.Short() {
		sizes = []int{3, 47, 65}
	}
	for _, n := range sizes {
		for name, el := range symmetricCases(n) {
			for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
				t.Run(fmt.Sprintf("%s/n=%d/%c", name, n, ul), func(t *testing.T) {
					lda := n + 2
					a, whole := make([]float64, n*lda), make([]float64, n*n)
					var trace, norm float64
					for i := range n {
						for j := range n {
							whole[i*n+j] = el(i, j)
							a[i*lda+j] = math.NaN()
							if (ul == gblas.Upper) == (j > i) || i == j {
								a[i*lda+j] = whole[i*n+j]
							}
							norm = max(norm, math.Abs(whole[i*n+j])*float64(n))
						}
						trace += whole[i*n+i]
					}
					w, work := make([]float64, n), make([]float64, 10*n)
					if !l.Dsyev(lapack.EVCompute, ul, n, a, lda, w, work, len(work)) {
						t.Fatal("no convergence")
					}
					if !slices.IsSorted(w) {
						t.Fatal("eigenvalues are not in order")
					}
					const eps = 0x1p-52
					var sum float64
					for _, x := range w {
						sum += x
					}
					if !(math.Abs(sum-trace) <= 10*eps*float64(n)*norm) {
						t.Errorf("sum of the eigenvalues %v, trace %v", sum, trace)
					}
					p, q := make([]float64, n*n), make([]float64, n*n)
					f.Dgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, 1, whole, n, a, lda, 0, p, n)
					f.Dgemm(gblas.Trans, gblas.NoTrans, n, n, n, 1, a, lda, a, lda, 0, q, n)
					for i := range n {
						for j := range n {
							if r := p[i*n+j] - a[i*lda+j]*w[j]; !(math.Abs(r) <= max(20, float64(n)/2)*eps*norm) {
								t.Fatalf("residual %v at %d,%d, norm %v", r, i, j, norm)
							}
							want := 0.0
							if i == j {
								want = 1
							}
							if !(math.Abs(q[i*n+j]-want) <= 20*eps*math.Sqrt(float64(n))) {
								t.Fatalf("VᵀV at %d,%d is %v", i, j, q[i*n+j])
							}
						}
					}
				})
			}
		}
	}
}

// TestDsyevNaN: no eigenvalues of what is not a matrix of numbers, and no hang.
func TestDsyevNaN(t *testing.T) {
	const n = 60
	a, w, work := make([]float64, n*n), make([]float64, n), make([]float64, 10*n)
	a[5*n+7] = math.NaN()
	if blas.Native.Lapack().Dsyev(lapack.EVCompute, gblas.Upper, n, a, n, w, work, len(work)) && !math.IsNaN(w[0]) {
		t.Errorf("eigenvalues %v of a matrix with NaN", w[:3])
	}
}

// Eigenvalues alone leave the other triangle as it is.
func TestDsyevValues(t *testing.T) {
	const n = 65
	el := symmetricCases(n)["random"]
	for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
		a, v, w, values, work := make([]float64, n*n), make([]float64, n*n), make([]float64, n), make([]float64, n), make([]float64, 10*n)
		for i := range n {
			for j := range n {
				a[i*n+j], v[i*n+j] = math.Inf(1), el(i, j)
				if (ul == gblas.Upper) == (j > i) || i == j {
					a[i*n+j] = el(i, j)
				}
			}
		}
		l := blas.Native.Lapack()
		if !l.Dsyev(lapack.EVNone, ul, n, a, n, values, work, len(work)) || !l.Dsyev(lapack.EVCompute, ul, n, v, n, w, work, len(work)) {
			t.Fatal("no convergence")
		}
		for i := range n {
			if !(math.Abs(values[i]-w[i]) <= 1e-12*n) {
				t.Errorf("eigenvalue %d is %v, with eigenvectors %v", i, values[i], w[i])
			}
			for j := range n {
				if i != j && (ul == gblas.Upper) != (j > i) && !math.IsInf(a[i*n+j], 1) {
					t.Fatalf("%c: element %d, %d of the other triangle has been written", ul, i, j)
				}
			}
		}
	}
}

// Factorizations have the same bits for any number of threads and reject what they
// cannot factor.
func TestFactors(t *testing.T) {
	defer blas.Native.SetThreads(0)
	l := blas.Native.Lapack()
	const m, n = 230, 200
	r := rand.New(rand.NewPCG(4, 4))
	a := make([]float64, m*n)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	definite := make([]float64, n*n)
	blas.Native.Float64().Dsyrk(gblas.Upper, gblas.Trans, n, m, 1, a, n, 0, definite, n)
	work := make([]float64, 64*m)
	for name, factor := range map[string]func() ([]float64, bool){
		"Dgetrf": func() ([]float64, bool) {
			x := slices.Clone(a)
			return x, l.Dgetrf(m, n, x, n, make([]int, n))
		},
		"Dgetri": func() ([]float64, bool) {
			x, pivots := slices.Clone(a[:n*n]), make([]int, n)
			return x, l.Dgetrf(n, n, x, n, pivots) && l.Dgetri(n, x, n, pivots, work, len(work))
		},
		"Dgeqrf": func() ([]float64, bool) {
			x, tau := slices.Clone(a), make([]float64, n)
			l.Dgeqrf(m, n, x, n, tau, work, len(work))
			l.Dorgqr(m, n, n, x, n, tau, work, len(work))
			return x, true
		},
		"Dpotrf": func() ([]float64, bool) {
			x := slices.Clone(definite)
			return x, l.Dpotrf(gblas.Upper, n, x, n)
		},
	} {
		var want []float64
		for _, threads := range []int{1, 3} {
			blas.Native.SetThreads(threads)
			got, ok := factor()
			if ok && name == "Dgetri" {
				p := make([]float64, n*n)
				blas.Gonum.Float64().Dgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, 1, a, n, got, n, 0, p, n)
				for i, x := range p {
					if one := map[bool]float64{true: 1}[i%(n+1) == 0]; !(math.Abs(x-one) <= 1e-9) {
						t.Fatalf("element %d of a matrix times its inverse is %v", i, x)
					}
				}
			}
			if !ok {
				t.Fatalf("%s failed", name)
			}
			if want == nil {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("%s: other bits with %d threads", name, threads)
			}
		}
	}
	for _, bad := range []float64{0, -1, math.NaN()} {
		x := slices.Clone(definite)
		x[150*n+150] = bad
		if l.Dpotrf(gblas.Upper, n, x, n) {
			t.Errorf("a matrix with %v on its diagonal has a Cholesky factor", bad)
		}
	}
	x := slices.Clone(a[:n*n])
	for i := range n {
		x[i*n+77] = 0
	}
	pivots := make([]int, n)
	if l.Dgetrf(n, n, x, n, pivots) {
		t.Error("a matrix with a column of zeros has pivots")
	}
	if before := slices.Clone(x); l.Dgetri(n, x, n, pivots, work, len(work)) || !slices.Equal(x, before) {
		t.Error("a matrix with a column of zeros has an inverse, or its factors were overwritten")
	}
}

// SymEigen has the bits of DSYEV, and ends at whichever look at its context finds it done.
func TestSymEigen(t *testing.T) {
	const n = 150
	el := symmetricCases(n)["random"]
	fill := func() []float64 {
		a := make([]float64, n*n)
		for i := range a {
			a[i] = el(i/n, i%n)
		}
		return a
	}
	want, w, work := fill(), make([]float64, n), make([]float64, 3*n)
	if !blas.Native.Lapack().Dsyev(lapack.EVCompute, gblas.Upper, n, want, n, w, work, len(work)) {
		t.Fatal("no convergence")
	}
	for looks := 0; ; looks++ {
		a, values := fill(), make([]float64, n)
		err := blas.SymEigen(looktest.After(t.Context(), looks), n, a, n, values)
		if err == nil {
			if !slices.Equal(a, want) || !slices.Equal(values, w) {
				t.Error("other eigenvectors than those of DSYEV")
			}
			if least := n/32 + n/64 + n/48; looks < least {
				t.Errorf("%d looks, want %d", looks, least)
			}
			break
		}
		if err != context.Canceled {
			t.Fatalf("done at look %d: %v", looks, err)
		}
	}
	blas.Use(blas.Gonum)
	defer blas.Use(blas.Native)
	a, values := fill(), make([]float64, n)
	if err := blas.SymEigen(looktest.After(t.Context(), 0), n, a, n, values); err != context.Canceled || !slices.Equal(a, fill()) {
		t.Errorf("done before the call, with gonum: %v", err)
	}
	must.Do(t, blas.SymEigen(t.Context(), n, a, n, values))
	for i, v := range values {
		if !(math.Abs(v-w[i]) <= 1e-12*n) {
			t.Errorf("eigenvalue %d is %v with gonum, %v here", i, v, w[i])
		}
	}
}
