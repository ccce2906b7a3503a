package lanes

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
)

// canary returns an operand of n elements between canaries, with the given values, repeated.
func canary(n, offset int, values []float64) *asmtest.Canary[float64] {
	c := asmtest.NewCanary[float64](n, 1, offset)
	x := make([]float64, n)
	for i := range x {
		x[i] = values[i%len(values)]
	}
	c.Set(x)
	return c
}

// reduceChain is Reduce for each lane by itself, as a chain of fused multiply-adds, or of rounded products.
func reduceChain(x, u []float64, us int, b []float64, bs, k, r int, d []float64, fused bool) {
	for l := range Width {
		for c := range r {
			s := x[c*Width+l]
			for p := range k {
				if by, v := u[p*us*Width+l], b[(p*bs+c)*Width+l]; fused {
					s = math.FMA(-by, v, s)
				} else {
					s -= float64(by * v)
				}
			}
			x[c*Width+l] = s
		}
		for c := range r {
			switch {
			case d != nil:
				x[c*Width+l] /= d[l]
			case c == 0:
				x[l] = math.Sqrt(x[l])
			default:
				x[c*Width+l] *= 1 / x[l]
			}
		}
	}
}

func TestReduce(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		fused := cpu.Current() != cpu.Generic
		for k := range 7 {
			for cols := 1; cols <= 10; cols++ {
				for _, divide := range []bool{false, true} {
					us, bs := 1+r.IntN(3), cols+r.IntN(3)
					u := canary(max(0, (k-1)*us+1)*Width, r.IntN(8), asmtest.Normal[float64](r, 500))
					b := canary(max(0, (k-1)*bs+cols)*Width, r.IntN(8), asmtest.Normal[float64](r, 500))
					x := canary(cols*Width, r.IntN(8), asmtest.Normal[float64](r, 500))
					for l := range Width {
						x.Slice()[l] = math.Abs(x.Slice()[l]) + 40
					}
					var d []float64
					if divide {
						d = asmtest.Normal[float64](r, Width)
					}
					want := slices.Clone(x.Slice())
					reduceChain(want, u.Slice(), us, b.Slice(), bs, k, cols, d, fused)
					Reduce(x.Slice(), u.Slice(), us, b.Slice(), bs, k, cols, d)
					if !slices.EqualFunc(x.Slice(), want, asmtest.SameBits[float64]) {
						t.Fatalf("k=%d, %d columns, divide %v: %v, want %v", k, cols, divide, x.Slice(), want)
					}
					u.Check(t)
					b.Check(t)
					x.Check(t)
				}
			}
		}
	})
}

// angleTriples returns elements pp, pq and qq of all sizes.
func angleTriples(r *rand.Rand) (all [][3]float64) {
	some := []float64{0, math.Copysign(0, -1), 1, -1, 2, 1e-8, -1e-16, 1e150, -1e150, 1e-150, 1e-300, 5e-324, 1e300}
	for _, pp := range some {
		for _, pq := range some {
			for _, qq := range some {
				all = append(all, [3]float64{pp, pq, qq})
			}
		}
	}
	for range 1000 {
		all = append(all, [3]float64{r.NormFloat64(), math.Ldexp(r.NormFloat64(), -r.IntN(60)), r.NormFloat64()})
	}
	return all
}

// A rotation of Angle has length one and makes the element zero, to a few units in the last place, and all levels give
// the same bits.
func TestAngle(t *testing.T) {
	triples := angleTriples(rand.New(rand.NewPCG(3, 4)))
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for at := 0; at < len(triples); at += Width {
			var in [3][]float64
			var got [3]*asmtest.Canary[float64]
			for i := range in {
				for l := range Width {
					in[i] = append(in[i], triples[(at+l)%len(triples)][i])
				}
				got[i] = canary(Width, (at+i)%8, in[i])
			}
			cs := canary(2*Width, at%8, make([]float64, 1))
			rotated := Angle(got[0].Slice(), got[1].Slice(), got[2].Slice(), cs.Slice())
			want, wantCS := [3][]float64{slices.Clone(in[0]), slices.Clone(in[1]), slices.Clone(in[2])}, make([]float64, 2*Width)
			if bits := angleGeneric(want[0], want[1], want[2], wantCS); bits != rotated || !slices.Equal(cs.Slice(), wantCS) {
				t.Fatalf("%v: rotations %b %v, generic %b %v", in, rotated, cs.Slice(), bits, wantCS)
			}
			for i := range got {
				if !slices.Equal(got[i].Slice(), want[i]) { // −0 may be 0
					t.Fatalf("%v: element %d is %v, generic %v", in, i, got[i].Slice(), want[i])
				}
				got[i].Check(t)
			}
			cs.Check(t)
			for l := range Width {
				checkRotation(t, in[0][l], in[1][l], in[2][l], cs.Slice()[l], cs.Slice()[Width+l], got[0].Slice()[l], got[2].Slice()[l])
			}
		}
	})
}

