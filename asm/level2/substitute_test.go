package level2

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func TestSubstitute(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		t.Run("float64", testSubstitute[float64])
		t.Run("float32", testSubstitute[float32])
	})
}

// Every element is compared with the sums of its definition in the order of the
// definition: rounded products at the generic level, fused ones at the others.
func testSubstitute[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	for _, k := range []int{0, 1, 2, 7, 8, 16} {
		for n := 0; n <= 40; n++ {
			if testing.Short() && n%7 > 1 {
				continue
			}
			for _, back := range []bool{false, true} {
				for _, byRows := range []bool{false, true} {
					rs, cs := k+8+r.IntN(3), 1
					if !byRows {
						rs, cs = 1, 8+r.IntN(3)
					}
					ldb := n + r.IntN(4)
					b := asmtest.NewCanary[F](max(0, (k+7)*ldb+n), 1, r.IntN(8))
					b.Set(asmtest.Normal[F](r, len(b.Slice())))
					c := asmtest.NewCanary[F](7*rs+(k+7)*cs+1, 1, r.IntN(8))
					c.Set(asmtest.Normal[F](r, len(c.Slice())))
					d := (*[8]F)(asmtest.Normal[F](r, 8))
					want := append([]F(nil), b.Slice()...)
					for s := range 8 {
						i, row, first, step := s, k+s, 0, 1
						if back {
							i, row, first, step = 7-s, 7-s, k+7, -1
						}
						for j := range n {
							x := want[row*ldb+j]
							for q := first; q != row; q += step {
								x = fused(x, -c.Slice()[i*rs+q*cs], want[q*ldb+j])
							}
							want[row*ldb+j] = F(x * d[i])
						}
					}
					Substitute(b.Slice(), ldb, n, k, c.Slice(), rs, cs, d, back)
					b.Check(t)
					c.Check(t)
					for at, got := range b.Slice() {
						if !asmtest.SameBits(got, want[at]) {
							t.Fatalf("n %d, k %d, distances %d, %d, %d, back %v: element %d is %v, want %v", n, k, ldb, rs, cs, back, at, got, want[at])
						}
					}
				}
			}
		}
	}
	asmtest.Guarded(t, 10*9, func(b []F) {
		asmtest.Guarded(t, 8*10, func(c []F) {
			for _, back := range []bool{false, true} {
				clear(c)
				Substitute(b, 9, 9, 2, c, 10, 1, &[8]F{}, back)
				Substitute(b, 9, 9, 2, c, 1, 8, &[8]F{}, back)
			}
		})
	})
}

// fused returns x + a·b, rounded as the level in force does.
func fused[F num.Float](x, a, b F) F {
	if cpu.Current() == cpu.Generic || cpu.Current() == cpu.NEON {
		return x + F(a*b)
	}
	if _, double := any(x).(float64); double {
		return F(math.FMA(float64(a), float64(b), float64(x)))
	}
	exact := new(big.Float).SetPrec(400).SetFloat64(float64(a))
	exact.Mul(exact, big.NewFloat(float64(b)))
	exact.Add(exact, new(big.Float).SetFloat64(float64(x)))
	f, _ := exact.Float32()
	return F(f)
}

func TestSubstitutePanics(t *testing.T) {
	for name, call := range map[string]func(){
		"short matrix":      func() { Substitute(make([]float64, 7*9+8), 9, 9, 0, make([]float64, 64), 8, 1, &[8]float64{}, false) },
		"short triangle":    func() { Substitute(make([]float64, 72), 9, 9, 0, make([]float64, 63), 8, 1, &[8]float64{}, false) },
		"rows that overlap": func() { Substitute(make([]float64, 72), 8, 9, 0, make([]float64, 64), 8, 1, &[8]float64{}, false) },
		"more than one call": func() {
			Substitute(make([]float64, 8*2049), 2049, 2049, 0, make([]float64, 64), 8, 1, &[8]float64{}, false)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
