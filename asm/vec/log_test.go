package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

// bigLog returns ln x = k·ln 2 + b + 2·artanh((f−y)/(f+y)), x = 2^k·f and y = e^b
// with b close to ln f.
func bigLog(x float64) *big.Float {
	x, k := math.Frexp(x)
	if x < .7 {
		x, k = 2*x, k-1
	}
	b := newBig(math.Log(x))
	y := bigExp(b)
	t := bigNew().Quo(bigNew().Sub(newBig(x), y), bigNew().Add(newBig(x), y))
	tt := bigNew().Mul(t, t)
	sum, pow := bigNew().Set(t), bigNew().Set(t)
	for k := int64(3); k < 9; k += 2 {
		pow.Mul(pow, tt)
		sum.Add(sum, bigNew().Quo(pow, bigInt(k)))
	}
	sum.Add(sum.Mul(sum, bigInt(2)), b)
	return sum.Add(sum, bigNew().Mul(bigInt(int64(k)), bigLn2))
}

func TestBigLog(t *testing.T) {
	for _, x := range []float64{5e-324, 1e-300, .1, 1 - 0x1p-53, 1 + 0x1p-52, 1.5, 10, 1e300} {
		back := bigExp(bigLog(x))
		d := bigNew().Sub(back, newBig(x))
		if d.Sign() != 0 && d.MantExp(nil)-back.MantExp(nil) > -170 {
			t.Errorf("exp(log(%v)) − x = %v", x, d)
		}
	}
}

func TestLogAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var x []float64
	for range samples(2500) {
		x = append(x, r.ExpFloat64(), 1+math.Ldexp(r.Float64()-.5, -r.IntN(50)), math.Ldexp(1+r.Float64(), r.IntN(2040)-1020),
			math.Ldexp(r.Float64(), -1022), .7+.8*r.Float64())
	}
	for j := range 33 { // borders of the intervals
		v := .5 + float64(j)/32
		x = append(x, v, math.Nextafter(v, 0), math.Nextafter(v, 2), 2*v, math.Nextafter(2*v, 0), math.Nextafter(2*v, 9))
	}
	x = append(x, 5e-324, 0x1p-1022, math.Nextafter(0x1p-1022, 0), math.MaxFloat64)
	want := make([]*big.Float, len(x))
	for i, v := range x {
		if v != 0 {
			want[i] = bigLog(v)
		}
	}
	step := uint32(3989)
	if testing.Short() {
		step = 39989
	}
	x32 := []float32{0.93971032, 1.1274382} // the worst of all, at AVX-512 and at AVX2
	for b := uint32(1); b < 0x7F800000; b += step {
		x32 = append(x32, math.Float32frombits(b))
	}
	for b := -200000; b < 200000; b += 200000/samples(100000) + 1 {
		x32 = append(x32, math.Float32frombits(uint32(0x3F800000+b)))
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		y := make([]float64, len(x))
		Log(y, x)
		var w worst
		for i, v := range x {
			if v != 0 {
				w.add(ulpBig(y[i], want[i]), v, y[i])
			}
		}
		w.check(t, "float64", log64ULP)

		y32 := make([]float32, len(x32))
		Log(y32, x32)
		w = worst{}
		for i, v := range x32 {
			w.add(asmtest.ULP(y32[i], math.Log(float64(v))), v, y32[i])
		}
		w.check(t, "float32", log32ULP)
	})
}

func TestLogSpecials(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		inf, nan := math.Inf(1), math.NaN()
		for _, c := range []struct{ x, want float64 }{
			{0, -inf}, {math.Copysign(0, -1), -inf}, {1, 0}, {inf, inf}, {-inf, nan}, {nan, nan}, {-1, nan}, {-5e-324, nan}, {-1e300, nan}, {-1e-38, nan}, {-1e-44, nan},
		} {
			if got := unary[float64](Log[float64]).one(c.x); !asmtest.Same(got, c.want) || math.Signbit(got) && got == 0 {
				t.Errorf("Log(%v) = %v, want %v", c.x, got, c.want)
			}
			if c.x != 0 && float32(c.x) == 0 || math.IsInf(float64(float32(c.x)), 0) != math.IsInf(c.x, 0) {
				continue
			}
			if got := unary[float32](Log[float32]).one(float32(c.x)); !asmtest.Same(got, float32(c.want)) || math.Signbit(float64(got)) && got == 0 {
				t.Errorf("Log(%v) = %v, want %v", c.x, got, c.want)
			}
		}
	})
}

func TestLogMemory(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkMemory(t, Log[float64], func(r *rand.Rand) float64 { return r.ExpFloat64() - .1 })
		checkMemory(t, Log[float32], func(r *rand.Rand) float32 { return float32(r.ExpFloat64() - .1) })
		checkPanics(t, Log[float64])
		checkPanics(t, Log[float32])
		checkAllocs(t, Log[float64])
		checkAllocs(t, Log[float32])
	})
}
