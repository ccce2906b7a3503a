package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

func TestExpAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var x []float64
	for range samples(2500) {
		x = append(x, lnMin64+(709.78-lnMin64)*r.Float64(), r.NormFloat64(), math.Ldexp(r.NormFloat64(), -r.IntN(60)))
		// At these arguments the reduced argument is largest, for tables of 4
		// and of 16.
		k := float64(r.IntN(2*16*1020)-16*1020) + .5
		x = append(x, k*math.Ln2/16, (k-.5+2)*math.Ln2/4/4)
	}
	x = append(x, lnMin64, math.Nextafter(lnMin64, 0), 709.782712893384, 709.7827128933839, 709.4361393, -707.7032713652975)
	want := make([]*big.Float, len(x))
	inRange := func(v float64) bool { return v >= lnMin64 && v <= 709.782712893384 }
	for i, v := range x {
		if inRange(v) {
			want[i] = bigExp(newBig(v))
		}
	}

	// The test takes every n-th float32 from the threshold of underflow to
	// that of overflow. math.Exp is accurate to 1e-8 of a float32 ULP.
	step := uint32(3989)
	if testing.Short() {
		step = 39989
	}
	var x32 []float32
	for b := uint32(0); b < math.Float32bits(88.72284); b += step {
		x32 = append(x32, math.Float32frombits(b))
	}
	for b := uint32(1 << 31); b < math.Float32bits(lnMin32); b += step {
		x32 = append(x32, math.Float32frombits(b))
	}
	for range samples(200000) {
		x32 = append(x32, float32(lnMin32+(88.7228-lnMin32)*r.Float64()), float32((float64(r.IntN(8*250)-8*125)+.5)*math.Ln2/8))
	}
	x32 = append(x32, lnMin32, 88.72283)
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		y := make([]float64, len(x))
		Exp(y, x)
		var w worst
		for i, v := range x {
			if inRange(v) {
				w.add(ulpBig(y[i], want[i]), v, y[i])
			}
		}
		w.check(t, "float64", expULP)

		y32 := make([]float32, len(x32))
		Exp(y32, x32)
		w = worst{}
		for i, v := range x32 {
			if v < lnMin32 || v > 88.72283 {
				continue
			}
			w.add(asmtest.ULP(y32[i], math.Exp(float64(v))), v, y32[i])
		}
		w.check(t, "float32", expULP)
	})
}

func TestExpSpecials(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		inf, nan := math.Inf(1), math.NaN()
		for _, c := range []struct{ x, want float64 }{
			{0, 1}, {math.Copysign(0, -1), 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {5e-324, 1}, {-5e-324, 1}, {1e-17, 1},
			{709.79, inf}, {709.9, inf}, {710.1, inf}, {1000, inf}, {1415, inf}, {1418, inf}, {1e6, inf}, {1e15, inf}, {1e17, inf}, {1e100, inf}, {math.MaxFloat64, inf},
			{math.Nextafter(lnMin64, -1000), 0}, {-708.4, 0}, {-709, 0}, {-745, 0}, {-746, 0}, {-1e6, 0}, {-1e17, 0}, {-1e300, 0}, {-math.MaxFloat64, 0},
		} {
			if got := unary[float64](Exp[float64]).one(c.x); !asmtest.Same(got, c.want) || math.Signbit(got) && got == 0 {
				t.Errorf("Exp(%v) = %v, want %v", c.x, got, c.want)
			}
			for _, s := range []float64{-.5, 2, -0x1p-800} {
				if x := c.x / s; !math.IsInf(x, 0) || math.IsInf(c.x, 0) {
					if x*s != c.x {
						continue
					}
					if got := unary[float64](func(d, x []float64) { ExpScale(d, x, s) }).one(x); !asmtest.Same(got, c.want) {
						t.Errorf("ExpScale(%v, %v) = %v, want %v", x, s, got, c.want)
					}
				}
			}
		}
		for _, c := range []struct{ x, want float64 }{
			{0, 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {1e-45, 1}, {-1e-45, 1}, {88.73, inf}, {88.8, inf}, {89.1, inf}, {100, inf}, {174, inf}, {176, inf}, {1e6, inf}, {1e10, inf},
			{1.0001e20, inf}, {3e30, inf}, {math.MaxFloat32, inf}, {-87.34, 0}, {-88, 0}, {-103, 0}, {-104, 0}, {-1e6, 0}, {-1e20, 0}, {-math.MaxFloat32, 0},
		} {
			if got := unary[float32](Exp[float32]).one(float32(c.x)); !asmtest.Same(got, float32(c.want)) {
				t.Errorf("Exp(%v) = %v, want %v", c.x, got, c.want)
			}
			if got := unary[float32](func(d, x []float32) { ExpScale(d, x, -1) }).one(-float32(c.x)); !asmtest.Same(got, float32(c.want)) {
				t.Errorf("ExpScale(%v, -1) = %v, want %v", -c.x, got, c.want)
			}
		}
		// Beyond the thresholds the results are only 0 and +Inf.
		r := rand.New(rand.NewPCG(5, 6))
		for range samples(2000) {
			x := math.Ldexp(1+r.Float64(), 10+r.IntN(1013))
			if got := unary[float64](Exp[float64]).one(x); got != inf {
				t.Fatalf("Exp(%v) = %v", x, got)
			}
			if got := unary[float64](Exp[float64]).one(-x); got != 0 {
				t.Fatalf("Exp(%v) = %v", -x, got)
			}
			v := float32(math.Ldexp(1+r.Float64(), 7+r.IntN(120)))
			if got := unary[float32](Exp[float32]).one(v); got != float32(inf) {
				t.Fatalf("Exp(%v) = %v", v, got)
			}
			if got := unary[float32](Exp[float32]).one(-v); got != 0 {
				t.Fatalf("Exp(%v) = %v", -v, got)
			}
		}
	})
}

