package dist

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func benchDistance[F num.Float](b *testing.B, f distance[F]) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, s := range []struct{ m, d int }{{1024, 2}, {1024, 8}, {512, 16}, {256, 54}, {128, 128}, {32, 784}, {8192, 128}} {
		x, z, dst := asmtest.Normal[F](r, s.d), asmtest.Normal[F](r, s.m*s.d), make([]F, s.m)
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				b.Run("m="+strconv.Itoa(s.m)+"/d="+strconv.Itoa(s.d)+"/isa="+l.String(), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						f.rows(dst, x, z, s.d)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.m), "ns/row")
					b.ReportMetric(3*float64(s.m*s.d)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			})
		}
	}
}

func BenchmarkSquared64(b *testing.B) { benchDistance(b, of64[0]) }

func BenchmarkAbs64(b *testing.B) { benchDistance(b, of64[1]) }

func BenchmarkSquared32(b *testing.B) { benchDistance(b, of32[0]) }

func BenchmarkAbs32(b *testing.B) { benchDistance(b, of32[1]) }
