package dist

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func FuzzDistances(f *testing.F) {
	var b []byte
	for i := range 60 {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(i*i%17)/3))
	}
	f.Add(b, uint8(5), uint8(3))
	f.Add(b[5:], uint8(9), uint8(17))
	f.Add(b[1:200], uint8(1), uint8(40))
	f.Fuzz(func(t *testing.T, raw []byte, d, offset uint8) {
		var x64 []float64
		for i := 0; i+8 <= len(raw) && i < 8*500; i += 8 {
			x64 = append(x64, math.Float64frombits(binary.LittleEndian.Uint64(raw[i:])))
		}
		var x32 []float32
		for i := 0; i+4 <= len(raw) && i < 4*500; i += 4 {
			x32 = append(x32, math.Float32frombits(binary.LittleEndian.Uint32(raw[i:])))
		}
		for _, f := range of64 {
			fuzzDistance(t, f, x64, int(d%64), int(offset))
		}
		for _, f := range of32 {
			fuzzDistance(t, f, x32, int(d%64), int(offset))
		}
	})
}

// fuzzDistance compares all levels with the generic one on rows of d. Sums that
// overflow in one order may not in another one, and squares may underflow.
func fuzzDistance[F num.Float](t *testing.T, f distance[F], data []F, d, offset int) {
	if d == 0 || len(data) < d {
		return
	}
	x, z := data[:d], data[d:]
	m := len(z) / d
	large, small := math.MaxFloat64/1e10, 1e-300
	if _, ok := any(x).([]float32); ok {
		large, small = math.MaxFloat32/1e10, 1e-38
	}
	var want []F
	for k, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			cd, cx, cz := asmtest.NewCanary[F](m, 1, offset%8), asmtest.NewCanary[F](d, 1, offset/8%8), asmtest.NewCanary[F](m*d, 1, offset/64)
			cx.Set(x)
			cz.Set(z[:m*d])
			f.rows(cd.Slice(), cx.Slice(), cz.Slice(), d)
			cd.Check(t)
			cx.Check(t)
			cz.Check(t)
			if k == 0 {
				want = cd.Get()
				return
			}
			for i, v := range cd.Get() {
				w := want[i]
				bound := 2*float64(d+3)*asmtest.Epsilon[F]()*float64(w) + float64(d)*small
				if !asmtest.Same(v, w) && !(float64(v) > large && float64(w) > large) && !(math.Abs(float64(v)-float64(w)) <= bound) {
					t.Errorf("%s at %s: row %d is %v, generic %v", f.name, l, i, v, w)
				}
			}
		})
	}
}
