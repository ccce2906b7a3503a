package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// sizes are vectors in L1, L2 and memory.
var sizes = []int{128, 2048, 1 << 15, 1 << 22}

// measure runs f at every level, generic being pure Go, and loop, which is what a program without this package has.
func measure[F num.Float](b *testing.B, f, loop func(x, y []F)) {
	for _, n := range sizes {
		r := rand.New(rand.NewPCG(1, 1))
		x, y := make([]F, n), make([]F, n)
		for i := range x {
			x[i], y[i] = F(20*r.Float64()), F(20*r.Float64())
		}
		run := func(name string, f func(x, y []F)) {
			b.Run(fmt.Sprintf("type=float%d/n=%d/isa=%s", 8*size[F](), n, name), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(2 * int64(n) * int64(size[F]()))
				for b.Loop() {
					f(x, y)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
		run("loop", loop)
		for _, l := range asmtest.Available(cpu.Levels()[1:]) {
			asmtest.At(l, func() { run(l.String(), f) })
		}
	}
}

func size[F num.Float]() int {
	if asmtest.Epsilon[F]() > 1e-10 {
		return 4
	}
	return 8
}

// each is the loop over a function of package math.
func each[F num.Float](f func(float64) float64) func(x, y []F) {
	return func(x, y []F) {
		for i, v := range x {
			y[i] = F(f(float64(v)))
		}
	}
}

func BenchmarkExp(b *testing.B) {
	measure(b, func(x, y []float64) { Exp(y, x) }, each[float64](math.Exp))
	measure(b, func(x, y []float32) { Exp(y, x) }, each[float32](math.Exp))
}

func BenchmarkLog(b *testing.B) {
	measure(b, func(x, y []float64) { Log(y, x) }, each[float64](math.Log))
	measure(b, func(x, y []float32) { Log(y, x) }, each[float32](math.Log))
}

func BenchmarkSinCos(b *testing.B) {
	benchmarkSinCos[float64](b)
	benchmarkSinCos[float32](b)
}

func benchmarkSinCos[F num.Float](b *testing.B) {
	cos := make([]F, sizes[len(sizes)-1])
	measure(b, func(x, y []F) { SinCos(y, cos[:len(x)], x) }, func(x, y []F) {
		for i, v := range x {
			s, c := math.Sincos(float64(v))
			y[i], cos[i] = F(s), F(c)
		}
	})
}

func BenchmarkDot(b *testing.B) {
	benchmarkSum(b, Dot[float64], func(x, y float64) float64 { return x * y })
	benchmarkSum(b, Dot[float32], func(x, y float32) float32 { return x * y })
}

func BenchmarkSquaredDistance(b *testing.B) {
	benchmarkSum(b, SquaredDistance[float64], func(x, y float64) float64 { return (x - y) * (x - y) })
	benchmarkSum(b, SquaredDistance[float32], func(x, y float32) float32 { return (x - y) * (x - y) })
}

func benchmarkSum[F num.Float](b *testing.B, f func(x, y []F) F, term func(x, y F) F) {
	var sink F
	measure(b, func(x, y []F) { sink += f(x, y) }, func(x, y []F) {
		var sum F
		for i, v := range x {
			sum += term(v, y[i])
		}
		sink += sum
	})
}

// BenchmarkInt8 measures sums of products and of squared differences at every level, beside loops.
func BenchmarkInt8(b *testing.B) {
	for _, n := range sizes[:3] {
		x, y := make([]int8, n), make([]int8, n)
		for i := range x {
			x[i], y[i] = int8(37*i), int8(91*i)
		}
		var sink int
		run := func(name string, f func(x, y []int8) int) {
			b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) {
				b.SetBytes(2 * int64(n))
				for b.Loop() {
					sink += f(x, y)
				}
			})
		}
		run("of=Dot/isa=loop", func(x, y []int8) (sum int) {
			for i, v := range x {
				sum += int(v) * int(y[i])
			}
			return sum
		})
		run("of=SquaredDistance/isa=loop", func(x, y []int8) (sum int) {
			for i, v := range x {
				d := int(v) - int(y[i])
				sum += d * d
			}
			return sum
		})
		for _, l := range asmtest.Available(cpu.Levels()[1:]) {
			asmtest.At(l, func() {
				run("of=Dot/isa="+l.String(), DotInt8)
				run("of=SquaredDistance/isa="+l.String(), SquaredDistanceInt8)
			})
		}
	}
}
