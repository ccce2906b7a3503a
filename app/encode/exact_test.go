package encode

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/gramworks/gram/num/rng"
)

// A sum in any order, also of merged parts, is that of rational numbers, rounded once, and the mean
// of the largest numbers does not overflow.
func TestExact(t *testing.T) {
	r := rng.New(3, 0)
	for range 200 {
		x := make([]float64, 1+r.IntN(40))
		want := new(big.Float).SetPrec(4000)
		for i := range x {
			x[i] = math.Ldexp(r.NormFloat64(), r.IntN(200)-100)
			if i > 0 && r.IntN(3) == 0 {
				x[i] = -x[r.IntN(i)]
			}
			want.Add(want, big.NewFloat(x[i]))
		}
		sum, _ := want.Float64()
		var whole, a, b exact
		for i, v := range x {
			whole.add(v)
			if i%3 == 0 {
				a.add(v)
			} else {
				b.add(v)
			}
		}
		slices.Reverse(x)
		var back exact
		for _, v := range x {
			back.add(v)
		}
		a.merge(b)
		for _, e := range []exact{whole, back, a} {
			if got := e.value(); got != sum {
				t.Fatalf("the sum is %v, want %v", got, sum)
			}
			if got := e.mean(7); got != sum/7 {
				t.Fatalf("the mean is %v, want %v", got, sum/7)
			}
		}
	}
	var e exact
	for range 1000 {
		e.add(math.MaxFloat64)
	}
	if got := e.mean(1000); got != math.MaxFloat64 || !math.IsInf(e.value(), 1) {
		t.Errorf("the mean of the largest number is %v, the sum %v", got, e.value())
	}
}
