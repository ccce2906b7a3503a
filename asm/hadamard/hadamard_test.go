package hadamard

import (
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/hadamard/paley"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// sizes lists the lengths for tests: every power of two up to one that takes
// two passes beyond L2.
func sizes() []int {
	most := 18
	if testing.Short() {
		most = 13
	}
	var n []int
	for k := range most + 1 {
		n = append(n, 1<<k)
	}
	return n
}

// definition computes H·x from the entries H[i][j] = (−1)^popcount(i&j).
func definition[F num.Float](x []F) []F {
	y := make([]F, len(x))
	for i := range y {
		for j, v := range x {
			if bits.OnesCount(uint(i&j))%2 == 0 {
				y[i] += v
			} else {
				y[i] -= v
			}
		}
	}
	return y
}

func TestDefinition(t *testing.T) {
	known32, known64 := map[int][]float32{}, map[int][]float64{}
	forEachForm(t, func(t *testing.T) {
		checkDefinition(t, known32)
		checkDefinition(t, known64)
	})
}

// checkDefinition puts what the definition gives of n numbers, which are the same in every call, into known[n].
func checkDefinition[F num.Float](t *testing.T, known map[int][]F) {
	r := rand.New(rand.NewPCG(1, 2))
	most := 1 << 12
	if testing.Short() {
		most = 1 << 9
	}
	for n := 1; n <= most; n *= 2 {
		x := asmtest.Integers[F](r, n, 1000)
		if known[n] == nil {
			known[n] = definition(x)
		}
		want := known[n]
		Transform(x)
		for i := range x {
			if !asmtest.SameBits(x[i], want[i]) {
				t.Fatalf("%T n=%d: element %d is %v, want %v", x, n, i, x[i], want[i])
			}
		}
	}
}

// TestColumnsOfH checks larger lengths against the closed form for unit
// vectors, whose transforms are columns of H.
func TestColumnsOfH(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkColumnsOfH[float32](t)
		checkColumnsOfH[float64](t)
	})
}

func checkColumnsOfH[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range sizes() {
		x := make([]F, n)
		for range 3 {
			clear(x)
			j := r.IntN(n)
			x[j] = 1
			Transform(x)
			for i, v := range x {
				want := F(1)
				if bits.OnesCount(uint(i&j))%2 == 1 {
					want = -1
				}
				if v != want {
					t.Fatalf("%T n=%d: H[%d][%d] is %v", x, n, i, j, v)
				}
			}
		}
	}
}

// rowsGeneric computes Rows in plain Go.
func rowsGeneric[F num.Float](x []F, n, d, stride int) {
	for i := range n {
		transformGeneric(x[i*stride : i*stride+d])
	}
}

func same[F num.Float](t *testing.T, what string, got, want []F) {
	t.Helper()
	for i := range want {
		if got[i] != got[i] && want[i] != want[i] || asmtest.SameBits(got[i], want[i]) {
			continue
		}
		t.Fatalf("%T %s: element %d is %v, generic code gives %v", got, what, i, got[i], want[i])
	}
}

// values calls body with inputs of n values of all kinds.
func values[F num.Float](n int, body func(kind string, x []F)) {
	r := rand.New(rand.NewPCG(uint64(n), 5))
	body("normal", asmtest.Normal[F](r, n))
	if !testing.Short() {
		body("mixed", asmtest.Mixed[F](r, n))
	}
	special := asmtest.Specials[F]()
	x := asmtest.Normal[F](r, n)
	for i := range x {
		if r.IntN(4) == 0 {
			x[i] = special[r.IntN(len(special))]
		}
	}
	body("special", x)
	x = make([]F, n)
	for i := range x {
		x[i] = special[r.IntN(2)] // ±0
	}
	body("zeros", x)
	x = make([]F, n)
	for i := range x {
		x[i] = special[7+r.IntN(2)] * F(r.IntN(100)) // denormals
	}
	body("denormal", x)
}

