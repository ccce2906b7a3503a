package dual

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// The products of the model are those of its matrix, and conjugate gradients come to the
// step that its Cholesky factors make.
func TestProducts(t *testing.T) {
	for seed := range uint64(30) {
		for _, f := range functions {
			p := draw(seed).p
			p.F = f.f
			n := len(p.Rows)
			for i := range p.Rows { // well-conditioned
				size := p.size(&p.Rows[i])
				p.Rows[i].Bound = Bound{Square, size, 10 / (size * size)}
			}
			s := must.Have(p.At(t.Context(), make([]float64, n), Dense))(t)
			a, b := &model{s: s}, &model{s: s}
			for i := range n {
				a.rows, b.rows = append(a.rows, i), append(b.rows, i)
			}
			must.Do(t, errors.Join(a.prepare(t.Context()), b.prepare(t.Context())))
			b.dense = nil
			v, x, y := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range v {
				v[i] = float64(i%3) - 0.7
			}
			a.multiply(x, v)
			b.multiply(y, v)
			far := func(x, y []float64) (d float64) {
				for i := range x {
					d = max(d, math.Abs(x[i]-y[i])/(1+math.Abs(x[i])))
				}
				return d
			}
			if f.name != "Trace" { // where rows are flat their matrix is diagonal in products only
				if d := far(x, y); !(d <= 1e-10) {
					t.Errorf("seed %d, %s: products differ by %g", seed, f.name, d)
				}
			}
			x = must.Have(a.subspace(t.Context(), a.rows, v, 0))(t)
			y = must.Have(b.subspace(t.Context(), b.rows, v, 1e-12))(t)
			if d := far(x, y); f.name != "Trace" && !(d <= 1e-8) {
				t.Errorf("seed %d, %s: solutions without signs differ by %g", seed, f.name, d)
			}
			x = must.Have(a.solve(t.Context()))(t)
			s.Violation, s.Gap = 1e-20, 1e-20
			y = must.Have(b.solve(t.Context()))(t)
			if d := far(x, y); f.name != "Trace" && !(d <= 1e-6) {
				t.Errorf("seed %d, %s: steps differ by %g", seed, f.name, d)
			}
		}
	}
}

// A direction in which rounding has left no numbers, or that leads beyond their range, ends a
// search without a step, and not with an error about data.
func TestSearchBeyondNumbers(t *testing.T) {
	for _, f := range functions {
		p := draw(1).p
		p.F = f.f
		for i := range p.Rows {
			size := p.size(&p.Rows[i])
			p.Rows[i].Bound = Bound{Square, size, 10 / (size * size)}
		}
		s, err := p.At(t.Context(), make([]float64, len(p.Rows)), Dense)
		if err != nil || s.grad == nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			d := make([]float64, len(p.Rows))
			d[0] = v
			if next, err := s.search(t.Context(), d, Dense); next != nil || err != nil {
				t.Errorf("%s, direction %g: %v, %v", f.name, v, next, err)
			}
		}
		far := make([]float64, len(p.Rows))
		for i, g := range s.grad {
			far[i] = math.Copysign(math.MaxFloat64, g)
		}
		if next, err := s.search(t.Context(), far, Dense); err != nil {
			t.Errorf("%s, far: %v, %v", f.name, next, err)
		}
		if at, err := p.spectral(t.Context(), far, Dense); err != nil || at.Dual > -1e300 {
			t.Errorf("%s: the dual is %v far away, error %v", f.name, at, err)
		}
	}
}
