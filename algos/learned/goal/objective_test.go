package goal

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// What a fit says of its model is the value of the objective there, for every loss; the gradients
// by points, coefficients and constants are those of the value, and by the last two they vanish.
func TestObjectiveValue(t *testing.T) {
	d := algotest.Problem(3, 40, 3, 3)
	for _, c := range []Config{
		{Loss: SquaredHinge, C: 2}, {Loss: Logistic, Features: Fourier}, {Loss: Squared, Lambda: gram.Set(.1), NoBias: true},
	} {
		c.Kernel, c.M, c.MaxIter, c.Holdout = kernel.Gaussian{Gamma: .3}, 4, gram.Set(2), gram.Set(0.)
		m := must.Have(c.Fit(t.Context(), d.X, d.Labels, d.Weights))(t)
		o := must.Have(c.Objective(d.X, d.Labels, d.Weights))(t)
		r := must.Have(c.FitValues(t.Context(), d.X, d.Value, nil))(t)
		v := must.Have(c.ObjectiveValues(d.X, d.Value, nil))(t)
		for _, s := range []struct {
			name string
			f    *function
			o    *Objective
		}{{c.Loss.String(), m.function, o}, {"values", r.function, v}} {
			u := s.f.Points()
			w, b := s.f.Weights()
			if c.NoBias {
				b = nil
			}
			want := s.f.Stats().Final
			if got := s.o.Value(u, w, b); !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("%s: value %v, the fit says %v", s.name, got, want)
			}
			if _, dw, db := s.o.Gradient(u, w, b); !(mat.Norm(dw, 2) <= 1e-4*want) || db != nil && !(math.Abs(db[0]) <= 1e-4*want) {
				t.Errorf("%s: gradients of %v and %v by the best coefficients", s.name, mat.Norm(dw, 2), db)
			}
			at := mat.DenseCopyOf(w)
			at.Scale(.8, w)
			value := func() float64 { return s.o.Value(u, at, b) }
			du, dw, db := s.o.Gradient(u, at, b)
			fixture.Gradient(t, s.name+" U", u, du, value)
			fixture.Gradient(t, s.name+" W", at, dw, value)
			if b != nil {
				fixture.Gradient(t, s.name+" b", mat.NewDense(1, len(b), b), mat.NewDense(1, len(b), db), value)
			}
		}
	}
}
