package level2

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func checkSymv4[F num.Float](t *testing.T, r *rand.Rand, n, lda, aOff, xOff, yOff int, values func(*rand.Rand, int) []F) {
	t.Helper()
	a := asmtest.NewCanary[F](3*lda+n, 1, aOff)
	a.Set(values(r, 3*lda+n))
	x := asmtest.NewCanary[F](n, 1, xOff)
	x.Set(values(r, n))
	y := asmtest.NewCanary[F](n, 1, yOff)
	y.Set(values(r, n))
	av, xv, yv := a.Get(), x.Get(), y.Get()
	xr := [4]F(values(r, 4))
	s := Symv4(a.Slice(), lda, x.Slice(), y.Slice(), &xr)
	a.Check(t)
	x.Check(t)
	y.Check(t)
	if !slices.Equal(av, a.Get()) || !slices.Equal(xv, x.Get()) {
		t.Fatal("an input has changed")
	}
	near := func(what string, got F, want, scale float64) {
		t.Helper()
		if !(math.Abs(float64(got)-want) <= float64(n+6)*asmtest.Epsilon[F]()*scale) {
			t.Fatalf("n=%d lda=%d: %s is %v, want %v", n, lda, what, got, want)
		}
	}
	for q := range 4 {
		var sum, scale float64
		for j := range n {
			p := float64(av[q*lda+j]) * float64(xv[j])
			sum += p
			scale += math.Abs(p)
		}
		near(fmt.Sprintf("s[%d]", q), s[q], sum, scale)
	}
	for j := range n {
		sum, scale := float64(yv[j]), math.Abs(float64(yv[j]))
		for q := range 4 {
			p := float64(av[q*lda+j]) * float64(xr[q])
			sum += p
			scale += math.Abs(p)
		}
		near(fmt.Sprintf("y[%d]", j), y.Get()[j], sum, scale)
	}
}

func symv4Cases[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	lengths := asmtest.Lengths(16, 100, 257)
	if testing.Short() {
		lengths = asmtest.Lengths(4, 37)
	}
	for _, n := range lengths {
		if n == 0 {
			continue
		}
		for off := range 8 {
			o := [3]int{}
			o[off%3] = off
			checkSymv4(t, r, n, n+off, o[0], o[1], o[2], asmtest.Normal[F])
		}
		checkSymv4(t, r, n, n, 0, 0, 0, asmtest.Mixed[F])
	}
	asmtest.Guarded(t, 4*37, func(a []F) {
		asmtest.Guarded(t, 37, func(x []F) {
			asmtest.Guarded(t, 37, func(y []F) {
				for n := 1; n <= 37; n++ {
					xr := [4]F{1, 1, 1, 1}
					Symv4(a[:4*n], n, x[:n], y[:n], &xr)
					Symv4(a[4*37-4*n:], n, x[37-n:], y[37-n:], &xr)
				}
			})
		})
	})
	// NaN and Inf reach their row and column alone
	for _, v := range asmtest.Specials[F]() {
		const n = 21
		for at := range 4 * n {
			a, x, y := make([]F, 4*n), make([]F, n), make([]F, n)
			a[at] = v
			s := Symv4(a, n, x, y, &[4]F{})
			for q := range s {
				if want := v * 0; q == at/n && !asmtest.Same(s[q], want) || q != at/n && s[q] != 0 {
					t.Fatalf("%v at %d: s[%d] is %v", v, at, q, s[q])
				}
			}
			for j := range y {
				if want := v * 0; j == at%n && !asmtest.Same(y[j], want) || j != at%n && y[j] != 0 {
					t.Fatalf("%v at %d: y[%d] is %v", v, at, j, y[j])
				}
			}
		}
	}
}

func TestSymv4(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(symv4Cases[float64], symv4Cases[float32]))
}

