package blas_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/gemm"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	bgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

func TestUse(t *testing.T) {
	if blas.Current() != blas.Native || blas64.Implementation() != blas.Native.Float64() || blas32.Implementation() != blas.Native.Float32() {
		t.Fatal("Native is not installed at start")
	}
	defer blas.Use(blas.Native)
	blas.Use(blas.Gonum)
	if _, ok := blas64.Implementation().(bgonum.Implementation); !ok || blas.Current().Name() != "gonum" {
		t.Error("Use(Gonum) does not install gonum's implementation")
	}
	blas.SetThreads(3) // ignored
	if p := must.Recovered(func() { blas.Use(nil) }); p != "blas: nil backend" || blas.Current().Name() != "gonum" {
		t.Errorf("Use(nil): panic %v, then the backend is %v", p, blas.Current())
	}
}

// theirs is an implementation that a program installs by itself. Its values cannot be
// compared.
type theirs struct {
	bgonum.Implementation
	_ []int
}

// Current knows what a program has put into blas64 and blas32 itself, and SetThreads
// reaches what is left of the backend before.
func TestForeign(t *testing.T) {
	defer blas.Use(blas.Native)
	counted := &counting{Backend: blas.Native}
	for _, implementation := range []gblas.Float64{theirs{}, bgonum.Implementation{}, &theirs{}} {
		blas.Use(counted)
		if blas.Current() != counted {
			t.Fatal("Current is not what was given to Use")
		}
		blas64.Use(implementation)
		now := blas.Current()
		if _, same := now.Float64().(bgonum.Implementation); now.Name() != "foreign" || same != (implementation == gblas.Float64(bgonum.Implementation{})) {
			t.Errorf("after blas64.Use(%T) the backend is %s with %T", implementation, now.Name(), now.Float64())
		}
		if now.Float32() != blas.Native.Float32() || now.Lapack() != blas.Native.Lapack() {
			t.Error("blas64.Use has changed the rest of the backend")
		}
		counted.calls = 0
		blas.SetThreads(2)
		if counted.calls != 1 {
			t.Error("SetThreads does not reach the part that is in use")
		}
		blas.Use(counted)
		if blas.Current() != counted {
			t.Error("Use does not undo blas64.Use")
		}
	}
}

// counting counts the calls of SetThreads.
type counting struct {
	blas.Backend
	calls int
}

func (c *counting) SetThreads(int) { c.calls++ }

// SetThreads bounds the goroutines of a call.
func TestSetThreads(t *testing.T) {
	if p := must.Recovered(func() { blas.SetThreads(-1) }); p != "blas: negative number of threads" {
		t.Errorf("SetThreads(-1): panic %v", p)
	}
	defer blas.SetThreads(0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const n = 400
	a, c := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}, blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	most := func() int { // goroutines of products, the one that calls with what it starts
		before, most := runtime.NumGoroutine(), 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 4 {
				blas64.Gemm(gblas.NoTrans, gblas.NoTrans, 1, a, a, 0, c)
			}
		}()
		for {
			select {
			case <-done:
				return most
			default:
				most = max(most, runtime.NumGoroutine()-before)
				runtime.Gosched()
			}
		}
	}
	for _, threads := range []int{1, 3} {
		blas.SetThreads(threads)
		least := most()
		for i := 0; i < 9 && least > threads; i++ { // on a busy machine some of the last product have not ended yet
			least = min(least, most())
		}
		if least > threads {
			t.Errorf("%d threads: %d goroutines", threads, least)
		}
	}
}

func at(l cpu.Level, body func()) { asmtest.At(l, body) }

// fmaLevels are the levels that promise the chain of fused products.
func fmaLevels() []cpu.Level { return cpu.Levels()[1:] }

// chain computes alpha·A·B + beta·C as doc.go of asm/gemm defines it.
func chain(m, n, k int, alpha float64, a, b func(i, j int) float64, beta float64, c []float64) []float64 {
	out := make([]float64, m*n)
	kc := gemm.K[float64]()
	for i := range m {
		for j := range n {
			bt := beta
			v := c[i*n+j]
			for p0 := 0; p0 < k; p0 += kc {
				var s float64
				for p := p0; p < min(p0+kc, k); p++ {
					s = math.FMA(a(i, p), b(p, j), s)
				}
				if bt == 0 {
					v = alpha * s
				} else {
					v = math.FMA(alpha, s, float64(bt*v))
				}
				bt = 1
			}
			out[i*n+j] = v
		}
	}
	return out
}

