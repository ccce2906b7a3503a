// Package cost estimates the seconds of a fit from the flops of its plan.
//
// # Use
//
// Fit finds the Rate of a method by fits whose plans and seconds are known, and Rate.Seconds estimates another fit, on the same
// machine or on another one. Package rates holds the rates of all methods that gram table growth has measured.
//
// # Model
//
// With one goroutine a fit of F planned flops takes
//
//	t = a + b·F
//
// seconds, and with w goroutines t·(1−p + p/w), where p is the share of the fit that runs in parallel (Amdahl's law). On a machine with
// the peak P the part F/P of t is that of a program that does nothing but multiply-adds; all the rest is work
// that does not depend on vectors. On another machine the first part is scaled by the ratio of the peaks and the rest by the ratio of
// the speeds of plain code.
//
// # Limits
//
// Of generated problems four times as large as those of the fit of a rate, four of five are within a factor of two; on real data a factor of
// four is usual where a solver takes more or fewer steps, or the rows are sparse. An estimate counts what the plan counts: a plan takes a typical number of steps
// for a solver whose steps depend on the data, and the rates are those of small problems of one kind. It does not include reading the data.
package cost

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/gramworks/gram/asm/peak"
)

// Rate says how the seconds of a method follow from planned flops.
type Rate struct {
	Fixed    float64 // a: seconds that do not depend on the flops
	PerFlop  float64 // b: seconds of a flop, with one goroutine
	Parallel float64 // p: share of the work that runs in parallel, 0 to 1
}

// Point is a fit with one goroutine: its planned flops and its seconds.
type Point struct{ Flops, Seconds float64 }

// Machine holds the speeds of one core of a machine.
type Machine struct {
	Peak  float64 // 10⁹ flops a second of float64 multiply-adds in registers, at the level in force
	Plain float64 // 10⁹ flops a second of a scalar product whose elements are gathered from the first two caches
}

// Fit returns the rate, without a parallel share, for which the squares of the logarithms of estimated by measured seconds have
// about the least sum. It needs a point with positive flops; points without seconds do not count.
func Fit(points []Point) Rate {
	r := Rate{}
	guess := func(p Point) float64 { return p.Seconds }
	for range 50 { // least squares with weights for which the derivatives are those of the logarithms' squares
		var n, f, ff, s, fs float64
		for _, p := range points {
			if !(p.Seconds > 0) {
				continue
			}
			t := guess(p)
			w := 1 / (t * t)
			if q := t/p.Seconds - 1; math.Abs(q) > 1e-6 {
				w = math.Log1p(q) / (q * p.Seconds * t)
			}
			n, f, ff, s, fs = n+w, f+w*p.Flops, ff+w*p.Flops*p.Flops, s+w*p.Seconds, fs+w*p.Flops*p.Seconds
		}
		r.Fixed, r.PerFlop = 0, fs/ff
		if det := n*ff - f*f; det > 1e-9*n*ff { // otherwise all flops are the same
			r.Fixed, r.PerFlop = (s*ff-f*fs)/det, (n*fs-f*s)/det
		}
		if r.Fixed < 0 {
			r.Fixed, r.PerFlop = 0, fs/ff
		}
		if r.PerFlop < 0 {
			r.Fixed, r.PerFlop = s/n, 0
		}
		guess = func(p Point) float64 { return r.Fixed + r.PerFlop*p.Flops }
	}
	return r
}

// Seconds estimates a fit of so many planned flops by so many goroutines on machine here. The rate is one of machine on.
func (r Rate) Seconds(flops float64, goroutines int, on, here Machine) float64 {
	t := r.Fixed + r.PerFlop*flops
	vectors := min(t, flops/(on.Peak*1e9))
	t = vectors*on.Peak/here.Peak + (t-vectors)*on.Plain/here.Plain
	return t * (1 - r.Parallel + r.Parallel/float64(max(1, goroutines)))
}

// Share returns the parallel share of a fit that takes so many seconds by the clock with one goroutine and with several.
func Share(one, several float64, goroutines int) float64 {
	p := (1 - several/one) / (1 - 1/float64(goroutines))
	return math.Max(0, math.Min(1, p))
}

// Here returns the speeds of this machine. The first call measures them in about ten milliseconds.
func Here() Machine { return thisMachine() }

var thisMachine = sync.OnceValue(func() Machine {
	const rounds, gathered = 1000, 1 << 14
	x := make([]float64, peak.Width[float64]())
	a, place := make([]float64, gathered), make([]int32, gathered)
	for i := range place {
		place[i] = int32(i * 5167 % gathered) // 5167 is odd, so that all places occur
	}
	m, sum := Machine{}, 0.0
	for range 25 {
		m.Peak = max(m.Peak, gflops(2*rounds*len(x), func() { peak.FMA(x, 0x1p-10, 0x1p-10, rounds) }))
		m.Plain = max(m.Plain, gflops(2*gathered, func() {
			for _, p := range place {
				sum += a[p] * a[p]
			}
		}))
	}
	a[0] = sum // the loop is not left out
	return m
})

// gflops returns the 10⁹ flops a second of f, which does so many.
func gflops(flops int, f func()) float64 {
	begin := time.Now()
	f()
	return float64(flops) / float64(max(1, time.Since(begin).Nanoseconds()))
}

// About is an estimate of seconds in words: "about 3 min".
func About(seconds float64) string {
	switch {
	case !(seconds < math.MaxInt64/1e9): // years are no use, either
		return "longer than a lifetime"
	case seconds < .1:
		return "less than 0.1 s"
	}
	for _, u := range []struct {
		name    string
		seconds float64
		limit   float64
	}{{"s", 1, 100}, {"min", 60, 100}, {"h", 3600, 72}} {
		if v := seconds / u.seconds; v < u.limit {
			return fmt.Sprintf("about %s %s", digits(v), u.name)
		}
	}
	return fmt.Sprintf("about %.0f days", seconds/86400)
}

// digits writes a number with one digit below 3 and without digits behind the point from then on.
func digits(v float64) string {
	if v < 3 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
