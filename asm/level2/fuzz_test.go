package level2

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func FuzzLevel2(f *testing.F) {
	var b []byte
	for i := range 60 {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(i-30)/3))
	}
	f.Add(b, uint8(5), uint8(3))
	f.Add(b[5:], uint8(9), uint8(17))
	f.Add(b[1:200], uint8(1), uint8(40))
	f.Fuzz(func(t *testing.T, raw []byte, n, offset uint8) {
		var x64 []float64
		for i := 0; i+8 <= len(raw) && i < 8*500; i += 8 {
			x64 = append(x64, math.Float64frombits(binary.LittleEndian.Uint64(raw[i:])))
		}
		var x32 []float32
		for i := 0; i+4 <= len(raw) && i < 4*500; i += 4 {
			x32 = append(x32, math.Float32frombits(binary.LittleEndian.Uint32(raw[i:])))
		}
		exploreLevel2(t, of64, x64, int(n%64), int(offset%8))
		exploreLevel2(t, of32, x32, int(n%64), int(offset%8))
	})
}

// exploreLevel2 divides data into a vector of n and rows of n elements and compares
// all levels with the generic one, within twice the bound. It skips terms so
// large that a product or sum could overflow.
func exploreLevel2[F num.Float](t *testing.T, f routines[F], data []F, n, offset int) {
	if n == 0 || len(data) < 2*n+1 {
		return
	}
	alpha, x, a := data[0], data[1:n+1], data[n+1:]
	m := len(a) / n
	a = a[:m*n]
	abs := make([]float64, m+n)
	limit := math.Sqrt(math.Sqrt(math.MaxFloat64))
	if _, ok := any(alpha).(float32); ok {
		limit = 1e9
	}
	small := math.Sqrt(1 / limit)
	for _, v := range data[:n+1+m*n] {
		// It also skips products that could underflow, for which relative bounds
		// do not hold.
		if w := math.Abs(float64(v)); !(w < limit) || w != 0 && w < small {
			return
		}
	}
	for i := range m {
		for j := range n {
			p := math.Abs(float64(a[i*n+j]) * float64(alpha))
			abs[i] += p * math.Abs(float64(x[j]))
			abs[m+j] += p * math.Abs(float64(a[i*n]))
		}
	}
	var want []F
	for k, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			am := newMatrix(a, m, n, n+offset, offset)
			xs, ys, col := asmtest.NewCanary[F](n, 1, offset), asmtest.NewCanary[F](m, 1, offset), make([]F, m)
			xs.Set(x)
			ys.Set(make([]F, m))
			for i := range col {
				col[i] = a[i*n]
			}
			f.gemvN(ys.Slice(), am.all.Slice(), n+offset, xs.Slice(), alpha)
			xs.Check(t)
			ys.Check(t)
			got := ys.Get()
			xs.Set(make([]F, n))
			f.gemvT(xs.Slice(), am.all.Slice(), n+offset, col, alpha)
			xs.Check(t)
			am.check(t, false)
			got = append(got, xs.Get()...)
			if k == 0 {
				want = got
			}
			for i, v := range got {
				if !(math.Abs(float64(v)-float64(want[i])) <= float64(m+n+8)*asmtest.Epsilon[F]()*abs[i]) {
					t.Errorf("%s: element %d is %v, generic %v", l, i, v, want[i])
				}
			}
		})
	}
}
