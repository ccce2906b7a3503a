package vec

import (
	"math"
	"unsafe"

	"github.com/gramworks/gram/internal/pun"
	"github.com/gramworks/gram/num"
)

// logTable[j] holds 1/c with 8 bits, and log(c) = hi + lo with hi a multiple of
// 2^−42, for the part of [3/4, 3/2) whose numbers have the leading fraction
// bits j: parts 0–7 begin at 1, parts 8–15 at 3/4. The parts on both sides of 1
// have c = 1.
var logTable = [16]struct{ inv, hi, lo float64 }{
	{1.0, 0.0, 0.0},
	{0.9140625, 0.08985632912185793, 3.1218748807418837e-15},
	{0.86328125, 0.14701474296180095, 8.710783796122478e-15},
	{0.8203125, 0.19806991376208316, 1.0634128304268335e-14},
	{0.78125, 0.2468600779316148, -8.899851356560444e-14},
	{0.74609375, 0.29290401643288533, 4.727452940514406e-14},
	{0.7109375, 0.3411707574027787, -1.156568624616423e-14},
	{0.6796875, 0.3861221452650625, -2.9052332860840534e-14},
	{1.3046875, -0.2659635484972114, 7.343591369867797e-14},
	{1.25390625, -0.22626367865041175, -4.1641267302872263e-14},
	{1.20703125, -0.18816383241824042, 5.743078393200756e-14},
	{1.1640625, -0.15191604202573217, -1.0980754099855238e-13},
	{1.12109375, -0.11430477128010352, 4.488953352238699e-14},
	{1.0859375, -0.08244366921098845, -8.614512936087814e-14},
	{1.05078125, -0.04953393512232651, 4.9880309107981426e-14},
	{1.0, 0.0, 0.0},
}

const (
	ln2Hi = 0.6931471805598903    // 42 bits: its product with an exponent is exact
	ln2Lo = 5.497923018708371e-14 // the rest of ln 2
	upper = 0xFFFFFFFFFFF00000    // keeps 33 bits of a significand
)

// logSpecial returns the logarithm of an x that is 0, negative, infinite or
// NaN.
func logSpecial(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	}
	return x
}

func logGeneric[F num.Float](dst, src []F) {
	if unsafe.Sizeof(F(0)) == 8 {
		log64Generic(pun.Slice[float64](dst), pun.Slice[float64](src))
	} else {
		log32Generic(pun.Slice[float32](dst), pun.Slice[float32](src))
	}
}

// log64Generic writes x = 2^e·m with m in [3/4, 3/2) and m = c·(1+r) with c
// from a table, so that log(x) = e·ln 2 + log(c) + log1p(r) with |r| ≤ 1/16.
// The sum hi of the first two terms is exact; the rounding error of hi + r is
// kept.
func log64Generic(dst, src []float64) {
	const bias = 0x3FF0000000000000 - 0x3FE8000000000000
	for i, x := range src {
		if !(x > 0 && x <= math.MaxFloat64) {
			dst[i] = logSpecial(x)
			continue
		}
		e := -1023.
		if x < 0x1p-1022 {
			x *= 0x1p52
			e -= 52
		}
		b := math.Float64bits(x)
		u := b + bias
		e += float64(u >> 52)
		b += 0x3FF0000000000000 - u&(0xFFF<<52)
		m := math.Float64frombits(b)
		t := &logTable[b>>48&15]
		// Both halves of m have exact products with the 8 bits of 1/c.
		mh := math.Float64frombits(b & upper)
		r := float64(float64(mh*t.inv)-1) + float64((m-mh)*t.inv)
		hi := float64(e*ln2Hi) + t.hi
		s := hi + r
		d := (hi - s) + r + float64(e*ln2Lo) + t.lo
		r2 := r * r
		// Minimax polynomial for log1p(r) − r on [−1/32, 1/16].
		q := 0.11070674253410609 + float64(r*-0.08738404910246785)
		q = 0.1428582160396022 + float64(r*-0.12501864048080027) + float64(r2*q)
		q = 0.1999999992655334 + float64(r*-0.16666666195656024) + float64(r2*q)
		q = 0.3333333333334782 + float64(r*-0.2499999999983583) + float64(r2*q)
		q = -0.5000000000000003 + float64(r*q)
		dst[i] = s + (d + float64(r2*q))
	}
}

// log32Generic computes in float64 and rounds each result to float32.
func log32Generic(dst, src []float32) {
	const bias = 0x3FF0000000000000 - 0x3FE8000000000000
	for i, v := range src {
		x := float64(v)
		if !(x > 0 && x <= math.MaxFloat32) {
			dst[i] = float32(logSpecial(x))
			continue
		}
		b := math.Float64bits(x)
		u := b + bias
		e := float64(u>>52) - 1023
		b += 0x3FF0000000000000 - u&(0xFFF<<52)
		t := &logTable[b>>48&15]
		r := float64(math.Float64frombits(b)*t.inv) - 1
		r2 := r * r
		// Minimax polynomial for log1p(r) − r on [−1/32, 1/16].
		q := 0.33334459324973414 + float64(r*-0.2500612837070429) + float64(r2*0.18843895100535282)
		q = -0.5000000140168132 + float64(r*q)
		dst[i] = float32(float64(e*math.Ln2) + t.hi + (r + float64(r2*q)))
	}
}