// checkRotation compares with numbers of 2000 bits: c² + s² is 1, and the off-diagonal element of JᵀAJ is nothing
// beside the largest element, and the diagonal is that of JᵀAJ.
func checkRotation(t *testing.T, pp, pq, qq, c, s, newPP, newQQ float64) {
	t.Helper()
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(v) }
	mul := func(v ...float64) *big.Float {
		p := num(1)
		for _, x := range v {
			p.Mul(p, num(x))
		}
		return p
	}
	one := mul(c, c)
	one.Sub(one.Add(one, mul(s, s)), num(1))
	if e, _ := one.Float64(); !(math.Abs(e) <= 8*0x1p-53) {
		t.Fatalf("%v %v %v: c² + s² is 1%+v", pp, pq, qq, e)
	}
	size := max(math.Abs(pp), math.Abs(pq), math.Abs(qq))
	near := func(what string, x *big.Float) {
		t.Helper()
		if e, _ := x.Float64(); !(math.Abs(e) <= 10*0x1p-53*size+5e-324) {
			t.Fatalf("%v %v %v: %s is %v", pp, pq, qq, what, e)
		}
	}
	off := mul(c, s, pp)
	off.Sub(off, mul(c, s, qq))
	off.Add(off, mul(c, c, pq))
	near("the element after the rotation", off.Sub(off, mul(s, s, pq)))
	first := mul(c, c, pp)
	first.Sub(first, mul(2, c, s, pq))
	first.Add(first, mul(s, s, qq))
	near("the error of pp", first.Sub(first, num(newPP)))
	second := mul(s, s, pp)
	second.Add(second, mul(2, c, s, pq))
	second.Add(second, mul(c, c, qq))
	near("the error of qq", second.Sub(second, num(newQQ)))
}

func TestTurn(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		fused := cpu.Current() != cpu.Generic
		for n := range 12 {
			for off := range 8 {
				xs, ys := 1+r.IntN(3), 1+r.IntN(3)
				x := canary(max(0, (n-1)*xs+1)*Width, off, asmtest.Normal[float64](r, 300))
				y := canary(max(0, (n-1)*ys+1)*Width, r.IntN(8), asmtest.Normal[float64](r, 300))
				cs := asmtest.Normal[float64](r, 2*Width)
				wantX, wantY := slices.Clone(x.Slice()), slices.Clone(y.Slice())
				for i := range n {
					for l := range Width {
						v, w, c, s := &wantX[i*xs*Width+l], &wantY[i*ys*Width+l], cs[l], cs[Width+l]
						if fused {
							*v, *w = math.FMA(c, *v, -float64(s**w)), math.FMA(c, *w, float64(s**v))
						} else {
							*v, *w = float64(c**v)-float64(s**w), float64(s**v)+float64(c**w)
						}
					}
				}
				Turn(n, x.Slice(), xs, y.Slice(), ys, cs)
				if !slices.Equal(x.Slice(), wantX) || !slices.Equal(y.Slice(), wantY) {
					t.Fatalf("%d pairs at distances %d and %d: wrong numbers", n, xs, ys)
				}
				x.Check(t)
				y.Check(t)
			}
		}
	})
}

func TestEliminate(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 1))
		fused := cpu.Current() != cpu.Generic
		for n := range 10 {
			for off := range 8 {
				xs := n + r.IntN(3)
				x := canary(max(0, (n-1)*xs+n)*Width, off, asmtest.Normal[float64](r, 1000))
				want := slices.Clone(x.Slice())
				for l := range want[:min(Width, len(want))] {
					at := func(i, c int) *float64 { return &want[(i*xs+c)*Width+l] }
					for i := 1; i < n; i++ {
						*at(i, 0) /= *at(0, 0)
						for c := 1; c < n; c++ {
							if fused {
								*at(i, c) = math.FMA(-*at(i, 0), *at(0, c), *at(i, c))
							} else {
								*at(i, c) -= float64(*at(i, 0) * *at(0, c))
							}
						}
					}
				}
				Eliminate(n, x.Slice(), xs)
				if !slices.Equal(x.Slice(), want) {
					t.Fatalf("order %d, rows %d apart: wrong numbers", n, xs)
				}
				x.Check(t)
			}
		}
	})
}

// The first of the largest elements is found in each lane, NaN before all.
func TestLargest(t *testing.T) {
	some := []float64{0, math.Copysign(0, -1), 1, -1, 1, 2, -2, 5e-324, math.MaxFloat64, math.Inf(-1), math.NaN()}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(10, 1))
		for n := 1; n <= 33; n++ {
			for off := range 8 {
				xs, few := 1+r.IntN(3), 1+r.IntN(len(some))
				values := make([]float64, 1000)
				for i := range values {
					values[i] = some[r.IntN(few)]
				}
				x := canary(((n-1)*xs+1)*Width, off, values)
				var at [Width]int
				Largest(n, x.Slice(), xs, at[:])
				for l := range at {
					want, largest := 0, -1.
					for i := range n {
						v := math.Abs(x.Slice()[i*xs*Width+l])
						if v > largest || v != v && largest == largest {
							want, largest = i, v
						}
					}
					if at[l] != want {
						t.Fatalf("%d elements, lane %d: %d, want %d", n, l, at[l], want)
					}
				}
			}
		}
	})
}

// Operands beside pages without access.
func TestGuarded(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, cols := range []int{1, 3, 4, 5} {
			const k = 2
			asmtest.Guarded(t, cols*Width, func(x []float64) {
				asmtest.Guarded(t, k*Width, func(u []float64) {
					asmtest.Guarded(t, k*cols*Width, func(b []float64) {
						asmtest.Guarded(t, Width, func(d []float64) {
							Reduce(x, u, 1, b, cols, k, cols, d)
							Reduce(x, nil, 1, nil, cols, 0, cols, nil)
							Turn(k, u, 1, b, 1, make([]float64, 2*Width))
							Largest(k, u, 1, make([]int, Width))
							if cols >= k {
								Eliminate(k, b[:(cols+k)*Width], cols)
								Eliminate(k, b[(cols-k)*Width:], cols)
							}
							Angle(x, u, d, make([]float64, 2*Width))
						})
					})
				})
			})
		}
	})
}
