package hadamard

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

func BenchmarkTransform(b *testing.B) {
	measureTransform[float32](b)
	measureTransform[float64](b)
}

func measureTransform[F num.Float](b *testing.B) {
	for _, k := range []int{4, 6, 8, 10, 12, 14, 16, 18, 20} {
		x := make([]F, 1<<k)
		size := int(unsafe.Sizeof(x[0]))
		all(func(l cpu.Level) {
			b.Run(fmt.Sprintf("type=%T/n=%d/isa=%s", x[0], len(x), l), func(b *testing.B) {
				b.SetBytes(int64(2 * size * len(x)))
				b.ReportAllocs()
				for b.Loop() {
					Transform(x)
				}
				b.ReportMetric(float64(len(x)*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		})
	}
}

func BenchmarkRows(b *testing.B) {
	measureRows[float32](b)
	measureRows[float64](b)
}

func measureRows[F num.Float](b *testing.B) {
	for _, k := range []int{3, 4, 5, 6, 7, 8, 9, 10} {
		d := 1 << k
		size := int(unsafe.Sizeof(F(0)))
		for _, bytes := range []int{16 << 10, 512 << 10, 64 << 20} {
			n := bytes / size / d
			x := make([]F, n*d)
			all(func(l cpu.Level) {
				b.Run(fmt.Sprintf("type=%T/d=%d/bytes=%d/isa=%s", x[0], d, bytes, l), func(b *testing.B) {
					b.SetBytes(int64(2 * bytes))
					b.ReportAllocs()
					for b.Loop() {
						Rows(x, n, d, d)
					}
					b.ReportMetric(float64(n*d*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			})
		}
	}
}
