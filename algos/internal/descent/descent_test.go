package descent

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/floats"
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

// The step is halved until the function falls by a ten-thousandth of what the gradient promises, forty times at most, and the
// next one begins with four times the last. Without a direction nothing is tried.
func TestStepSizes(t *testing.T) {
	b := basis.NewFourier(mat.NewDense(2, 1, []float64{3, 4}), 1) // of scale 5
	g := mat.NewDense(2, 1, []float64{0, 2})
	var s Search
	var tried []float64
	falls := func(most, by float64) func(basis.Learnable) (float64, error) {
		return func(next basis.Learnable) (float64, error) {
			eta := (4 - next.Points().At(1, 0)) / 2
			tried = append(tried, eta)
			if eta > most {
				return 9, nil
			}
			return 1 - by*eta*4, nil
		}
	}
	for _, c := range []struct {
		most, by float64
		want     []float64 // steps
	}{
		{.1, .5, []float64{.3, .15, .075}}, // 4·0.03 of the scale over the size of the gradient, and less
		{.2, .5, []float64{.3, .15}},
		{1, 1.1e-4, []float64{.6}},
	} {
		tried = nil
		next, v, err := s.Step(b, g, 1, falls(c.most, c.by))
		if err != nil || next == nil || !floats.EqualApprox(tried, c.want, 1e-12) || math.Abs(v-(1-c.by*4*tried[len(tried)-1])) > 1e-15 {
			t.Fatalf("%+v: the steps are %v, %g, %v", c, tried, v, err)
		}
		if p := next.Points(); p.At(0, 0) != 3 || b.Points().At(1, 0) != 4 {
			t.Errorf("%+v: the points are %v", c, mat.Formatted(p))
		}
	}
	tried = nil
	if next, v, err := s.Step(b, g, 1, falls(9, .9e-4)); next != nil || v != 1 || err != nil || len(tried) != 40 {
		t.Errorf("too little is gained, but there is a step to %g after %d: %v", v, len(tried), err)
	}
	if next, _, err := s.Step(b, g, 1e20, func(basis.Learnable) (float64, error) { return 1e20, nil }); next != nil || err != nil {
		t.Errorf("nothing is gained of a large value, but there is a step: %v", err)
	}
	still := func(basis.Learnable) (float64, error) { panic("there is no direction") }
	for _, v := range []float64{0, math.Inf(1), math.NaN(), 1e200} {
		if next, value, err := s.Step(b, mat.NewDense(2, 1, []float64{0, v}), 7, still); next != nil || value != 7 || err != nil {
			t.Errorf("a gradient of %g: %v, %g, %v", v, next, value, err)
		}
	}
	if next, value, err := s.Step(basis.NewFourier(mat.NewDense(2, 1, nil), 1), g, 7, still); next != nil || value != 7 || err != nil {
		t.Errorf("points of scale 0: %v, %g, %v", next, value, err)
	}
}

// What was learned is found in each kind of features.
func TestParameters(t *testing.T) {
	u := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	k := kernel.Gaussian{Gamma: .5}
	for name, c := range map[string]struct {
		f    basis.Learnable
		thin bool
	}{"landmarks": {basis.NewValues(k, u, 1), false}, "sparse": {basis.NewSparseValues(k, u, 1), true},
		"frequencies": {basis.NewFourier(u, 1), false}} {
		if got := Parameters(c.f); !mat.Equal(got, u) || Thin(c.f) != c.thin {
			t.Errorf("%s: %v, thin %v", name, mat.Formatted(got), Thin(c.f))
		}
	}
}

// The gradient is that of differences of the function, over several blocks of rows.
func TestPull(t *testing.T) {
	const n, h = 2100, 1e-5
	x := gram.Of(algotest.Problem(3, n, 3, 2).X)
	u := mat.DenseCopyOf(algotest.Problem(4, 3, 3, 2).X)
	for name, f := range map[string]basis.Learnable{"landmarks": basis.NewValues(kernel.Gaussian{Gamma: .5}, u, 1),
		"frequencies": basis.NewFourier(u, 1)} {
		phi := f.Map(nil, x)
		e := mat.DenseCopyOf(phi)
		e.Apply(func(i, j int, _ float64) float64 { return float64((3*i+j)%7) - 2 }, e)
		value := func(points *mat.Dense) float64 {
			var at mat.Dense
			at.MulElem(e, f.With(points).Map(nil, x))
			return mat.Sum(&at)
		}
		for _, workers := range []int{1, 3} {
			g := must.Have(Pull(t.Context(), workers, f, mat.DenseCopyOf(e), phi, rows.NewProducts(x, workers)))(t)
			d, m := g.Dims()
			for i := range d {
				for j := range m {
					up, down := mat.DenseCopyOf(f.Points()), mat.DenseCopyOf(f.Points())
					up.Set(i, j, up.At(i, j)+h)
					down.Set(i, j, down.At(i, j)-h)
					if want := (value(up) - value(down)) / (2 * h); !(math.Abs(g.At(i, j)-want) <= 1e-4*(1+math.Abs(want))) {
						t.Errorf("%s, %d workers: the derivative by %d, %d is %g, want %g", name, workers, i, j, g.At(i, j), want)
					}
				}
			}
		}
	}
}
