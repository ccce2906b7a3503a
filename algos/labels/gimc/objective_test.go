package gimc

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// What a fit says of its last step is the value of the objective at the model, for few labels and
// many; the gradients are those of the value, and the best W has none.
func TestObjectiveValue(t *testing.T) {
	for _, labels := range []int{3, 20} {
		x, y := gen.LinearTags(30, 4, labels, 4)
		for _, c := range []Config{{M: 5, Gamma: .2}, {M: 6, Gamma: .3, Map: completion.Nystrom, NoConstant: true}} {
			c.Steps, c.Lambda = 3, gram.Set(.7)
			m := must.Have(c.Fit(t.Context(), x, y))(t)
			o := must.Have(c.Objective(x, y))(t)
			u, w := m.Points(), mat.DenseCopyOf(m.Weights())
			trace := m.Stats().Objective
			want := trace[len(trace)-1]
			if got := o.Value(u, w); !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("value %v, the fit says %v", got, want)
			}
			if best, got := o.Best(u); !(math.Abs(got-want) <= 1e-12*want) || !mat.EqualApprox(best, w, 1e-9) {
				t.Errorf("the best W has the value %v, the fit says %v", got, want)
			}
			if _, dw := o.Gradient(u, w); !(mat.Norm(dw, 2) <= 1e-10*want) {
				t.Errorf("a gradient of %v by the best W", mat.Norm(dw, 2))
			}
			w.Scale(1.3, w)
			du, dw := o.Gradient(u, w)
			fixture.Gradient(t, "U", u, du, func() float64 { return o.Value(u, w) })
			fixture.Gradient(t, "W", w, dw, func() float64 { return o.Value(u, w) })
		}
	}
}

// Given points are where learning starts; with Fixed they are the features, Fastfood's too.
func TestGiven(t *testing.T) {
	x, y := gen.LinearTags(40, 4, 6, 4)
	for _, kind := range []completion.Kind{completion.Fourier, completion.Nystrom} {
		c := Config{Map: kind, M: 5, Gamma: .2, Fixed: true}
		drawn := must.Have(c.Fit(t.Context(), x, y))(t)
		learned := c
		learned.Fixed, learned.Steps, learned.Validation = false, 3, .3
		for _, c := range []Config{c, learned} {
			want := must.Have(c.Fit(t.Context(), x, y))(t)
			if kind == completion.Nystrom && c.Validation > 0 {
				continue // other landmarks are chosen without a part of the rows
			}
			c.Given.Points, c.M = drawn.Points(), 0
			again := must.Have(c.Fit(t.Context(), x, y))(t)
			if !mat.Equal(again.Scores(nil, x), want.Scores(nil, x)) || again.Config().Given.Points != nil || again.Config().M != 5 {
				t.Errorf("%s: another model from the same points", kind)
			}
		}
		c.Given.Points = mat.NewDense(5, 3, nil)
		_, err := c.Fit(t.Context(), x, y)
		algotest.Names(t, "Points", "5×3", err)
	}
	fast := must.Have(rff.Config{Kernel: kernel.Gaussian{Gamma: .2}, M: 6, Frequencies: rff.Fastfood}.Fit(t.Context(), x))(t)
	m := must.Have(Config{Fixed: true, Given: Given{Frequencies: fast}}.Fit(t.Context(), x, y))(t)
	if !mat.EqualApprox(m.Map(nil, x), fast.Map(nil, x), 1e-12) {
		t.Error("the features are not those of the given frequencies")
	}
}

// An objective has no value where U or W has rows or columns of another number than the fit's.
func TestObjectiveShapes(t *testing.T) {
	x, y := gen.LinearTags(30, 4, 3, 4)
	o := must.Have(Config{M: 5, Gamma: .2, NoConstant: true}.Objective(x, y))(t)
	u := gen.Normal(5, 4, 1)
	w, _ := o.Best(u)
	labels, features := w.Dims()
	for _, shape := range [][2]int{{6, 4}, {5, 3}, {4, 5}} {
		wrong := gen.Normal(shape[0], shape[1], 1)
		for _, call := range []func(){func() { o.Value(wrong, w) }, func() { o.Gradient(wrong, w) }, func() { o.Best(wrong) }} {
			if p := must.Recovered(call); p != "gimc: U has the wrong shape" {
				t.Errorf("U is %d×%d: %v", shape[0], shape[1], p)
			}
		}
	}
	for _, shape := range [][2]int{{labels + 1, features}, {labels, features - 1}, {features, labels}} {
		wrong := gen.Normal(shape[0], shape[1], 1)
		for _, call := range []func(){func() { o.Value(u, wrong) }, func() { o.Gradient(u, wrong) }} {
			if p := must.Recovered(call); p != "gimc: W has the wrong shape" {
				t.Errorf("W is %d×%d: %v", shape[0], shape[1], p)
			}
		}
	}
}
