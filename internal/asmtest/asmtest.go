// Package asmtest has helpers for the tests of kernels: running a test at every
// level, operands with canaries or beside pages without access, special values,
// and distances in units in the last place.
package asmtest

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

// Types returns a body of tests that runs both tests as subtests, each under the name of its type.
func Types(float64s, float32s func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) {
		t.Run("float64", float64s)
		t.Run("float32", float32s)
	}
}

// ForEachLevel runs body as a subtest at Generic and at each of levels, which are
// the levels that the kernel family has variants for. The level is lowered during
// the subtest, so that dispatch is tested, too: the subtest fails if assembly of
// a higher level runs. A level that the CPU or GRAM_LEVEL does not allow is
// skipped. The skip is a failure if GRAM_REQUIRE_LEVEL, a comma-separated list,
// names the level. The body must not be parallel.
func ForEachLevel(t *testing.T, levels []cpu.Level, body func(t *testing.T)) {
	t.Helper()
	required := strings.Split(os.Getenv("GRAM_REQUIRE_LEVEL"), ",")
	all := append([]cpu.Level{cpu.Generic}, levels...)
	for _, name := range required {
		if l, err := cpu.ParseLevel(name); name != "" && (err != nil || !slices.Contains(all, l)) {
			t.Errorf("GRAM_REQUIRE_LEVEL names %s, which this build does not have", name)
		}
	}
	for _, l := range all {
		t.Run(l.String(), func(t *testing.T) {
			restore, err := cpu.Lower(l)
			if err != nil {
				if slices.Contains(required, l.String()) {
					t.Fatalf("GRAM_REQUIRE_LEVEL names %s: %v", l, err)
				}
				t.Skipf("the level is not available: %v", err)
			}
			defer restore()
			stop := watch(t, func(r *routine) bool { return r.level > l })
			defer func() {
				for _, r := range stop() {
					t.Errorf("%s ran at level %s", r.name, l)
				}
			}()
			body(t)
		})
	}
}

// At runs body at level l, which must be available on this CPU.
func At(l cpu.Level, body func()) {
	restore, err := cpu.Lower(l)
	if err != nil {
		panic(err)
	}
	defer restore()
	body()
}

// AtGeneric runs body at level Generic, where no assembly runs, and restores the level.
func AtGeneric(body func()) { At(cpu.Generic, body) }

// Detected reports whether the CPU and the build have a level with assembly.
func Detected() bool { return cpu.Detected() != cpu.Generic }

// InForce reports whether the current level has assembly.
func InForce() bool { return cpu.Current() != cpu.Generic }

// Available returns Generic and those of levels that can run on this CPU.
func Available(levels []cpu.Level) []cpu.Level {
	out := []cpu.Level{cpu.Generic}
	for _, l := range levels {
		if restore, err := cpu.Lower(l); err == nil {
			restore()
			out = append(out, l)
		}
	}
	return out
}

// Lengths returns 0…4·unroll+3 and, for each cutoff c, also c−1, c and c+1.
func Lengths(unroll int, cutoffs ...int) []int {
	var n []int
	for i := range 4*unroll + 4 {
		n = append(n, i)
	}
	for _, c := range cutoffs {
		n = append(n, c-1, c, c+1)
	}
	slices.Sort(n)
	return slices.Compact(n)
}

const margin = 64 // canary elements on each side

// Canary holds a slice with guard values before and after it and, for strided
// data, between its elements.
type Canary[F num.Float] struct {
	whole  []F
	lo     int
	n, inc int
}

// canaryValue returns a NaN with a payload. It is noticed when it is overwritten
// and when it is read into a result.
func canaryValue[F num.Float]() F {
	var f F
	if _, ok := any(f).(float32); ok {
		return F(math.Float32frombits(0x7fc1dead))
	}
	return F(math.Float64frombits(0x7ff80000dead1dea))
}

// NewCanary returns n elements with stride inc ≥ 1, of which the first lies
// offset elements behind an address that is a multiple of the cache line.
func NewCanary[F num.Float](n, inc, offset int) *Canary[F] {
	size := 0
	if n > 0 {
		size = (n-1)*inc + 1
	}
	whole := aligned[F](2*margin + offset + size)
	for i := range whole {
		whole[i] = canaryValue[F]()
	}
	return &Canary[F]{whole: whole, lo: margin + offset, n: n, inc: inc}
}

// Slice returns the memory from the first element to the last, without further
// capacity.
func (c *Canary[F]) Slice() []F {
	size := 0
	if c.n > 0 {
		size = (c.n-1)*c.inc + 1
	}
	return c.whole[c.lo : c.lo+size : c.lo+size]
}

