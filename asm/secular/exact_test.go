package secular

import (
	"math"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

// Products and quotients of powers of two are exact, in every place of a vector.
func TestExactRatios(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, n := range lengths() {
			base, tau, d := make([]float64, n), make([]float64, n), make([]float64, n)
			want := 1.
			for j := range n {
				d[j] = math.Ldexp(1, j%5-2)
				base[j], tau[j] = math.Ldexp(1, j%3), math.Ldexp(1, j%3)
				if j%7 == 3 {
					d[j] = 0 // counts as 1
				}
				if want *= base[j] + tau[j]; d[j] != 0 {
					want /= d[j]
				}
			}
			if got := Ratios(base, tau, d, 0); got != want {
				t.Errorf("%d factors: %v, want %v", n, got, want)
			}
		}
	})
}
