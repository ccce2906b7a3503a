package blas_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/blas"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/mat"
)

// generalCases are matrices that are hard on divide and conquer.
func generalCases(m, n int) map[string]func(i, j int) float64 {
	r := rand.New(rand.NewPCG(8, uint64(m*n)))
	random := func(m, n int) *mat.Dense {
		a := mat.NewDense(m, n, nil)
		for i := range m {
			for j := range n {
				a.Set(i, j, r.NormFloat64())
			}
		}
		return a
	}
	dense, k := random(m, n), min(m, n)
	// values are the singular values of an orthogonal times a diagonal times an
	// orthogonal matrix.
	values := func(value func(i int) float64) func(i, j int) float64 {
		var left, right mat.QR
		left.Factorize(random(m, m))
		right.Factorize(random(n, n))
		var u, v, a mat.Dense
		left.QTo(&u)
		right.QTo(&v)
		a.CloneFrom(u.Slice(0, m, 0, k))
		for j := range k {
			for i := range m {
				a.Set(i, j, a.At(i, j)*value(j))
			}
		}
		var product mat.Dense
		product.Mul(&a, v.Slice(0, n, 0, k).(*mat.Dense).T())
		return product.At
	}
	scaled := func(c float64) func(i, j int) float64 {
		return func(i, j int) float64 { return c * dense.At(i, j) }
	}
	var low mat.Dense
	low.Mul(random(m, 1+k/9), random(1+k/9, n))
	bidiagonal := func(diag func(i int) float64, off float64) func(i, j int) float64 {
		return func(i, j int) float64 {
			switch j - i {
			case 0:
				return diag(i)
			case 1:
				return off
			}
			return 0
		}
	}
	return map[string]func(i, j int) float64{
		"random":     dense.At,
		"zero":       func(i, j int) float64 { return 0 },
		"identity":   bidiagonal(func(int) float64 { return 1 }, 0),
		"ones":       func(i, j int) float64 { return 1 },
		"low rank":   low.At,
		"clustered":  values(func(i int) float64 { return float64(1 + i%3) }),
		"close":      values(func(i int) float64 { return 1 + 1e-13*float64(i) }),
		"decaying":   values(func(i int) float64 { return math.Pow(2, -float64(i)) }),
		"one large":  values(func(i int) float64 { return map[bool]float64{true: 1, false: 1e-14}[i == 0] }),
		"graded":     func(i, j int) float64 { return math.Pow(2, -float64(i+j)/4) * dense.At(i, j) },
		"tiny":       scaled(1e-305),
		"subnormal":  scaled(1e-310),
		"huge":       scaled(1e300),
		"bidiagonal": bidiagonal(func(i int) float64 { return 1 + float64(i%7) }, 1),
		"jordan":     bidiagonal(func(int) float64 { return 0 }, 1),
		"gaps":       bidiagonal(func(i int) float64 { return float64(i % 5) }, 1e-9),
		"row":        func(i, j int) float64 { return map[bool]float64{true: dense.At(i, j)}[i == m/2] },
	}
}

// factors is a singular value decomposition of an m×n matrix; distances between
// rows are larger than rows.
type factors struct {
	s, u, vt []float64
}

const pad = 3

func decompose(l lapack.Float64, jobU, jobVT lapack.SVDJob, m, n int, el func(i, j int) float64) (factors, bool) {
	k := min(m, n)
	a := make([]float64, m*(n+pad))
	for i := range m {
		for j := range n {
			a[i*(n+pad)+j] = el(i, j)
		}
	}
	f := factors{make([]float64, k), make([]float64, m*(m+pad)), make([]float64, n*(n+pad))}
	for _, x := range [][]float64{f.u, f.vt} {
		for i := range x {
			x[i] = math.Inf(1)
		}
	}
	size := make([]float64, 1)
	l.Dgesvd(jobU, jobVT, m, n, a, n+pad, f.s, f.u, m+pad, f.vt, n+pad, size, -1)
	work := make([]float64, int(size[0]))
	return f, l.Dgesvd(jobU, jobVT, m, n, a, n+pad, f.s, f.u, m+pad, f.vt, n+pad, work, len(work))
}

