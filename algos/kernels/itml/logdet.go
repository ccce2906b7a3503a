package itml

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/internal/dual"
	"github.com/gramworks/gram/cholupdate"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// projections are the cyclic Bregman projections of ITML in coordinates:
// X = (I − Σ y_cH_c)⁻¹ = B·Bᵀ, and projecting on one constraint multiplies B by
// the Cholesky factors of I + β·wwᵀ, w = Bᵀt, in O(r²) [KSD06] §4. The
// factor keeps X positive definite and symmetric by construction.
type projections struct {
	p      *problem
	y      []float64
	b      *mat.Dense // r×r
	factor cholupdate.IdentityPlusRankOne[float64]
	w      *mat.Dense // one row per atom of the constraint at hand
	mu     []float64
}

func newProjections(p *problem, y []float64) *projections {
	_, r := p.T.Dims()
	atoms := 1
	for i := range p.Rows {
		atoms = max(atoms, len(p.Rows[i].Weight))
	}
	s := &projections{p: p, y: y, b: mat.NewDense(r, r, nil), w: mat.NewDense(atoms, r, nil)}
	for i := range r {
		s.b.Set(i, i, 1)
	}
	return s
}

// project projects on row i and returns its violation before, relative to the bound.
// ok is false if no dual solves it within the range of floating-point numbers.
func (s *projections) project(i int) (violation float64, ok bool) {
	r := &s.p.Rows[i]
	q := len(r.Weight)
	value, size := r.Offset, math.Abs(r.Offset)
	for j, weight := range r.Weight {
		s.load(r, j)
		v := weight * dot(s.w.RawRowView(j), s.w.RawRowView(j))
		value += v
		size += math.Abs(v)
	}
	if !(size > 0x1p-300 && size < 0x1p300) { // eigenvalues have squares, and gonum finds them: its Dsterf panics below 2⁻⁴⁰⁴
		return math.Inf(1), false
	}
	xi, _, _ := r.Bound.At(s.y[i])
	if violation = r.Relation.Excess(value, xi); s.y[i] != 0 {
		violation = math.Abs(value - xi)
	}
	violation /= max(math.Abs(xi), size)
	s.eigenvalues(r, q)
	alpha, ok := s.solve(r, s.y[i])
	if !ok {
		return violation, false
	}
	if r.Project(s.y[i]+alpha) != s.y[i]+alpha {
		alpha = -s.y[i]
	}
	if alpha == 0 {
		return violation, true
	}
	// Terms that shrink X first, so that it stays definite in between.
	for _, shrink := range []bool{true, false} {
		for j, weight := range r.Weight {
			if (alpha*weight < 0) != shrink {
				continue
			}
			if q > 1 {
				s.load(r, j)
			}
			w := s.w.RawRowView(j)
			beta := alpha * weight / (1 - alpha*weight*dot(w, w))
			if _, err := s.factor.Set(beta, w); err != nil {
				return violation, false
			}
			s.factor.ApplyRight(gram.View(s.b), 1)
		}
	}
	s.y[i] += alpha
	return violation, true
}

// load sets w_j = Bᵀt of term j of the row.
func (s *projections) load(r *dual.Row, j int) {
	blas64.Gemv(trans, 1, s.b.RawMatrix(), vector(s.p.T.RawRowView(r.First+j)), 0, vector(s.w.RawRowView(j)))
}

