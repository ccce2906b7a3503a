package level2

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// checkRotateRows compares m rotations of rows of n elements with the definition.
func checkRotateRows[F num.Float](t *testing.T, r *rand.Rand, m, n, lda, off int, back bool) {
	t.Helper()
	a := asmtest.NewCanary[F](m*lda+n, 1, off)
	a.Set(asmtest.Normal[F](r, m*lda+n))
	c, s := make([]F, m), make([]F, m)
	for k := range c {
		si, co := math.Sincos(r.Float64() * 7)
		c[k], s[k] = F(co), F(si)
	}
	before := a.Get()
	want := make([]float64, len(before))
	for i, v := range before {
		want[i] = float64(v)
	}
	row := func(k int) []float64 {
		if back {
			k = m - k
		}
		return want[k*lda:][:n]
	}
	for k := range c {
		x, y := row(k), row(k+1)
		for j := range x {
			x[j], y[j] = float64(c[k])*x[j]+float64(s[k])*y[j], float64(c[k])*y[j]-float64(s[k])*x[j]
		}
	}
	RotateRows(a.Slice(), lda, n, c, s, back)
	a.Check(t)
	got := a.Get()
	for i, v := range got {
		if i%lda >= n && v != before[i] {
			t.Fatalf("m=%d n=%d lda=%d: element %d between the rows has changed", m, n, lda, i)
		}
		if !(math.Abs(float64(v)-want[i]) <= 4*float64(m+4)*asmtest.Epsilon[F]()) {
			t.Fatalf("m=%d n=%d lda=%d back=%v: element %d is %v, want %v", m, n, lda, back, i, v, want[i])
		}
	}
}

func rotateRowsCases[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	widths := asmtest.Lengths(16, 100)
	if testing.Short() {
		widths = asmtest.Lengths(4, 37)
	}
	for _, n := range widths {
		if n == 0 {
			continue
		}
		for _, m := range []int{1, 2, 7} {
			checkRotateRows[F](t, r, m, n, n+m%3, n%8, false)
			checkRotateRows[F](t, r, m, n, n+m%2, m%8, true)
		}
	}
	// more than one call of assembly takes
	for _, back := range []bool{false, true} {
		checkRotateRows[F](t, r, 2*maxRotations+1, 3, 5, 0, back)
		checkRotateRows[F](t, r, 3, maxElements/4+9, maxElements/4+10, 1, back)
	}
	asmtest.Guarded(t, 4*37, func(a []F) {
		for n := 1; n <= 37; n++ {
			for _, back := range []bool{false, true} {
				RotateRows(a[:4*n], n, n, make([]F, 3), make([]F, 3), back)
				RotateRows(a[4*37-4*n:], n, n, make([]F, 3), make([]F, 3), back)
			}
		}
	})
	// NaN and Inf stay in their column
	for _, v := range asmtest.Specials[F]() {
		const n, m = 21, 3
		for at := range n * (m + 1) {
			a := make([]F, n*(m+1))
			a[at] = v
			RotateRows(a, n, n, make([]F, m), make([]F, m), at%2 == 0)
			for i, x := range a {
				if i%n != at%n && x != 0 {
					t.Fatalf("%v at %d: element %d is %v", v, at, i, x)
				}
				if want := v * 0; i%n == at%n && want != want && !asmtest.Same(x, want) && i == at {
					t.Fatalf("%v at %d: it has become %v", v, at, x)
				}
			}
		}
	}
}

func TestRotateRows(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(rotateRowsCases[float64], rotateRowsCases[float32]))
}

func FuzzRotateRows(f *testing.F) {
	f.Add(uint64(1), 5, 3, 2)
	f.Fuzz(func(t *testing.T, seed uint64, m, n, off int) {
		m, n, off = 1+m&31, 1+n&127, off&7
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				r := rand.New(rand.NewPCG(seed, 0))
				checkRotateRows[float64](t, r, m, n, n+off, off, seed%2 == 0)
				checkRotateRows[float32](t, r, m, n, n+off, off, seed%2 == 1)
			})
		}
	})
}

func ExampleRotateRows() {
	// a quarter of a turn of rows 0 and 1, then of rows 1 and 2
	a := []float64{
		1, 2,
		3, 4,
		5, 6,
	}
	RotateRows(a, 2, 2, []float64{0, 0}, []float64{1, 1}, false)
	fmt.Println(a)
	// Output: [3 4 5 6 1 2]
}

func BenchmarkRotateRows(b *testing.B) {
	for _, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			for _, n := range []int{8, 32, 100} {
				b.Run(fmt.Sprintf("n=%d/isa=%s", n, l), func(b *testing.B) {
					const m = 31
					a, c, s := make([]float64, (m+1)*n), make([]float64, m), make([]float64, m)
					for k := range c {
						c[k], s[k] = .6, .8
					}
					b.SetBytes(int64(16 * m * n))
					for b.Loop() {
						RotateRows(a, n, n, c, s, true)
					}
					b.ReportMetric(6*float64(n*m)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			}
		})
	}
}