func TestExpScale(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		var w, w32 worst
		for range samples(2000) {
			s := math.Ldexp(1+r.Float64(), r.IntN(80)-40)
			if r.IntN(2) == 0 {
				s = -s
			}
			x := (lnMin64 + (709.7-lnMin64)*r.Float64()) * .9999 / s
			got := unary[float64](func(d, x []float64) { ExpScale(d, x, s) }).one(x)
			w.add(ulpBig(got, bigExp(bigNew().Mul(newBig(s), newBig(x)))), [2]float64{s, x}, got)
			s32 := float32(s)
			x32 := float32((lnMin32 + (88.7-lnMin32)*r.Float64()) * .9999 / s)
			got32 := unary[float32](func(d, x []float32) { ExpScale(d, x, s32) }).one(x32)
			w32.add(asmtest.ULP(got32, math.Exp(float64(s32)*float64(x32))), [2]float32{s32, x32}, got32)
		}
		w.check(t, "float64", expULP)
		w32.check(t, "float32", expULP)

		x := asmtest.Normal[float64](r, 100)
		a, b := make([]float64, 100), make([]float64, 100)
		Exp(a, x)
		ExpScale(b, x, 1)
		for i := range a {
			if !asmtest.SameBits(a[i], b[i]) {
				t.Fatalf("scale 1 differs at %v: %v, %v", x[i], b[i], a[i])
			}
		}
		// No kernel takes these factors.
		nan, inf := math.NaN(), math.Inf(1)
		for _, c := range [][2]float64{
			{0, 3}, {0, inf}, {0, nan}, {nan, 1}, {inf, 1}, {inf, -1}, {-inf, 1}, {inf, 0},
			{1e-310, 1e300}, {1e-300, 1e300}, {1e305, 1e-305}, {-1e305, 1}, {5e-324, 1},
		} {
			want := math.Exp(c[0] * c[1])
			if got := unary[float64](func(d, x []float64) { ExpScale(d, x, c[0]) }).one(c[1]); !(asmtest.ULP(got, want) <= 2) {
				t.Errorf("ExpScale(%v, %v) = %v, want %v", c[1], c[0], got, want)
			}
			s, x := float32(c[0]), float32(c[1])
			want = math.Exp(float64(s) * float64(x))
			if got := unary[float32](func(d, x []float32) { ExpScale(d, x, s) }).one(x); !(asmtest.ULP(got, want) <= 1) {
				t.Errorf("ExpScale(%v, %v) = %v, want %v", x, s, got, want)
			}
		}
	})
}

func TestExpMemory(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkMemory(t, Exp[float64], func(r *rand.Rand) float64 { return 400 * r.NormFloat64() })
		checkMemory(t, Exp[float32], func(r *rand.Rand) float32 { return float32(50 * r.NormFloat64()) })
		checkMemory(t, func(d, x []float64) { ExpScale(d, x, -.3) }, func(r *rand.Rand) float64 { return 1000 * r.Float64() })
		checkMemory(t, func(d, x []float32) { ExpScale(d, x, -.3) }, func(r *rand.Rand) float32 { return 100 * r.Float32() })
		checkPanics(t, Exp[float64])
		checkPanics(t, Exp[float32])
		checkAllocs(t, Exp[float64])
		checkAllocs(t, Exp[float32])
	})
}

// TestExpMonotone passes the borders between the intervals of the table.
func TestExpMonotone(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		x, y := make([]float64, 64), make([]float64, 64)
		for k := -300; k < 300; k++ {
			v := (float64(k) + .5) * math.Ln2 / 16
			for range 32 {
				v = math.Nextafter(v, math.Inf(-1))
			}
			for i := range x {
				x[i] = v
				v = math.Nextafter(v, math.Inf(1))
			}
			Exp(y, x)
			for i := 1; i < len(y); i++ {
				// Neighbors may be exchanged within the bound, but not more.
				if !(y[i-1]-y[i] <= asmtest.Unit(y[i])) {
					t.Fatalf("exp(%v) = %v after %v", x[i], y[i], y[i-1])
				}
			}
		}
	})
}
