package gp

import (
	"errors"
	"math"
	"testing"
)

// summit finds the largest value of smooth functions within indifferent, in few evaluations, wherever it is: within the grid, at its ends, or beside values
// of −Inf.
func TestSummit(t *testing.T) {
	inf := math.Inf(-1)
	for name, c := range map[string]struct {
		f    func(x float64) float64
		top  float64 // the largest value
		most int     // evaluations
	}{
		"parabola":         {func(x float64) float64 { return 5 - 3*(x-.37)*(x-.37) }, 5, 11},
		"a side is steep":  {func(x float64) float64 { return 40*(x-.8) - math.Exp(6*(x-.8))*40/6 }, -40. / 6, 15},
		"beyond the end":   {func(x float64) float64 { return -(x - 2.3) * (x - 2.3) }, 0, 14},
		"beyond the start": {func(x float64) float64 { return -(x + 4.4) * (x + 4.4) }, 0, 14},
		"no value below": {func(x float64) float64 {
			if x < .2 {
				return inf
			}
			return -(x - .3) * (x - .3)
		}, 0, 17},
		"constant": {func(x float64) float64 { return 7 }, 7, 10},
		"none":     {func(x float64) float64 { return inf }, inf, 9},
	} {
		best, count := inf, 0
		if err := maximizeByParabolas(-4, 2, 9, func(x float64) (float64, error) {
			count++
			best = max(best, c.f(x))
			return c.f(x), nil
		}); err != nil {
			t.Fatal(err)
		}
		if !(best == c.top || best >= c.top-2*indifferent) || count > c.most {
			t.Errorf("%s: %v after %d evaluations, %v is possible", name, best, count, c.top)
		}
	}
	// The place that comes next among three, and what it may gain.
	for name, c := range map[string]struct{ x, v, want [3]float64 }{
		"the right is higher":       {[3]float64{3, 1, 0}, [3]float64{5, 4, 0}, [3]float64{2, math.Inf(1)}},
		"the left is higher":        {[3]float64{3, 1, -1}, [3]float64{0, 4, 5}, [3]float64{0, math.Inf(1)}},
		"nothing on the wide right": {[3]float64{3, 1, 0}, [3]float64{inf, 4, 3}, [3]float64{2, math.Inf(1)}},
		"nothing on the wide left":  {[3]float64{2, 1, -1}, [3]float64{3, 4, inf}, [3]float64{0, math.Inf(1)}},
		"the top":                   {[3]float64{1, 0, -1}, [3]float64{-.25, -.25, -2.25}, [3]float64{.5, .25}}, // −(x − ½)²
		"a line":                    {[3]float64{1, 0, -1}, [3]float64{0, 0, 0}, [3]float64{0, 0}},
		"much farther right":        {[3]float64{4, 0, -1}, [3]float64{-9, -1, -4}, [3]float64{1, 1}}, // −(x − 1)²
		"much farther left":         {[3]float64{1, 0, -4}, [3]float64{-4, -1, -9}, [3]float64{-1, 1}},
	} {
		if place, gain := vertex(c.x, c.v); !(math.Abs(place-c.want[0]) <= 1e-12) || gain != c.want[1] && !(math.Abs(gain-c.want[1]) <= 1e-12) {
			t.Errorf("%s: %v with a gain of %v, want %v", name, place, gain, c.want[:2])
		}
	}
	stop := errors.New("stop")
	for last := range 11 {
		count := 0
		if err := maximizeByParabolas(-4, 2, 9, func(x float64) (float64, error) {
			if count++; count > last {
				return 0, stop
			}
			return -(x - 2.3) * (x - 2.3), nil
		}); !errors.Is(err, stop) || count != last+1 {
			t.Errorf("error %v after %d evaluations, %d were allowed", err, count, last)
		}
	}
}
