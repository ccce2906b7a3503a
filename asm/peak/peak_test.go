package peak

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

func TestRegisters32(t *testing.T) { asmtest.ForEachLevel(t, levels, testRegisters[float32]) }
func TestRegisters64(t *testing.T) { asmtest.ForEachLevel(t, levels, testRegisters[float64]) }

// Integers are exact at every level, so the closed form is an oracle.
func testRegisters[F num.Float](t *testing.T) {
	r := rng.New(1, 0)
	w := Width[F]()
	for _, n := range []int{0, w, 3 * w} {
		for offset := range 8 {
			all := []int{0, 1, 2, 3, 7}
			if offset == n%5 { // the cut between two calls of the assembly
				all = append(all, maxRounds-1, maxRounds, maxRounds+1)
			}
			for _, rounds := range all {
				in := asmtest.Integers[F](r, n, 1000)
				c := asmtest.NewCanary[F](n, 1, offset)
				c.Set(in)
				FMA(c.Slice(), 3, -5, rounds)
				Add(c.Slice(), 7, rounds)
				Mix(c.Slice(), 2, 11, rounds)
				c.Check(t)
				for i, v := range c.Get() {
					if want := in[i] + F(rounds*(7-15+11+22)); v != want {
						t.Fatalf("n=%d offset=%d rounds=%d: element %d is %v, want %v", n, offset, rounds, i, v, want)
					}
				}
			}
		}
	}
	for _, v := range asmtest.Specials[F]() {
		x := make([]F, w)
		for i := range x {
			x[i] = v
		}
		Add(x, 1, 1)
		for i, got := range x {
			if want := v + 1; !asmtest.Same(got, want) {
				t.Fatalf("%v + 1: element %d is %v", v, i, got)
			}
			x[i] = v
		}
		Mix(x, 0, 1, 1)
		for i, got := range x {
			if want := v + 1; !asmtest.Same(got, want) {
				t.Fatalf("%v + 1 + 0·1: element %d is %v", v, i, got)
			}
		}
	}
}

// FMA differs from the exact value by one rounding per step, or two; Mix by two
// or three.
func TestBounds(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(2, 0)
		in := asmtest.Normal[float64](r, Width[float64]())
		a, b, rounds := r.NormFloat64(), r.NormFloat64(), 50
		for _, c := range []struct {
			name  string
			run   func(x []float64, a, b float64, rounds int)
			a     float64 // what a round adds is a·b
			steps float64 // roundings by which a round may differ
		}{{"FMA", FMA[float64], a, 1}, {"Mix", Mix[float64], a + 1, 2}} {
			x := slices.Clone(in)
			c.run(x, a, b, rounds)
			for i, v := range x {
				want := math.FMA(float64(rounds)*c.a, b, in[i])
				tol := c.steps * float64(rounds) * 0x1p-52 * ((math.Abs(a)+c.steps-1)*math.Abs(b)*float64(rounds) + math.Abs(in[i]))
				if d := math.Abs(v - want); !(d <= tol) {
					t.Fatalf("%s: element %d is %v, want %v: off by %g > %g", c.name, i, v, want, d, tol)
				}
			}
		}
	})
}

func TestMemory32(t *testing.T) { asmtest.ForEachLevel(t, levels, testMemory[float32]) }
func TestMemory64(t *testing.T) { asmtest.ForEachLevel(t, levels, testMemory[float64]) }

