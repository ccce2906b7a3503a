package vec

import (
	"math"
	"math/big"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// The oracles are series in big.Float, which share no step with the kernels.

const bigPrec = 192

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

func bigInt(n int64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetInt64(n) }

func bigNew() *big.Float { return new(big.Float).SetPrec(bigPrec) }

// bigAtanhInv returns artanh(1/n) = Σ n^−(2k+1)/(2k+1).
func bigAtanhInv(n int64) *big.Float {
	sum, term := bigNew(), bigNew().Quo(bigInt(1), bigInt(n))
	nn := bigInt(n * n)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > -bigPrec-8; k += 2 {
		sum.Add(sum, bigNew().Quo(term, bigInt(k)))
		term.Quo(term, nn)
	}
	return sum
}

var bigLn2 = bigNew().Mul(bigInt(2), bigAtanhInv(3))

// bigExp returns e^x.
func bigExp(x *big.Float) *big.Float {
	f, _ := x.Float64()
	k := math.Round(f / math.Ln2)
	r := bigNew().Sub(x, bigNew().Mul(newBig(k), bigLn2))
	const halvings = 12
	r.SetMantExp(r, -halvings)
	sum, term := bigInt(1), bigInt(1)
	for i := int64(1); i < 40; i++ {
		term.Mul(term, r)
		term.Quo(term, bigInt(i))
		sum.Add(sum, term)
		if term.Sign() == 0 || term.MantExp(nil) < -bigPrec-8 {
			break
		}
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(k))
}

// ulpBig returns the distance of got from want in units of the last place of
// want; +Inf where got is not finite.
func ulpBig[F num.Float](got F, want *big.Float) float64 {
	if g := float64(got); math.IsNaN(g) || math.IsInf(g, 0) {
		return math.Inf(1)
	}
	d := bigNew().Sub(newBig(float64(got)), want)
	var unit float64
	if _, ok := any(got).(float32); ok {
		w, _ := want.Float32()
		unit = asmtest.Unit(w)
	} else {
		w, _ := want.Float64()
		unit = asmtest.Unit(w)
	}
	u, _ := d.Quo(d, newBig(unit)).Float64()
	return math.Abs(u)
}
