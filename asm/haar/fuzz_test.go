package haar

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// FuzzRows takes shape, scaling and raw bits from the fuzzer and compares all
// levels with the generic code.
func FuzzRows(f *testing.F) {
	f.Add([]byte("some bits to start with, repeated as often as the shape needs"), uint8(7), uint8(3), uint8(1), uint8(0), false)
	f.Add([]byte{0xff, 0xff, 0x7f, 0x7f, 0, 0, 0x80, 0x7f}, uint8(13), uint8(1), uint8(0), uint8(5), true)
	f.Fuzz(func(t *testing.T, raw []byte, k, n, gap, off uint8, back bool) {
		d := 1 << (k % 15)
		rows := int(n)%5 + 1
		s := Scaling(gap % 3)
		exploreRows(t, raw, back, s, rows, d, d+int(gap)%20, int(off)%8, 8, func(b []byte) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		})
		exploreRows(t, raw, back, s, rows, d, d+int(gap)%20, int(off)%8, 4, func(b []byte) float32 {
			return math.Float32frombits(binary.LittleEndian.Uint32(b))
		})
	})
}

func exploreRows[F num.Float](t *testing.T, raw []byte, back bool, s Scaling, n, d, stride, off, size int, decode func([]byte) F) {
	if len(raw) < size {
		return
	}
	x := make([]F, (n-1)*stride+d)
	for i := range x {
		x[i] = decode(raw[i*size%(len(raw)-size+1):])
	}
	want := append([]F(nil), x...)
	scratch := make([]F, Scratch(d))
	var c factors[F]
	c.fill(s, log2(d))
	if back {
		backwardGeneric(want, stride, want, stride, n, d, scratch, c[:])
	} else {
		forwardGeneric(want, stride, want, stride, n, d, scratch, c[:])
	}
	for _, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			got := asmtest.NewCanary[F](len(x), 1, off)
			got.Set(x)
			apply(back, got.Slice(), stride, got.Slice(), stride, n, d, s, scratch)
			got.Check(t)
			for i, v := range got.Slice() {
				if !sameValue(v, want[i]) {
					t.Fatalf("%s, %d rows of %d, stride %d: element %d is %v, want %v", l, n, d, stride, i, v, want[i])
				}
			}
		})
	}
}
