package blas

import (
	"math"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/gen"
	gblas "gonum.org/v1/gonum/blas"
)

// Products with a matrix of one column have the bits of the kernels, at every level, however far the elements
// are apart.
func TestOneColumn(t *testing.T) {
	f := implementation{b: Native.(*nativeBackend)}
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		for m := 1; m <= fewColumn+2; m++ {
			for _, inc := range []int{1, 3} {
				for _, lda := range []int{1, 5} {
					a, x := gen.Normal(m*lda, 1, 1).RawMatrix().Data, gen.Normal(m*inc, 1, 2).RawMatrix().Data
					for _, beta := range []float64{0, 1, .3} {
						got, want := []float64{.7}, []float64{.7}
						f.Dgemv(gblas.Trans, m, 1, .9, a, lda, x, inc, beta, got, 1)
						gemvAny(f.b, gblas.Trans, m, 1, .9, a, lda, x, inc, beta, want, 1)
						if math.Float64bits(got[0]) != math.Float64bits(want[0]) {
							t.Fatalf("Dgemv of %d rows, %d and %d apart: %v, want %v", m, lda, inc, got, want)
						}
					}
					b, c := append([]float64(nil), a...), append([]float64(nil), a...)
					f.Dger(m, 1, .9, x, inc, []float64{.7}, 1, b, lda)
					gerCall(m, 1, .9, x, inc, []float64{.7}, 1, c, lda)
					for i := range b {
						if math.Float64bits(b[i]) != math.Float64bits(c[i]) {
							t.Fatalf("Dger of %d rows, %d and %d apart: element %d is %v, want %v", m, lda, inc, i, b[i], c[i])
						}
					}
				}
			}
		}
	})
}
