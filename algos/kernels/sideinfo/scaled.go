package sideinfo

import (
	"context"
	"math"

	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// quadratic is a loss in the variables of a scaled problem: ⟨S̃,MS̃⟩ − 2⟨R̃,S̃⟩ + ‖K*‖².
type quadratic interface {
	// add adds M·s to dst for a symmetric s.
	add(dst, s *mat.Dense)
	// target returns R̃.
	target() *mat.Dense
	// curvature adds ⟨D,MD⟩ for D = u_au_bᵀ and the columns of u to dst_ab.
	curvature(dst, u *mat.Dense)
	// floor returns a matrix F ≥ 0 with ⟨D,MD⟩ ≥ Σ F_ij·D_ij².
	floor() *mat.Dense
	// most is a number of which M is at most the multiple of what it would be if all of
	// K* were known, once.
	most() float64
	// ideal returns ‖K*‖².
	ideal() float64
}

// scaled is the problem for one λ in the variables S̃ with S = Q·T·S̃·T·Qᵀ, where
// P = QΠQᵀ and T = (λ + Π²)^−¼:
//
//	min ½⟨S̃,HS̃⟩ − ⟨B,S̃⟩ over S̃ ⪰ 0,   H = λT²∘T² + M.
//
// The diagonal of H is 1 for classes, and its least eigenvalue is above
// √λ/‖P‖, where without the scaling it is λ/‖P‖² of the largest.
type scaled struct {
	q     *mat.Dense // Q
	t     []float64  // T
	ridge *mat.Dense // λT_i²T_j², the first term of H
	s0    *mat.Dense // S₀ in these variables
	b     *mat.Dense
	low   *mat.Dense // elementwise, H is at least that
	loss  quadratic
	gamma float64 // length of gradient steps, less than 1/‖H‖
	unit  float64 // what ‖ESEᵀ‖ is measured by at least: the larger of ‖K*‖ and ‖ES₀Eᵀ‖
	least float64 // the same for √λ‖S‖
}

// scaled returns the problem for λ in the variables that the type explains.
func (t *task) scaled(ctx context.Context, lambda float64) (*scaled, error) {
	if err := t.rotate(ctx); err != nil {
		return nil, err
	}
	m := len(t.values)
	p := &scaled{q: t.q, t: make([]float64, m), ridge: mat.NewDense(m, m, nil), s0: mat.NewDense(m, m, nil), b: mat.NewDense(m, m, nil)}
	for i, v := range t.values {
		p.t[i] = 1 / math.Sqrt(math.Hypot(math.Sqrt(lambda), v))
	}
	p.loss = t.loss.scaled(t.q, t.values, p.t)
	p.low = p.loss.floor()
	r := p.loss.target()
	for i, a := range p.t {
		for j, b := range p.t {
			ridge := lambda * (a * a) * (b * b)
			s := t.s0q.At(i, j) / (a * b)
			p.ridge.Set(i, j, ridge)
			p.s0.Set(i, j, s)
			p.b.Set(i, j, ridge*s+r.At(i, j))
			p.low.Set(i, j, p.low.At(i, j)+ridge)
		}
	}
	p.gamma = .95 / p.loss.most()
	start := mat.NewDense(m, m, nil)
	p.loss.add(start, p.s0)
	p.unit = math.Sqrt(max(p.loss.ideal(), dot(p.s0, start)))
	p.least = 1e-6 * math.Sqrt(weighted(p.ridge, p.s0))
	return p, nil
}

// weighted returns Σ w_ij·a_ij², the squared norm of a with the weights w.
func weighted(w, a *mat.Dense) float64 {
	m, _ := a.Dims()
	var sum float64
	for i := range m {
		u, v := w.RawRowView(i), a.RawRowView(i)
		var row float64
		for j := range u {
			row += u[j] * v[j] * v[j]
		}
		sum += row
	}
	return sum
}

// apply sets dst to H·s, the Hessian of the loss and of the ridge applied to s.
func (p *scaled) apply(dst, s *mat.Dense) {
	dst.MulElem(p.ridge, s)
	p.loss.add(dst, s)
}

// objective returns the objective at S as the paper states it: not halved, and with its constants.
func (p *scaled) objective(s *mat.Dense) float64 {
	m, _ := s.Dims()
	d := mat.NewDense(m, m, nil)
	d.Sub(s, p.s0)
	value := weighted(p.ridge, d)
	d.Zero()
	p.loss.add(d, s)
	return value + dot(s, d) - 2*dot(s, p.loss.target()) + p.loss.ideal()
}

// in returns S̃ for S, out the reverse.
func (p *scaled) in(s *mat.Dense) *mat.Dense {
	var a, b mat.Dense
	a.Mul(p.q.T(), s)
	b.Mul(&a, p.q)
	b.Apply(func(i, j int, v float64) float64 { return v / (p.t[i] * p.t[j]) }, &b)
	return mat.DenseCopyOf(linalg.Symmetric(&b))
}

func (p *scaled) out(s *mat.Dense) *mat.Dense {
	var a, b, c mat.Dense
	a.Apply(func(i, j int, v float64) float64 { return v * p.t[i] * p.t[j] }, s)
	b.Mul(p.q, &a)
	c.Mul(&b, p.q.T())
	return &c
}

// point is a symmetric matrix x and what a step of length γ along the gradient makes of it,
// z = (x − γ∇)₊.
type point struct {
	x, z, r  *mat.Dense // r = x − z
	values   []float64  // of x − γ∇, ascending
	u        *mat.Dense
	positive int        // of values, the last ones
	ascent   *mat.Dense // (r − γHr)/γ, the gradient of the envelope
	envelope float64    // of Moreau and Yosida, an upper bound of the objective at z
	residual float64    // proven distance of z from the optimum, see residual
	from     float64    // the same of x, if x is positive semidefinite
}

// at computes the point of x. The step ends at z with
//
//	‖z − S̃*‖_H ≤ ‖r − γHr‖_{H⁻¹}/γ,
//
// as the angles of r at z and of the optimum's gradient with any way into the cone are
// obtuse. ‖D‖²_H is λ‖D‖² + ‖E·D·Eᵀ‖² in the variables of S.
func (p *scaled) at(ctx context.Context, x *mat.Dense) (*point, error) {
	m, _ := x.Dims()
	o := &point{x: x, z: mat.NewDense(m, m, nil), r: mat.NewDense(m, m, nil), ascent: mat.NewDense(m, m, nil)}
	h, g, y := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	p.apply(h, x)
	g.Sub(h, p.b)
	y.Scale(-p.gamma, g)
	y.Add(y, x)
	var err error
	if o.values, o.u, err = eig.SymAll(ctx, linalg.Symmetric(y)); err != nil {
		return nil, err
	}
	for floor := float64(m) * 0x1p-53 * o.values[m-1]; o.positive < m && o.values[m-1-o.positive] > max(0, floor); {
		o.positive++
	}
	if o.positive > 0 {
		half := p.half(o)
		o.z.Mul(half, half.T())
	}
	o.r.Sub(x, o.z)
	square := dot(o.r, o.r)
	o.envelope = dot(x, h)/2 - dot(x, p.b) - dot(g, o.r) + square/(2*p.gamma)
	p.apply(h, o.r)
	o.ascent.Scale(1/p.gamma, o.r)
	o.ascent.Sub(o.ascent, h)
	var bound float64
	for i := range m {
		low := p.low.RawRowView(i)
		for j, v := range o.ascent.RawRowView(i) {
			bound += v * v / low[j]
		}
	}
	bound = math.Sqrt(bound)
	step := math.Sqrt(max(0, dot(o.r, h)))
	p.apply(h, o.z)
	ridge := math.Sqrt(weighted(p.ridge, o.z))
	known := math.Sqrt(max(0, dot(o.z, h)-ridge*ridge))
	size := min(max(ridge, p.least), max(known, p.unit))
	if bound > 0 {
		o.residual, o.from = bound/size, (bound+step)/size
	}
	return o, nil
}

// half returns U₊·Λ₊^½ of x − γ∇: half·halfᵀ = z.
func (p *scaled) half(o *point) *mat.Dense {
	m := len(o.values)
	h := mat.DenseCopyOf(o.u.Slice(0, m, m-o.positive, m))
	for i := range m {
		row := h.RawRowView(i)
		for j := range row {
			row[j] *= math.Sqrt(o.values[m-o.positive+j])
		}
	}
	return h
}

// root returns a matrix whose product with its transpose is S at z. Its columns are scaled
// like S̃, so that the small eigenvalues of S that the labels determine are not lost beside
// those, larger by many orders, that they say nothing of.
func (p *scaled) root(o *point) *mat.Dense {
	if o.positive == 0 {
		return mat.NewDense(len(p.t), 1, nil)
	}
	h := p.half(o)
	for i, t := range p.t {
		row := h.RawRowView(i)
		for j := range row {
			row[j] *= t
		}
	}
	var out mat.Dense
	out.Mul(p.q, h)
	return &out
}
