package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// bigPi by Machin's formula, with digits for arguments up to 2^1024.
var bigPi = func() *big.Float {
	const prec = 1400
	arctanInv := func(n int64) *big.Float {
		f := func(x int64) *big.Float { return new(big.Float).SetPrec(prec).SetInt64(x) }
		sum, term := f(0), f(1)
		term.Quo(term, f(n))
		for k := int64(1); term.MantExp(nil) > -prec; k += 2 {
			q := f(0).Quo(term, f(k))
			if k%4 == 3 {
				q.Neg(q)
			}
			sum.Add(sum, q)
			term.Quo(term, f(n*n))
		}
		return sum
	}
	a := arctanInv(5)
	a.Mul(a, new(big.Float).SetInt64(4))
	a.Sub(a, arctanInv(239))
	return a.Mul(a, new(big.Float).SetInt64(4))
}()

// bigSinCos returns sin x and cos x by their series after subtracting a multiple
// of π/2 with more digits than x has.
func bigSinCos(x float64) (sin, cos *big.Float) {
	half := new(big.Float).SetMantExp(bigPi, -1)
	wide := new(big.Float).SetPrec(1400).SetFloat64(x)
	q := new(big.Float).SetPrec(1400).Quo(wide, half)
	q.Add(q, big.NewFloat(math.Copysign(.5, x)))
	k, _ := q.Int(nil)
	wide.Sub(wide, half.Mul(half, new(big.Float).SetPrec(1400).SetInt(k)))
	r := bigNew().Set(wide)
	r2 := bigNew().Mul(r, r)
	sin, cos = bigNew().Set(r), bigInt(1)
	s, c := bigNew().Set(r), bigInt(1)
	for i := int64(1); i < 60; i += 2 {
		c.Mul(c, r2)
		c.Quo(c, bigInt(-i*(i+1)))
		cos.Add(cos, c)
		s.Mul(s, r2)
		s.Quo(s, bigInt(-(i+1)*(i+2)))
		sin.Add(sin, s)
		if c.Sign() == 0 || c.MantExp(nil) < -bigPrec-8 {
			break
		}
	}
	switch new(big.Int).And(k, big.NewInt(3)).Int64() {
	case 1:
		return cos, sin.Neg(sin)
	case 2:
		return sin.Neg(sin), cos.Neg(cos)
	case 3:
		return cos.Neg(cos), sin
	}
	return sin, cos
}

func TestBigSinCos(t *testing.T) {
	for _, x := range []float64{1e-20, .5, 3, -100, 1e5, 1e22, math.MaxFloat64} {
		s, c := bigSinCos(x)
		one := bigNew().Add(bigNew().Mul(s, s), bigNew().Mul(c, c))
		one.Sub(one, bigInt(1))
		if one.Sign() != 0 && one.MantExp(nil) > -180 {
			t.Errorf("sin² + cos² − 1 = %v at %v", one, x)
		}
		if f, _ := s.Float64(); !(math.Abs(f-math.Sin(x)) < 1e-15) {
			t.Errorf("sin(%v) = %v, math.Sin %v", x, f, math.Sin(x))
		}
	}
}

// sincosArguments returns angles of all sizes below limit, and numbers next to
// multiples of π/4 and π/2.
func sincosArguments(r *rand.Rand, n int, limit float64, round func(float64) float64) []float64 {
	var x []float64
	for range n {
		k := math.Floor(math.Ldexp(r.Float64(), r.IntN(27)) * limit / 0x1p27)
		x = append(x, 10*r.NormFloat64(), (2*r.Float64()-1)*1e5, (2*r.Float64()-1)*limit, math.Ldexp(r.NormFloat64(), -r.IntN(100)),
			round(k*math.Pi/2), -round((k+.5)*math.Pi/2), math.Nextafter(round(k*math.Pi/2), 0))
	}
	var out []float64
	for _, v := range x {
		if v = round(v); math.Abs(v) <= limit {
			out = append(out, v)
		}
	}
	return append(out, 0, limit, -limit, round(math.Pi/4), round(math.Pi/2), 0x1p-130)
}

func TestSinCosAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	x := sincosArguments(r, samples(1500), 0x1p29, func(v float64) float64 { return v })
	type pair struct{ sin, cos *big.Float }
	oracle := func(x []float64) []pair {
		out := make([]pair, len(x))
		for i, v := range x {
			out[i].sin, out[i].cos = bigSinCos(v)
		}
		return out
	}
	want := oracle(x)
	round := func(v float64) float64 { return float64(float32(v)) }
	x32 := sincosArguments(r, samples(1500), 0x1p17, round)
	want32 := oracle(x32)
	// math.Sincos is accurate to 1e-7 of a float32 ULP away from zeros.
	var dense []float32
	for range samples(200000) {
		dense = append(dense, float32((2*r.Float64()-1)*math.Ldexp(1, r.IntN(18))))
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		sin, cos := make([]float64, len(x)), make([]float64, len(x))
		SinCos(sin, cos, x)
		var ws, wc worst
		for i, v := range x {
			ws.add(ulpBig(sin[i], want[i].sin), v, sin[i])
			wc.add(ulpBig(cos[i], want[i].cos), v, cos[i])
		}
		ws.check(t, "float64 sine", sincosULP)
		wc.check(t, "float64 cosine", sincosULP)

		in := make([]float32, len(x32))
		for i, v := range x32 {
			in[i] = float32(v)
		}
		s32, c32 := make([]float32, len(in)), make([]float32, len(in))
		SinCos(s32, c32, in)
		ws, wc = worst{}, worst{}
		for i, v := range in {
			ws.add(ulpBig(s32[i], want32[i].sin), v, s32[i])
			wc.add(ulpBig(c32[i], want32[i].cos), v, c32[i])
		}
		s32, c32 = make([]float32, len(dense)), make([]float32, len(dense))
		SinCos(s32, c32, dense)
		for i, v := range dense {
			s, c := math.Sincos(float64(v))
			ws.add(asmtest.ULP(s32[i], s), v, s32[i])
			wc.add(asmtest.ULP(c32[i], c), v, c32[i])
		}
		ws.check(t, "float32 sine", sincosULP)
		wc.check(t, "float32 cosine", sincosULP)
	})
}

