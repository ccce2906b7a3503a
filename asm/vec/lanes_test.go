package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// TestLimitsInLanes puts arguments at and around the limits of every function,
// and numbers that are not finite, into every lane in turn, between ordinary
// ones. Every element must give the same result as alone.
func TestLimitsInLanes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		exp := []float64{lnMin64, math.Nextafter(lnMin64, -inf), -745, 709.78, 709.79, 1418, inf, -inf, nan, 0}
		exp32 := []float64{lnMin32, float64(math.Nextafter32(lnMin32, -200)), -104, 88.72, 88.73, 176, inf, -inf, nan, 0}
		log := []float64{0, math.Copysign(0, -1), -1, 0x1p-1074, 0x1p-1022, math.Nextafter(0x1p-1022, 0), math.MaxFloat64, inf, -inf, nan}
		log32 := []float64{0, math.Copysign(0, -1), -1, 0x1p-149, 0x1p-126, 0x1p-127, math.MaxFloat32, inf, -inf, nan}
		checkLanes(t, "Exp float64", Exp[float64], exp)
		checkLanes(t, "Exp float32", Exp[float32], exp32)
		for _, s := range []float64{-1, 2} {
			scaled, scaled32 := make([]float64, len(exp)), make([]float64, len(exp))
			for i := range exp {
				scaled[i], scaled32[i] = exp[i]/s, exp32[i]/s
			}
			checkLanes(t, "ExpScale float64", func(dst, src []float64) { ExpScale(dst, src, s) }, scaled)
			checkLanes(t, "ExpScale float32", func(dst, src []float32) { ExpScale(dst, src, float32(s)) }, scaled32)
		}
		checkLanes(t, "Log float64", Log[float64], log)
		checkLanes(t, "Log float32", Log[float32], log32)
		angles, angles32 := []float64{inf, -inf, nan, 0}, []float64{inf, -inf, nan, 0}
		for _, sign := range []float64{1, -1} {
			angles = append(angles, sign*sincosMax64, sign*math.Nextafter(sincosMax64, inf), sign*1e300)
			angles32 = append(angles32, sign*sincosMax32, sign*float64(math.Nextafter32(sincosMax32, math.MaxFloat32)), sign*1e30)
		}
		for _, sine := range []bool{false, true} {
			checkLanes(t, "SinCos float64", half(SinCos[float64], sine), angles)
			checkLanes(t, "SinCos float32", half(SinCos[float32], sine), angles32)
		}
		for _, v := range append(angles[4:], 1) {
			s, c := math.Sincos(v)
			if gs, gc := half(SinCos[float64], true).one(v), half(SinCos[float64], false).one(v); !(math.Abs(gs-s) <= 0x1p-52) || !(math.Abs(gc-c) <= 0x1p-52) {
				t.Errorf("SinCos(%v) = %v, %v, want %v, %v", v, gs, gc, s, c)
			}
		}
		for _, v := range append(angles32[4:], 1) {
			s, c := math.Sincos(float64(float32(v)))
			if gs, gc := half(SinCos[float32], true).one(float32(v)), half(SinCos[float32], false).one(float32(v)); !(math.Abs(float64(gs)-s) <= 0x1p-23) || !(math.Abs(float64(gc)-c) <= 0x1p-23) {
				t.Errorf("SinCos(%v) = %v, %v, want %v, %v", v, gs, gc, s, c)
			}
		}
	})
}

// half is one result of f, the sine or the cosine.
func half[F num.Float](f func(sin, cos, src []F), sine bool) unary[F] {
	return func(dst, src []F) {
		other := make([]F, len(src))
		if sine {
			f(dst, other, src)
		} else {
			f(other, dst, src)
		}
	}
}

func checkLanes[F num.Float](t *testing.T, name string, f unary[F], values []float64) {
	t.Helper()
	const n = 3*48 + 47 // whole iterations, vectors and a tail, for every kernel
	r := rand.New(rand.NewPCG(27, 28))
	ordinary, want, x, got := make([]F, n), make([]F, n), make([]F, n), make([]F, n)
	for i := range ordinary {
		ordinary[i] = F(.1 + r.Float64())
		want[i] = f.one(ordinary[i])
	}
	for _, v := range values {
		alone := f.one(F(v))
		for at := range n {
			copy(x, ordinary)
			x[at] = F(v)
			f(got, x)
			for i, g := range got {
				w := want[i]
				if i == at {
					w = alone
				}
				if !asmtest.SameBits(g, w) && !(g != g && w != w) {
					t.Fatalf("%s with %v at %d of %d: element %d is %v, alone %v", name, v, at, n, i, g, w)
				}
			}
		}
	}
}