// Set copies x into the elements, with their stride; x has at most as many as there are.
func (c *Canary[F]) Set(x []F) {
	for i, v := range x {
		c.whole[c.lo+i*c.inc] = v
	}
}

// Get returns a copy of the elements, without the guard values between them.
func (c *Canary[F]) Get() []F {
	x := make([]F, c.n)
	for i := range x {
		x[i] = c.whole[c.lo+i*c.inc]
	}
	return x
}

// Check fails the test if a guard value has changed.
func (c *Canary[F]) Check(t testing.TB) {
	t.Helper()
	want := canaryValue[F]()
	for i, v := range c.whole {
		k := i - c.lo
		if k >= 0 && k%c.inc == 0 && k/c.inc < c.n {
			continue
		}
		if !SameBits(v, want) {
			t.Fatalf("memory outside the operand was written: element %d of %d (stride %d) is %v", k, c.n, c.inc, v)
		}
	}
}

// SameBits reports whether a and b have the same bits.
func SameBits[F num.Float](a, b F) bool {
	switch a := any(a).(type) {
	case float32:
		return math.Float32bits(a) == math.Float32bits(any(b).(float32))
	case float64:
		return math.Float64bits(a) == math.Float64bits(any(b).(float64))
	}
	return false
}

// Same reports whether a and b are equal, where NaN equals NaN and 0 equals −0.
func Same[F num.Float](a, b F) bool { return a == b || (a != a && b != b) }

// Specials returns ±0, ±1, NaN, ±Inf, denormals, the smallest normal and the
// largest finite numbers.
func Specials[F num.Float]() []F {
	var f F
	if _, ok := any(f).(float32); ok {
		out := []F{}
		for _, b := range []uint32{0, 1 << 31, 0x3f800000, 0xbf800000, 0x7fc00000, 0x7f800000, 0xff800000,
			1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff} {
			out = append(out, F(math.Float32frombits(b)))
		}
		return out
	}
	out := []F{}
	for _, b := range []uint64{0, 1 << 63, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff8000000000000,
		0x7ff0000000000000, 0xfff0000000000000, 1, 1<<63 | 1, 0x000fffffffffffff, 0x0010000000000000,
		0x7fefffffffffffff, 0xffefffffffffffff} {
		out = append(out, F(math.Float64frombits(b)))
	}
	return out
}

// Normal returns n values drawn from r of the normal distribution with mean 0 and variance 1.
func Normal[F num.Float](r *rand.Rand, n int) []F {
	x := make([]F, n)
	for i := range x {
		x[i] = F(r.NormFloat64())
	}
	return x
}

// Integers returns n integers drawn from r uniformly in [−bound, bound].
func Integers[F num.Float](r *rand.Rand, n, bound int) []F {
	x := make([]F, n)
	for i := range x {
		x[i] = F(r.IntN(2*bound+1) - bound)
	}
	return x
}

// Mixed returns n values of both signs with magnitudes over many decades.
func Mixed[F num.Float](r *rand.Rand, n int) []F {
	x := make([]F, n)
	for i := range x {
		x[i] = F(r.NormFloat64() * math.Pow(10, float64(r.IntN(21)-10)))
	}
	return x
}

// ULP returns the distance of got from the exact value want in units in the last
// place of want rounded to F, or in units of the smallest denormal if that is
// larger. It is +Inf if one of the two is NaN or infinite and the other is not
// the same.
func ULP[F num.Float](got F, want float64) float64 {
	g := float64(got)
	if math.IsNaN(g) || math.IsNaN(want) {
		if math.IsNaN(g) && math.IsNaN(want) {
			return 0
		}
		return math.Inf(1)
	}
	w := F(want)
	if math.IsInf(float64(w), 0) || math.IsInf(g, 0) {
		if float64(w) == g {
			return 0
		}
		return math.Inf(1)
	}
	return math.Abs(g-want) / Unit(w)
}

// Unit returns the distance from |x| to the next larger number of its type.
func Unit[F num.Float](x F) float64 {
	switch x := any(x).(type) {
	case float32:
		a := float32(math.Abs(float64(x)))
		if a == math.MaxFloat32 {
			return float64(a) - float64(math.Nextafter32(a, 0))
		}
		return float64(math.Nextafter32(a, float32(math.Inf(1)))) - float64(a)
	case float64:
		a := math.Abs(x)
		if a == math.MaxFloat64 {
			return a - math.Nextafter(a, 0)
		}
		return math.Nextafter(a, math.Inf(1)) - a
	}
	return 0
}

// Epsilon returns the distance from 1 to the next number: 2⁻²³ or 2⁻⁵².
func Epsilon[F num.Float]() float64 { return Unit(F(1)) }
