package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
)

// checkMany compares products of Many with naive sums and with the bits of Tile. The matrices of a batch
// stand apart by the given distances beyond their elements.
func checkMany[F num.Float](t *testing.T, r *rand.Rand, count int, q tileCase[F], apart [3]int, aOff, bOff, cOff int) {
	t.Helper()
	sizes := [3]int{(q.m-1)*q.ras + (q.k-1)*q.cas + 1, (q.k-1)*q.bs + q.n, (q.m-1)*q.cs + q.n}
	var at [3]int
	for i := range at {
		at[i] = sizes[i] + apart[i]
	}
	if apart[1] < 0 {
		at[1] = 0 // one B for all
	}
	a := asmtest.NewCanary[F]((count-1)*at[0]+sizes[0], 1, aOff)
	a.Set(asmtest.Normal[F](r, len(a.Slice())))
	b := asmtest.NewCanary[F]((count-1)*at[1]+sizes[1], 1, bOff)
	b.Set(asmtest.Normal[F](r, len(b.Slice())))
	c := asmtest.NewCanary[F]((count-1)*at[2]+sizes[2], 1, cOff)
	before := asmtest.Normal[F](r, len(c.Slice()))
	if q.beta == 0 { // not read then
		for i := range before {
			before[i] = F(math.NaN())
		}
	}
	c.Set(before)
	av, bv := slices.Clone(a.Slice()), slices.Clone(b.Slice())
	Many(count, q.k, a.Slice(), q.ras, q.cas, at[0], b.Slice(), q.bs, at[1], c.Slice(), q.cs, at[2], q.m, q.n, q.alpha, q.beta)
	a.Check(t)
	b.Check(t)
	c.Check(t)
	if !slices.Equal(av, a.Slice()) || !slices.Equal(bv, b.Slice()) {
		t.Fatalf("%d of %+v: an input has changed", count, q)
	}
	want := slices.Clone(before)
	for i := range count {
		tiled(q, av[i*at[0]:], bv[i*at[1]:], want[i*at[2]:])
	}
	for e, got := range c.Slice() {
		if !asmtest.SameBits(got, want[e]) {
			t.Fatalf("%d of %+v: element %d is %v, %v by tiles", count, q, e, got, want[e])
		}
		z, in := e/at[2], e%at[2]
		i, j := in/q.cs, in%q.cs
		if in >= sizes[2] || j >= q.n {
			continue
		}
		value, scale := naive(q, av[z*at[0]:], bv[z*at[1]:], before[e], i, j)
		if tol := tolerance * float64(q.k+2) * asmtest.Epsilon[F]() * scale; !(math.Abs(float64(got)-value) <= tol) {
			t.Fatalf("%d of %+v: element %d of matrix %d is %v, want %v within %v", count, q, in, z, got, value, tol)
		}
	}
}

// tiled computes a product by tiles of packed panels.
func tiled[F num.Float](q tileCase[F], a, b, c []F) {
	mr, nr := Shape[F]()
	packedA, packedB := make([]F, PackedLen(q.m, q.k, mr)), make([]F, PackedLen(q.n, q.k, nr))
	Pack(packedA, a, q.ras, q.cas, q.m, q.k, mr)
	Pack(packedB, b, 1, q.bs, q.n, q.k, nr)
	for i := 0; i < q.m; i += mr {
		for j := 0; j < q.n; j += nr {
			Tile(q.k, packedA[i*q.k:], 1, mr, packedB[j*q.k:], nr, c[i*q.cs+j:], q.cs, min(mr, q.m-i), min(nr, q.n-j), q.alpha, q.beta)
		}
	}
}

func manyCases[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	coef := []F{1, -1, 0.5, 2}
	step := 1
	if testing.Short() {
		step = 5
	}
	for m := 1; m <= 17; m++ {
		for n := 1 + m%step; n <= 35; n += step {
			for i, beta := range []F{0, F(math.Copysign(0, -1)), 1, -0.5} {
				k := 1 + r.IntN(17)
				q := tileCase[F]{k, m, n, k + r.IntN(3), 1, n + r.IntN(3), n + r.IntN(3), coef[r.IntN(len(coef))], beta}
				if i%2 == 1 {
					q.ras, q.cas = 1, m+r.IntN(3)
				}
				checkMany(t, r, 1+r.IntN(5), q, [3]int{r.IntN(4), r.IntN(5) - 1, r.IntN(4)}, r.IntN(8), r.IntN(8), r.IntN(8))
			}
		}
	}
	// more than are done together
	checkMany(t, r, 3*manyTogether/64+1, tileCase[F]{4, 4, 4, 4, 1, 4, 4, 1, 0}, [3]int{}, 0, 0, 0)
	checkMany(t, r, 11, tileCase[F]{19, 18, 33, 19, 1, 33, 33, 1, 1}, [3]int{}, 0, 0, 0)
}

