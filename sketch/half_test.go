package sketch

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// value returns the number of a half format with the given bits of the fraction, by its
// definition.
func value(h uint16, fraction int) float64 {
	bias := 1<<(14-fraction) - 1
	exponent, rest := int(h&0x7fff)>>fraction, float64(int(h)&(1<<fraction-1))
	v := 0.
	switch {
	case exponent == 2*bias+1 && rest != 0:
		return math.NaN()
	case exponent == 2*bias+1:
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(rest, 1-bias-fraction)
	default:
		v = math.Ldexp(rest+float64(int(1)<<fraction), exponent-bias-fraction)
	}
	if h>>15 == 1 {
		v = -v
	}
	return v
}

// TestHalf converts all numbers of both formats there and back, and rounds numbers
// between neighbors: in the middle, where the even one is right, and beside it.
func TestHalf(t *testing.T) {
	for _, f := range []struct {
		name     string
		fraction int
		from     func([]float32, []uint16)
		to       func([]uint16, []float32)
	}{{"float16", 10, FromFloat16, ToFloat16}, {"bfloat16", 7, FromBFloat16, ToBFloat16}} {
		x, h := make([]float32, 1), make([]uint16, 1)
		rounded := func(v float32) uint16 {
			f.to(h, []float32{v})
			return h[0]
		}
		for bits := range 1 << 16 {
			b := uint16(bits)
			want := value(b, f.fraction)
			f.from(x, []uint16{b})
			if math.IsNaN(want) {
				if x[0] == x[0] || !math.IsNaN(value(rounded(x[0]), f.fraction)) {
					t.Fatalf("%s: %#x is %v, and back %#x", f.name, b, x[0], rounded(x[0]))
				}
				continue
			}
			if float64(x[0]) != want || math.Signbit(float64(x[0])) != math.Signbit(want) || rounded(x[0]) != b {
				t.Fatalf("%s: %#x is %v, want %v, and back %#x", f.name, b, x[0], want, rounded(x[0]))
			}
			if b&0x7fff == 1<<15-1<<f.fraction { // infinite
				continue
			}
			next := value(b+1, f.fraction)
			if math.IsInf(next, 0) {
				next = math.Copysign(2*math.Abs(value(b, f.fraction))-math.Abs(value(b-1, f.fraction)), want)
			}
			middle := float32((want + next) / 2)
			even := b + b&1
			if got := rounded(middle); got != even {
				t.Fatalf("%s: %v between %#x and %#x is rounded to %#x", f.name, middle, b, b+1, got)
			}
			toward := math.Nextafter32(middle, float32(want))
			if got := rounded(toward); got != b {
				t.Fatalf("%s: %v above %#x is rounded to %#x", f.name, toward, b, got)
			}
			away := math.Nextafter32(middle, float32(2*next-want))
			if got := rounded(away); got != b+1 {
				t.Fatalf("%s: %v below %#x is rounded to %#x", f.name, away, b+1, got)
			}
		}
	}
	// A row that is stored in half the memory and rotated keeps three digits.
	r := rand.New(rand.NewPCG(1, 2))
	row, stored, back := make([]float32, 960), make([]uint16, 960), make([]float32, 960)
	for i := range row {
		row[i] = float32(r.NormFloat64())
	}
	ToFloat16(stored, row)
	FromFloat16(back, stored)
	rotation := NewRotation[float32](960, 4, 1)
	rotation.Apply(row, row)
	rotation.Apply(back, back)
	for i, v := range row {
		if !(math.Abs(float64(v-back[i])) <= 3e-3) {
			t.Fatalf("element %d: %v, want %v", i, back[i], v)
		}
	}
}

func TestHalfPanics(t *testing.T) {
	for i, body := range []func(){
		func() { FromFloat16(make([]float32, 1), make([]uint16, 2)) }, func() { ToFloat16(make([]uint16, 1), nil) },
		func() { FromBFloat16(nil, make([]uint16, 2)) }, func() { ToBFloat16(make([]uint16, 3), make([]float32, 2)) },
	} {
		if must.Recovered(body) == nil {
			t.Errorf("case %d does not panic", i)
		}
	}
}
