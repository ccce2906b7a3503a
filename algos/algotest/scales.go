package algotest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// scales checks that finite numbers of any size give a good answer or an error. Targets times
// a power of two give the model times this power. A cell or a target whose square would
// overflow is an error that says where it is.
func (s Subject) scales(t *testing.T) {
	try := func(what string, d Data) (*Model, error) {
		t.Helper()
		m, err := s.Fit(context.Background(), d, run)
		switch {
		case err == nil && m == nil:
			t.Errorf("%s: no model and no error", what)
		case err != nil && !expected(err):
			t.Errorf("%s: error %v", what, err)
		case m != nil:
			finite(t, what, m.Output(d.X))
		}
		return m, err
	}
	base := s.fit(t, small(), run)
	for _, k := range []int{-600, -300, -240, -120, -30, 30, 120, 240, 300, 600} {
		d := small()
		d.X.(*mat.Dense).Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, k) }, d.X)
		try(fmt.Sprintf("cells times 2^%d", k), d)
		d.X = sparse.FromDense(d.X)
		try(fmt.Sprintf("sparse cells times 2^%d", k), d)
		if s.Kind != Regression {
			continue
		}
		d = small()
		for i, v := range d.Value {
			d.Value[i] = math.Ldexp(v, k)
		}
		what := fmt.Sprintf("targets times 2^%d", k)
		m, err := try(what, d)
		if m == nil {
			if k > -250 && k < 250 {
				t.Errorf("%s: no model: %v", what, err)
			}
			continue
		}
		if s.Units {
			continue
		}
		got := m.Output(d.X)
		got.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, -k) }, got)
		near(t, what, got, base.Output(d.X), 1e-6)
	}
	// The rows of a part of the space may vanish beside the others.
	d := small()
	for i := range d.Value {
		if d.X.At(i, 0) < 0.7 {
			d.Value[i], d.Weights[i] = math.Ldexp(d.Value[i], -300), math.Ldexp(d.Weights[i], -300)
		}
	}
	s.fit(t, d, run)
	for i := range d.Weights {
		d.Weights[i] = 1
	}
	finite(t, "where some targets vanish", s.fit(t, d, run).Output(d.X))
	s.overflows(t, base, try)
}

// overflows checks that a cell or a target whose square would overflow is an error that says where it is; a subject that takes
// any cells is tried.
func (s Subject) overflows(t *testing.T, base *Model, try func(what string, d Data) (*Model, error)) {
	t.Helper()
	for _, v := range []float64{-1e155, 1e200, math.MaxFloat64} {
		at := func(what string, d Data, col int) {
			t.Helper()
			_, err := s.Fit(context.Background(), d, run)
			var de *gram.DataError
			if !errors.As(err, &de) || de.Row != 17 || de.Col != col || de.Reason == "" {
				t.Errorf("%s of %g: error %v", what, v, err)
			}
		}
		d := small()
		d.X.(*mat.Dense).Set(17, 2, v)
		if s.AnyCells {
			try(fmt.Sprintf("cell of %g", v), d)
		} else {
			at("cell", d, 2)
			at("sparse cell", Data{sparse.FromDense(d.X), d.Value, d.Labels, d.Tags, d.Weights}, 2)
		}
		base.Output(d.X) // does not panic
		base.Output(sparse.FromDense(d.X))
		if s.Kind == Regression {
			d := small()
			d.Value[17] = v
			at("target", d, -1)
		}
	}
}
