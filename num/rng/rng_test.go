package rng

import (
	"math"
	"reflect"
	"testing"

	"github.com/gramworks/gram/internal/draws"
)

func TestStreams(t *testing.T) {
	a, b := New(1, 2), New(1, 2)
	for range 10 {
		if a.Uint64() != b.Uint64() {
			t.Fatal("the same seed and stream differ")
		}
	}
	// The first outputs of neighboring seeds and streams look uniform and
	// uncorrelated: mean 1/2 and lag-one correlation 0 within 5 sigma.
	const n = 20000
	for name, draw := range map[string]func(i uint64) float64{
		"streams": func(i uint64) float64 { return New(7, i).Float64() },
		"seeds":   func(i uint64) float64 { return New(i, 0).Float64() },
	} {
		var sum, lag float64
		prev := draw(n)
		for i := range uint64(n) {
			v := draw(i)
			sum += v
			lag += (v - .5) * (prev - .5) * 12
			prev = v
		}
		if d := math.Abs(sum/n - .5); !(d < 5*math.Sqrt(1./12/n)) {
			t.Errorf("%s: mean off by %g", name, d)
		}
		if c := math.Abs(lag / n); !(c < 5/math.Sqrt(n)) {
			t.Errorf("%s: correlation %g", name, c)
		}
	}
	if Derive(1, "a") == Derive(1, "b") || Derive(1, "a") == Derive(2, "a") {
		t.Error("Derive does not separate")
	}
}

// Every result depends on the streams, so these numbers must never change.
// mix is SplitMix64, whose first outputs from 0 are known.
func TestPinned(t *testing.T) {
	const golden = 0x9e3779b97f4a7c15
	for k, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := mix(uint64(k) * golden); got != want {
			t.Errorf("output %d of SplitMix64 is %#x, want %#x", k, got, want)
		}
	}
	for _, c := range []struct{ seed, stream, want uint64 }{
		{0, 0, 0xbaad8965c7242aa},
		{1, 0, 0x9bc63dc680795eab},
		{0, 1, 0x6061e2d8ca9f0b68},
		{12, 77, 0x3f512855efeaaa8},
	} {
		if got := New(c.seed, c.stream).Uint64(); got != c.want {
			t.Errorf("stream %d of seed %d begins with %#x, want %#x", c.stream, c.seed, got, c.want)
		}
	}
	for _, c := range []struct {
		seed uint64
		part string
		want uint64
	}{{0, "", 0xe220a8397b1dcdaf}, {1, "folds", 0xc73d9d4b43986071}, {2, "folds", 0x70efd13e33278b9}, {1, "sfold", 0x639208ff4d23ab3d}} {
		if got := Derive(c.seed, c.part); got != c.want {
			t.Errorf("part %q of seed %d is %#x, want %#x", c.part, c.seed, got, c.want)
		}
	}
}

func TestTrace(t *testing.T) {
	var got []any
	draws.Trace.Store(&draws.Tracer{
		New:    func(seed, stream uint64) { got = append(got, seed, stream) },
		Derive: func(seed uint64, part string, derived uint64) { got = append(got, seed, part, derived) },
	})
	traced := New(Derive(5, "a"), 2).Uint64()
	draws.Trace.Store(nil)
	if New(Derive(5, "a"), 2).Uint64() != traced {
		t.Error("a trace changes a stream")
	}
	if want := []any{uint64(5), "a", Derive(5, "a"), Derive(5, "a"), uint64(2)}; !reflect.DeepEqual(got, want) {
		t.Errorf("traced %v, want %v", got, want)
	}
}
