package blas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/blas"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// withSpectrum returns an m×n matrix with these singular values and random singular vectors.
func withSpectrum(m, n int, value func(i int) float64) []float64 {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	k := min(m, n)
	l := blas.Gonum.Lapack()
	basis := func(rows int) []float64 {
		q, tau, work := make([]float64, rows*k), make([]float64, k), make([]float64, 64*rows)
		for i := range q {
			q[i] = r.NormFloat64()
		}
		l.Dgeqrf(rows, k, q, k, tau, work, len(work))
		l.Dorgqr(rows, k, k, q, k, tau, work, len(work))
		return q
	}
	u, v, a := basis(m), basis(n), make([]float64, m*n)
	for i := range m {
		for j := range k {
			u[i*k+j] *= value(j)
		}
	}
	blas.Gonum.Float64().Dgemm(gblas.NoTrans, gblas.Trans, m, n, k, 1, u, k, v, k, 0, a, n)
	return a
}

// pivotCases are matrices that are hard on the choice of pivots, m×n, and their numerical rank where there is a gap.
func pivotCases(m, n int) map[string]struct {
	a    []float64
	rank int
} {
	type matrix = struct {
		a    []float64
		rank int
	}
	k := min(m, n)
	fill := func(el func(i, j int) float64) []float64 {
		a := make([]float64, m*n)
		for i := range a {
			a[i] = el(i/n, i%n)
		}
		return a
	}
	random := withSpectrum(m, n, func(int) float64 { return 1 })
	low := withSpectrum(m, n, func(i int) float64 {
		if i < k/3 {
			return 1
		}
		return 0
	})
	s, c := math.Sincos(1.2)
	return map[string]matrix{
		"orthogonal": {random, 0},
		"decaying":   {withSpectrum(m, n, func(i int) float64 { return math.Pow(1e-12, float64(i)/float64(k)) }), 0},
		"steep":      {withSpectrum(m, n, func(i int) float64 { return math.Pow(.1, float64(i)) }), 0},
		"gap": {withSpectrum(m, n, func(i int) float64 {
			if i < 2*k/3 {
				return 1
			}
			return 1e-9
		}), 2 * k / 3},
		"low rank":  {low, k / 3},
		"kahan":     {fill(func(i, j int) float64 { return kahan(i, j, k, c, s) }), 0},
		"repeated":  {fill(func(i, j int) float64 { return random[i*n+j%7] }), 7},
		"columns":   {fill(func(i, j int) float64 { return math.Ldexp(random[i*n+j], -17*(j*29%50)) }), 0},
		"rows":      {fill(func(i, j int) float64 { return math.Ldexp(random[i*n+j], -17*(i*29%50)) }), 0},
		"zero":      {make([]float64, m*n), 0},
		"one":       {fill(func(i, j int) float64 { return map[bool]float64{true: 3}[i == m/2 && j == n/2] }), 1},
		"ones":      {fill(func(i, j int) float64 { return 1 }), 1},
		"identity":  {fill(func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] }), k},
		"tiny":      {fill(func(i, j int) float64 { return 1e-290 * low[i*n+j] }), k / 3},
		"subnormal": {fill(func(i, j int) float64 { return 0x1p-1060 * math.Round(100*random[i*n+j]) }), 0},
		"huge":      {fill(func(i, j int) float64 { return 1e290 * low[i*n+j] }), k / 3},
		"largest":   {fill(func(i, j int) float64 { return math.MaxFloat64 / 64 * random[i*n+j] }), 0},
	}
}

// kahan is an element of the matrix diag(1, s, s², …)·(1 −c −c …), on which pivoting by norms fails to find how small the
// last pivot could be. Its columns are scaled apart, so that rounding does not choose among them.
func kahan(i, j, k int, c, s float64) float64 {
	if i >= k || i > j {
		return 0
	}
	x := math.Pow(s, float64(i)) * (1 - 1e-13*float64(j))
	if i < j {
		x *= -c
	}
	return x
}

// pivoted factors a copy of a whose rows stand at distance n+2.
func pivoted(b blas.Backend, m, n int, a []float64, jpvt []int) (qr, tau []float64) {
	lda := n + 2
	qr, tau = make([]float64, m*lda), make([]float64, min(m, n))
	for i := range m {
		copy(qr[i*lda:], a[i*n:][:n])
		qr[i*lda+n] = math.NaN()
	}
	work := []float64{0}
	b.Lapack().Dgeqp3(m, n, qr, lda, jpvt, tau, work, -1)
	work = make([]float64, int(work[0]))
	b.Lapack().Dgeqp3(m, n, qr, lda, jpvt, tau, work, len(work))
	return qr, tau
}

func free(n int) []int { return slices.Repeat([]int{-1}, n) }

// norm is the Frobenius norm of a matrix, which does not overflow.
func norm(a []float64) float64 { return blas.Gonum.Float64().Dnrm2(len(a), a, 1) }

