package blas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	gblas "gonum.org/v1/gonum/blas"
)

// updates are the routines that scale their destination by beta, for matrices
// of order n.
type updates[F gram.Float] map[string]func(n int, alpha F, a, b []F, beta F, c []F)

var updates64 = updates[float64]{
	"gemm": func(n int, alpha float64, a, b []float64, beta float64, c []float64) {
		blas.Native.Float64().Dgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, alpha, a, n, b, n, beta, c, n)
	},
	"gemm, transposed": func(n int, alpha float64, a, b []float64, beta float64, c []float64) {
		blas.Native.Float64().Dgemm(gblas.Trans, gblas.Trans, n, n, n, alpha, a, n, b, n, beta, c, n)
	},
	"symm": func(n int, alpha float64, a, b []float64, beta float64, c []float64) {
		blas.Native.Float64().Dsymm(gblas.Left, gblas.Upper, n, n, alpha, a, n, b, n, beta, c, n)
	},
	"syrk": func(n int, alpha float64, a, b []float64, beta float64, c []float64) {
		blas.Native.Float64().Dsyrk(gblas.Lower, gblas.NoTrans, n, n, alpha, a, n, beta, c, n)
	},
	"syr2k": func(n int, alpha float64, a, b []float64, beta float64, c []float64) {
		blas.Native.Float64().Dsyr2k(gblas.Upper, gblas.Trans, n, n, alpha, a, n, b, n, beta, c, n)
	},
	"gemv": func(n int, alpha float64, a, b []float64, beta float64, c []float64) {
		blas.Native.Float64().Dgemv(gblas.NoTrans, n, n, alpha, a, n, b, 1, beta, c, 1)
	},
	"gemv, transposed": func(n int, alpha float64, a, b []float64, beta float64, c []float64) {
		blas.Native.Float64().Dgemv(gblas.Trans, n, n, alpha, a, n, b, 1, beta, c, n)
	},
	"symv": func(n int, alpha float64, a, b []float64, beta float64, c []float64) {
		blas.Native.Float64().Dsymv(gblas.Upper, n, alpha, a, n, b, 1, beta, c, 1)
	},
}

var updates32 = updates[float32]{
	"gemm": func(n int, alpha float32, a, b []float32, beta float32, c []float32) {
		blas.Native.Float32().Sgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, alpha, a, n, b, n, beta, c, n)
	},
	"gemm, transposed": func(n int, alpha float32, a, b []float32, beta float32, c []float32) {
		blas.Native.Float32().Sgemm(gblas.Trans, gblas.Trans, n, n, n, alpha, a, n, b, n, beta, c, n)
	},
	"symm": func(n int, alpha float32, a, b []float32, beta float32, c []float32) {
		blas.Native.Float32().Ssymm(gblas.Left, gblas.Upper, n, n, alpha, a, n, b, n, beta, c, n)
	},
	"syrk": func(n int, alpha float32, a, b []float32, beta float32, c []float32) {
		blas.Native.Float32().Ssyrk(gblas.Lower, gblas.NoTrans, n, n, alpha, a, n, beta, c, n)
	},
	"syr2k": func(n int, alpha float32, a, b []float32, beta float32, c []float32) {
		blas.Native.Float32().Ssyr2k(gblas.Upper, gblas.Trans, n, n, alpha, a, n, b, n, beta, c, n)
	},
	"gemv": func(n int, alpha float32, a, b []float32, beta float32, c []float32) {
		blas.Native.Float32().Sgemv(gblas.NoTrans, n, n, alpha, a, n, b, 1, beta, c, 1)
	},
	"gemv, transposed": func(n int, alpha float32, a, b []float32, beta float32, c []float32) {
		blas.Native.Float32().Sgemv(gblas.Trans, n, n, alpha, a, n, b, 1, beta, c, n)
	},
	"symv": func(n int, alpha float32, a, b []float32, beta float32, c []float32) {
		blas.Native.Float32().Ssymv(gblas.Upper, n, alpha, a, n, b, 1, beta, c, 1)
	},
}

// TestZeroFactors holds that no routine reads its destination where beta is 0 or
// −0, and none its factors where alpha is 0 or −0.
func TestZeroFactors(t *testing.T) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		zeroFactors(t, updates64)
		zeroFactors(t, updates32)
	})
}

func zeroFactors[F gram.Float](t *testing.T, all updates[F]) {
	r := rand.New(rand.NewPCG(5, 6))
	negative, nan := F(math.Copysign(0, -1)), F(math.NaN())
	filled := func(n int, v F) []F {
		x := make([]F, n)
		for i := range x {
			x[i] = v
		}
		return x
	}
	for _, n := range []int{1, 3, 8, 37, 70} {
		a, b := asmtest.Normal[F](r, n*n), asmtest.Normal[F](r, n*n)
		for name, f := range all {
			// What a routine leaves alone is where it leaves two values different.
			zero, one := make([]F, n*n), filled(n*n, 1)
			f(n, 2, a, b, 0, zero)
			f(n, 2, a, b, 0, one)
			for _, beta := range []F{0, negative} {
				c := filled(n*n, nan)
				f(n, 2, a, b, beta, c)
				for i, got := range c {
					what := fmt.Sprintf("%s of order %d, beta %v: element %d", name, n, beta, i)
					switch written := asmtest.SameBits(zero[i], one[i]); {
					case written && !asmtest.SameBits(got, zero[i]):
						t.Fatalf("%s is %v, want %v", what, got, zero[i])
					case !written && got == got:
						t.Fatalf("%s is %v and should not be written", what, got)
					}
				}
			}
			for _, alpha := range []F{0, negative} {
				for _, beta := range []F{0, 1, 3} {
					c := filled(n*n, 5)
					f(n, alpha, filled(n*n, nan), filled(n*n, nan), beta, c)
					for i, got := range c {
						want := 5 * beta
						if !asmtest.SameBits(zero[i], one[i]) {
							want = 5
						}
						if got != want {
							t.Fatalf("%s of order %d, alpha %v, beta %v: element %d is %v, want %v", name, n, alpha, beta, i, got, want)
						}
					}
				}
			}
		}
	}
}
