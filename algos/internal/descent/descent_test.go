package descent

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// On a slope the first step has 0.12 of the scale of the points, the next one four times as much, and none more than the
// scale. Where nothing lowers the function there is no step, and its error ends the search.
func TestStep(t *testing.T) {
	var b basis.Learnable = basis.NewValues(kernel.Gaussian{Gamma: .5}, mat.DenseCopyOf(algotest.Problem(4, 7, 3, 2).X), 1)
	d, m := b.Points().Dims()
	g := mat.NewDense(d, m, nil)
	g.Apply(func(i, j int, _ float64) float64 { return float64(1 + (i+2*j)%3) }, g)
	slope := func(b basis.Learnable) (v float64, err error) {
		b.Points().Apply(func(i, j int, u float64) float64 { v += u * g.At(i, j); return u }, b.Points())
		return v, nil
	}
	var s Search
	for k, want := range []float64{.12, .48, 1, 1} {
		value := must.Have(slope(b))(t)
		next, v, err := s.Step(b, g, value, slope)
		if err != nil || next == nil {
			t.Fatalf("step %d: %v, %v", k, next, err)
		}
		var moved mat.Dense
		moved.Sub(next.Points(), b.Points())
		if size := math.Sqrt(rows.Squares(&moved)); !(math.Abs(size-want*b.Scale()) <= 1e-12*b.Scale()) || v != must.Have(slope(next))(t) {
			t.Errorf("step %d moves the points by %g, want %g", k, size, want*b.Scale())
		}
		b = next
	}
	flat := func(basis.Learnable) (float64, error) { return 1, nil }
	if next, v, err := s.Step(b, g, 1, flat); next != nil || v != 1 || err != nil {
		t.Errorf("on a plain: %v, %g, %v", next, v, err)
	}
	ended := errors.New("ended")
	if _, _, err := s.Step(b, g, 1, func(basis.Learnable) (float64, error) { return 0, ended }); err != ended {
		t.Errorf("got %v, want the error of the function", err)
	}
}
