package vec

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

var levels = cpu.Levels()[1:]

// lengths are around the blocks of the assembly and of this package.
func lengths() []int {
	if testing.Short() {
		return asmtest.Lengths(8, short, block, 2*block)
	}
	return asmtest.Lengths(24, short, block, 2*block, 8192, 16384)
}

// A function is a function of a number with its bound in ULP for float64 and float32. want is the
// exact result to much more than the digits of a float32, and to the ulps of package math for float64.
type function[F num.Float] struct {
	name  string
	f     func(dst, src []F)
	want  func(float64) float64
	bound float64
	args  func(i int) float64
}

func functions[F num.Float]() []function[F] {
	other := func(n int) []F { return make([]F, n) }
	log := .85
	if asmtest.Epsilon[F]() > 1e-10 {
		log = 1
	}
	r := rng.New(1, 0)
	return []function[F]{
		{"exp", Exp[F], math.Exp, .75, func(int) float64 { return 160*r.Float64() - 80 }},
		{"log", Log[F], math.Log, log, func(i int) float64 { return math.Ldexp(r.Float64()+.1, i%200-100) }},
		{"sin", func(dst, src []F) { SinCos(dst, other(len(src)), src) }, math.Sin, 1, func(int) float64 { return 1e4 * (r.Float64() - .5) }},
		{"cos", func(dst, src []F) { SinCos(other(len(src)), dst, src) }, math.Cos, 1, func(int) float64 { return 1e4 * (r.Float64() - .5) }},
	}
}

func both(t *testing.T, of32, of64 func(t *testing.T)) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		t.Run("float32", of32)
		t.Run("float64", of64)
	})
}

// Functions are those of package math wherever the vectors lie. For float64 these have errors of
// their own; TestBig measures the bounds.
func TestFunctions(t *testing.T) { both(t, testFunctions[float32], testFunctions[float64]) }

func testFunctions[F num.Float](t *testing.T) {
	for _, f := range functions[F]() {
		if asmtest.Epsilon[F]() < 1e-10 {
			f.bound = 2
		}
		for _, n := range lengths() {
			src := make([]F, n)
			for i := range src {
				src[i] = F(f.args(i))
			}
			for offset := range 8 {
				in, out := asmtest.NewCanary[F](n, 1, offset), asmtest.NewCanary[F](n, 1, 7-offset)
				in.Set(src)
				f.f(out.Slice(), in.Slice())
				in.Check(t)
				out.Check(t)
				if !slices.Equal(in.Get(), src) {
					t.Fatalf("%s, n = %d: the argument was changed", f.name, n)
				}
				got := out.Get()
				for i, x := range src {
					if e := asmtest.ULP(got[i], f.want(float64(x))); !(e <= f.bound) {
						t.Fatalf("%s(%v) = %v, %.3g ULP from the result, n = %d, offset %d", f.name, x, got[i], e, n, offset)
					}
				}
				f.f(in.Slice(), in.Slice())
				in.Check(t)
				if !slices.Equal(in.Get(), got) {
					t.Fatalf("%s, n = %d: in place the result is another one", f.name, n)
				}
				if n > 1000 {
					break
				}
			}
		}
	}
}