func TestMany(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		t.Run("float64", manyCases[float64])
		t.Run("float32", manyCases[float32])
	})
}

// guardedMany runs products whose A, B and C lie beside pages without access.
func guardedMany[F num.Float](t *testing.T) {
	const k, count = 3, 2
	for _, m := range []int{1, 2, 3, 4, 7, 8, 15} {
		for n := 1; n <= 18; n++ {
			asmtest.Guarded(t, count*m*k, func(a []F) {
				asmtest.Guarded(t, count*k*n, func(b []F) {
					asmtest.Guarded(t, count*m*n, func(c []F) {
						Many(count, k, a, k, 1, m*k, b, n, k*n, c, n, m*n, m, n, 1, 1)
						Many(count, k, a, 1, m, m*k, b, n, k*n, c, n, m*n, m, n, 1, 0)
					})
				})
			})
		}
	}
}

func TestManyGuarded(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		guardedMany[float64](t)
		guardedMany[float32](t)
	})
}

// NaN and infinities reach the result as in a tile, and C is not read where beta is zero.
func TestManySpecials(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		const order, count = 5, 40
		values := append(asmtest.Specials[float64](), 1, -2)
		fill := func() []float64 {
			x := make([]float64, count*order*order)
			for i := range x {
				x[i] = values[r.IntN(len(values))]
			}
			return x
		}
		for _, beta := range []float64{0, 1} {
			a, b, got := fill(), fill(), fill()
			want := slices.Clone(got)
			Many(count, order, a, order, 1, order*order, b, order, order*order, got, order, order*order, order, order, 1, beta)
			for i := range count {
				tiled(tileCase[float64]{order, order, order, order, 1, order, order, 1, beta}, a[i*order*order:], b[i*order*order:], want[i*order*order:])
			}
			for i := range got {
				if !asmtest.Same(got[i], want[i]) {
					t.Fatalf("beta %v: element %d is %v, %v by tiles", beta, i, got[i], want[i])
				}
			}
		}
	})
}

func TestManyPanics(t *testing.T) {
	x := make([]float64, 8)
	for name, call := range map[string]func(){
		"no row":  func() { Many(1, 2, x, 2, 1, 4, x, 2, 4, x, 2, 4, 0, 2, 1, 0) },
		"short A": func() { Many(3, 2, x, 2, 1, 4, make([]float64, 12), 2, 4, make([]float64, 12), 2, 4, 2, 2, 1, 0) },
		"short B": func() { Many(3, 2, make([]float64, 12), 2, 1, 4, x, 2, 4, make([]float64, 12), 2, 4, 2, 2, 1, 0) },
		"short C": func() { Many(3, 2, make([]float64, 12), 2, 1, 4, make([]float64, 12), 2, 4, x, 2, 4, 2, 2, 1, 0) },
	} {
		if must.Recovered(call) == nil {
			t.Error(name, "does not panic")
		}
	}
	Many(0, 2, x, 2, 1, 4, x, 2, 4, x, 2, 4, 2, 2, 1, 0)
}

func ExampleMany() {
	a := []float64{
		1, 2, 3, 4,
		0, 1, 1, 0,
	}
	b := []float64{5, 6, 7, 8}
	c := make([]float64, 8)
	Many(2, 2, a, 2, 1, 4, b, 2, 0, c, 2, 4, 2, 2, 1, 0) // two matrices A and one B
	fmt.Println(c[:4], c[4:])
	// Output: [19 22 43 50] [7 8 5 6]
}

func BenchmarkMany(b *testing.B) {
	for _, n := range []int{2, 3, 4, 6, 8, 12, 16, 24, 32} {
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				count := 4096 / (n * n)
				x, y, z := make([]float64, count*n*n), make([]float64, count*n*n), make([]float64, count*n*n)
				b.Run(fmt.Sprintf("n=%d/isa=%s", n, l), func(b *testing.B) {
					for b.Loop() {
						Many(count, n, x, n, 1, n*n, y, n, n*n, z, n, n*n, n, n, 1, 0)
					}
					b.ReportMetric(2*float64(count*n*n*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			})
		}
	}
}
