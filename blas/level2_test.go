package blas_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	gblas "gonum.org/v1/gonum/blas"
)

// TestGemvThreads: GEMV has the same bits for any number of threads, at sizes
// that are shared out.
func TestGemvThreads(t *testing.T) {
	defer blas.SetThreads(0)
	const m, n, lda = 1031, 1027, 1030
	r := rand.New(rand.NewPCG(6, 6))
	a, x, y := asmtest.Normal[float64](r, m*lda), asmtest.Normal[float64](r, m), asmtest.Normal[float64](r, 2*m)
	a3, x3, y3 := asmtest.Normal[float32](r, m*lda), asmtest.Normal[float32](r, m), asmtest.Normal[float32](r, 2*m)
	f, g := blas.Native.Float64(), blas.Native.Float32()
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		for _, ta := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
			for _, inc := range []int{1, -2} {
				var want []float64
				var want3 []float32
				for _, threads := range []int{1, 2, 7} {
					blas.SetThreads(threads)
					got, got3 := slices.Clone(y), slices.Clone(y3)
					f.Dgemv(ta, m, n, 1.5, a, lda, x, 1, -1, got, inc)
					g.Sgemv(ta, m, n, 1.5, a3, lda, x3, 1, -1, got3, inc)
					if threads == 1 {
						want, want3 = got, got3
					}
					if !slices.Equal(got, want) || !slices.Equal(got3, want3) {
						t.Fatalf("%c, increment %d: other bits with %d threads", ta, inc, threads)
					}
				}
			}
		}
	})
}

// TestLevel2Specials: NaN and Inf reach what the formulas say, past zeros too, and
// nothing else; what a zero beta or alpha excludes is not read.
func TestLevel2Specials(t *testing.T) {
	f, g := blas.Native.Float64(), blas.Native.Float32()
	nan := math.NaN()
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		for _, n := range []int{3, 9, 70} {
			for _, v := range []float64{nan, math.Inf(1)} {
				p, q := n/2, n-1 // the element of A
				a, a3 := make([]float64, n*n), make([]float32, n*n)
				a[p*n+q], a3[p*n+q] = v, float32(v)
				zero, zero3 := make([]float64, 2*n), make([]float32, 2*n)
				for _, ta := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
					at := p
					if ta != gblas.NoTrans {
						at = q
					}
					for _, inc := range []int{1, 2, -2} {
						y, y3 := make([]float64, 2*n), make([]float32, 2*n)
						place := func(i int) int {
							if inc < 0 {
								return (n - 1 - i) * -inc
							}
							return i * inc
						}
						for i := range n { // must not be read
							y[place(i)], y3[place(i)] = nan, float32(nan)
						}
						f.Dgemv(ta, n, n, 1, a, n, zero, inc, 0, y, inc)
						g.Sgemv(ta, n, n, 1, a3, n, zero3, inc, 0, y3, inc)
						for e := range y {
							if bad := e == place(at); bad != math.IsNaN(y[e]) || bad != math.IsNaN(float64(y3[e])) {
								t.Fatalf("n=%d %c, increment %d: %v in A times zeros: y[%d] is %v and %v", n, ta, inc, v, e, y[e], y3[e])
							}
						}
						f.Dgemv(ta, n, n, 0, a, n, y, inc, 0, y, inc)
						g.Sgemv(ta, n, n, 0, a3, n, y3, inc, 0, y3, inc)
						if y[place(at)] != 0 || y3[place(at)] != 0 {
							t.Fatalf("n=%d: alpha = beta = 0 gives %v and %v", n, y[place(at)], y3[place(at)])
						}
					}
				}
				// GER and SYR: v in one vector times zeros
				x, x3 := make([]float64, n), make([]float32, n)
				x[p], x3[p] = v, float32(v)
				c, c3 := make([]float64, n*n), make([]float32, n*n)
				f.Dger(n, n, 1, x, 1, zero, 1, c, n)
				g.Sger(n, n, 1, zero3, 1, x3, 1, c3, n)
				for e := range c {
					if math.IsNaN(c[e]) != (e/n == p) || math.IsNaN(float64(c3[e])) != (e%n == p) {
						t.Fatalf("n=%d: GER with %v and zeros: element %d,%d is %v and %v", n, v, e/n, e%n, c[e], c3[e])
					}
				}
				for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
					c, c3 := make([]float64, n*n), make([]float32, n*n)
					f.Dsyr(ul, n, 1, x, 1, c, n)
					g.Ssyr(ul, n, 1, x3, 1, c3, n)
					for e := range c {
						i, j := e/n, e%n
						in := i == j || (ul == gblas.Upper) == (j > i)
						bad := in && (i == p || j == p)
						if bad != (c[e] != 0) || bad != (c3[e] != 0) {
							t.Fatalf("n=%d %c: SYR with %v: element %d,%d is %v and %v", n, ul, v, i, j, c[e], c3[e])
						}
					}
				}
			}
		}
	})
}

