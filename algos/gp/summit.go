package gp

import (
	"math"
	"slices"
)

// indifferent is a difference of likelihoods that does not count against a larger λ, whose
// coefficients are smaller.
const indifferent = 1e-3

// maximizeByParabolas calls value, the likelihood at a decade of λ, where it may be largest: at the points of a grid from highest down to lowest, and then at the top of the
// parabola through the largest one and its neighbors, which gives way to it, until the parabola promises an increase below indifferent. A value may be −Inf.
func maximizeByParabolas(lowest, highest float64, points int, value func(decade float64) (float64, error)) error {
	step := (highest - lowest) / float64(points-1)
	var x, v []float64
	top := -1
	at := func(i int, decade float64) error {
		l, err := value(decade)
		if err != nil {
			return err
		}
		x, v = slices.Insert(x, i, decade), slices.Insert(v, i, l)
		return nil
	}
	for i := range points {
		if err := at(i, highest-step*float64(i)); err != nil {
			return err
		}
		if !math.IsInf(v[i], -1) && (top < 0 || v[i] > v[top]+indifferent) {
			top = i
		}
	}
	if top < 0 {
		return nil
	}
	if top == 0 { // a neighbor beyond the grid
		if err := at(0, x[0]+step); err != nil {
			return err
		}
		top++
	}
	if top == len(x)-1 {
		if err := at(len(x), x[top]-step); err != nil {
			return err
		}
	}
	const most = 8 // evaluations; three or four do for a smooth function
	for range most {
		decade, gain := vertex([3]float64(x[top-1:top+2]), [3]float64(v[top-1:top+2]))
		if gain < indifferent {
			return nil
		}
		i := top
		if decade < x[top] {
			i++
		}
		if err := at(i, decade); err != nil {
			return err
		}
		if i == top {
			top++ // the place of the old top
		}
		if v[i] > v[top] {
			top = i
		}
	}
	return nil
}

// vertex returns a place between the first and the last of three descending ones, where a function with the values v may be largest, and what it may have more
// there than in the middle: the top of their parabola, but the mirror image of the nearer place if the other one is much farther, and the middle of an interval if there
// is no parabola with a top.
func vertex(x, v [3]float64) (place, gain float64) {
	right, left := x[0]-x[1], x[1]-x[2]
	up, down := v[0]-v[1], v[2]-v[1]
	switch {
	case up > indifferent:
		return x[1] + right/2, math.Inf(1)
	case down > indifferent:
		return x[1] - left/2, math.Inf(1)
	case math.IsInf(up+down, -1) && right > left:
		return x[1] + right/2, math.Inf(1)
	case math.IsInf(up+down, -1):
		return x[1] - left/2, math.Inf(1)
	}
	// v[1] + b·t + c·t² for t = x − x[1]
	c := (up/right + down/left) / (right + left)
	b := up/right - c*right
	if !(c < 0) {
		return x[1], 0
	}
	gain = -b * b / (4 * c)
	const much = 3
	switch {
	case right > much*left:
		return x[1] + left, gain
	case left > much*right:
		return x[1] - right, gain
	}
	return x[1] + max(-.9*left, min(-b/(2*c), .9*right)), gain
}