// check tests ‖A − U·diag(s)·Vᵀ‖ and UᵀU = I, VVᵀ = I.
func (f factors) check(t *testing.T, m, n, cols, rows int, el func(i, j int) float64) {
	t.Helper()
	const eps = 0x1p-52
	g, k := blas.Gonum.Float64(), min(m, n)
	orthonormal := func(name string, trans gblas.Transpose, count, length int, x []float64, ld int) {
		p := make([]float64, count*count)
		g.Dsyrk(gblas.Upper, trans, count, length, 1, x, ld, 0, p, count)
		for i := range count {
			p[i*count+i]--
			for j := i; j < count; j++ {
				if !(math.Abs(p[i*count+j]) <= 10*eps*math.Sqrt(float64(length))) {
					t.Fatalf("%s: product of vectors %d and %d is off by %v", name, i, j, p[i*count+j])
				}
			}
		}
	}
	if !slices.IsSortedFunc(f.s, func(a, b float64) int { return cmp.Compare(b, a) }) || !(f.s[k-1] >= 0) {
		t.Fatalf("values are not descending: %v", f.s)
	}
	if cols > 0 {
		orthonormal("U", gblas.Trans, cols, m, f.u, m+pad)
	}
	if rows > 0 {
		orthonormal("V", gblas.NoTrans, rows, n, f.vt, n+pad)
	}
	for i, x := range f.u {
		if i%(m+pad) >= cols && !math.IsInf(x, 1) {
			t.Fatalf("element %d of U has been written", i)
		}
	}
	for i, x := range f.vt {
		if (i%(n+pad) >= n || i/(n+pad) >= rows) && !math.IsInf(x, 1) {
			t.Fatalf("element %d of Vᵀ has been written", i)
		}
	}
	if cols == 0 || rows == 0 {
		return
	}
	_, exponent := math.Frexp(f.s[0])
	us, p := make([]float64, m*k), make([]float64, m*n)
	for i := range m {
		for j := range k {
			us[i*k+j] = f.u[i*(m+pad)+j] * math.Ldexp(f.s[j], -exponent)
		}
	}
	g.Dgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1, us, k, f.vt, n+pad, 0, p, n)
	tol := 10*eps*float64(max(m, n)) + math.Ldexp(1, -1074-exponent)
	for i := range m {
		for j := range n {
			if d := p[i*n+j] - math.Ldexp(el(i, j), -exponent); !(math.Abs(d) <= tol) {
				t.Fatalf("U·diag(s)·Vᵀ at %d, %d is off by %v of the norm, which is %v", i, j, d, f.s[0])
			}
		}
	}
}

// TestDgesvd checks decompositions of all shapes, and that all jobs agree.
func TestDgesvd(t *testing.T) {
	l := blas.Native.Lapack()
	shapes := [][2]int{{1, 1}, {2, 1}, {1, 3}, {5, 5}, {17, 17}, {18, 18}, {33, 33}, {34, 40}, {65, 20}, {70, 69}, {20, 90}, {130, 130}}
	if testing.Short() {
		shapes = [][2]int{{1, 3}, {18, 18}, {65, 20}, {34, 40}}
	}
	for _, shape := range shapes {
		m, n := shape[0], shape[1]
		for name, el := range generalCases(m, n) {
			t.Run(fmt.Sprintf("%s/%dx%d", name, m, n), func(t *testing.T) {
				all, ok := decompose(l, lapack.SVDAll, lapack.SVDAll, m, n, el)
				if !ok {
					t.Fatal("no convergence")
				}
				all.check(t, m, n, m, n, el)
				if m > 70 {
					return
				}
				sizes := map[lapack.SVDJob][2]int{lapack.SVDNone: {0, 0}, lapack.SVDStore: {min(m, n), min(m, n)}, lapack.SVDAll: {m, n}}
				for jobU, cols := range sizes {
					for jobVT, rows := range sizes {
						f, ok := decompose(l, jobU, jobVT, m, n, el)
						if !ok {
							t.Fatal("no convergence")
						}
						f.check(t, m, n, cols[0], rows[1], el)
						for i, s := range all.s {
							if !(math.Abs(f.s[i]-s) <= 10*0x1p-52*float64(max(m, n))*all.s[0]+0x1p-1073) {
								t.Fatalf("jobs %c and %c: value %d is %v, with all vectors %v", jobU, jobVT, i, f.s[i], s)
							}
						}
					}
				}
			})
		}
	}
}

