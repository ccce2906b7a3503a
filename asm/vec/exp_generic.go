package vec

import (
	"math"
	"unsafe"

	"github.com/gramworks/gram/internal/pun"
	"github.com/gramworks/gram/num"
)

// exp2Table64[j] holds 2^(j/16), rounded, and the relative rounding error.
var exp2Table64 = [16][2]float64{
	{1.0, 0.0},
	{1.0442737824274138, 8.189317638195515e-17},
	{1.0905077326652577, -2.7939114859515733e-17},
	{1.1387886347566916, 7.826573258636076e-17},
	{1.189207115002721, 3.3484623336251524e-17},
	{1.241857812073484, 3.750854201303127e-17},
	{1.2968395546510096, 1.9572585293112036e-17},
	{1.3542555469368927, 5.68648095791174e-17},
	{1.4142135623730951, -6.835808657661922e-17},
	{1.4768261459394993, -2.3591094770850053e-17},
	{1.5422108254079407, 5.1548301170786783e-17},
	{1.6104903319492543, 1.5341410053603723e-17},
	{1.681792830507429, 4.875160526227062e-17},
	{1.7562521603732995, 1.685487290628973e-17},
	{1.8340080864093424, 1.790126907604513e-17},
	{1.9152065613971474, -5.545065618639427e-17},
}

const (
	expRound = 0x1.8p52               // adding and subtracting this rounds to an integer
	expInv   = 23.083120654223414     // 16/ln 2
	expHi    = 0.04332169878489367    // ln 2/16 to 37 bits: k·expHi is exact
	expLo    = 1.0291218489310676e-13 // the rest of ln 2/16
)

func expGeneric[F num.Float](dst, src []F, s, cut F) {
	if unsafe.Sizeof(s) == 8 {
		exp64Generic(pun.Slice[float64](dst), pun.Slice[float64](src), float64(s), float64(cut))
	} else {
		exp32Generic(pun.Slice[float32](dst), pun.Slice[float32](src), float32(s), float32(cut))
	}
}

// exp64Generic reduces the argument by x·s = k·(ln 2)/16 + r, takes 2^(k mod 16
// / 16) from the table, and computes e^r − 1 by a polynomial of degree 6. e is
// the rounding error of the product and is added to r.
func exp64Generic(dst, src []float64, s, cut float64) {
	for i, x := range src {
		if s > 0 && x < cut || s < 0 && x > cut {
			dst[i] = 0
			continue
		}
		y, e := x, 0.0
		if s != 1 {
			y = float64(s * x)
			e = math.FMA(s, x, -y)
		}
		if !(y < 709.8) {
			dst[i] = y + math.Inf(1) // NaN stays NaN
			continue
		}
		t := float64(y*expInv) + expRound
		k := t - expRound
		r := y - float64(k*expHi) - float64(k*expLo) + e
		n := int64(k)
		tab := &exp2Table64[n&15]
		// Minimax polynomial for e^r − 1 on |r| ≤ (ln 2)/32.
		p := 0.04166666669367 + float64(r*(0.008333473007358769+float64(r*0.0013888591725519117)))
		p = 0.49999999999999595 + float64(r*(0.16666666664382554+float64(r*p)))
		p = r + float64(float64(r*r)*p) + tab[1]
		// The factor is 2^(n/16−1), followed by a doubling, because 2^1024
		// overflows where the result may not. At the other end 2^−1022 is the
		// least factor.
		m := n >> 4
		if m > 0 {
			f := math.Float64frombits(math.Float64bits(tab[0]) + uint64(m-1)<<52)
			dst[i] = 2 * (f + float64(f*p))
			continue
		}
		f := math.Float64frombits(math.Float64bits(tab[0]) + uint64(m)<<52)
		dst[i] = f + float64(f*p)
	}
}

// exp32Generic works in float64, where neither the product nor the reduction
// needs a second part.
func exp32Generic(dst, src []float32, s, cut float32) {
	for i, x := range src {
		if s > 0 && x < cut || s < 0 && x > cut {
			dst[i] = 0
			continue
		}
		y := float64(s) * float64(x)
		if !(y < 89) {
			dst[i] = float32(y + math.Inf(1))
			continue
		}
		t := float64(y*expInv) + expRound
		k := t - expRound
		r := y - float64(k*(expHi+expLo))
		n := int64(k)
		p := 0.5 + float64(r*(1./6+float64(r*(1./24))))
		p = r + float64(float64(r*r)*p)
		f := math.Float64frombits(math.Float64bits(exp2Table64[n&15][0]) + uint64(n>>4)<<52)
		dst[i] = float32(f + float64(f*p))
	}
}
