package level2

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
)

func TestSubstitute(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(checkSubstitute[float64], checkSubstitute[float32]))
}

// Every element is compared with the sums of its definition in the order of the
// definition: rounded products at the generic level, fused ones at the others.
func checkSubstitute[F num.Float](t *testing.T) {
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

func TestReflect(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(checkReflect[float64], checkReflect[float32]))
}

// The rows are those of the formula in float64, up to the rounding of a few
// operations, and a reflector that is applied twice changes nothing.
func checkReflect[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(12, 2))
	for _, n := range asmtest.Lengths(16, maxColumns) {
		var rows [3]*asmtest.Canary[F]
		for i := range rows {
			rows[i] = asmtest.NewCanary[F](n, 1, r.IntN(8))
			rows[i].Set(asmtest.Normal[F](r, n))
		}
		x, y, z := rows[0].Slice(), rows[1].Slice(), rows[2].Slice()
		before := [3][]F{slices.Clone(x), slices.Clone(y), slices.Clone(z)}
		a, b := F(r.NormFloat64()), F(r.NormFloat64())
		tau := 2 / (1 + a*a + b*b)
		for times := range 2 {
			Reflect(x, y, z, a, b, tau)
			for i, row := range rows {
				row.Check(t)
				for j, got := range row.Slice() {
					want := float64(before[i][j])
					if times == 0 {
						s := float64(tau) * (float64(before[0][j]) + float64(a)*float64(before[1][j]) + float64(b)*float64(before[2][j]))
						want -= []float64{1, float64(a), float64(b)}[i] * s
					}
					size := 1 + math.Abs(float64(before[0][j])) + math.Abs(float64(before[1][j])) + math.Abs(float64(before[2][j]))
					if !(math.Abs(float64(got)-want) <= 16*asmtest.Epsilon[F]()*size) {
						t.Fatalf("n %d, row %d, element %d, %d applications: %v, want %v", n, i, j, times+1, got, want)
					}
				}
			}
		}
	}
	asmtest.Guarded(t, 13, func(x []F) {
		asmtest.Guarded(t, 13, func(y []F) {
			asmtest.Guarded(t, 13, func(z []F) { Reflect(x, y, z, 1, 2, 3) })
		})
	})
}

// fused returns x + a·b, rounded as the level in force does.
func fused[F num.Float](x, a, b F) F {
	if cpu.Current() == cpu.Generic {
		return x + F(a*b)
	}
	if _, double := any(x).(float64); double {
		return F(math.FMA(float64(a), float64(b), float64(x)))
	}
	// The product is exact. The sum is rounded to odd, so that the rounding to
	// float32 is that of the exact sum.
	p, q := float64(a)*float64(b), float64(x)
	sum := p + q
	part := sum - p
	if e := (p - (sum - part)) + (q - part); e != 0 {
		if u := math.Float64bits(sum); u&1 == 0 {
			if (e > 0) == (sum > 0) {
				u++
			} else {
				u--
			}
			sum = math.Float64frombits(u)
		}
	}
	return F(sum)
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
		if must.Recovered(call) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}
