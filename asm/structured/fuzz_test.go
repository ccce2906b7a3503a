package structured

import (
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

// FuzzRanges takes the shape and small integers from the fuzzer and compares all
// levels with sums one by one, bit for bit.
func FuzzRanges(f *testing.F) {
	f.Add([]byte("small integers"), uint8(9), uint8(2), uint8(20), uint8(3))
	f.Add([]byte{1, 255, 128}, uint8(1), uint8(7), uint8(1), uint8(0))
	f.Fuzz(func(t *testing.T, raw []byte, rows, groups, columns, b uint8) {
		if len(raw) == 0 {
			return
		}
		n, s, d, parts := int(rows)%20+1, (int(groups)%7+1)*Lanes[float32](), int(columns)%50+1, 1<<(b%5)
		width := (d + parts - 1) / parts
		at := 0
		next := func() float32 {
			at++
			return float32(int8(raw[at%len(raw)]))
		}
		x, v := make([]float32, n*d), make([]float32, d*s)
		for i := range x {
			x[i] = next()
		}
		for i := range v {
			v[i] = next()
		}
		place := make([]int, parts)
		for r := range place {
			place[r] = parts - 1 - r
		}
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				to := asmtest.NewCanary[float32](parts*n*s, 1, int(b)%8)
				Ranges(to.Slice(), place, x, d, n, v, s, d, width)
				to.Check(t)
				for r, p := range place {
					for i := range n {
						for k := range s {
							var want float32
							for j := r * width; j < min((r+1)*width, d); j++ {
								want += x[i*d+j] * v[j*s+k]
							}
							if got := to.Slice()[(p*n+i)*s+k]; got != want {
								t.Fatalf("%s: range %d, row %d, seed %d is %v, want %v", l, r, i, k, got, want)
							}
						}
					}
				}
			})
		}
	})
}
