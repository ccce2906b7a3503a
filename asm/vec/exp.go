package vec

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

import (
	"math"
	"unsafe"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

// maxElements bounds the time of one call of assembly, which cannot be preempted:
// 64 KiB of float64.
const maxElements = 8192

// Exp sets dst[i] = exp(src[i]). dst has the length of src and is the same slice
// or does not overlap it. It panics if the lengths differ.
func Exp[F num.Float](dst, src []F) { ExpScale(dst, src, 1) }

// ExpScale sets dst[i] = exp(scale·src[i]). The product is not rounded before the
// exponential, so the error bound of Exp holds for the exact product. With scale 1
// the bits are those of Exp. Lengths and overlap are as in Exp.
func ExpScale[F num.Float](dst, src []F, scale F) {
	if len(dst) != len(src) {
		panic("vec: lengths differ")
	}
	race.Read(src)
	race.Write(dst)
	if !Takes(scale) {
		expPlain(dst, src, scale)
		return
	}
	f := FactorOf(scale)
	for len(src) > 0 {
		n := min(len(src), maxElements)
		exp(dst[:n], src[:n], scale, f.Hi, f.Lo, f.Cut)
		dst, src = dst[n:], src[n:]
	}
}

const (
	log2eHi = 1.4426950408889634     // 0x3FF71547652B82FE
	log2eLo = 2.0355273740931033e-17 // 0x3C7777D0FFDA0D24
	lnMin64 = -708.3964185322641     // ln(2^−1022)
	lnMin32 = -87.33654475055311     // ln(2^−126)
)

// Factor is a scale in the form that kernels with an exponential at their end
// take: scale·log2(e) = Hi + Lo, and the argument beyond which the result is 0.
type Factor[F num.Float] struct{ Hi, Lo, Cut F }

// FactorOf returns the Factor of a scale for which Takes is true.
func FactorOf[F num.Float](scale F) Factor[F] {
	s, p := float64(scale), float64(scale)*log2eHi
	lo := math.FMA(s, log2eHi, -p) + float64(s*log2eLo)
	if unsafe.Sizeof(scale) == 4 {
		lo = p - float64(F(p))
	}
	return Factor[F]{F(p), F(lo), F(lnMin[F]() / s)}
}

// Takes reports whether kernels can use the scale. For |scale| outside 2^±900, or
// 2^±90 in float32, a part of the factor would overflow, lose digits to gradual
// underflow or be 0.
func Takes[F num.Float](scale F) bool {
	most := 0x1p900
	if unsafe.Sizeof(scale) == 4 {
		most = 0x1p90
	}
	a := math.Abs(float64(scale))
	return a*most >= 1 && a <= most
}

// lnMin returns the logarithm of the least normal number; below it the result of
// Exp is 0.
func lnMin[F num.Float]() float64 {
	if unsafe.Sizeof(F(0)) == 4 {
		return lnMin32
	}
	return lnMin64
}

// expPlain computes the exponential for factors that the kernels do not take.
func expPlain[F num.Float](dst, src []F, s F) {
	for i, x := range src {
		y := float64(s) * float64(x)
		if y < lnMin[F]() {
			dst[i] = 0
			continue
		}
		dst[i] = F(math.Exp(y))
	}
}
