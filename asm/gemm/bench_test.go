package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func benchTile[F num.Float](b *testing.B) {
	var f F
	for _, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			r := rand.New(rand.NewPCG(1, 1))
			mr, nr := Shape[F]()
			for _, k := range []int{8, 32, K[F]()} {
				x, y, c := asmtest.Normal[F](r, k*mr), asmtest.Normal[F](r, 4*k*nr), make([]F, mr*nr)
				b.Run(fmt.Sprintf("k=%d/isa=%s", k, l), func(b *testing.B) {
					b.SetBytes(int64((k*(mr+nr) + 2*mr*nr) * int(unsafe.Sizeof(f))))
					i := 0
					for b.Loop() {
						Tile(k, x, 1, mr, y[i%4*k*nr:], nr, c, nr, mr, nr, 1, 1)
						i++
					}
					b.ReportMetric(2*float64(mr*nr*k)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			}
		})
	}
}

func BenchmarkTile64(b *testing.B) { benchTile[float64](b) }
func BenchmarkTile32(b *testing.B) { benchTile[float32](b) }

func benchPack[F num.Float](b *testing.B) {
	var f F
	for _, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			r := rand.New(rand.NewPCG(1, 1))
			mr, nr := Shape[F]()
			const m = 240
			k := K[F]()
			x, dst := asmtest.Normal[F](r, m*k), make([]F, m*k)
			for _, s := range []struct {
				name      string
				w, is, ps int
			}{{"rowsA", mr, k, 1}, {"colsA", mr, 1, m}, {"rowsB", nr, k, 1}, {"colsB", nr, 1, m}} {
				b.Run(fmt.Sprintf("%s/isa=%s", s.name, l), func(b *testing.B) {
					b.SetBytes(int64(2 * m * k * int(unsafe.Sizeof(f))))
					for b.Loop() {
						Pack(dst, x, s.is, s.ps, m, k, s.w)
					}
				})
			}
		})
	}
}

func BenchmarkPack64(b *testing.B) { benchPack[float64](b) }
func BenchmarkPack32(b *testing.B) { benchPack[float32](b) }
