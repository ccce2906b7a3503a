package hadamard

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// FuzzRows takes shape and raw bits from the fuzzer and compares all levels
// with the generic code.
func FuzzRows(f *testing.F) {
	f.Add([]byte("some bits to start with, repeated as often as the shape needs"), uint8(7), uint8(3), uint8(1), uint8(0))
	f.Add([]byte{0xff, 0xff, 0x7f, 0x7f, 0, 0, 0x80, 0x7f}, uint8(13), uint8(1), uint8(0), uint8(5))
	f.Fuzz(func(t *testing.T, raw []byte, k, n, gap, off uint8) {
		d := 1 << (k % 15)
		rows := int(n)%5 + 1
		stride := d + int(gap)%20
		exploreRows(t, raw, rows, d, stride, int(off)%8, 8, func(b []byte) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		})
		exploreRows(t, raw, rows, d, stride, int(off)%8, 4, func(b []byte) float32 {
			return math.Float32frombits(binary.LittleEndian.Uint32(b))
		})
	})
}

func exploreRows[F num.Float](t *testing.T, raw []byte, n, d, stride, off, size int, decode func([]byte) F) {
	if len(raw) < size {
		return
	}
	x := make([]F, (n-1)*stride+d)
	for i := range x {
		at := i * size % (len(raw) - size + 1)
		x[i] = decode(raw[at:])
	}
	want := append([]F(nil), x...)
	rowsGeneric(want, n, d, stride)
	all(func(l cpu.Level) {
		bothForms(func() {
			c := asmtest.NewCanary[F](len(x), 1, off)
			c.Set(x)
			Rows(c.Slice(), n, d, stride)
			c.Check(t)
			same(t, l.String(), c.Get(), want)
		})
	})
}
