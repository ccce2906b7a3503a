package level2

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// bench runs what prepare returns at every level and reports the GFLOP/s and
// bytes of one call. Only measured cases are prepared. The function that prepare
// returns calls the routine directly, as users do: a call by a function value
// with a type parameter takes a nanosecond more.
func bench(b *testing.B, name string, flops, bytes int, prepare func() func()) {
	for _, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			b.Run(name+"/isa="+l.String(), func(b *testing.B) {
				b.SetBytes(int64(bytes))
				b.ReportAllocs()
				f := prepare()
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(flops)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		})
	}
}

func benchVectors[F num.Float](b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	size := 8
	var z F
	if _, ok := any(z).(float32); ok {
		size = 4
	}
	for _, n := range []int{16, 100, 1000, 1 << 15, 1 << 22} {
		vectors := sync.OnceValues(func() (x, y []F) { return asmtest.Normal[F](r, n), asmtest.Normal[F](r, n) })
		at := "/n=" + strconv.Itoa(n)
		b.Run("copy"+at, func(b *testing.B) { // the ceiling by memory
			b.SetBytes(int64(2 * n * size))
			x, y := vectors()
			for b.Loop() {
				copy(y, x)
			}
		})
		var sink F
		bench(b, "dot"+at, 2*n, 2*n*size, func() func() {
			x, y := vectors()
			return func() { sink += Dot(x, y) }
		})
		bench(b, "axpy"+at, 2*n, 3*n*size, func() func() {
			x, y := vectors()
			return func() { Axpy(1e-9, x, y) }
		})
		bench(b, "scale"+at, n, 2*n*size, func() func() {
			x, _ := vectors()
			return func() { Scale(1, x) }
		})
		_ = sink
	}
	for _, n := range []int{8, 32, 100, 512, 2000} {
		x, y := asmtest.Normal[F](r, n), asmtest.Normal[F](r, n)
		matrix := sync.OnceValue(func() []F { return asmtest.Normal[F](r, n*n) })
		at := "/n=" + strconv.Itoa(n)
		bench(b, "gemvN"+at, 2*n*n, n*n*size, func() func() {
			a := matrix()
			return func() { GemvN(y, a, n, x, 1e-9) }
		})
		bench(b, "gemvT"+at, 2*n*n, n*n*size, func() func() {
			a := matrix()
			return func() { GemvT(y, a, n, x, 1e-9) }
		})
		bench(b, "ger"+at, 2*n*n, 2*n*n*size, func() func() {
			a := matrix()
			return func() { Ger(a, n, x, y, 1e-9) }
		})
	}
}

func Benchmark64(b *testing.B) { benchVectors[float64](b) }

func Benchmark32(b *testing.B) { benchVectors[float32](b) }
