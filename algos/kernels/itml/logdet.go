package itml

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/cholupdate"
	"github.com/gramworks/gram/internal/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// projections are the cyclic Bregman projections of ITML in coordinates:
// W̃ = (I + Tᵀdiag(a)T)⁻¹ = B·Bᵀ, and projecting on one constraint multiplies B by
// the Cholesky factors of I + β·wwᵀ, w = Bᵀt, in O(r²) [KSD06] §4. The factor keeps W̃ positive definite and symmetric by construction.
type projections struct {
	p      *problem
	y      []float64
	b      *mat.Dense // r×r
	factor cholupdate.IdentityPlusRankOne[float64]
	w      *mat.Dense // one row per atom of the constraint at hand
	mu     []float64
}

func newProjections(p *problem, y []float64) *projections {
	_, r := p.t.Dims()
	atoms := 1
	for i := range p.rows {
		atoms = max(atoms, len(p.rows[i].coef))
	}
	s := &projections{p: p, y: y, b: mat.NewDense(r, r, nil), w: mat.NewDense(atoms, r, nil)}
	for i := range r {
		s.b.Set(i, i, 1)
	}
	return s
}

// project projects on constraint i and returns how much that violated its
// optimality condition before: |project(y+g) − y|. ok is false if no multiplier
// solves it within the range of floating-point numbers.
func (s *projections) project(i int) (violation float64, ok bool) {
	r := &s.p.rows[i]
	q := len(r.coef)
	for j := range r.coef {
		s.load(r, j)
	}
	s.eigenvalues(r, q)
	value := r.offset
	for _, m := range s.mu {
		value += m
	}
	xi, _, _ := s.p.limit(r, s.y[i])
	violation = r.violation(s.y[i], value-xi)
	alpha, ok := s.solve(r, s.y[i])
	if !ok {
		return violation, false
	}
	if r.project(s.y[i]+alpha) != s.y[i]+alpha {
		alpha = -s.y[i]
	}
	if alpha == 0 {
		return violation, true
	}
	// Terms that shrink W̃ first, so that it stays definite in between.
	for _, shrink := range []bool{true, false} {
		for j, c := range r.coef {
			if (alpha*c > 0) != shrink {
				continue
			}
			if q > 1 {
				s.load(r, j)
			}
			w := s.w.RawRowView(j)
			beta := -alpha * c / (1 + alpha*c*dot(w, w))
			if _, err := s.factor.Set(beta, w); err != nil {
				return violation, false
			}
			s.factor.ApplyRight(gram.View(s.b), 1)
		}
	}
	s.y[i] += alpha
	return violation, true
}

// load sets w_j = Bᵀt of atom j of the constraint.
func (s *projections) load(r *row, j int) {
	blas64.Gemv(trans, 1, s.b.RawMatrix(), vector(s.p.t.RawRowView(r.first+j)), 0, vector(s.w.RawRowView(j)))
}

// eigenvalues sets mu to the eigenvalues other than 0 of Σ_j coef_j·w_jw_jᵀ, so
// that after a step α the value is offset + Σ μ/(1+αμ).
func (s *projections) eigenvalues(r *row, q int) {
	if q == 1 {
		w := s.w.RawRowView(0)
		s.mu = append(s.mu[:0], r.coef[0]*dot(w, w))
		return
	}
	// With the Gram matrix G = FFᵀ of the w, those of Fᵀdiag(coef)F.
	g := mat.NewDense(q, q, nil)
	for j := range q {
		for k := range q {
			g.Set(j, k, dot(s.w.RawRowView(j), s.w.RawRowView(k)))
		}
	}
	f, _, _ := factor(g, 0)
	_, rank := f.Dims()
	m := mat.NewSymDense(rank, nil)
	for a := range rank {
		for b := a; b < rank; b++ {
			var v float64
			for j, c := range r.coef {
				v += c * f.At(j, a) * f.At(j, b)
			}
			m.SetSym(a, b, v)
		}
	}
	var e mat.EigenSym
	e.Factorize(m, false)
	s.mu = e.Values(nil)
}