func testMemory[F num.Float](t *testing.T) {
	r := rng.New(3, 0)
	big := []int{chunk[F]() - 1, chunk[F](), chunk[F]() + 1}
	for _, n := range append(asmtest.Lengths(64), big...) {
		offsets := 8
		if n > 4*64+4 || testing.Short() && n > 40 {
			offsets = 2
		}
		for offset := range offsets {
			in := asmtest.Integers[F](r, n, 100)
			src := asmtest.NewCanary[F](n, 1, offset)
			src.Set(in)
			check := func(what string, c *asmtest.Canary[F], want func(i int) F) {
				t.Helper()
				c.Check(t)
				for i, v := range c.Get() {
					if !asmtest.SameBits(v, want(i)) {
						t.Fatalf("%s n=%d offset=%d: element %d is %v, want %v", what, n, offset, i, v, want(i))
					}
				}
			}
			var sum F
			for _, v := range in {
				sum += v
			}
			if got := Sum(src.Slice()); got != sum {
				t.Fatalf("Sum n=%d offset=%d is %v, want %v", n, offset, got, sum)
			}
			for other := range min(offsets, 3) {
				dst := asmtest.NewCanary[F](n, 1, other)
				Copy(dst.Slice(), src.Slice())
				check("Copy", dst, func(i int) F { return in[i] })
			}
			check("source", src, func(i int) F { return in[i] })
			Shift(src.Slice(), 0.5)
			check("Shift", src, func(i int) F { return in[i] + 0.5 })
			Fill(src.Slice(), -1)
			check("Fill", src, func(i int) F { return -1 })
			Stream(src.Slice(), 2)
			check("Stream", src, func(i int) F { return 2 })
		}
	}
}

// Nothing is touched outside the operands, not even within a cache line.
func TestGuarded(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for n := 0; n < 140; n += 1 + n/40 {
			asmtest.Guarded(t, n, func(x []float64) {
				Fill(x, 1)
				Shift(x, 1)
				Stream(x, 3)
				if s := Sum(x); s != float64(3*n) {
					t.Fatalf("n=%d: sum is %v", n, s)
				}
				y := make([]float64, n)
				Copy(y, x)
				Copy(x, y)
			})
			asmtest.Guarded(t, n, func(x []float32) {
				Fill(x, 1)
				Shift(x, 1)
				Stream(x, 3)
				if s := Sum(x); s != float32(3*n) {
					t.Fatalf("n=%d: sum is %v", n, s)
				}
				y := make([]float32, n)
				Copy(y, x)
				Copy(x, y)
			})
		}
	})
}

func TestMemorySpecials(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		in := asmtest.Specials[float64]()
		for range 4 {
			in = append(in, in...)
		}
		dst := make([]float64, len(in))
		Copy(dst, in)
		for i := range in {
			if !asmtest.SameBits(dst[i], in[i]) {
				t.Fatalf("Copy of %v gives %v", in[i], dst[i])
			}
		}
		if s := Sum(in); !math.IsNaN(s) {
			t.Errorf("Sum with NaN is %v", s)
		}
	})
}

func TestPanics(t *testing.T) {
	for what, f := range map[string]func(){
		"peak: length is not a multiple of Width": func() { FMA(make([]float64, 8), 1, 1, 1) },
		"peak: lengths differ":                    func() { Copy(make([]float32, 3), make([]float32, 4)) },
	} {
		if got := must.Recovered(f); got != what {
			t.Errorf("panic %v, want %q", got, what)
		}
	}
}

func FuzzSum(f *testing.F) {
	f.Add(uint64(1), 100, 3)
	f.Fuzz(func(t *testing.T, seed uint64, n, offset int) {
		if n < 0 || n > 5000 {
			n = 5000
		}
		c := asmtest.NewCanary[float64](n, 1, offset&7)
		c.Set(asmtest.Integers[float64](rng.New(seed, 0), n, 1<<20))
		want := sumGeneric(c.Slice())
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				if got := Sum(c.Slice()); got != want {
					t.Fatalf("level %s: sum of %d integers is %v, want %v", l, n, got, want)
				}
			})
		}
	})
}

func ExampleFMA() {
	x := make([]float64, Width[float64]())
	FMA(x, 2, 3, 100)
	fmt.Println(x[0], "after", 2*100*len(x), "flops")
	// Output: 600 after 38400 flops
}

func ExampleSum() {
	fmt.Println(Sum([]float32{1, 2, 3, 4}))
	// Output: 10
}
