package sideinfo

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// newton minimizes by a semismooth Newton method on the equation x = (x − γ∇)₊, whose
// merit function is the envelope: where H is constant that is convex, and the Newton
// direction descends ([PSB14]). Where a step is refused, z takes the place of x, as in the
// method of projected gradients.
func (p *scaled) newton(ctx context.Context, tol float64, steps int, x *mat.Dense, stats *Stats) (*point, error) {
	now, err := p.at(ctx, x)
	if err != nil {
		return nil, err
	}
	best, since := now, 0
	var recent []float64 // envelopes
	for {
		stats.Objective = append(stats.Objective, p.objective(now.z))
		if now.residual < .9*best.residual {
			since = 0
		}
		if now.residual < best.residual {
			best = now
		}
		stats.Residual = best.residual
		if !(best.residual > tol) || steps == 0 || since == stagnation {
			return best, nil
		}
		stats.Iter++
		steps--
		since++
		d, err := p.direction(ctx, now)
		if err != nil {
			return nil, err
		}
		recent = append(recent, now.envelope)
		recent = recent[max(0, len(recent)-memory):]
		if now, err = p.step(ctx, now, d, slices.Max(recent)); err != nil {
			return nil, err
		}
	}
}

// stagnation is the number of steps without progress after which there is none to come.
const stagnation = 12

// memory is the number of steps of which the worst envelope is the one to be undercut: full
// Newton steps may rise before they fall.
const memory = 6

// step goes along d as far as the envelope falls below ceiling, or to z.
func (p *scaled) step(ctx context.Context, now *point, d *mat.Dense, ceiling float64) (*point, error) {
	slope := dot(now.ascent, d)
	for t := 1.0; slope < 0 && t > 1e-6; t /= 2 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := mat.DenseCopyOf(now.x)
		axpyDense(x, t, d)
		next, err := p.at(ctx, x)
		if err != nil {
			return nil, err
		}
		if next.envelope <= ceiling+1e-4*t*slope || next.residual <= now.residual/2 {
			return next, nil
		}
	}
	return p.at(ctx, now.z)
}

func axpyDense(dst *mat.Dense, a float64, x *mat.Dense) {
	n, _ := dst.Dims()
	for i := range n {
		axpy(dst.RawRowView(i), a, x.RawRowView(i))
	}
}

// direction solves the Newton equation at a point. With the eigenvectors U of x − γ∇, of
// which k belong to eigenvalues λ_a > 0, and d in their coordinates, d_bc = −r_bc for two
// others, and
//
//	(Hd)_ab + |λ_b|/(γλ_a)·d_ab = −r_ab·(1+|λ_b|/λ_a)/γ   for a of the k and any b,
//
// without |λ_b| for a b of the k. It is solved by a Cholesky decomposition for up to
// maxDense elements, by conjugate gradients with the diagonal for more.
func (p *scaled) direction(ctx context.Context, o *point) (*mat.Dense, error) {
	m, k := len(o.values), o.positive
	free := m - k // the columns before the k
	var r, d mat.Dense
	d.Mul(o.u.T(), o.r)
	r.Mul(&d, o.u)
	d.Reset()
	if free > 0 {
		outer := o.u.Slice(0, m, 0, free)
		var a mat.Dense
		a.Mul(outer, r.Slice(0, free, 0, free))
		d.Mul(&a, outer.T())
		d.Scale(-1, &d)
	} else {
		d.ReuseAs(m, m)
	}
	if k == 0 {
		return &d, nil
	}
	e := &equation{problem: p, u: o.u, k: k, weight: mat.NewDense(k, m, nil), diagonal: mat.NewDense(k, m, nil), h: mat.NewDense(m, m, nil), moved: mat.NewDense(m, m, nil)}
	e.inner = o.u.Slice(0, m, free, m).(*mat.Dense)
	p.apply(e.h, &d)
	rhs := mat.NewDense(k, m, nil)
	e.in(rhs, e.h)
	all := mat.NewDense(m, m, nil)
	square := mat.NewDense(m, m, nil)
	square.MulElem(o.u, o.u)
	var a, b mat.Dense
	a.Mul(square.T(), p.ridge)
	all.Mul(&a, square)
	p.loss.curvature(all, o.u)
	b.CloneFrom(all.Slice(free, m, 0, m))
	e.diagonal.Copy(&b)
	for i := range k {
		at := o.values[free+i]
		to, w, diagonal := rhs.RawRowView(i), e.weight.RawRowView(i), e.diagonal.RawRowView(i)
		for j := range to {
			if j < free {
				w[j] = -o.values[j] / at / p.gamma
			}
			w[j] = max(0, w[j])
			to[j] = -to[j] - r.At(free+i, j)*(w[j]+1/p.gamma)
			diagonal[j] += w[j]
		}
	}
	solve := e.conjugate
	if k*(k+1)/2+k*free <= maxDense {
		solve = e.cholesky
	}
	s, err := solve(ctx, rhs, max(1e-12, min(.1, .1*o.residual)))
	if err != nil {
		return nil, err
	}
	e.out(s)
	d.Add(&d, e.h)
	return &d, nil
}

