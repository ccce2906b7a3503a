package reference_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// LEML, [S16] eq. 6.24: min ‖Y−XWHᵀ‖² + γ(‖W‖²+‖H‖²).
func TestLEML(t *testing.T) {
	const n, d, l, k = 30, 5, 6, 3
	x := probeNormal(1, n, d)
	y := probeTags(2, x, l)
	dense := y.Dense()
	for _, c := range []struct {
		name string
		c    leml.Config
		in   mat.Matrix
	}{
		{"with a constant", leml.Config{}, x},
		{"no constant", leml.Config{NoConstant: true}, x},
		{"sparse rows", leml.Config{Lambda: gram.Set(3.)}, sparse.FromDense(x)},
	} {
		a := mat.DenseCopyOf(x)
		if !c.c.NoConstant {
			a = probeOnes(x)
		}
		_, columns := a.Dims()
		if c.c.Rank = k; !c.c.Lambda.Given() {
			c.c.Lambda = gram.Set(.7)
		}
		w, h := probeNormal(3, columns, k), probeNormal(4, l, k)
		o := fitted[*leml.Objective](t)(c.c.Objective(c.in, y))
		value := func() float64 {
			var z, s mat.Dense
			z.Mul(a, w)
			s.Mul(&z, h.T())
			s.Sub(&s, dense)
			return probeSquares(&s) + c.c.Lambda.Value()*(probeSquares(w)+probeSquares(h))
		}
		t.Run("(6.24) value, "+c.name, func(t *testing.T) { probe{t}.number("the objective", o.Value(w, h), value()) })
		dw, dh := o.Gradient(w, h)
		t.Run("(6.24) gradient by W, "+c.name, func(t *testing.T) { probe{t}.gradient("W", w, dw, value) })
		t.Run("(6.24) gradient by H, "+c.name, func(t *testing.T) { probe{t}.gradient("H", h, dh, value) })
		t.Run("(6.24) H for a given W, "+c.name, func(t *testing.T) {
			one := c.c
			one.Rounds, one.Given.W = 1, w
			m := fitted[*leml.Model](t)(one.Fit(t.Context(), c.in, y))
			var z mat.Dense
			z.Mul(a, w)
			_, _, got := m.Factors()
			probe{t}.matrix("H", got, mat.DenseCopyOf(probeRidge(&z, dense, c.c.Lambda.Value()).T()))
			// x·W·Hᵀ
			var scores mat.Dense
			scores.Mul(&z, got.T())
			probe{t}.matrix("the scores", m.Scores(nil, c.in), &scores)
			probe{t}.ranked(m.Top(nil, c.in, 4), m.Scores(nil, c.in))
			probe{t}.ranked(metric.Top(m.Scores(nil, c.in), l), m.Scores(nil, c.in))
		})
		t.Run("(6.24) W for the H of its end, "+c.name, func(t *testing.T) {
			long := c.c
			long.Rounds, long.Tol = 5000, gram.Set(1e-300)
			m := fitted[*leml.Model](t)(long.Fit(t.Context(), c.in, y))
			features, bias, h := m.Factors()
			got := mat.NewDense(columns, k, nil)
			got.Copy(features)
			if !c.c.NoConstant {
				got.SetRow(d, bias)
			}
			// (AᵀA ⊗ HᵀH + λI)·vec W = vec AᵀYH, number by number.
			var aa, hh, r, ay mat.Dense
			aa.Mul(a.T(), a)
			hh.Mul(h.T(), h)
			ay.Mul(a.T(), dense)
			r.Mul(&ay, h)
			var system, want mat.Dense
			system.Kronecker(&aa, &hh)
			for i := range columns * k {
				system.Set(i, i, system.At(i, i)+c.c.Lambda.Value())
			}
			must.Do(t, want.Solve(&system, mat.NewDense(columns*k, 1, r.RawMatrix().Data)))
			least := o.Value(mat.NewDense(columns, k, want.RawMatrix().Data), h)
			probe{t}.number("the objective at the W of the fit", o.Value(got, h), least)
			trace := m.Stats().Objective
			probe{t}.number("the last objective of the fit", trace[len(trace)-1], least)
			probe{t}.falls(m.Stats().Objective)
		})
	}
	for _, lambda := range []float64{.3, 4, 12} {
		t.Run(fmt.Sprintf("(6.24) at full rank is min ‖Y−XZ‖²+2γ‖Z‖_*, γ %v", lambda), func(t *testing.T) {
			m := fitted[*leml.Model](t)(leml.Config{Rank: d, Lambda: gram.Set(lambda), Rounds: 5000, Tol: gram.Set(1e-14), NoConstant: true}.Fit(t.Context(), x, y))
			trace := m.Stats().Objective
			probe{t}.number("the least objective", trace[len(trace)-1], probeNuclear(x, dense, lambda))
			if !m.Stats().Converged {
				t.Error("the fit does not say that it has converged")
			}
		})
	}
}

// probeNuclear is min_Z ‖Y−XZ‖²+2λ‖Z‖_*, by accelerated proximal gradients.
func probeNuclear(x, y *mat.Dense, lambda float64) float64 {
	_, d := x.Dims()
	_, l := y.Dims()
	var svd mat.SVD
	svd.Factorize(x, mat.SVDThin)
	step := .5 / math.Pow(svd.Values(nil)[0], 2)
	z, before := mat.NewDense(d, l, nil), mat.NewDense(d, l, nil)
	best := math.Inf(1)
	for i := range 1500 {
		var v, r, g mat.Dense
		v.Sub(z, before)
		v.Scale(float64(i)/float64(i+3), &v)
		v.Add(z, &v)
		r.Mul(x, &v)
		r.Sub(&r, y)
		g.Mul(x.T(), &r)
		g.Scale(2*step, &g)
		v.Sub(&v, &g)
		svd.Factorize(&v, mat.SVDThin)
		s := svd.Values(nil)
		var norm float64
		for i := range s {
			s[i] = max(0, s[i]-2*lambda*step)
			norm += s[i]
		}
		var left, right mat.Dense
		svd.UTo(&left)
		svd.VTo(&right)
		left.Mul(&left, mat.NewDiagDense(len(s), s))
		before.Copy(z)
		z.Mul(&left, right.T())
		r.Mul(x, z)
		r.Sub(y, &r)
		best = min(best, probeSquares(&r)+2*lambda*norm)
	}
	return best
}

// On real data the objective never rises.
func TestLEMLOnData(t *testing.T) {
	d := probeData(t, "emotions")
	m := fitted[*leml.Model](t)(leml.Config{Rank: 6, Rounds: 30, Tol: gram.Set(1e-12)}.Fit(t.Context(), d.X, d.Tags))
	probe{t}.falls(m.Stats().Objective)
}
