package level2

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// bench runs what prepare returns at every level, with the GFLOP/s and bytes of
// one call. Only what is measured is prepared.
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

func benchVectors[F num.Float](b *testing.B, f routines[F]) {
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
		run := func(name string, flops, bytes int, call func(x, y []F)) {
			bench(b, name+at, flops, bytes, func() func() {
				x, y := vectors()
				return func() { call(x, y) }
			})
		}
		run("dot", 2*n, 2*n*size, func(x, y []F) { sink += f.dot(x, y) })
		run("axpy", 2*n, 3*n*size, func(x, y []F) { f.axpy(1e-9, x, y) })
		run("scale", n, 2*n*size, func(x, _ []F) { f.scale(1, x) })
		_ = sink
	}
	for _, n := range []int{8, 32, 100, 512, 2000} {
		x, y := asmtest.Normal[F](r, n), asmtest.Normal[F](r, n)
		matrix := sync.OnceValue(func() []F { return asmtest.Normal[F](r, n*n) })
		run := func(name string, bytes int, call func(a []F)) {
			bench(b, name+"/n="+strconv.Itoa(n), 2*n*n, bytes, func() func() {
				a := matrix()
				return func() { call(a) }
			})
		}
		run("gemvN", n*n*size, func(a []F) { f.gemvN(y, a, n, x, 1e-9) })
		run("gemvT", n*n*size, func(a []F) { f.gemvT(y, a, n, x, 1e-9) })
		run("ger", 2*n*n*size, func(a []F) { f.ger(a, n, x, y, 1e-9) })
	}
}

func Benchmark64(b *testing.B) { benchVectors(b, of64) }

func Benchmark32(b *testing.B) { benchVectors(b, of32) }