// TestSameBits compares every level with the generic code bit by bit: all kinds of values at the smaller lengths, normal
// numbers at those that are made of these, where special ones would make every sum NaN. With GRAM_LONG it takes all kinds everywhere.
func TestSameBits(t *testing.T) {
	all := os.Getenv("GRAM_LONG") != ""
	forEachForm(t, func(t *testing.T) {
		checkSameBits[float32](t, all)
		checkSameBits[float64](t, all)
	})
}

func checkSameBits[F num.Float](t *testing.T, all bool) {
	for _, n := range sizes() {
		check := func(kind string, x []F) {
			want := append([]F(nil), x...)
			transformGeneric(want)
			Transform(x)
			same(t, kind, x, want)
		}
		if all || n <= 1<<13 {
			values(n, check)
		} else {
			check("normal", asmtest.Normal[F](rand.New(rand.NewPCG(uint64(n), 5)), n))
		}
	}
}

// TestMemory runs all offsets, several strides and several numbers of rows
// between canaries and beside pages without access.
func TestMemory(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkMemory[float32](t)
		checkMemory[float64](t)
	})
}

func checkMemory[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	most := 1 << 14
	if testing.Short() {
		most = 1 << 11
	}
	for d := 1; d <= most; d *= 2 {
		want := asmtest.Normal[F](r, d)
		x := append([]F(nil), want...)
		transformGeneric(want)
		for off := range 8 {
			if testing.Short() && d > 1<<8 && off > 1 {
				break
			}
			c := asmtest.NewCanary[F](d, 1, off)
			c.Set(x)
			Transform(c.Slice())
			c.Check(t)
			same(t, "offset", c.Get(), want)
		}
		asmtest.Guarded(t, d, func(g []F) {
			copy(g, x)
			Transform(g)
			same(t, "guarded", g, want)
		})
		if d > 1<<13 {
			continue
		}
		for _, n := range []int{0, 1, 2, 3, 7, 33} {
			if n*d > 1<<15 || testing.Short() && n*d > 1<<11 {
				continue
			}
			for _, gap := range []int{0, 1, 3, 16} {
				stride := d + gap
				size := 0
				if n > 0 {
					size = (n-1)*stride + d
				}
				x := asmtest.Normal[F](r, size)
				want := append([]F(nil), x...)
				rowsGeneric(want, n, d, stride)
				asmtest.Guarded(t, size, func(g []F) {
					copy(g, x)
					Rows(g, n, d, stride)
					same(t, "rows", g, want) // the gaps too
				})
			}
		}
	}
}

// TestColumns assembles a transform from its blocks and column ranges.
func TestColumns(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkColumns[float32](t)
		checkColumns[float64](t)
	})
}

