package gemm

import (
	"math"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// TestZeroFactors checks, for tiles of every size, that C is not read if beta is
// 0 or −0, so that NaN in C is overwritten, and what remains for an alpha of 0.
func TestZeroFactors(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(zeroFactors[float64], zeroFactors[float32]))
}

func zeroFactors[F num.Float](t *testing.T) {
	const k = 3
	mr, nr := Shape[F]()
	a, b := make([]F, k*mr), make([]F, k*nr)
	for i := range a {
		a[i] = F(1 + i%mr)
	}
	for j := range b {
		b[j] = F(1 + j%nr)
	}
	negative := F(math.Copysign(0, -1))
	for m := 1; m <= mr; m++ {
		for n := 1; n <= nr; n++ {
			for _, q := range []struct{ alpha, beta, c F }{
				{2, 0, F(math.NaN())}, {2, negative, F(math.NaN())}, {2, 0, F(math.Inf(1))}, {2, negative, F(math.Inf(-1))},
				{0, 0, F(math.NaN())}, {negative, negative, F(math.NaN())}, {0, 1, 7}, {negative, -3, 7}, {0, 0, 7},
			} {
				c := make([]F, m*n)
				for i := range c {
					c[i] = q.c
				}
				Tile(k, a, 1, mr, b, nr, c, n, m, n, q.alpha, q.beta)
				for e, got := range c {
					want := q.alpha * k * F(1+e/n) * F(1+e%n)
					if q.beta != 0 {
						want += q.beta * q.c
					}
					if got != want {
						t.Fatalf("%d×%d, alpha %v, beta %v, C %v: element %d,%d is %v, want %v", m, n, q.alpha, q.beta, q.c, e/n, e%n, got, want)
					}
				}
			}
		}
	}
}
