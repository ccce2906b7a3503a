package algotest

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Gradient holds that g is the derivative of f by the entries of x, by central differences.
func Gradient(t *testing.T, what string, x, g *mat.Dense, f func() float64) {
	t.Helper()
	n, d := x.Dims()
	if r, c := g.Dims(); r != n || c != d {
		t.Fatalf("%s: a gradient of %d×%d numbers for %d×%d", what, r, c, n, d)
	}
	for i := range n {
		for j := range d {
			const step = 1e-5
			old := x.At(i, j)
			x.Set(i, j, old+step)
			up := f()
			x.Set(i, j, old-step)
			down := f()
			x.Set(i, j, old)
			if want := (up - down) / (2 * step); !(math.Abs(g.At(i, j)-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("%s: derivative %v by (%d,%d), by differences %v", what, g.At(i, j), i, j, want)
				return
			}
		}
	}
}
