package dual

import (
	"context"
	"errors"
	"testing"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
)

// Steps, spectra and proofs end with the error of their context at whichever look it ends, and a proof is whole or none.
func TestLooks(t *testing.T) {
	hard := func(feasible bool) *Problem {
		for seed := uint64(0); ; seed++ {
			if in := draw(seed); in.feasible == feasible {
				in.p.F = LogDet{}
				return in.p
			}
		}
	}
	p, none := hard(true), hard(false)
	y := make([]float64, len(p.Rows))
	quadratic := *p
	quadratic.F = Quadratic{}
	o := Options{Tol: 1e-8, MaxIter: 500, Spectrum: Dense, Progress: func(int, float64) {}}
	proof := func(err error) (any, error) { // is the result
		if e, is := errors.AsType[*constraint.InfeasibleError](err); is {
			return e, nil
		}
		return nil, err
	}
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"Newton": func(ctx context.Context) (any, error) {
			s, _, err := p.Newton(ctx, y, o)
			return looktest.Unless(err, func() any { return s.Y })
		},
		"Newton of a contradiction": func(ctx context.Context) (any, error) {
			_, _, err := none.Newton(ctx, make([]float64, len(none.Rows)), o)
			return proof(err)
		},
		"Sweep": func(ctx context.Context) (any, error) {
			s, _, err := p.Sweep(ctx, o)
			return looktest.Unless(err, func() any { return s.Y })
		},
		"Sweep of a contradiction": func(ctx context.Context) (any, error) {
			_, _, err := none.Sweep(ctx, o)
			return proof(err)
		},
		"Warm": func(ctx context.Context) (any, error) {
			y, _, err := p.Warm(ctx, o, 5)
			return y, err
		},
		"Feasible": func(ctx context.Context) (any, error) { return proof(none.Feasible(ctx, o)) },
		"At": func(ctx context.Context) (any, error) {
			s, err := p.At(ctx, y, Dense)
			return looktest.Unless(err, func() any { return s.Objective })
		},
		"Dense": func(ctx context.Context) (any, error) {
			values, _, err := Dense(ctx, p, y)
			return values, err
		},
		"Lanczos": func(ctx context.Context) (any, error) {
			values, _, err := new(Lanczos).Spectrum(ctx, &quadratic, y)
			return values, err
		},
		"State.Spectrum": func(ctx context.Context) (any, error) {
			s := must.Have(p.At(t.Context(), y, Dense))(t)
			sigma, lambda, _, _, err := s.Spectrum(ctx)
			return [][]float64{sigma, lambda}, err
		},
	})
}

// Sweeps whose context has ended project on no row, and say so.
func TestEndedSweeps(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, f := range []Function{LogDet{}, VonNeumann{}} {
		p := single(f, []float64{1, 2}, []float64{0, 0}, Bound{B: 1})
		o := Options{Tol: 1e-8, MaxIter: 3, Progress: func(int, float64) {}}
		s, report, err := p.Sweep(ctx, o)
		if !errors.Is(err, context.Canceled) || report.Iterations != 0 || report.Projections != 0 || s.Y[0] != 0 {
			t.Errorf("%T: %d sweeps with %d projections, the dual %g, and %v", f, report.Iterations, report.Projections, s.Y[0], err)
		}
	}
}
