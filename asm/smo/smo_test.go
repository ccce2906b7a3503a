package smo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func sizes() []int {
	if testing.Short() {
		return append(asmtest.Lengths(Lanes), 50, limit+3)
	}
	return append(asmtest.Lengths(4*Lanes), limit-1, limit, limit+1, 2*limit+13)
}

// problem is a state of the variables as in the solver: offsets are finite or
// infinite, and values of the kernel lie between −1 and 1.
func problem[F num.Float](r *rand.Rand, n int) (g, u, d, diag []float64, k, l []F) {
	g, diag = asmtest.Normal[float64](r, n), asmtest.Normal[float64](r, n)
	u, d = asmtest.Normal[float64](r, n), asmtest.Normal[float64](r, n)
	k, l = asmtest.Normal[F](r, n), asmtest.Normal[F](r, n)
	for t := range n {
		diag[t] = 1 + math.Abs(diag[t])
		k[t], l[t] = F(math.Tanh(float64(k[t]))), F(math.Tanh(float64(l[t])))
		switch r.IntN(4) {
		case 0:
			u[t] = math.Inf(1)
		case 1:
			d[t] = math.Inf(-1)
		}
		if t > 0 && r.IntN(3) == 0 { // equals, so that the first of them counts
			s := r.IntN(t)
			g[t], u[t], d[t], diag[t], k[t], l[t] = g[s], u[s], d[s], diag[s], k[s], l[s]
		}
	}
	return
}

func TestStep(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkStep[float32](t)
		checkStep[float64](t)
	})
}

func checkStep[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes() {
		for offset := range 8 {
			if n > 100 && offset > 1 {
				break
			}
			g, u, d, _, k, l := problem[F](r, n)
			cg, cu, cd := asmtest.NewCanary[float64](n, 1, offset), asmtest.NewCanary[float64](n, 1, r.IntN(8)), asmtest.NewCanary[float64](n, 1, r.IntN(8))
			ck, cl := asmtest.NewCanary[F](n, 1, r.IntN(8)), asmtest.NewCanary[F](n, 1, r.IntN(8))
			cg.Set(g)
			cu.Set(u)
			cd.Set(d)
			ck.Set(k)
			cl.Set(l)
			a, b := r.NormFloat64(), r.NormFloat64()
			var least, most Best
			Step(cg.Slice(), cu.Slice(), cd.Slice(), ck.Slice(), cl.Slice(), a, b, &least, &most)
			what := fmt.Sprintf("%T, n=%d, offset %d", k, n, offset)
			for _, c := range []interface{ Check(testing.TB) }{cg, cu, cd, ck, cl} {
				c.Check(t)
			}
			got := cg.Get()
			for i, v := range got {
				x, y := float64(k[i]), float64(l[i])
				if want := g[i] + a*x + b*y; !(math.Abs(v-want) <= 0x1p-50*(math.Abs(g[i])+math.Abs(a*x)+math.Abs(b*y))) {
					t.Fatalf("%s: g[%d] = %v, want %v", what, i, v, want)
				}
			}
			// This is the best of the current values.
			checkBest(t, what+", least", &least, n, func(i int) float64 { return -(got[i] + u[i]) }, func(v float64) float64 { return -v }, math.Inf(-1))
			checkBest(t, what+", most", &most, n, func(i int) float64 { return got[i] + d[i] }, func(v float64) float64 { return v }, math.Inf(-1))
			v, at := least.Least()
			wantAll(t, what+", Least", -v, at, n, func(i int) float64 { return -(got[i] + u[i]) }, math.Inf(-1))
			v, at = most.Most()
			wantAll(t, what+", Most", v, at, n, func(i int) float64 { return got[i] + d[i] }, math.Inf(-1))
		}
	}
}

// checkBest compares the lanes of b with the definition.
func checkBest(t *testing.T, what string, b *Best, n int, value func(i int) float64, sign func(v float64) float64, floor float64) {
	t.Helper()
	for lane := range Lanes {
		v, at := floor, int64(-1)
		for i := lane; i < n; i += Lanes {
			if w := value(i); w > v {
				v, at = w, int64(i)
			}
		}
		if b.Index[lane] != at || at >= 0 && sign(b.Value[lane]) != v {
			t.Fatalf("%s: lane %d has %v at %d, want %v at %d", what, lane, b.Value[lane], b.Index[lane], sign(v), at)
		}
	}
}

func wantAll(t *testing.T, what string, v float64, at, n int, value func(i int) float64, floor float64) {
	t.Helper()
	best, where := floor, -1
	for i := range n {
		if w := value(i); w > best {
			best, where = w, i
		}
	}
	if at != where || where >= 0 && v != best {
		t.Fatalf("%s: %v at %d, want %v at %d", what, v, at, best, where)
	}
}

func TestPair(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkPair[float32](t)
		checkPair[float64](t)
	})
}