// A vector or matrix that is one number too short is a panic that names it, before
// anything is written, and the exact length is enough; increments count backwards too.
func TestLevel2Lengths(t *testing.T) {
	const m, n, lda = 4, 3, 5
	f := blas.Native.Float64()
	type args = [3][]float64 // a, x, y
	for name, c := range map[string]struct {
		sizes [3]int
		call  func(v args)
	}{
		"gemv":            {[3]int{(m-1)*lda + n, 2*(n-1) + 1, 3*(m-1) + 1}, func(v args) { f.Dgemv(gblas.NoTrans, m, n, 1, v[0], lda, v[1], 2, 1, v[2], -3) }},
		"gemv transposed": {[3]int{(m-1)*lda + n, 2*(m-1) + 1, 3*(n-1) + 1}, func(v args) { f.Dgemv(gblas.Trans, m, n, 1, v[0], lda, v[1], -2, 1, v[2], 3) }},
		"ger":             {[3]int{(m-1)*lda + n, 2*(m-1) + 1, 3*(n-1) + 1}, func(v args) { f.Dger(m, n, 1, v[1], -2, v[2], 3, v[0], lda) }},
		"symv":            {[3]int{(n-1)*lda + n, 2*(n-1) + 1, 3*(n-1) + 1}, func(v args) { f.Dsymv(gblas.Upper, n, 1, v[0], lda, v[1], 2, 1, v[2], -3) }},
		"syr":             {[3]int{(n-1)*lda + n, 2*(n-1) + 1, 0}, func(v args) { f.Dsyr(gblas.Lower, n, 1, v[1], -2, v[0], lda) }},
	} {
		for short, what := range []string{"a", "x", "y", "nothing"} {
			var v args
			for i, k := range c.sizes {
				v[i] = slices.Repeat([]float64{1}, k)
			}
			if short < 3 && len(v[short]) > 0 {
				v[short] = v[short][1:]
			} else if short < 3 {
				continue
			}
			got := must.Recovered(func() { c.call(v) })
			if what == "nothing" && got != nil || what != "nothing" && got != "blas: insufficient length of "+what {
				t.Errorf("%s with too little of %s: panic %v", name, what, got)
			}
			if untouched := !slices.ContainsFunc(slices.Concat(v[0], v[1], v[2]), func(x float64) bool { return x != 1 }); untouched != (what != "nothing") {
				t.Errorf("%s with too little of %s: written to: %t", name, what, !untouched)
			}
		}
	}
}

// Nothing is read and nothing written where the product has no rows or no columns.
func TestGemmNothing(t *testing.T) {
	f := blas.Native.Float64()
	f.Dgemm(gblas.NoTrans, gblas.NoTrans, 0, 3, 2, 1, nil, 2, nil, 3, 0, nil, 3)
	f.Dgemm(gblas.NoTrans, gblas.NoTrans, 3, 0, 2, 1, nil, 2, nil, 1, 0, nil, 1)
	// Without a sum there are no factors to read.
	c := []float64{1, 2, 3, 4}
	f.Dgemm(gblas.NoTrans, gblas.NoTrans, 2, 2, 0, 1, nil, 1, nil, 2, 2, c, 2)
	f.Dsyrk(gblas.Upper, gblas.NoTrans, 2, 0, 1, nil, 1, 2, c, 2)
	f.Dsyr2k(gblas.Lower, gblas.Trans, 2, 0, 1, nil, 2, nil, 2, 2, c, 2)
	if !slices.Equal(c, []float64{8, 8, 12, 32}) {
		t.Errorf("%v", c)
	}
}

// Dot products of numbers that lie together are those of the kernels.
func TestDotIsTheKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	x, y := asmtest.Normal[float64](r, 1001), asmtest.Normal[float64](r, 1001)
	x3, y3 := asmtest.Normal[float32](r, 1001), asmtest.Normal[float32](r, 1001)
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		for _, n := range []int{1, 17, 1000, 1001} {
			if got, want := blas.Native.Float64().Ddot(n, x, 1, y, 1), level2.Dot(x[:n], y[:n]); got != want {
				t.Errorf("%d numbers: %v, the kernel says %v", n, got, want)
			}
			if got, want := blas.Native.Float32().Sdot(n, x3, 1, y3, 1), level2.Dot(x3[:n], y3[:n]); got != want {
				t.Errorf("%d numbers of float32: %v, the kernel says %v", n, got, want)
			}
		}
	})
}
