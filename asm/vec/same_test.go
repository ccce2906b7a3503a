package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

// sameArguments are numbers of every magnitude, and those at the limits of the variants and of their tables.
func sameArguments(r *rand.Rand) (exp, log []float64) {
	for range samples(20000) {
		exp = append(exp, 1430*r.Float64()-715, -40*r.Float64(), math.Ldexp(r.NormFloat64(), -r.IntN(60)), (float64(r.IntN(32*1020)-16*1020)+.5)*math.Ln2/16)
		log = append(log, r.ExpFloat64(), 1+r.Float64(), 1+math.Ldexp(r.Float64()-.5, -r.IntN(50)), math.Ldexp(1+r.Float64(), r.IntN(2040)-1020))
	}
	for j := range 65 {
		v := .5 + float64(j)/64
		log = append(log, v, math.Nextafter(v, 0), math.Nextafter(v, 2))
	}
	for _, v := range []float64{707.9, 708, math.Nextafter(708, 709), 709, lnMin64, math.Nextafter(lnMin64, -800)} {
		exp = append(exp, v, -v)
	}
	return exp, append(log, 0x1p-1022, math.Nextafter(0x1p-1022, 1), math.MaxFloat64)
}

// Bits are those of level generic at every level, and within the bounds of Exp and Log.
func TestSame(t *testing.T) {
	exp, log := sameArguments(rand.New(rand.NewPCG(31, 32)))
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, c := range []struct {
			name        string
			f, generic  func(dst, src []float64)
			exact       func(x float64) *big.Float
			x           []float64
			bound       float64
			least, most float64
			value       func(r *rand.Rand) float64
			limits      []float64
		}{
			{name: "SameExp", f: SameExp, generic: func(dst, src []float64) { exp64Generic(dst, src, 1, lnMin64) }, exact: func(x float64) *big.Float { return bigExp(newBig(x)) },
				x: exp, bound: expULP, least: lnMin64, most: 709.78, value: func(r *rand.Rand) float64 { return -40 * r.Float64() },
				limits: []float64{708, math.Nextafter(708, 709), -708, -709, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1)}},
			{name: "SameLog", f: SameLog, generic: log64Generic, exact: bigLog,
				x: log, bound: log64ULP, least: 5e-324, most: math.MaxFloat64, value: func(r *rand.Rand) float64 { return 1 + r.Float64() },
				limits: []float64{0x1p-1022, math.Nextafter(0x1p-1022, 0), 5e-324, 0, math.Copysign(0, -1), -1, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1}},
		} {
			got, want := make([]float64, len(c.x)), make([]float64, len(c.x))
			c.f(got, c.x)
			c.generic(want, c.x)
			var w worst
			for i, v := range c.x {
				if !asmtest.SameBits(got[i], want[i]) {
					t.Fatalf("%s(%v) = %x, generic %x", c.name, v, got[i], want[i])
				}
				if i%37 == 0 && v >= c.least && v <= c.most {
					w.add(ulpBig(got[i], c.exact(v)), v, got[i])
				}
			}
			w.check(t, c.name, c.bound)
			checkMemory(t, c.f, c.value)
			checkLanes(t, c.name, c.f, c.limits)
			checkPanics(t, c.f)
			checkAllocs(t, c.f)
		}
	})
}

func FuzzSame(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte, lo uint8) {
		same := func(x, got, want float64) bool { return asmtest.SameBits(got, want) }
		fuzzUnary(t, raw, lo, SameExp, same)
		fuzzUnary(t, raw, lo, SameLog, same)
	})
}
