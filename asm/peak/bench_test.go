package peak

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
)

func BenchmarkFMA(b *testing.B) { benchRegisters(b, 2, func(x []float64) { FMA(x, 1, 1e-9, 1000) }) }
func BenchmarkAdd(b *testing.B) { benchRegisters(b, 1, func(x []float64) { Add(x, 1e-9, 1000) }) }
func BenchmarkMix(b *testing.B) { benchRegisters(b, 3, func(x []float64) { Mix(x, 1, 1e-9, 1000) }) }

func benchRegisters(b *testing.B, flops int, f func(x []float64)) {
	for _, l := range asmtest.Available(levels) {
		b.Run(fmt.Sprintf("n=%d/isa=%s", Width[float64](), l), func(b *testing.B) {
			x := make([]float64, Width[float64]())
			asmtest.At(l, func() {
				for b.Loop() {
					f(x)
				}
			})
			b.ReportMetric(float64(flops*1000*len(x)*b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{1 << 11, 1 << 15, 1 << 20, 1 << 24} {
		dst, src := make([]float64, n/2), make([]float64, n/2)
		all := make([]float64, n)
		Fill(dst, 1) // untouched pages would be one page of zeros
		Fill(src, 1)
		Fill(all, 1)
		for _, k := range []struct {
			name  string
			bytes int
			f     func()
		}{
			{"sum", 8 * n, func() { Sum(all) }},
			{"copy", 8 * n, func() { Copy(dst, src) }},
			{"move", 8 * n, func() { copy(dst, src) }},
			{"shift", 16 * n, func() { Shift(all, 1) }},
			{"fill", 8 * n, func() { Fill(all, 1) }},
			{"stream", 8 * n, func() { Stream(all, 1) }},
		} {
			for _, l := range asmtest.Available(levels) {
				if k.name == "move" && l != cpu.Generic {
					continue
				}
				b.Run(fmt.Sprintf("%s/n=%d/isa=%s", k.name, n, l), func(b *testing.B) {
					b.SetBytes(int64(k.bytes))
					asmtest.At(l, func() {
						for b.Loop() {
							k.f()
						}
					})
				})
			}
		}
	}
}