// solve returns the step α for which the value is ξ(y+α), or one that leads past
// multipliers of the wrong sign. value − ξ decreases in α on the interval where
// all 1+αμ > 0.
func (s *projections) solve(r *row, y float64) (float64, bool) {
	if len(s.mu) == 1 && r.offset == 0 && r.bound*s.mu[0] > 0 && (s.p.slack == 0 || r.bound > 0) {
		xi, _, _ := s.p.limit(r, y)
		alpha := 1/xi - 1/s.mu[0]
		if g := s.p.slack; g > 0 {
			alpha *= g / (g + 1) // from 1/μ + α = 1/ξ − α/γ; the ITML article prints another form
		}
		return alpha, alpha-alpha == 0
	}
	excess := func(alpha float64) (f, slope float64) {
		f = r.offset
		for _, m := range s.mu {
			d := 1 + alpha*m
			if d <= 0 { // outside: beyond the pole of an m of that sign
				return math.Inf(int(math.Copysign(1, m))), 0
			}
			f += m / d
			slope -= m / d * (m / d)
		}
		xi, _, ds := s.p.limit(r, y+alpha)
		return f - xi, slope - ds
	}
	f, _ := excess(0)
	if f == 0 {
		return 0, true
	}
	// A bracket: the sign of f at 0 tells the side of the root; the other end is
	// the first of 1, 4, 16, … (or a point toward a pole) where f has changed.
	lo, hi := 0., 0.
	direction := math.Copysign(1, f)
	scale := 0.
	for _, m := range s.mu {
		scale = max(scale, math.Abs(m))
	}
	if scale == 0 {
		return 0, f == 0
	}
	for step, n := 1/scale, 0; ; step, n = 4*step, n+1 {
		if n == 60 {
			return 0, false
		}
		end := direction * step
		// A multiplier of the wrong sign is as good as any other.
		past := r.project(y+end) != y+end
		v, _ := excess(end)
		if past && v*f > 0 {
			return end, true
		}
		if v*f <= 0 {
			lo, hi = min(0, end), max(0, end)
			break
		}
		if direction > 0 {
			lo = end
		} else {
			hi = end
		}
	}
	x := (lo + hi) / 2
	for range 200 {
		v, slope := excess(x)
		switch {
		case v > 0:
			lo = x
		case v < 0:
			hi = x
		default:
			return x, true
		}
		next := x - v/slope
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if next == x || hi-lo <= 2*0x1p-53*max(math.Abs(lo), math.Abs(hi)) {
			break
		}
		x = next
	}
	return x, true
}

// refactor computes B anew from the multipliers. It keeps B if rounding makes
// the matrix indefinite.
func (s *projections) refactor() {
	_, r := s.p.t.Dims()
	m := s.p.weighted(s.p.t, s.p.weights(s.y))
	for i := range r {
		for j := i; j < r; j++ {
			v := -m.At(i, j)
			if i == j {
				v++
			}
			m.SetSym(i, j, v)
		}
	}
	var c mat.Cholesky
	if !c.Factorize(m) {
		return
	}
	var u, inverse mat.TriDense
	c.UTo(&u)
	if inverse.InverseTri(&u) != nil {
		return
	}
	s.b.Copy(&inverse)
}

// bregman cycles through the constraints in an order drawn once until a whole
// sweep finds no violation above the tolerance, and the multipliers confirm it.
func (p *problem) bregman(ctx context.Context, o *options, seed uint64) (*state, error) {
	s := newProjections(p, make([]float64, len(p.rows)))
	order := rng.New(rng.Derive(seed, "order"), 0).Perm(len(p.rows))
	_, r := p.t.Dims()
	every := max(1, (1<<22)/(8*r*r+1)) // projections between two looks at ctx
	finish := func(cause error) (*state, error) {
		t, err := p.at(context.WithoutCancel(ctx), slices.Clone(s.y), dense)
		if err != nil {
			return nil, err
		}
		if math.IsInf(t.objective, 0) { // rounding: the multipliers lie beyond the pole
			t, err = p.at(context.WithoutCancel(ctx), make([]float64, len(p.rows)), dense)
			if err != nil {
				return nil, err
			}
			cause = &gram.ConvergenceError{Iter: o.iterations, Residual: t.residual, Tol: o.tol}
		}
		return t, cause
	}
	if err := ctx.Err(); err != nil {
		return finish(err)
	}
	within := o.tol // of the violations met on the way
	for {
		if o.iterations++; o.iterations > o.maxIter {
			t, err := finish(nil)
			if err == nil && t.residual > o.tol {
				err = p.stuck(t, o)
			}
			return t, err
		}
		worst := 0.
		for n, i := range order {
			if n%every == 0 {
				if err := ctx.Err(); err != nil {
					return finish(err)
				}
			}
			v, ok := s.project(i)
			if !ok {
				t, err := finish(nil)
				if err == nil {
					err = p.stuck(t, o)
				}
				return t, err
			}
			worst = max(worst, v)
		}
		o.meter.Report(gram.Event{Phase: o.phase, Done: int64(o.iterations), Total: int64(o.maxIter), Objective: worst})
		if worst <= within {
			t, err := finish(nil)
			if err != nil || t.residual <= o.tol {
				return t, err
			}
			if within /= 2; within < 1e-16 {
				return t, p.stuck(t, o)
			}
			s.refactor()
		} else if o.iterations%100 == 0 {
			s.refactor()
		}
	}
}