// The bounds of float64 hold beside series in big.Float.
func TestBig(t *testing.T) {
	wide := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	// series returns Σ x^k/k! over k = from, from+step, … with the signs of sign in turn.
	series := func(x *big.Float, from, step int, sign float64) *big.Float {
		sum, term, signed := wide(0), wide(1), wide(1)
		for k := 0; k < 400; k++ {
			if k >= from && (k-from)%step == 0 {
				sum.Add(sum, wide(0).Mul(term, signed))
				signed.Mul(signed, wide(sign))
			}
			term.Mul(term, x)
			term.Quo(term, wide(float64(k+1)))
		}
		return sum
	}
	ulps := func(got float64, want *big.Float) float64 {
		gap, _ := wide(0).Sub(wide(got), want).Float64()
		w, _ := want.Float64()
		return math.Abs(gap) / asmtest.Unit(math.Nextafter(w, 0))
	}
	n := 200
	if testing.Short() {
		n = 50
	}
	r := rng.New(3, 0)
	x, positive := make([]float64, n), make([]float64, n)
	e, sin, cos := make([]*big.Float, n), make([]*big.Float, n), make([]*big.Float, n)
	for i := range x {
		x[i] = 40 * (r.Float64() - .5)
		positive[i] = math.Ldexp(.7+r.Float64(), i%3-1)
		e[i], sin[i], cos[i] = series(wide(x[i]), 0, 1, 1), series(wide(x[i]), 1, 2, -1), series(wide(x[i]), 0, 2, -1)
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		y, z := make([]float64, n), make([]float64, n)
		Exp(y, x)
		for i := range x {
			if u := ulps(y[i], e[i]); !(u <= .75) {
				t.Errorf("exp(%v): %.3f ULP", x[i], u)
			}
		}
		SinCos(y, z, x)
		for i := range x {
			if u, v := ulps(y[i], sin[i]), ulps(z[i], cos[i]); !(u <= 1 && v <= 1) {
				t.Errorf("sine and cosine of %v: %.3f and %.3f ULP", x[i], u, v)
			}
		}
		Log(y, positive)
		for i, v := range positive {
			// ln v = y + ln(v/e^y), and v/e^y is within 10⁻¹⁵ of 1.
			rest, _ := wide(0).Sub(wide(0).Quo(wide(v), series(wide(y[i]), 0, 1, 1)), wide(1)).Float64()
			if u := math.Abs(rest) / asmtest.Unit(math.Nextafter(y[i], 0)); !(u <= .85) {
				t.Errorf("log(%v): %.3f ULP", v, u)
			}
		}
	})
}

// The special values are those of the package comment.
func TestSpecials(t *testing.T) { both(t, testSpecials[float32], testSpecials[float64]) }

func testSpecials[F num.Float](t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	over, under := 709.782712893385, -708.3964185322642
	if asmtest.Epsilon[F]() > 1e-10 {
		over, under = 88.7229, -87.3366
	}
	for k, values := range [][][2]float64{
		{{nan, nan}, {0, 1}, {zero, 1}, {inf, inf}, {-inf, 0}, {over, inf}, {under, 0}},
		{{nan, nan}, {0, -inf}, {zero, -inf}, {inf, inf}, {-inf, nan}, {-1, nan}, {1, 0}},
		{{nan, nan}, {0, 0}, {zero, zero}, {inf, nan}, {-inf, nan}},
		{{nan, nan}, {0, 1}, {zero, 1}, {inf, nan}, {-inf, nan}},
	} {
		f := functions[F]()[k]
		for _, v := range values {
			for _, n := range []int{1, 40} {
				x := slices.Repeat([]F{F(v[0])}, n)
				f.f(x, x)
				for _, got := range x {
					if same := asmtest.SameBits(got, F(v[1])) || v[1] != v[1] && got != got; !same {
						t.Errorf("%s(%v) = %v, want %v", f.name, v[0], got, v[1])
					}
				}
			}
		}
	}
	for name, f := range map[string]func(x, y []F) F{"dot": Dot[F], "distance": SquaredDistance[F]} {
		for _, n := range []int{1, 40, 300} {
			for _, v := range []float64{nan, inf, -inf} {
				x, y := slices.Repeat([]F{1}, n), slices.Repeat([]F{2}, n)
				x[n-1] = F(v)
				want := F(v)
				if name == "distance" {
					want = F(v) * F(v)
				}
				if got := f(x, y); !asmtest.Same(got, want) {
					t.Errorf("%s of %d with %v: %v, want %v", name, n, v, got, want)
				}
				y[n-1] = F(v)
				if got := f(x, y); name == "distance" && got == got {
					t.Errorf("the distance with %v on either side is %v, want NaN", v, got)
				}
			}
		}
	}
}

