package cost

import (
	"math"
	"testing"
)

// Fit finds the rate that the points come from, and halves and doubles of it count the same.
func TestFit(t *testing.T) {
	var exact, noisy []Point
	for i, f := range []float64{1e6, 1e7, 1e8, 1e9, 1e10} {
		s := .003 + 2e-10*f
		exact = append(exact, Point{f, s})
		for _, q := range []float64{.5, 2} {
			noisy = append(noisy, Point{f, s * q})
		}
		if i == 2 {
			exact = append(exact, Point{f, 0}) // does not count
		}
	}
	for _, points := range [][]Point{exact, noisy} {
		if r := Fit(points); !(math.Abs(r.Fixed/.003-1) < 1e-6) || !(math.Abs(r.PerFlop/2e-10-1) < 1e-6) {
			t.Errorf("%+v", r)
		}
	}
	// Nothing is negative: more flops that take less time are fixed seconds, and a time that grows faster than the flops has none.
	if r := Fit([]Point{{1, 4}, {2, 1}}); !(math.Abs(r.Fixed-2) < 1e-6) || r.PerFlop != 0 {
		t.Errorf("%+v", r)
	}
	if r := Fit([]Point{{1, 1}, {2, 8}}); r.Fixed != 0 || !(math.Abs(r.PerFlop-2) < 1e-6) {
		t.Errorf("%+v", r)
	}
	if r := Fit([]Point{{3, 6}, {3, 6}}); !(math.Abs(r.PerFlop-2) < 1e-12) {
		t.Errorf("the same flops twice: %+v", r)
	}
}

// Of 4 s, 1 s is that of multiply-adds at the peak, and the rest is plain code.
func TestSeconds(t *testing.T) {
	on := Machine{Peak: 10, Plain: 1}
	r := Rate{Fixed: 1, PerFlop: 3e-10, Parallel: .5}
	for _, c := range []struct {
		here       Machine
		goroutines int
		want       float64
	}{
		{on, 1, 4}, {on, 0, 4}, {on, 2, 3}, {on, 1000, 2.002}, {Machine{20, 1}, 1, 3.5}, {Machine{10, 2}, 1, 2.5}, {Machine{1, .5}, 1, 16},
	} {
		if got := r.Seconds(1e10, c.goroutines, on, c.here); !(math.Abs(got-c.want) < 1e-9) {
			t.Errorf("%+v: %g s, want %g", c, got, c.want)
		}
	}
	// No program does more than the peak: a rate above it scales with the peak alone.
	if got := (Rate{PerFlop: 1e-11}).Seconds(1e10, 1, on, Machine{20, 9}); !(math.Abs(got-.05) < 1e-12) {
		t.Errorf("%g s", got)
	}
}

func TestShare(t *testing.T) {
	for _, c := range [][4]float64{{4, 2, 2, 1}, {4, 3, 2, .5}, {4, 5, 2, 0}, {4, 1, 2, 1}, {4, 2.5, 4, .5}} {
		if p := Share(c[0], c[1], int(c[2])); !(math.Abs(p-c[3]) < 1e-12) {
			t.Errorf("%v: %g", c, p)
		}
	}
}

func TestHere(t *testing.T) {
	m := Here()
	if !(m.Peak > .01 && m.Peak < 1000) || !(m.Plain > .01 && m.Plain < 100) || m != Here() {
		t.Errorf("%+v", m)
	}
}

func TestAbout(t *testing.T) {
	for s, want := range map[float64]string{.01: "less than 0.1 s", .5: "about 0.5 s", 42.4: "about 42 s", 99.6: "about 100 s", 100: "about 1.7 min", 200: "about 3 min",
		3600: "about 60 min", 6000: "about 1.7 h", 86400: "about 24 h", 1e6: "about 12 days", math.Inf(1): "longer than a lifetime"} {
		if got := About(s); got != want {
			t.Errorf("%g: %q, want %q", s, got, want)
		}
	}
}