// checkSymv compares the product with a symmetric matrix of order n, of which the other
// triangle has NaN, with the definition.
func checkSymv[F num.Float](t *testing.T, r *rand.Rand, n, lda, off int, lower bool) {
	t.Helper()
	a := asmtest.NewCanary[F]((n-1)*lda+n, 1, off)
	values := asmtest.Normal[F](r, (n-1)*lda+n)
	for i := range n {
		for j := range n {
			if lower && j > i || !lower && j < i {
				values[i*lda+j] = F(math.NaN())
			}
		}
	}
	a.Set(values)
	x, y := asmtest.NewCanary[F](n, 1, (off+3)%8), asmtest.NewCanary[F](n, 1, (off+5)%8)
	x.Set(asmtest.Normal[F](r, n))
	y.Set(asmtest.Normal[F](r, n))
	xv, yv := x.Get(), y.Get()
	Symv(y.Slice(), a.Slice(), lda, x.Slice(), lower)
	a.Check(t)
	x.Check(t)
	y.Check(t)
	for i, got := range y.Get() {
		sum, scale := float64(yv[i]), math.Abs(float64(yv[i]))
		for j := range n {
			at := min(i, j)*lda + max(i, j)
			if lower {
				at = max(i, j)*lda + min(i, j)
			}
			p := float64(values[at]) * float64(xv[j])
			sum += p
			scale += math.Abs(p)
		}
		if !(math.Abs(float64(got)-sum) <= float64(n+6)*asmtest.Epsilon[F]()*scale) {
			t.Fatalf("n=%d lda=%d lower=%v: element %d is %v, want %v", n, lda, lower, i, got, sum)
		}
	}
}

func symvCases[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	orders := asmtest.Lengths(16, 100, 257)
	if testing.Short() {
		orders = asmtest.Lengths(4, 37)
	}
	for _, n := range orders {
		for off := range min(n, 3) {
			checkSymv[F](t, r, n, n+off, (n+off)%8, false)
			checkSymv[F](t, r, n, n+off, (n+off)%8, true)
		}
	}
	asmtest.Guarded(t, 37*37, func(a []F) {
		asmtest.Guarded(t, 37, func(x []F) {
			asmtest.Guarded(t, 37, func(y []F) {
				for n := 1; n <= 37; n++ {
					Symv(y[:n], a[:n*n], n, x[:n], n%2 == 0)
					Symv(y[37-n:], a[37*37-n*n:], n, x[37-n:], n%2 == 1)
				}
			})
		})
	})
	// An infinite element of the vector does not become NaN in rows that have no zeros.
	for _, lower := range []bool{false, true} {
		const n = 21
		for at := range n {
			a, x, y := make([]F, n*n), make([]F, n), make([]F, n)
			for i := range a {
				a[i] = 1
			}
			x[at] = F(math.Inf(1))
			Symv(y, a, n, x, lower)
			for i, v := range y {
				if !math.IsInf(float64(v), 1) {
					t.Fatalf("infinity at %d, lower %v: element %d is %v", at, lower, i, v)
				}
			}
		}
	}
}

func TestSymv(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(symvCases[float64], symvCases[float32]))
}

func BenchmarkSymv(b *testing.B) {
	for _, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			for _, n := range []int{12, 64, 256, 512} {
				for _, lower := range []bool{false, true} {
					b.Run(fmt.Sprintf("n=%d/lower=%v/isa=%s", n, lower, l), func(b *testing.B) {
						a, x, y := make([]float64, n*n), make([]float64, n), make([]float64, n)
						b.SetBytes(int64(4 * n * n))
						for b.Loop() {
							Symv(y, a, n, x, lower)
						}
						b.ReportMetric(2*float64(n*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
					})
				}
			}
		})
	}
}

func FuzzSymv4(f *testing.F) {
	f.Add(uint64(1), 5, 3)
	f.Fuzz(func(t *testing.T, seed uint64, n, off int) {
		r := rand.New(rand.NewPCG(seed, 0))
		n, off = 1+(n&0xff), off&7
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				checkSymv4(t, r, n, n+off, off, 0, off, asmtest.Normal[float64])
				checkSymv4(t, r, n, n+off, 0, off, 0, asmtest.Normal[float32])
			})
		}
	})
}

func ExampleSymv4() {
	// four rows of a symmetric matrix, two columns right of the diagonal block
	a := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	y := []float64{0, 0}
	s := Symv4(a, 2, []float64{1, 10}, y, &[4]float64{1, 1, 1, 1})
	fmt.Println(s, y)
	// Output: [21 43 65 87] [16 20]
}

func BenchmarkSymv4(b *testing.B) {
	for _, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			for _, n := range []int{12, 64, 1000} {
				b.Run(fmt.Sprintf("n=%d/isa=%s", n, l), func(b *testing.B) {
					a, x, y := make([]float64, 4*n), make([]float64, n), make([]float64, n)
					b.SetBytes(int64(8 * 6 * n))
					for b.Loop() {
						Symv4(a, n, x, y, &[4]float64{1, 1, 1, 1})
					}
					b.ReportMetric(16*float64(n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			}
		})
	}
}