// TestBits compares products of all shapes, transposes and thread counts with
// the definition, bit for bit.
func TestBits(t *testing.T) {
	defer blas.SetThreads(0)
	f := blas.Native.Float64()
	shapes := [][3]int{{1, 1, 1}, {3, 5, 7}, {8, 24, 256}, {9, 25, 257}, {64, 1, 300}, {1, 200, 300}, {33, 130, 40}, {130, 140, 150}, {70, 66, 520}}
	if testing.Short() {
		shapes = shapes[:6]
	}
	for _, l := range asmtest.Available(fmaLevels()) {
		if l == cpu.Generic {
			continue // rounds the products
		}
		at(l, func() {
			r := rand.New(rand.NewPCG(1, 1))
			for _, s := range shapes {
				m, n, k := s[0], s[1], s[2]
				for _, ta := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
					for _, tb := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
						lda, ldb := k+3, n+1
						if ta != gblas.NoTrans {
							lda = m + 3
						}
						if tb != gblas.NoTrans {
							ldb = k + 1
						}
						a, b := asmtest.Normal[float64](r, max(m, k)*lda), asmtest.Normal[float64](r, max(k, n)*ldb)
						c := asmtest.Normal[float64](r, m*n)
						ea := func(i, p int) float64 { return a[i*lda+p] }
						if ta != gblas.NoTrans {
							ea = func(i, p int) float64 { return a[p*lda+i] }
						}
						eb := func(p, j int) float64 { return b[p*ldb+j] }
						if tb != gblas.NoTrans {
							eb = func(p, j int) float64 { return b[j*ldb+p] }
						}
						alpha, beta := r.NormFloat64(), float64(r.IntN(3))-1
						want := chain(m, n, k, alpha, ea, eb, beta, c)
						for _, threads := range []int{1, 2, 7} {
							blas.SetThreads(threads)
							got := slices.Clone(c)
							f.Dgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, got, n)
							if !slices.Equal(got, want) {
								t.Fatalf("%s: %v %c%c, %d threads: not the chain", l, s, ta, tb, threads)
							}
						}
					}
				}
			}
		})
	}
}

// TestTriangles: SYRK and SYMM have the bits of GEMM on the full matrices, and
// nothing outside the triangle is touched or read.
func TestTriangles(t *testing.T) {
	defer blas.SetThreads(0)
	f := blas.Native.Float64()
	asmtest.ForEachLevel(t, fmaLevels(), func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 2))
		shapes := [][2]int{{1, 3}, {7, 30}, {50, 300}, {131, 140}}
		if testing.Short() {
			shapes = shapes[:2]
		}
		for _, s := range shapes {
			n, k := s[0], s[1]
			for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
				for _, tr := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
					lda, ot := k, gblas.Trans
					if tr != gblas.NoTrans {
						lda, ot = n, gblas.NoTrans
					}
					a := asmtest.Normal[float64](r, n*k)
					c := asmtest.Normal[float64](r, n*n)
					want := slices.Clone(c)
					f.Dgemm(tr, ot, n, n, k, 1.5, a, lda, a, lda, -1, want, n)
					for _, threads := range []int{1, 2, 7} {
						blas.SetThreads(threads)
						got := slices.Clone(c)
						f.Dsyrk(ul, tr, n, k, 1.5, a, lda, -1, got, n)
						for i := range n {
							for j := range n {
								w := c[i*n+j]
								if (ul == gblas.Upper) == (j >= i) || i == j {
									w = want[i*n+j]
								}
								if got[i*n+j] != w {
									t.Fatalf("n=%d k=%d %c%c: element %d,%d is %v, want %v", n, k, ul, tr, i, j, got[i*n+j], w)
								}
							}
						}
					}
				}
				// A symmetric, the other triangle NaN
				a := asmtest.Normal[float64](r, n*n)
				whole := make([]float64, n*n)
				for i := range n {
					for j := range n {
						if (ul == gblas.Upper) == (j >= i) || i == j {
							whole[i*n+j], whole[j*n+i] = a[i*n+j], a[i*n+j]
						} else {
							a[i*n+j] = math.NaN()
						}
					}
				}
				b := asmtest.Normal[float64](r, n*k)
				for _, side := range []gblas.Side{gblas.Left, gblas.Right} {
					got, want := make([]float64, n*k), make([]float64, n*k)
					if side == gblas.Left {
						f.Dsymm(side, ul, n, k, 2, a, n, b, k, 0, got, k)
						f.Dgemm(gblas.NoTrans, gblas.NoTrans, n, k, n, 2, whole, n, b, k, 0, want, k)
					} else {
						f.Dsymm(side, ul, k, n, 2, a, n, b, n, 0, got, n)
						f.Dgemm(gblas.NoTrans, gblas.NoTrans, k, n, n, 2, b, n, whole, n, 0, want, n)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("n=%d k=%d %c%c: SYMM is not GEMM with the whole matrix", n, k, side, ul)
					}
				}
			}
		}
	})
}