// Known values: the singular values of the bidiagonal matrix of ones are
// 2·cos(jπ/(2n+1)).
func TestDgesvdKnownValues(t *testing.T) {
	const n = 200
	ones := func(i, j int) float64 { return map[bool]float64{true: 1}[j == i || j == i+1] }
	for _, job := range []lapack.SVDJob{lapack.SVDNone, lapack.SVDStore} {
		f, ok := decompose(blas.Native.Lapack(), job, job, n, n, ones)
		if !ok {
			t.Fatal("no convergence")
		}
		for j, s := range f.s {
			if want := 2 * math.Cos(float64(j+1)*math.Pi/(2*n+1)); !(math.Abs(s-want) <= 40*0x1p-52) {
				t.Errorf("job %c: value %d is %v, want %v", job, j, s, want)
			}
		}
	}
}

func TestDgesvdNaN(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, job := range []lapack.SVDJob{lapack.SVDNone, lapack.SVDAll} {
			el := func(i, j int) float64 { return map[bool]float64{true: v, false: float64(i - j)}[i == 3 && j == 7] }
			if f, ok := decompose(blas.Native.Lapack(), job, job, 40, 50, el); ok {
				t.Errorf("job %c: values %v of a matrix with %v", job, f.s[:3], v)
			}
		}
	}
}

// Same bits for any number of threads.
func TestDgesvdThreads(t *testing.T) {
	defer blas.Native.SetThreads(0)
	shapes := [][2]int{{300, 300}, {400, 120}}
	if testing.Short() {
		shapes = shapes[1:]
	}
	for _, shape := range shapes {
		m, n := shape[0], shape[1]
		r := rand.New(rand.NewPCG(8, 8))
		a := make([]float64, m*n)
		for i := range a {
			a[i] = r.NormFloat64()
		}
		el := func(i, j int) float64 { return a[i*n+j] }
		var want factors
		for _, threads := range []int{1, 2, 5} {
			blas.Native.SetThreads(threads)
			f, ok := decompose(blas.Native.Lapack(), lapack.SVDStore, lapack.SVDStore, m, n, el)
			if !ok {
				t.Fatal("no convergence")
			}
			if want.s == nil {
				want = f
				f.check(t, m, n, n, n, el)
			} else if !slices.Equal(f.s, want.s) || !slices.Equal(f.u, want.u) || !slices.Equal(f.vt, want.vt) {
				t.Errorf("%d×%d: other bits with %d threads", m, n, threads)
			}
		}
	}
}

// The companion matrix of the exponential series has singular values of 1 below one of up to
// 10⁴⁸, and all but four are found to ten digits, with vectors and without. With vectors DGESDD
// of OpenBLAS 0.3.21 finds none of them (Reference-LAPACK/lapack, "xGESDD: vastly different
// singular values when vectors are also requested").
func TestCompanion(t *testing.T) {
	for _, n := range []int{12, 17, 18, 26, 33, 40} {
		first := make([]float64, n)
		for i, c := 0, 1.; i < n; i++ {
			c *= float64(n - i)
			first[i] = -c
		}
		el := func(i, j int) float64 {
			switch {
			case i == 0:
				return first[j]
			case i == j+1:
				return 1
			}
			return 0
		}
		for _, job := range []lapack.SVDJob{lapack.SVDNone, lapack.SVDAll} {
			f, ok := decompose(blas.Native.Lapack(), job, job, n, n, el)
			if !ok {
				t.Fatalf("n=%d: no convergence", n)
			}
			ones := 0
			for _, x := range f.s {
				if math.Abs(x-1) <= 1e-10 {
					ones++
				}
			}
			if ones < n-4 {
				t.Errorf("n=%d, vectors %c: %d singular values are 1, want %d: %v", n, job, ones, n-4, f.s)
			}
			if job == lapack.SVDAll {
				f.check(t, n, n, n, n, el)
			}
		}
	}
}