func checkPair[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range sizes() {
		for offset := range 8 {
			if n > 100 && offset > 1 {
				break
			}
			g, _, d, diag, k, _ := problem[F](r, n)
			cg, cd, ci := asmtest.NewCanary[float64](n, 1, offset), asmtest.NewCanary[float64](n, 1, r.IntN(8)), asmtest.NewCanary[float64](n, 1, r.IntN(8))
			ck := asmtest.NewCanary[F](n, 1, r.IntN(8))
			cg.Set(g)
			cd.Set(d)
			ci.Set(diag)
			ck.Set(k)
			m, kii := r.NormFloat64(), []float64{1, 0.5, -4}[r.IntN(3)] // the last: no curvature, Tau counts
			var best Best
			Pair(cg.Slice(), cd.Slice(), ci.Slice(), ck.Slice(), m, kii, &best)
			what := fmt.Sprintf("%T, n=%d, offset %d", k, n, offset)
			for _, c := range []interface{ Check(testing.TB) }{cg, cd, ci, ck} {
				c.Check(t)
			}
			gain := func(i int) float64 {
				b := g[i] + d[i] - m
				if !(b > 0) {
					return 0
				}
				a := kii + diag[i] - 2*float64(k[i])
				if a < Tau {
					a = Tau
				}
				return b * b / a
			}
			checkBest(t, what, &best, n, gain, func(v float64) float64 { return v }, 0)
			v, at := best.Most()
			wantAll(t, what, v, at, n, gain, 0)
		}
	}
}

func TestNaNIsNeverBest(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		n := 4 * Lanes
		g, u, d, diag := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		k := make([]float32, n)
		for i := range g {
			g[i], diag[i] = float64(i), 1
			if i%3 == 0 {
				g[i] = math.NaN()
			}
		}
		var least, most, best Best
		Step(g, u, d, k, k, 1, 1, &least, &most)
		Pair(g, d, diag, k, 0, 1, &best)
		for _, b := range []*Best{&least, &most, &best} {
			for l, i := range b.Index {
				if i >= 0 && i%3 == 0 {
					t.Errorf("lane %d: NaN at %d is the best", l, i)
				}
			}
		}
	})
}

// Zeros with a sign, denormal numbers, infinities, NaN and the largest numbers give what the
// definition gives, and the best of them is found.
func TestSpecialValues(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		testSpecial[float32](t, 1e-45, math.MaxFloat32)
		testSpecial[float64](t, 5e-324, math.MaxFloat64)
	})
}

func testSpecial[F num.Float](t *testing.T, denormal, largest F) {
	r := rand.New(rand.NewPCG(5, 6))
	wide := []float64{0, math.Copysign(0, -1), 5e-324, -3e-310, 2.5, -1, 1e-300, math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	own := []F{0, F(math.Copysign(0, -1)), denormal, -100 * denormal, 1, -.5, largest, F(math.Inf(1)), F(math.NaN())}
	draw := func(n int) (out []float64) {
		for range n {
			out = append(out, wide[r.IntN(len(wide))])
		}
		return out
	}
	for n := range 6 * Lanes {
		g, u, d, diag := draw(n), draw(n), draw(n), draw(n)
		k, l := make([]F, n), make([]F, n)
		for i := range n {
			k[i], l[i] = own[r.IntN(len(own))], own[r.IntN(len(own))]
		}
		got, a, b := append([]float64{}, g...), []float64{0, .5, -1, 1e-300}[r.IntN(4)], []float64{0, .25, 1}[r.IntN(3)]
		var least, most, best Best
		Step(got, u, d, k, l, a, b, &least, &most)
		for i, v := range got {
			x, y := float64(a*float64(k[i])), float64(b*float64(l[i]))
			want := g[i] + x + y
			if near := math.Abs(v-want) <= 0x1p-50*(math.Abs(g[i])+math.Abs(x)+math.Abs(y))+1e-323; v != want && !(near && v-v == 0) && (v == v || want == want) {
				t.Fatalf("%T, n=%d: g[%d] = %v, want %v = %v + %v·%v + %v·%v", k, n, i, v, want, g[i], a, k[i], b, l[i])
			}
		}
		checkBest(t, "least", &least, n, func(i int) float64 { return -(got[i] + u[i]) }, func(v float64) float64 { return -v }, math.Inf(-1))
		checkBest(t, "most", &most, n, func(i int) float64 { return got[i] + d[i] }, func(v float64) float64 { return v }, math.Inf(-1))
		Pair(g, d, diag, k, .5, 1, &best)
		checkBest(t, "pair", &best, n, func(i int) float64 {
			b, a := g[i]+d[i]-.5, 1+diag[i]-2*float64(k[i])
			if !(b > 0) {
				return 0
			}
			if a < Tau {
				a = Tau
			}
			return b * b / a
		}, func(v float64) float64 { return v }, 0)
	}
}

func BenchmarkStep(b *testing.B) {
	for _, n := range []int{1000, 10_000, 50_000} {
		r := rand.New(rand.NewPCG(1, 2))
		g, u, d, diag, k, l := problem[float32](r, n)
		for _, level := range asmtest.Available(levels) {
			asmtest.At(level, func() {
				var least, most Best
				b.Run(fmt.Sprintf("step/n=%d/isa=%v", n, level), func(b *testing.B) {
					for b.Loop() {
						Step(g, u, d, k, l, 1e-9, -1e-9, &least, &most)
					}
				})
				b.Run(fmt.Sprintf("pair/n=%d/isa=%v", n, level), func(b *testing.B) {
					for b.Loop() {
						Pair(g, d, diag, k, 0, 1, &least)
					}
				})
			})
		}
	}
}
