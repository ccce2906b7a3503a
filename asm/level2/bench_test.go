package level2

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// bench runs f at every level, with the GFLOP/s and bytes of one call.
func bench(b *testing.B, name string, flops, bytes int, f func()) {
	for _, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			b.Run(name+"/isa="+l.String(), func(b *testing.B) {
				b.SetBytes(int64(bytes))
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(flops)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		})
	}
}

func benchVectors[F num.Float](b *testing.B, f routines[F]) {
	r := rand.New(rand.NewPCG(1, 1))
	size := 8
	var z F
	if _, ok := any(z).(float32); ok {
		size = 4
	}
	for _, n := range []int{16, 100, 1000, 1 << 15, 1 << 22} {
		x, y := asmtest.Normal[F](r, n), asmtest.Normal[F](r, n)
		at := "/n=" + strconv.Itoa(n)
		b.Run("copy"+at, func(b *testing.B) { // the ceiling by memory
			b.SetBytes(int64(2 * n * size))
			for b.Loop() {
				copy(y, x)
			}
		})
		var sink F
		bench(b, "dot"+at, 2*n, 2*n*size, func() { sink += f.dot(x, y) })
		bench(b, "axpy"+at, 2*n, 3*n*size, func() { f.axpy(1e-9, x, y) })
		bench(b, "scale"+at, n, 2*n*size, func() { f.scale(1, x) })
		_ = sink
	}
	for _, n := range []int{8, 32, 100, 512, 2000} {
		a, x, y := asmtest.Normal[F](r, n*n), asmtest.Normal[F](r, n), asmtest.Normal[F](r, n)
		at := "/n=" + strconv.Itoa(n)
		bench(b, "gemvN"+at, 2*n*n, n*n*size, func() { f.gemvN(y, a, n, x, 1e-9) })
		bench(b, "gemvT"+at, 2*n*n, n*n*size, func() { f.gemvT(y, a, n, x, 1e-9) })
		bench(b, "ger"+at, 2*n*n, 2*n*n*size, func() { f.ger(a, n, x, y, 1e-9) })
	}
}

func Benchmark64(b *testing.B) { benchVectors(b, of64) }

func Benchmark32(b *testing.B) { benchVectors(b, of32) }
