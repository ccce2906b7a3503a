package openblas

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/gen"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkNative runs the native backend and OpenBLAS in turn and reports the
// median of the ratios of their times: above 1, OpenBLAS is faster.
func BenchmarkNative(b *testing.B) {
	open, err := New()
	if err != nil {
		b.Skip(err)
	}
	defer blas.Use(blas.Current())
	for _, c := range []struct {
		name string
		run  func() func()
	}{
		{"dgemm/n=1000", func() func() {
			x, y, z := gen.Normal(1000, 1000, 1), gen.Normal(1000, 1000, 2), make([]float64, 1e6)
			return func() {
				blas.Current().Float64().Dgemm(gblas.NoTrans, gblas.NoTrans, 1000, 1000, 1000, 1, x.RawMatrix().Data, 1000, y.RawMatrix().Data, 1000, 0, z, 1000)
			}
		}},
		{"dsyrk/n=512,k=10000", func() func() {
			x, z := gen.Normal(10000, 512, 1), make([]float64, 512*512)
			return func() {
				blas.Current().Float64().Dsyrk(gblas.Upper, gblas.Trans, 512, 10000, 1, x.RawMatrix().Data, 512, 0, z, 512)
			}
		}},
		{"eigensym/n=1000", func() func() {
			a := gen.SPD(1000, 1e6, 3)
			return func() {
				var e mat.EigenSym
				if !e.Factorize(a, true) {
					b.Fatal("no convergence")
				}
			}
		}},
	} {
		work := c.run()
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", c.name, threads), func(b *testing.B) {
				timed := func(x blas.Backend) float64 {
					blas.Use(x)
					blas.SetThreads(threads)
					defer blas.SetThreads(0)
					start := time.Now()
					work()
					return time.Since(start).Seconds()
				}
				var native, other, ratio []float64
				timed(open)
				timed(blas.Native)
				for b.Loop() {
					native, other = append(native, timed(blas.Native)), append(other, timed(open))
					ratio = append(ratio, native[len(native)-1]/other[len(other)-1])
				}
				b.ReportMetric(1e3*slices.Min(native), "native-ms")
				b.ReportMetric(1e3*slices.Min(other), "openblas-ms")
				slices.Sort(ratio)
				b.ReportMetric(ratio[len(ratio)/2], "ratio")
			})
		}
	}
}