func checkColumns[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	l := line[F]()
	for _, h := range []int{l, 4 * l, 64 * l} {
		for k := range 8 {
			n := h << k
			if testing.Short() && n > 1<<12 {
				break
			}
			x := asmtest.Normal[F](r, n)
			want := append([]F(nil), x...)
			transformGeneric(want)
			Rows(x, 1<<k, h, h)
			cut := l * r.IntN(h/l+1)
			c := asmtest.NewCanary[F](n, 1, 3)
			c.Set(x)
			Columns(c.Slice(), 1<<k, h, cut, h)
			Columns(c.Slice(), 1<<k, h, 0, cut)
			c.Check(t)
			same(t, "columns", c.Get(), want)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	x := make([]float64, 1<<13)
	y := make([]float32, 1<<13)
	if n := testing.AllocsPerRun(10, func() {
		Transform(x)
		Transform(y)
		Rows(x, 32, 256, 256)
		Columns(x, 8, 1024, 0, 1024)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// all runs body at every level that is available.
func all(body func(l cpu.Level)) {
	for _, l := range asmtest.Available(levels) {
		asmtest.At(l, func() { body(l) })
	}
}

// TestBase compares with the matrices of package paley and with the generic
// code, for every number of columns up to a few vectors.
func TestBase(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkBase[float32](t)
		checkBase[float64](t)
	})
}

func checkBase[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	widths := []int{1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 64, 1000}
	if testing.Short() {
		widths = []int{1, 3, 8, 16, 33}
	}
	for _, m := range paley.Orders {
		h := paley.Matrix(m)
		for _, n := range widths {
			x := asmtest.Integers[F](r, m*n, 100)
			want := make([]F, m*n)
			for i := range m {
				for j := range m {
					for c := range n {
						want[i*n+c] += F(h[i][j]) * x[j*n+c]
					}
				}
			}
			c := asmtest.NewCanary[F](m*n, 1, n%5)
			c.Set(x)
			Base(c.Slice(), m, n, n)
			c.Check(t)
			same(t, "integers", c.Get(), want)
			values(m*n, func(kind string, x []F) {
				want := append([]F(nil), x...)
				baseGeneric(want, m, n, 0, n)
				asmtest.Guarded(t, m*n, func(g []F) {
					copy(g, x)
					Base(g, m, n, n)
					same(t, kind, g, want)
				})
			})
		}
	}
}

func TestScale(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkScale[float32](t)
		checkScale[float64](t)
	})
}

func checkScale[F num.Float](t *testing.T) {
	lengths := asmtest.Lengths(64, 1<<14)
	if testing.Short() {
		lengths = []int{0, 1, 63, 64, 65, 128, 200}
	}
	for _, n := range lengths {
		values(n, func(kind string, x []F) {
			a := F(1) / 3
			want := make([]F, n)
			for i, v := range x {
				want[i] = v * a
			}
			asmtest.Guarded(t, n, func(g []F) {
				copy(g, x)
				Scale(g, a)
				same(t, kind, g, want)
			})
		})
	}
}

// TestAnyColumns transforms columns of matrices of any width and stride, between
// other columns that must not change.
func TestAnyColumns(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkAnyColumns[float32](t)
		checkAnyColumns[float64](t)
	})
}

func checkAnyColumns[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, n := range []int{1, 2, 8, 32, 256} {
		for _, width := range []int{0, 1, 7, 8, 16, 17, 40} {
			lo, h := r.IntN(4), width+r.IntN(9)+4
			x := asmtest.Integers[F](r, (n-1)*h+lo+width, 1000)
			want := append([]F(nil), x...)
			for c := lo; c < lo+width; c++ {
				column := make([]F, n)
				for i := range column {
					column[i] = x[i*h+c]
				}
				for i, v := range definition(column) {
					want[i*h+c] = v
				}
			}
			asmtest.Guarded(t, len(x), func(g []F) {
				copy(g, x)
				Columns(g, n, h, lo, lo+width)
				same(t, "columns", g, want)
			})
		}
	}
	for _, m := range paley.Orders {
		h, width := 40, 33
		x := asmtest.Integers[F](r, (m-1)*h+width, 100)
		want := append([]F(nil), x...)
		for i, row := range paley.Matrix(m) {
			for c := range width {
				s := F(0)
				for j, v := range row {
					s += F(v) * x[j*h+c]
				}
				want[i*h+c] = s
			}
		}
		asmtest.Guarded(t, len(x), func(g []F) {
			copy(g, x)
			Base(g, m, h, width)
			same(t, "base", g, want)
		})
	}
}

// forEachForm runs body at every level with either form of the subtractions.
func forEachForm(t *testing.T, body func(t *testing.T)) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) { bothForms(func() { body(t) }) })
}

// bothForms calls f with either form of the subtractions, if the level has two.
func bothForms(f func()) {
	defer func(before bool) { bothPipes = before }(bothPipes)
	bothPipes = false
	f()
	if l := cpu.Current(); l == cpu.AVX2 || l == cpu.AVX512 {
		bothPipes = true
		f()
	}
}