// Sums keep their bounds, wherever the vectors lie, and read nothing beyond them.
func TestSums(t *testing.T) { both(t, testSums[float32], testSums[float64]) }

func testSums[F num.Float](t *testing.T) {
	u := asmtest.Epsilon[F]() / 2
	exact := func(x, y []F, distance bool) (sum, size *big.Float) {
		wide := func(v F) *big.Float { return new(big.Float).SetPrec(2400).SetFloat64(float64(v)) }
		sum, size = wide(0), wide(0)
		for i := range x {
			a, b := wide(x[i]), wide(y[i])
			if distance {
				a.Sub(a, b)
				b.Set(a)
			}
			a.Mul(a, b)
			sum.Add(sum, a)
			size.Add(size, a.Abs(a))
		}
		return sum, size
	}
	for _, n := range lengths() {
		r := rng.New(2, uint64(n))
		for kind, in := range map[string][2][]F{
			"normal":  {asmtest.Normal[F](r, n), asmtest.Normal[F](r, n)},
			"integer": {asmtest.Integers[F](r, n, 9), asmtest.Integers[F](r, n, 9)},
			"near":    {slices.Repeat([]F{1}, n), slices.Repeat([]F{F(1 + asmtest.Epsilon[F]())}, n)},
		} {
			x, y := in[0], in[1]
			for name, f := range map[string]func(x, y []F) F{"dot": Dot[F], "distance": SquaredDistance[F]} {
				terms := float64(n)
				if name == "distance" {
					terms += 2
				}
				sum, size := exact(x, y, name == "distance")
				bound, _ := size.Float64()
				bound *= terms * u / (1 - terms*u)
				if kind == "integer" {
					bound = 0
				}
				first := f(x, y)
				for offset := range 8 {
					a, b := asmtest.NewCanary[F](n, 1, offset), asmtest.NewCanary[F](n, 1, (3*offset)%8)
					a.Set(x)
					b.Set(y)
					got := f(a.Slice(), b.Slice())
					a.Check(t)
					b.Check(t)
					gap, _ := new(big.Float).Sub(new(big.Float).SetPrec(2400).SetFloat64(float64(got)), sum).Float64()
					if !(math.Abs(gap) <= bound) {
						t.Fatalf("%s of %s, n = %d, offset %d: error %g, bound %g", name, kind, n, offset, gap, bound)
					}
					if !asmtest.SameBits(got, first) {
						t.Fatalf("%s, n = %d: %v, elsewhere in memory %v", name, n, got, first)
					}
				}
				asmtest.Guarded(t, n, func(a []F) {
					asmtest.Guarded(t, n, func(b []F) {
						copy(a, x)
						copy(b, y)
						if got := f(a, b); !asmtest.SameBits(got, first) {
							t.Fatalf("%s, n = %d: %v beside a page without access, %v elsewhere", name, n, got, first)
						}
					})
				})
			}
		}
	}
}

// Wrong arguments are refused before anything is written.
func TestPanics(t *testing.T) {
	memory := []float64{1, 2, 3, 4, 5, 6}
	kept := slices.Clone(memory)
	one, two, next := memory[:2], memory[2:4], memory[1:3]
	for i, call := range []struct {
		want string
		f    func()
	}{
		{"vec: lengths differ", func() { Exp(one, memory[3:]) }},
		{"vec: lengths differ", func() { Log(memory[3:], one) }},
		{"vec: lengths differ", func() { SinCos(one, two, memory[4:5]) }},
		{"vec: lengths differ", func() { SinCos(one, memory[4:5], two) }},
		{"vec: lengths differ", func() { Dot(one, memory[4:5]) }},
		{"vec: lengths differ", func() { SquaredDistance(one, memory[4:5]) }},
		{"vec: slices overlap", func() { Exp(one, next) }},
		{"vec: slices overlap", func() { Log(next, one) }},
		{"vec: slices overlap", func() { SinCos(two, one, next) }},
		{"vec: slices overlap", func() { SinCos(memory[4:], one, next) }},
		{"vec: slices overlap", func() { SinCos(one, one, two) }},
		{"vec: slices overlap", func() { SinCos(one, next, memory[4:]) }},
	} {
		if got := must.Recovered(func() { call.f() }); got != call.want {
			t.Errorf("call %d: panic %v, want %s", i, got, call.want)
		}
		if !slices.Equal(memory, kept) {
			t.Fatalf("call %d wrote before it panicked", i)
		}
	}
	SinCos(one, two, one)
	SinCos(two, one, one)
	Exp(memory[:0], memory[:0])
	SinCos[float64](nil, nil, nil)
}

