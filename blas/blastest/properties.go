package blastest

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/gramworks/gram/blas"
	gblas "gonum.org/v1/gonum/blas"
)

// specials checks that NaN and Inf in a factor reach every element that the
// formula says and no other, also past zeros, and that C is not read where beta
// is zero.
func specials(t *testing.T, b blas.Backend) {
	f, g := b.Float64(), b.Float32()
	sizes := []int{3, 20, 70, 140}
	if testing.Short() {
		sizes = []int{3, 50}
	}
	for _, n := range sizes {
		for _, ta := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
			for _, tb := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					i, p := n/2, n-1
					a, x, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
					a3, x3, c3 := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
					at := i*n + p
					if ta != gblas.NoTrans {
						at = p*n + i
					}
					a[at], a3[at] = v, float32(v)
					for e := range c { // must not be read
						c[e], c3[e] = math.NaN(), float32(math.NaN())
					}
					f.Dgemm(ta, tb, n, n, n, 1, a, n, x, n, 0, c, n)
					g.Sgemm(ta, tb, n, n, n, 1, a3, n, x3, n, 0, c3, n)
					for e := range c {
						if bad := e/n == i; bad != math.IsNaN(c[e]) || bad != math.IsNaN(float64(c3[e])) {
							t.Fatalf("n=%d %c%c: %v in row %d of A times zeros: element %d,%d is %v (float32 %v)", n, ta, tb, v, i, e/n, e%n, c[e], c3[e])
						}
					}
					f.Dgemm(ta, tb, n, n, n, 1, x, n, a, n, 0, c, n)
					j := p // a[at] in the roles of B: op(B) row and column
					if (ta != gblas.NoTrans) != (tb != gblas.NoTrans) {
						j = i
					}
					for e := range c {
						if bad := e%n == j; bad != math.IsNaN(c[e]) {
							t.Fatalf("n=%d %c%c: %v in column %d of B times zeros: element %d,%d is %v", n, ta, tb, v, j, e/n, e%n, c[e])
						}
					}
					f.Dgemm(ta, tb, n, n, n, 0, a, n, x, n, 0, c, n)
					for e := range c {
						if c[e] != 0 {
							t.Fatalf("n=%d: alpha = beta = 0 gives %v", n, c[e])
						}
					}
				}
			}
		}
		// The solution of a triangular system: a NaN in the right-hand side of one
		// column stays in it; nothing comes from the other triangle.
		a, x := make([]float64, n*n), make([]float64, n*n)
		for e := range a {
			a[e] = math.NaN()
			if e%n <= e/n {
				a[e] = 0
			}
			if e%n == e/n {
				a[e] = 1
			}
		}
		x[n/3] = math.Inf(1)
		f.Dtrsm(gblas.Left, gblas.Lower, gblas.NoTrans, gblas.NonUnit, n, n, 1, a, n, x, n)
		for e := range x {
			if bad := e%n == n/3 && e/n > 0; bad != math.IsNaN(x[e]) || e == n/3 && !math.IsInf(x[e], 1) {
				t.Fatalf("n=%d: Dtrsm: element %d,%d is %v", n, e/n, e%n, x[e])
			}
		}
	}
}

// products returns calls of b that give a matrix, or nil if a matrix has no Cholesky factor.
func products(b blas.Backend) []func() []float64 {
	n := 90
	if testing.Short() {
		n = 66
	}
	r := rand.New(rand.NewPCG(5, 5))
	a, x := make([]float64, n*n), make([]float64, n*n)
	a3, x3 := make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], x[i] = r.NormFloat64()/float64(n), r.NormFloat64()
	}
	for i := range n {
		a[i*n+i] = 2
	}
	for i := range a {
		a3[i], x3[i] = float32(a[i]), float32(x[i])
	}
	f, g, l := b.Float64(), b.Float32(), b.Lapack()
	return []func() []float64{
		func() []float64 {
			c := make([]float64, n*n)
			f.Dgemm(gblas.NoTrans, gblas.Trans, n, n, n, 1, a, n, x, n, 0, c, n)
			return c
		},
		func() []float64 {
			c := make([]float64, n*n)
			f.Dsyrk(gblas.Lower, gblas.Trans, n, n, 1, a, n, 0, c, n)
			f.Dsymm(gblas.Left, gblas.Lower, n, n, 1, a, n, x, n, 1, c, n)
			f.Dsyr2k(gblas.Upper, gblas.NoTrans, n, n, 1, a, n, x, n, 1, c, n)
			return c
		},
		func() []float64 {
			c := append([]float64(nil), x...)
			f.Dtrsm(gblas.Right, gblas.Upper, gblas.NoTrans, gblas.NonUnit, n, n, 1, a, n, c, n)
			f.Dtrmm(gblas.Left, gblas.Lower, gblas.Trans, gblas.Unit, n, n, 1, a, n, c, n)
			f.Dgemv(gblas.NoTrans, n, n, 1, a, n, x, 1, 1, c, 1)
			f.Dger(n, n, 1, x, 1, x[n:], 1, c, n)
			return c
		},
		func() []float64 {
			c := make([]float64, n*n)
			f.Dsyrk(gblas.Upper, gblas.NoTrans, n, n, 1, a, n, 0, c, n)
			if !l.Dpotrf(gblas.Upper, n, c, n) {
				return nil
			}
			return c
		},
		func() []float64 {
			c3, c := make([]float32, n*n), make([]float64, n*n)
			g.Sgemm(gblas.Trans, gblas.NoTrans, n, n, n, 1, a3, n, x3, n, 0, c3, n)
			for i, v := range c3 {
				c[i] = float64(v)
			}
			return c
		},
	}
}

// concurrent calls everything from 16 goroutines at once and compares with the
// serial results.
func concurrent(t *testing.T, b blas.Backend, bitwise bool) {
	tasks := products(b)
	want := make([][]float64, len(tasks))
	for i, task := range tasks {
		want[i] = task()
		if want[i] == nil {
			t.Fatal("the matrix is not positive definite")
		}
	}
	rounds, goroutines := 5, 16
	if testing.Short() {
		rounds = 1
	}
	var wg sync.WaitGroup
	for who := range goroutines {
		wg.Go(func() {
			for round := range rounds * len(tasks) {
				i := (who + round) % len(tasks)
				got := tasks[i]()
				for e := range want[i] {
					ok := got[e] == want[i][e]
					if !bitwise {
						ok = math.Abs(got[e]-want[i][e]) <= 1e-4*(1+math.Abs(want[i][e]))
					}
					if !ok {
						t.Errorf("task %d: element %d is %v, alone it is %v", i, e, got[e], want[i][e])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}