// equation is a Newton equation. An unknown is a k×m matrix, the rows of d for the positive
// eigenvalues; its last k columns are symmetric, and the others count twice in inner
// products, once for their transpose.
type equation struct {
	problem          *scaled
	u, inner         *mat.Dense
	k                int
	weight, diagonal *mat.Dense
	h, moved         *mat.Dense // m×m
}

// out sets h to the symmetric matrix of an unknown.
func (e *equation) out(s *mat.Dense) {
	m, _ := e.u.Dims()
	half := mat.DenseCopyOf(s)
	for i := range e.k {
		row := half.RawRowView(i)[m-e.k:]
		for j := range row {
			row[j] /= 2
		}
	}
	var a, b mat.Dense
	a.Mul(half, e.u.T())
	b.Mul(e.inner, &a)
	e.h.Add(&b, b.T())
}

// in sets dst to the rows of a symmetric matrix.
func (e *equation) in(dst, h *mat.Dense) {
	var a mat.Dense
	a.Mul(e.inner.T(), h)
	dst.Mul(&a, e.u)
}

// dot is the inner product of two unknowns.
func (e *equation) dot(a, b *mat.Dense) float64 {
	m, _ := e.u.Dims()
	var sum float64
	for i := range e.k {
		x, y := a.RawRowView(i), b.RawRowView(i)
		var once, twice float64
		for j := range m - e.k {
			twice += x[j] * y[j]
		}
		for j := m - e.k; j < m; j++ {
			once += x[j] * y[j]
		}
		sum += once + 2*twice
	}
	return sum
}

// apply sets dst to the left side for an unknown.
func (e *equation) apply(dst, s *mat.Dense) {
	e.out(s)
	e.problem.apply(e.moved, e.h)
	e.in(dst, e.moved)
	var w mat.Dense
	w.MulElem(e.weight, s)
	dst.Add(dst, &w)
}

// maxDense is the number of unknown elements up to which the matrix of the equation is
// stored.
const maxDense = 150

// cholesky solves by the matrix of the equation in the coordinates of an orthonormal basis,
// divided by the roots of the diagonal. Where rounding leaves it indefinite, solve does. The
// error is ctx.Err().
func (e *equation) cholesky(ctx context.Context, rhs *mat.Dense, tol float64) (*mat.Dense, error) {
	m, _ := e.u.Dims()
	free := m - e.k
	type element struct {
		i, j int
		unit float64 // of a basis matrix, and the inverse root of the diagonal
	}
	var all []element
	for i := range e.k {
		for j := range m {
			if j >= free && j < free+i {
				continue
			}
			norm := math.Sqrt2
			if j == free+i {
				norm = 1
			}
			all = append(all, element{i, j, 1 / norm / math.Sqrt(e.diagonal.At(i, j))})
		}
	}
	set := func(s *mat.Dense, c element, v float64) {
		s.Set(c.i, c.j, v*c.unit)
		if c.j >= free {
			s.Set(c.j-free, free+c.i, v*c.unit)
		}
	}
	get := func(s *mat.Dense, c element) float64 {
		v := s.At(c.i, c.j) * c.unit
		if c.j != free+c.i {
			v *= 2
		}
		return v
	}
	n := len(all)
	a, b := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	s, image := mat.NewDense(e.k, m, nil), mat.NewDense(e.k, m, nil)
	for q, c := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.Zero()
		set(s, c, 1)
		e.apply(image, s)
		for p := range q + 1 {
			a.SetSym(p, q, get(image, all[p]))
		}
		b.SetVec(q, get(rhs, c))
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return e.conjugate(ctx, rhs, tol)
	}
	var x mat.VecDense
	_ = chol.SolveVecTo(&x, b) // an error tells the condition
	for q, c := range all {
		set(s, c, x.AtVec(q))
	}
	return s, nil
}

// maxProducts is the largest number of steps of conjugate gradients, each of which takes one product with the matrix.
const maxProducts = 400

// conjugate solves to a relative residual of tol, in the norm of the diagonal's inverse, or
// as far as maxProducts products lead, which is a direction, too. The error is ctx.Err().
func (e *equation) conjugate(ctx context.Context, rhs *mat.Dense, tol float64) (*mat.Dense, error) {
	m, _ := e.u.Dims()
	s, z, q := mat.NewDense(e.k, m, nil), mat.NewDense(e.k, m, nil), mat.NewDense(e.k, m, nil)
	r := rhs
	z.DivElem(r, e.diagonal)
	d := mat.DenseCopyOf(z)
	rz := e.dot(r, z)
	stop := tol * tol * rz
	for i := 0; i < maxProducts && rz > stop; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.apply(q, d)
		curvature := e.dot(d, q)
		if !(curvature > 0) {
			break
		}
		step := rz / curvature
		axpyDense(s, step, d)
		axpyDense(r, -step, q)
		z.DivElem(r, e.diagonal)
		next := e.dot(r, z)
		d.Scale(next/rz, d)
		d.Add(d, z)
		rz = next
	}
	return s, nil
}