// TestTriangularThreads: TRMM and TRSM have the same bits for any number of
// threads and do not read the other triangle.
func TestTriangularThreads(t *testing.T) {
	defer blas.SetThreads(0)
	f := blas.Native.Float64()
	r := rand.New(rand.NewPCG(3, 3))
	shapes := [][2]int{{5, 40}, {40, 5}, {130, 170}, {200, 100}}
	if testing.Short() {
		shapes = shapes[:2]
	}
	for _, s := range shapes {
		m, n := s[0], s[1]
		for c := range 16 {
			side, ul, tr, d := gblas.Left, gblas.Upper, gblas.NoTrans, gblas.NonUnit
			order := m
			if c&1 != 0 {
				side, order = gblas.Right, n
			}
			if c&2 != 0 {
				ul = gblas.Lower
			}
			if c&4 != 0 {
				tr = gblas.Trans
			}
			if c&8 != 0 {
				d = gblas.Unit
			}
			a := asmtest.Normal[float64](r, order*order)
			for i := range order {
				for j := range order {
					switch {
					case i == j && d == gblas.Unit, (ul == gblas.Upper) != (j > i) && i != j:
						a[i*order+j] = math.NaN()
					case i == j:
						a[i*order+j] = 3
					default:
						a[i*order+j] /= float64(order)
					}
				}
			}
			b := asmtest.Normal[float64](r, m*n)
			var first, second []float64
			for _, threads := range []int{1, 2, 7} {
				blas.SetThreads(threads)
				x := slices.Clone(b)
				f.Dtrsm(side, ul, tr, d, m, n, 2, a, order, x, n)
				y := slices.Clone(x)
				f.Dtrmm(side, ul, tr, d, m, n, 0.5, a, order, y, n)
				if first == nil {
					first, second = x, y
					for i := range y {
						if !(math.Abs(y[i]-b[i]) <= 1e-12*(1+math.Abs(b[i]))) {
							t.Fatalf("%v case %d: TRMM after TRSM gives %v, want %v", s, c, y[i], b[i])
						}
					}
				}
				if !slices.Equal(x, first) || !slices.Equal(y, second) {
					t.Fatalf("%v case %d: other bits with %d threads", s, c, threads)
				}
			}
		}
	}
}

// TestBlocks: a block of a product is the product of the blocks, bit for bit.
func TestBlocks(t *testing.T) {
	f := blas.Native.Float64()
	asmtest.ForEachLevel(t, fmaLevels(), func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 4))
		m, n, k := 170, 190, 300
		if testing.Short() {
			m, n, k = 60, 70, 270
		}
		a, b := asmtest.Normal[float64](r, m*k), asmtest.Normal[float64](r, k*n)
		c := make([]float64, m*n)
		f.Dgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1, a, k, b, n, 0, c, n)
		for range 20 {
			i, j := r.IntN(m), r.IntN(n)
			h, w := 1+r.IntN(m-i), 1+r.IntN(n-j)
			part := make([]float64, h*w)
			f.Dgemm(gblas.NoTrans, gblas.NoTrans, h, w, k, 1, a[i*k:], k, b[j:], n, 0, part, w)
			for x := range h {
				if !slices.Equal(part[x*w:(x+1)*w], c[(i+x)*n+j:(i+x)*n+j+w]) {
					t.Fatalf("block %d,%d %d×%d: row %d differs", i, j, h, w, x)
				}
			}
		}
	})
}

func ExampleUse() {
	blas.Use(blas.Gonum) // everything in gonum/mat now runs on gonum's own BLAS
	fmt.Println(blas.Current().Name())
	blas.Use(blas.Native)
	fmt.Println(blas.Current().Name())
	// Output:
	// gonum
	// native
}

func ExampleBackend() {
	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	var c mat.Dense
	c.Mul(a, a) // on the backend installed, Native
	fmt.Println(c.RawMatrix().Data)
	// Output: [7 10 15 22]
}

// One goroutine computes each product from here on; the bits are the same.
func ExampleSetThreads() {
	blas.SetThreads(1)
	defer blas.SetThreads(0) // as many as GOMAXPROCS
	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	var c mat.Dense
	c.Mul(a, a)
	fmt.Println(c.RawMatrix().Data)
	// Output: [7 10 15 22]
}

// A decomposition that a deadline ends. The upper triangle counts.
func ExampleSymEigen() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	a, w := []float64{2, 1, 0, 2}, make([]float64, 2)
	err := blas.SymEigen(ctx, 2, a, 2, w)
	fmt.Printf("%.3f %v\n", w, err)
	// Output: [1.000 3.000] <nil>
}
