package vec

//go:generate go run github.com/gramworks/gram/internal/neon/gen

import (
	"github.com/gramworks/gram/internal/race"
	"math"

	"github.com/gramworks/gram/num"
)

// maxElements bounds the time in one assembly call, which the scheduler cannot
// interrupt: 64 KiB of float64.
const maxElements = 8192

// Exp64 sets dst[i] = exp(src[i]). dst has the length of src; the two are the
// same slice or do not overlap. It panics if the lengths differ.
func Exp64(dst, src []float64) { ExpScale64(dst, src, 1) }

// Exp32 is Exp64 for float32.
func Exp32(dst, src []float32) { ExpScale32(dst, src, 1) }

// ExpScale64 sets dst[i] = exp(scale·src[i]); the product is not rounded before
// the exponential, so that the error bound is that of Exp64 for the exact
// product. With scale 1 the bits are those of Exp64. Lengths and overlap are as
// in Exp64.
func ExpScale64(dst, src []float64, scale float64) {
	if len(dst) != len(src) {
		panic("vec: lengths differ")
	}
	race.Read(src)
	race.Write(dst)
	f, ok := factorOf64(scale)
	for len(src) > 0 {
		n := min(len(src), maxElements)
		if ok {
			exp64(dst[:n], src[:n], f)
		} else {
			expPlain(dst[:n], src[:n], scale, lnMin64)
		}
		dst, src = dst[n:], src[n:]
	}
}

// ExpScale32 is ExpScale64 for float32.
func ExpScale32(dst, src []float32, scale float32) {
	if len(dst) != len(src) {
		panic("vec: lengths differ")
	}
	race.Read(src)
	race.Write(dst)
	f, ok := factorOf32(scale)
	for len(src) > 0 {
		n := min(len(src), maxElements)
		if ok {
			exp32(dst[:n], src[:n], f)
		} else {
			expPlain(dst[:n], src[:n], scale, lnMin32)
		}
		dst, src = dst[n:], src[n:]
	}
}

const (
	log2eHi = 1.4426950408889634     // 0x3FF71547652B82FE
	log2eLo = 2.0355273740931033e-17 // 0x3C7777D0FFDA0D24
	lnMin64 = -708.3964185322641     // ln(2^−1022): the result is 0 below
	lnMin32 = -87.33654475055311     // ln(2^−126)
)

// factor is what the kernels need of the scale: scale·log2(e) = hi + lo, and
// the argument beyond which the result is 0.
type factor[F num.Float] struct{ scale, hi, lo, cut F }

// factorOf64 returns false where hi, lo or cut would overflow, lose digits to
// gradual underflow or be 0.
func factorOf64(s float64) (factor[float64], bool) {
	if a := math.Abs(s); !(a >= 0x1p-900 && a <= 0x1p900) {
		return factor[float64]{}, false
	}
	hi := s * log2eHi
	lo := math.FMA(s, log2eHi, -hi) + float64(s*log2eLo)
	return factor[float64]{s, hi, lo, lnMin64 / s}, true
}

func factorOf32(s float32) (factor[float32], bool) {
	if a := math.Abs(float64(s)); !(a >= 0x1p-90 && a <= 0x1p90) {
		return factor[float32]{}, false
	}
	p := float64(s) * log2eHi
	hi := float32(p)
	return factor[float32]{s, hi, float32(p - float64(hi)), float32(lnMin32 / float64(s))}, true
}

// expPlain serves the factors that the kernels do not take.
func expPlain[F num.Float](dst, src []F, s F, lnMin float64) {
	for i, x := range src {
		y := float64(s) * float64(x)
		if y < lnMin {
			dst[i] = 0
			continue
		}
		dst[i] = F(math.Exp(y))
	}
}
