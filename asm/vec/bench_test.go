package vec

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// benchSizes are vectors in L1, L2, L3 and memory.
var benchSizes = []int{2048, 1 << 15, 1 << 18, 1 << 23}

func benchUnary[F num.Float](b *testing.B, f unary[F], value func(r *rand.Rand) F) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range benchSizes {
		vectors := sync.OnceValues(func() (src, dst []F) { // only for a size that is measured
			src, dst = make([]F, n), make([]F, n)
			for i := range src {
				src[i] = value(r)
			}
			return src, dst
		})
		run := func(name string, f unary[F]) {
			b.Run("n="+strconv.Itoa(n)+"/isa="+name, func(b *testing.B) {
				b.ReportAllocs()
				src, dst := vectors()
				for b.Loop() {
					f(dst, src)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
		run("copy", func(dst, src []F) { copy(dst, src) }) // the ceiling by memory
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() { run(l.String(), f) })
		}
	}
}

func BenchmarkExp64(b *testing.B) {
	benchUnary(b, Exp[float64], func(r *rand.Rand) float64 { return 40*r.Float64() - 20 })
}

func BenchmarkExp32(b *testing.B) {
	benchUnary(b, Exp[float32], func(r *rand.Rand) float32 { return 40*r.Float32() - 20 })
}

// Most results underflow in this benchmark.
func BenchmarkExpUnderflow64(b *testing.B) {
	benchUnary(b, Exp[float64], func(r *rand.Rand) float64 { return -2000 * r.Float64() })
}

func BenchmarkLog64(b *testing.B) {
	benchUnary(b, Log[float64], func(r *rand.Rand) float64 { return 20 * r.Float64() })
}

func BenchmarkLog32(b *testing.B) {
	benchUnary(b, Log[float32], func(r *rand.Rand) float32 { return 20 * r.Float32() })
}

// The cosine goes to a second vector of the same size.
func BenchmarkSinCos64(b *testing.B) {
	cos := make([]float64, benchSizes[len(benchSizes)-1])
	benchUnary(b, func(dst, src []float64) { SinCos(dst, cos[:len(src)], src) }, func(r *rand.Rand) float64 { return 200*r.Float64() - 100 })
}

func BenchmarkSinCos32(b *testing.B) {
	cos := make([]float32, benchSizes[len(benchSizes)-1])
	benchUnary(b, func(dst, src []float32) { SinCos(dst, cos[:len(src)], src) }, func(r *rand.Rand) float32 { return 200*r.Float32() - 100 })
}

func BenchmarkSameExp(b *testing.B) {
	benchUnary(b, SameExp, func(r *rand.Rand) float64 { return -20 * r.Float64() })
}

func BenchmarkSameLog(b *testing.B) {
	benchUnary(b, SameLog, func(r *rand.Rand) float64 { return 1 + r.Float64() })
}