// checkPivoted checks that Q·R = A·P and that the columns of Q are orthonormal to a few units of the last place, and returns
// the diagonal of R and how much smaller than the largest norm of what was left of the columns one of its elements is at most, as
// long as these are above noise.
func checkPivoted(t *testing.T, m, n int, a, qr, tau []float64, jpvt []int) (diagonal []float64, behind float64) {
	t.Helper()
	const eps = 0x1p-52
	k, lda := min(m, n), n+2
	if p := slices.Sorted(slices.Values(jpvt)); p[0] != 0 || p[n-1] != n-1 || len(slices.Compact(p)) != n {
		t.Fatalf("%v is no permutation", jpvt)
	}
	scale := norm(a)
	if scale == 0 {
		scale = 1
	}
	q, r, diff, work := make([]float64, m*k), make([]float64, k*n), make([]float64, m*n), make([]float64, 64*m)
	for i := range m {
		copy(q[i*k:][:k], qr[i*lda:])
		for j := range n {
			diff[i*n+j] = a[i*n+jpvt[j]] / scale
			if i <= j && i < k {
				r[i*n+j] = qr[i*lda+j] / scale
			}
		}
		if !math.IsNaN(qr[i*lda+n]) {
			t.Fatal("written behind a row")
		}
	}
	f := blas.Gonum.Float64()
	blas.Native.Lapack().Dorgqr(m, k, k, q, k, tau, work, len(work))
	f.Dgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, -1, q, k, r, n, 1, diff, n)
	long := float64(max(m, n))
	if e := norm(diff); !(e <= eps*long+math.SmallestNonzeroFloat64*long*long/scale) {
		t.Errorf("‖A·P − Q·R‖/‖A‖ is %v", e)
	}
	gram := make([]float64, k*k)
	f.Dgemm(gblas.Trans, gblas.NoTrans, k, k, m, 1, q, k, q, k, 0, gram, k)
	for i := range k {
		gram[i*k+i]--
	}
	if e := norm(gram); !(e <= eps*long*math.Sqrt(float64(k))) {
		t.Errorf("‖QᵀQ − I‖ is %v", e)
	}
	left := make([]float64, n) // squares of norms
	for i := k - 1; i >= 0; i-- {
		var most float64
		for j := i; j < n; j++ {
			left[j] += r[i*n+j] * r[i*n+j]
			most = max(most, left[j])
		}
		if most = math.Sqrt(most); most > 1e-13 {
			behind = max(behind, most/math.Abs(r[i*n+i]))
		}
	}
	for i := range k {
		diagonal = append(diagonal, math.Abs(r[i*n+i]))
	}
	return diagonal, behind
}

// Dgeqp3 gives a factorization as exact as LAPACK's whose pivots are within a factor of the largest columns left, and finds the
// same rank where there is a gap.
func TestDgeqp3(t *testing.T) {
	sizes := [][2]int{{130, 130}, {257, 181}, {700, 70}, {150, 410}, {331, 330}}
	if testing.Short() {
		sizes = sizes[:2]
	}
	worst := 0.0
	for _, size := range sizes {
		m, n := size[0], size[1]
		for name, c := range pivotCases(m, n) {
			t.Run(fmt.Sprintf("%s/%dx%d", name, m, n), func(t *testing.T) {
				jpvt := free(n)
				qr, tau := pivoted(blas.Native, m, n, c.a, jpvt)
				diagonal, behind := checkPivoted(t, m, n, c.a, qr, tau, jpvt)
				worst = max(worst, behind)
				if !(behind <= 3) {
					t.Errorf("a pivot is %.3g times smaller than the largest column left", behind)
				}
				if c.rank > 0 {
					rank := 0
					for _, x := range diagonal {
						if x > 1e-6*diagonal[0] {
							rank++
						}
					}
					if rank != c.rank {
						t.Errorf("rank %d, want %d: %v", rank, c.rank, diagonal)
					}
				}
			})
		}
	}
	t.Logf("pivots are up to %.3g times smaller than the largest column left", worst)
}

// Columns that jpvt names come first, in their order, whether they are fewer or more than rows.
func TestDgeqp3LeadingColumns(t *testing.T) {
	const m, n = 150, 230
	a := withSpectrum(m, n, func(i int) float64 { return math.Pow(.9, float64(i)) })
	for _, fixed := range []int{1, 40, 149, 150, 200, 230} {
		r := rand.New(rand.NewPCG(3, uint64(fixed)))
		jpvt := free(n)
		for _, j := range r.Perm(n)[:fixed] {
			jpvt[j] = r.IntN(n)
		}
		other := slices.Clone(jpvt)
		qr, tau := pivoted(blas.Native, m, n, a, jpvt)
		checkPivoted(t, m, n, a, qr, tau, jpvt)
		pivoted(blas.Gonum, m, n, a, other)
		if !slices.Equal(jpvt[:fixed], other[:fixed]) {
			t.Errorf("%d columns lead: %v, gonum has %v", fixed, jpvt[:fixed], other[:fixed])
		}
	}
}

