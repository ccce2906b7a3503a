package blas_test

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/race"
	gblas "gonum.org/v1/gonum/blas"
)

// Products, triangular systems and factorizations of small matrices allocate nothing.
func TestSmallSizesAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector sync.Pool drops values at random")
	}
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		for _, n := range []int{1, 3, 4, 8, 13, 16, 24, 32} {
			a, b, c, x, y := values[float64](n*n), values[float64](n*n), values[float64](n*n), values[float64](n), values[float64](n)
			for i := range n {
				a[i*n+i] = 4 * float64(n)
			}
			tau, work, ipiv := make([]float64, n), make([]float64, 8*n), make([]int, n)
			f, l := blas.Native.Float64(), blas.Native.Lapack()
			must := func(ok bool) {
				if !ok {
					t.Fatal("no factorization")
				}
			}
			calls := map[string]func(){
				"dot":   func() { f.Ddot(n, x, 1, y, 1) },
				"axpy":  func() { f.Daxpy(n, .5, x, 1, y, 1) },
				"gemv":  func() { f.Dgemv(gblas.NoTrans, n, n, 1, a, n, x, 1, 0, y, 1) },
				"gemvᵀ": func() { f.Dgemv(gblas.Trans, n, n, 1, a, n, x, 1, 0, y, 1) },
				"ger":   func() { f.Dger(n, n, .5, x, 1, y, 1, c, n) },
				"symv":  func() { f.Dsymv(gblas.Upper, n, 1, a, n, x, 1, 0, y, 1) },
				"trsv":  func() { f.Dtrsv(gblas.Upper, gblas.NoTrans, gblas.NonUnit, n, a, n, x, 1) },
				"trsm": func() {
					for _, s := range []gblas.Side{gblas.Left, gblas.Right} {
						f.Dtrsm(s, gblas.Upper, gblas.NoTrans, gblas.NonUnit, n, n, 1, a, n, b, n)
					}
				},
				"cholesky": func() { copy(c, a); must(l.Dpotrf(gblas.Upper, n, c, n)) },
				"lu":       func() { copy(c, a); must(l.Dgetrf(n, n, c, n, ipiv)) },
				"qr":       func() { copy(c, a); l.Dgeqrf(n, n, c, n, tau, work, len(work)) },
				"lq":       func() { copy(c, a); l.Dgelqf(n, n, c, n, tau, work, len(work)) },
			}
			a32, c32 := values[float32](n*n), make([]float32, n*n)
			for _, ta := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
				calls[fmt.Sprintf("syrk %c", ta)] = func() { f.Dsyrk(gblas.Upper, ta, n, n, 1, a, n, 1, c, n) }
				for _, tb := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
					calls[fmt.Sprintf("gemm %c%c", ta, tb)] = func() { f.Dgemm(ta, tb, n, n, n, 1, a, n, b, n, 0, c, n) }
					calls[fmt.Sprintf("sgemm %c%c", ta, tb)] = func() {
						blas.Native.Float32().Sgemm(ta, tb, n, n, n, 1, a32, n, a32, n, 0, c32, n)
					}
				}
			}
			for name, call := range calls {
				if got := testing.AllocsPerRun(50, call); got >= 1 {
					t.Errorf("%s of order %d: %v allocations", name, n, got)
				}
			}
		}
	})
}