func TestAllocations(t *testing.T) {
	x, y, z := make([]float32, 1000), make([]float32, 1000), make([]float32, 1000)
	var sum float32
	if n := testing.AllocsPerRun(5, func() {
		Exp(x, y)
		SinCos(x, z, y)
		Log(x, y)
		sum += Dot(x, y) + SquaredDistance(x, y)
	}); n != 0 && !race.Enabled { // the race detector is told of the differences, which then are not on the stack
		t.Errorf("%v allocations", n)
	}
}

// FuzzSums compares all levels with pure Go for numbers of any bits.
func FuzzSums(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, copies uint8) {
		var x, y []float64
		for i := 0; i+4 <= len(data); i += 4 {
			v := float64(int8(data[i])) + float64(data[i+1])/256
			x, y = append(x, v), append(y, float64(int8(data[i+2]))*math.Ldexp(1, int(data[i+3]%30)-15))
		}
		x, y = slices.Repeat(x, int(copies)), slices.Repeat(y, int(copies))
		var products, squares float64
		for i := range x {
			products += math.Abs(x[i] * y[i])
			squares += (x[i] - y[i]) * (x[i] - y[i])
		}
		var want, near float64
		asmtest.AtGeneric(func() { want, near = Dot(x, y), SquaredDistance(x, y) })
		bound := 2 * float64(len(x)+2) * 0x1p-53 * 1.01
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				if got := Dot(x, y); !(math.Abs(got-want) <= bound*products) {
					t.Error(fmt.Sprint(l), got, want)
				}
				if got := SquaredDistance(x, y); !(math.Abs(got-near) <= bound*squares) {
					t.Error(fmt.Sprint(l), got, near)
				}
			})
		}
	})
}

// Sums of numbers of 8 bits are those of a loop, of random numbers and of those with the largest sums, for lengths beyond a call
// of the assembly.
func TestInt8(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(8, 8)
		for _, n := range append(asmtest.Lengths(9, 64, 128), 1<<15-1, 1<<15+65, 1<<16+3) {
			for kind := range 3 {
				x, y := make([]int8, n), make([]int8, n)
				for i := range x {
					switch kind {
					case 0:
						x[i], y[i] = int8(r.IntN(256)-128), int8(r.IntN(256)-128)
					case 1:
						x[i], y[i] = -128, -128
					default:
						x[i], y[i] = -128, 127
					}
				}
				dot, squares := 0, 0
				for i, v := range x {
					dot += int(v) * int(y[i])
					squares += (int(v) - int(y[i])) * (int(v) - int(y[i]))
				}
				if p, q := DotInt8(x, y), SquaredDistanceInt8(x, y); p != dot || q != squares {
					t.Fatalf("n = %d, kind %d: %d and %d, not %d and %d", n, kind, p, q, dot, squares)
				}
			}
		}
	})
	for i, call := range []func(){
		func() { DotInt8(make([]int8, 2), make([]int8, 3)) }, func() { SquaredDistanceInt8(make([]int8, 2), make([]int8, 1)) },
	} {
		func() {
			defer func() {
				if recover() != "vec: lengths differ" {
					t.Errorf("call %d does not panic", i)
				}
			}()
			call()
		}()
	}
}
