package vec

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// fuzzUnary compares the levels with the generic one. The bytes of raw are the
// elements; the first is at offset lo of its cache line. near decides whether
// two results may differ.
func fuzzUnary[F num.Float](t *testing.T, raw []byte, lo uint8, f unary[F], near func(x, got, want F) bool) {
	var z F
	size := 8
	if _, ok := any(z).(float32); ok {
		size = 4
	}
	n := min(len(raw)/size, 300)
	src, dst := asmtest.NewCanary[F](n, 1, int(lo%8)), asmtest.NewCanary[F](n, 1, int(lo/8%8))
	in := make([]F, n)
	for i := range in {
		if size == 8 {
			in[i] = F(math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])))
		} else {
			in[i] = F(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		}
	}
	src.Set(in)
	want := make([]F, n)
	for k, l := range asmtest.Available(levels) {
		asmtest.At(l, func() {
			f(dst.Slice(), src.Slice())
			src.Check(t)
			dst.Check(t)
			for i, got := range dst.Get() {
				if k == 0 {
					want[i] = got
				} else if !asmtest.Same(got, want[i]) && !near(in[i], got, want[i]) {
					t.Errorf("%s: f(%v) = %v, generic %v", l, in[i], got, want[i])
				}
			}
		})
	}
}

func seeds(f *testing.F) {
	var b []byte
	for _, v := range []float64{0, 1, -1, .5, 709.7, -708.3, 1e5, 3e9, 1e300, math.Inf(1), math.NaN(), 5e-324} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v/8)))
	}
	f.Add(b, uint8(0))
	f.Add(b[3:], uint8(9))
	f.Add(append(b, b...), uint8(63))
}

// nearULP accepts two units of the last place: twice a bound below 1.
func nearULP[F num.Float](_, got, want F) bool { return asmtest.ULP(got, float64(want)) <= 2 }

func FuzzExp(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte, lo uint8) {
		fuzzUnary(t, raw, lo, Exp[float64], nearULP)
		fuzzUnary(t, raw, lo, Exp[float32], nearULP)
		s := -float64(lo) - .5
		fuzzUnary(t, raw, lo, func(d, x []float64) { ExpScale(d, x, s) }, nearULP)
		fuzzUnary(t, raw, lo, func(d, x []float32) { ExpScale(d, x, float32(s)) }, nearULP)
	})
}

func FuzzLog(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte, lo uint8) {
		fuzzUnary(t, raw, lo, Log[float64], nearULP)
		fuzzUnary(t, raw, lo, Log[float32], nearULP)
	})
}

func FuzzSinCos(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte, lo uint8) {
		fuzzUnary(t, raw, lo, func(d, x []float64) { SinCos(d, make([]float64, len(x)), x) }, nearULP)
		fuzzUnary(t, raw, lo, func(d, x []float64) { SinCos(make([]float64, len(x)), d, x) }, nearULP)
		fuzzUnary(t, raw, lo, func(d, x []float32) { SinCos(d, make([]float32, len(x)), x) }, nearULP)
		fuzzUnary(t, raw, lo, func(d, x []float32) { SinCos(make([]float32, len(x)), d, x) }, nearULP)
	})
}
