package rng

import (
	"math"
	"testing"
)

func TestStreams(t *testing.T) {
	a, b := New(1, 2), New(1, 2)
	for range 10 {
		if a.Uint64() != b.Uint64() {
			t.Fatal("the same seed and stream differ")
		}
	}
	// First outputs of neighbouring seeds and streams look uniform and
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