// eigenvalues sets mu to the eigenvalues other than 0 of Σ_j weight_j·w_jw_jᵀ, so
// that after a step α the value is offset + Σ μ/(1−αμ).
func (s *projections) eigenvalues(r *dual.Row, q int) {
	if q == 1 {
		w := s.w.RawRowView(0)
		s.mu = append(s.mu[:0], r.Weight[0]*dot(w, w))
		return
	}
	// With the Gram matrix G = FFᵀ of the w, those of Fᵀdiag(weight)F.
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
			for j, c := range r.Weight {
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
// duals of the wrong sign. value − ξ increases in α on the interval where all 1−αμ > 0.
func (s *projections) solve(r *dual.Row, y float64) (float64, bool) {
	b := r.Bound
	if len(s.mu) == 1 && r.Offset == 0 && b.B*s.mu[0] > 0 && b.Price != dual.Square {
		xi, _, _ := b.At(y)
		alpha := 1/s.mu[0] - 1/xi
		if b.Price == dual.Inverse {
			alpha *= b.Gamma / (b.Gamma + 1) // from 1/μ − α = 1/ξ + α/γ; the ITML article prints another form
		}
		return alpha, alpha-alpha == 0
	}
	excess := func(alpha float64) (f, slope float64) {
		f = r.Offset
		for _, m := range s.mu {
			d := 1 - alpha*m
			if d <= 0 { // outside: beyond the pole of an m of that sign
				return math.Inf(int(math.Copysign(1, m))), 0
			}
			f += m / d
			slope += m / d * (m / d)
		}
		xi, _, falls := b.At(y + alpha)
		return f - xi, slope + falls
	}
	f, _ := excess(0)
	if f == 0 {
		return 0, true
	}
	// A bracket: the sign of f at 0 tells the side of the root; the other end is
	// the first of 1, 4, 16, … (or a point toward a pole) where f has changed.
	lo, hi := 0., 0.
	direction := -math.Copysign(1, f)
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
		// A dual of the wrong sign is as good as any other.
		past := r.Project(y+end) != y+end
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
		case v < 0:
			lo = x
		case v > 0:
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

// order is that in which rows are projected on.
func (p *problem) order(seed uint64) []int {
	return rng.New(rng.Derive(seed, "order"), 0).Perm(len(p.Rows))
}

// warm returns the duals of a few sweeps and B, where Newton's method starts: bounds that are
// far away take one projection each, and many of its steps. ctx ends them.
func (p *problem) warm(ctx context.Context, seed uint64) (y []float64, b *mat.Dense) {
	s := newProjections(p, make([]float64, len(p.Rows)))
	if p.Alone() != nil {
		return s.y, s.b
	}
	order := p.order(seed)
	for range 5 {
		for _, i := range order {
			if _, ok := s.project(i); !ok || ctx.Err() != nil {
				return s.y, s.b
			}
		}
	}
	return s.y, s.b
}

// cycle projects on the rows in an order drawn once until a whole sweep finds no
// violation above the tolerance, and the duals confirm it. Where it does not get that far
// it looks for a proof that the rows contradict each other.
func (p *problem) cycle(ctx context.Context, o dual.Options, seed uint64) (*dual.State, int, error) {
	s := newProjections(p, make([]float64, len(p.Rows)))
	order := p.order(seed)
	_, r := p.T.Dims()
	every := max(1, (1<<22)/(8*r*r+1)) // projections between two looks at ctx
	if err := p.Alone(); err != nil {
		return nil, 0, err
	}
	within := o.Tol // of the violations met on the way
	for sweep := 1; ; sweep++ {
		worst, stuck := 0., false
		for n, i := range order {
			if n%every == 0 {
				if err := ctx.Err(); err != nil {
					return nil, sweep, err
				}
			}
			v, ok := s.project(i)
			if worst = max(worst, v); !ok {
				stuck = true
				break
			}
		}
		o.Progress(sweep, worst)
		stuck = stuck || within < 1e-16 || sweep == o.MaxIter
		if worst > within && !stuck && sweep%100 != 0 {
			continue
		}
		t, err := p.At(ctx, slices.Clone(s.y), nil)
		switch {
		case err != nil || t.Violation <= o.Tol && t.Gap <= o.Tol:
			return t, sweep, err
		case stuck:
			if err = p.Feasible(ctx, o); err == nil {
				err = &gram.ConvergenceError{Iter: sweep, Residual: max(t.Violation, t.Gap), Tol: o.Tol}
			}
			return t, sweep, err
		}
		// Every projection leaves rounding errors in B.
		s.b.Copy(t.Factor())
		if worst <= within {
			within /= 2
		}
	}
}
