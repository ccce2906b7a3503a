package vec

import (
	"math"
	"unsafe"

	"github.com/gramworks/gram/internal/pun"
	"github.com/gramworks/gram/num"
)

const (
	sincosRound = 0x1.8p52           // adding and subtracting this rounds to an integer
	twoOverPi   = 0.6366197723675814 // 2/π
	halfPi1     = 1.5707963267948966 // π/2 in three parts
	halfPi2     = 6.123233995736766e-17
	halfPi3     = -1.4973849048591698e-33
	halfPiHi    = 1.5707963267341256 // π/2 to 33 bits: its product with an integer of 20 bits is exact
	halfPiLo    = 6.077100506506192e-11
	sincosMax64 = 0x1p29
	sincosMax32 = 0x1p17
)

func sincosGeneric[F num.Float](sin, cos, src []F) (large bool) {
	if unsafe.Sizeof(F(0)) == 8 {
		return sincos64Generic(pun.Slice[float64](sin), pun.Slice[float64](cos), pun.Slice[float64](src))
	}
	return sincos32Generic(pun.Slice[float32](sin), pun.Slice[float32](cos), pun.Slice[float32](src))
}

// sincos64Generic subtracts the nearest multiple k of π/2 in three parts, keeps
// the rounding error of the remainder r, and evaluates polynomials for |r| ≤
// π/4. If |x| > 2^29 it writes the argument to both results and returns true.
func sincos64Generic(sin, cos, src []float64) (large bool) {
	for i, x := range src {
		if x > sincosMax64 || x < -sincosMax64 {
			sin[i], cos[i] = x, x
			large = true
			continue
		}
		k := float64(x*twoOverPi) + sincosRound - sincosRound
		a := math.FMA(-k, halfPi1, x) // exact
		h := float64(k * halfPi2)
		r := a - h
		e := (a - r) - h - math.FMA(k, halfPi2, -h) - float64(k*halfPi3)
		z := r * r
		// Minimax polynomials for (sin r − r)/r³ and (cos r − 1 + r²/2)/r⁴.
		s := 2.755731358875359e-06 + float64(z*(-2.505074248435279e-08+float64(z*1.589591494865927e-10)))
		s = -0.1666666666666663 + float64(z*(0.008333333333322009+float64(z*(-0.00019841269829498807+float64(z*s)))))
		c := -2.7557314326719113e-07 + float64(z*(2.087571965644551e-09+float64(z*-1.1359453935211565e-11)))
		c = 0.0416666666666666 + float64(z*(-0.0013888888888873995+float64(z*(2.480158728939719e-05+float64(z*c)))))
		s = math.Copysign(r+(float64(float64(r*z)*s)+e), r)
		hz := .5 * z
		w := 1 - hz
		c = w + ((1 - w - hz) + float64(float64(z*z)*c) - float64(r*e))
		// NaN and ±Inf give NaN in every quadrant.
		switch q := int64(k) & 3; q {
		case 0:
			sin[i], cos[i] = s, c
		case 1:
			sin[i], cos[i] = c, -s
		case 2:
			sin[i], cos[i] = -s, -c
		default:
			sin[i], cos[i] = -c, s
		}
	}
	return large
}

// sincos32Generic works in float64, where two parts of π/2 and shorter
// polynomials are enough.
func sincos32Generic(sin, cos, src []float32) (large bool) {
	for i, v := range src {
		x := float64(v)
		if x > sincosMax32 || x < -sincosMax32 {
			sin[i], cos[i] = v, v
			large = true
			continue
		}
		k := float64(x*twoOverPi) + sincosRound - sincosRound
		r := x - float64(k*halfPiHi) - float64(k*halfPiLo)
		z := r * r
		s := math.Copysign(r+float64(float64(r*z)*(-0.16666654539018794+float64(z*(0.008332156198225422+float64(z*-0.0001951465100931348))))), r)
		c := 1 - .5*z + float64(float64(z*z)*(0.041666646748302776+float64(z*(-0.001388736150114903+float64(z*2.4437738042325053e-05)))))
		switch q := int64(k) & 3; q {
		case 0:
			sin[i], cos[i] = float32(s), float32(c)
		case 1:
			sin[i], cos[i] = float32(c), float32(-s)
		case 2:
			sin[i], cos[i] = float32(-s), float32(-c)
		default:
			sin[i], cos[i] = float32(-c), float32(s)
		}
	}
	return large
}