// TestSinCosLarge has arguments that math.Sincos computes for the kernels, in
// one slice with ordinary arguments.
func TestSinCosLarge(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(25, 26))
		for range samples(100) {
			n := 1 + r.IntN(40)
			x, sin, cos := make([]float64, n), make([]float64, n), make([]float64, n)
			x32, sin32, cos32 := make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range x {
				x[i] = math.Ldexp(r.NormFloat64(), r.IntN(1000))
				x32[i] = float32(math.Ldexp(r.NormFloat64(), r.IntN(120)))
				if r.IntN(2) == 0 {
					x[i], x32[i] = r.NormFloat64(), float32(r.NormFloat64())
				}
			}
			SinCos(sin, cos, x)
			SinCos(sin32, cos32, x32)
			for i := range x {
				s, c := bigSinCos(x[i])
				// The reduction of package math loses a few units beside zeros
				// of huge arguments.
				if !(ulpBig(sin[i], s) <= 1 || math.Abs(x[i]) > 0x1p29 && math.Abs(sin[i]-math.Sin(x[i])) <= 0x1p-52) ||
					!(ulpBig(cos[i], c) <= 1 || math.Abs(x[i]) > 0x1p29 && math.Abs(cos[i]-math.Cos(x[i])) <= 0x1p-52) {
					t.Fatalf("SinCos(%v) = %v, %v, want %v, %v", x[i], sin[i], cos[i], s, c)
				}
				s, c = bigSinCos(float64(x32[i]))
				if !(ulpBig(sin32[i], s) <= sincosULP) || !(ulpBig(cos32[i], c) <= sincosULP) {
					t.Fatalf("SinCos(%v) = %v, %v, want %v, %v", x32[i], sin32[i], cos32[i], s, c)
				}
			}
		}
	})
}

func TestSinCosSpecials(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkSinCosSpecials(t, SinCos[float64])
		checkSinCosSpecials(t, SinCos[float32])
	})
}

func checkSinCosSpecials[F num.Float](t *testing.T, f func(sin, cos, src []F)) {
	zero, inf := F(0), F(math.Inf(1))
	x := []F{0, 1e-40, -zero, F(math.NaN()), inf, -inf, 1e-40, -1e-40}
	sin, cos := make([]F, len(x)), make([]F, len(x))
	f(sin, cos, x)
	nan := F(math.NaN())
	wantSin := []F{0, x[1], x[2], nan, nan, nan, x[6], x[7]}
	wantCos := []F{1, 1, 1, nan, nan, nan, 1, 1}
	for i := range x {
		if !asmtest.Same(sin[i], wantSin[i]) || math.Signbit(float64(sin[i])) != math.Signbit(float64(wantSin[i])) && sin[i] == 0 || !asmtest.Same(cos[i], wantCos[i]) {
			t.Errorf("%T: sincos(%v) = %v, %v, want %v, %v", x[i], x[i], sin[i], cos[i], wantSin[i], wantCos[i])
		}
	}
}

func TestSinCosMemory(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkSinCosMemory(t, SinCos[float64])
		checkSinCosMemory(t, SinCos[float32])
	})
}

// checkSinCosMemory tests the two results as two functions of one slice.
func checkSinCosMemory[F num.Float](t *testing.T, f func(sin, cos, src []F)) {
	value := func(r *rand.Rand) F { return F(math.Ldexp(r.NormFloat64(), r.IntN(40))) }
	other := func(n int) *asmtest.Canary[F] { return asmtest.NewCanary[F](n, 1, n%8) }
	var s unary[F] = func(dst, src []F) {
		c := other(len(src))
		f(dst, c.Slice()[:len(src)], src)
		c.Check(t)
	}
	var c unary[F] = func(dst, src []F) {
		s := other(len(src))
		f(s.Slice()[:len(src)], dst, src)
		s.Check(t)
	}
	checkMemory(t, s, value)
	checkMemory(t, c, value)
	defer func() {
		if r := recover(); r != "vec: lengths differ" {
			t.Errorf("panic %v", r)
		}
	}()
	x := make([]F, 1000)
	y := make([]F, 1000)
	if n := testing.AllocsPerRun(5, func() { f(x, y, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	f(make([]F, 3), make([]F, 2), make([]F, 3))
}