// Factors have the same bits for any number of threads and in any call.
func TestDgeqp3Threads(t *testing.T) {
	defer blas.Native.SetThreads(0)
	const m, n = 400, 300
	a := withSpectrum(m, n, func(i int) float64 { return math.Pow(.9, float64(i)) })
	var want []float64
	var pivots []int
	for _, threads := range []int{1, 2, 3, 1} {
		blas.Native.SetThreads(threads)
		jpvt := free(n)
		qr, tau := pivoted(blas.Native, m, n, a, jpvt)
		qr = append(slices.DeleteFunc(qr, math.IsNaN), tau...)
		if want == nil {
			want, pivots = qr, jpvt
		} else if !slices.Equal(qr, want) || !slices.Equal(jpvt, pivots) {
			t.Errorf("other bits with %d threads", threads)
		}
	}
}

// NaN and Inf end, with a permutation, and get lost nowhere.
func TestDgeqp3NaN(t *testing.T) {
	const m, n = 200, 150
	good := withSpectrum(m, n, func(int) float64 { return 1 })
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, at := range []int{0, 77*n + 140, m*n - 1} {
			a := slices.Clone(good)
			a[at] = x
			jpvt := free(n)
			qr, _ := pivoted(blas.Native, m, n, a, jpvt)
			if p := slices.Sorted(slices.Values(jpvt)); p[0] != 0 || p[n-1] != n-1 || len(slices.Compact(p)) != n {
				t.Errorf("%v at %d: %v is no permutation", x, at, jpvt)
			}
			if !slices.ContainsFunc(qr[:n], math.IsNaN) && !slices.ContainsFunc(qr, func(x float64) bool { return math.IsInf(x, 0) }) {
				t.Errorf("%v at %d is lost", x, at)
			}
		}
	}
}

// Wrong arguments are refused with gonum's words before anything is written, and the space that is asked for is gonum's.
func TestDgeqp3Arguments(t *testing.T) {
	const m, n, lwork = 160, 140, 140*40 + 1
	a := withSpectrum(m, n, func(int) float64 { return 1 })
	type arguments struct {
		m, n  int
		a     []float64
		lda   int
		jpvt  []int
		tau   []float64
		work  []float64
		lwork int
	}
	for name, change := range map[string]func(x *arguments){
		"m":          func(x *arguments) { x.m = -1 },
		"n":          func(x *arguments) { x.n = -1 },
		"lda":        func(x *arguments) { x.lda = n - 1 },
		"a":          func(x *arguments) { x.a = x.a[:len(x.a)-1] },
		"few jpvt":   func(x *arguments) { x.jpvt = x.jpvt[:n-1] },
		"many jpvt":  func(x *arguments) { x.jpvt = append(x.jpvt, 0) },
		"small jpvt": func(x *arguments) { x.jpvt[7] = -2 },
		"great jpvt": func(x *arguments) { x.jpvt[7] = n },
		"tau":        func(x *arguments) { x.tau = x.tau[:n-1] },
		"lwork":      func(x *arguments) { x.lwork = 3 * n },
		"work":       func(x *arguments) { x.work = x.work[:lwork-1] },
	} {
		run := func(l lapack.Float64) (x arguments, said any) {
			x = arguments{m, n, slices.Clone(a), n, free(n), make([]float64, n), make([]float64, lwork), lwork}
			x.jpvt[3] = 0
			change(&x)
			defer func() { said = recover() }()
			l.Dgeqp3(x.m, x.n, x.a, x.lda, x.jpvt, x.tau, x.work, x.lwork)
			return x, nil
		}
		_, want := run(blas.Gonum.Lapack())
		x, got := run(blas.Native.Lapack())
		if want == nil || got != want {
			t.Errorf("%s: panic %v, gonum's is %v", name, got, want)
		}
		if !slices.Equal(x.a, a[:len(x.a)]) {
			t.Errorf("%s: something was written", name)
		}
	}
	space := func(l lapack.Float64) float64 {
		work := []float64{0}
		l.Dgeqp3(m, n, nil, n, nil, nil, work, -1)
		return work[0]
	}
	if got, want := space(blas.Native.Lapack()), space(blas.Gonum.Lapack()); got != want {
		t.Errorf("space for %v numbers, gonum asks for %v", got, want)
	}
}

// The columns of a matrix of rank two: the pivots name two that span the others.
func ExampleNative_pivotedQR() {
	a := blas64.General{Rows: 4, Cols: 3, Stride: 3, Data: []float64{
		1, 2, 1,
		1, 2, 2,
		1, 2, 3,
		1, 2, 4,
	}}
	jpvt, tau, work := []int{-1, -1, -1}, make([]float64, 3), make([]float64, 10)
	lapack64.Geqp3(a, jpvt, tau, work, len(work))
	fmt.Println(jpvt)
	for i := range 3 {
		fmt.Printf("%.3f\n", math.Abs(a.Data[i*3+i]))
	}
	// Output:
	// [2 1 0]
	// 5.477
	// 1.633
	// 0.000
}
