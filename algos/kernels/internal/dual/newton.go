package dual

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Options are the settings of Newton and Sweep.
type Options struct {
	Tol      float64    // of Violation and Gap
	MaxIter  int        // steps, or sweeps and steps
	Cyclic   bool       // Sweep makes projections alone, no Newton steps
	Order    []int      // in which a sweep visits the rows; nil: as they are
	Spectrum Spectrum   // Dense, or Lanczos for a Quadratic; not for LogDet
	Factor   *mat.Dense // for LogDet B of X = BBᵀ at the start, triangular with a positive diagonal; nil: from y
	Progress func(iteration int, objective float64)
}

// Newton maximizes the dual problem from y: a Newton method on the duals of the rows
// that bind or ascend, whose steps maximize the quadratic model under the signs. It
// returns the number of steps, and the last state with every error: ctx.Err(), a
// *constraint.InfeasibleError that is proven, and a *gram.ConvergenceError after MaxIter
// steps or where rounding forbids any progress.
//
// −D of LogDet is self-concordant, so its damped step, by 1/(1+δ) for the Newton
// decrement δ, stays inside the domain and ascends by a constant at least. Its states are
// multiplied, X ← B(I−αBᵀM(s)B)⁻¹Bᵀ, and never computed from the sum of the duals,
// so that eigenvalues of X many orders of magnitude apart keep their digits.
//
// Where that does not end soon, bounds are far away or contradict each other. Then the
// problem is approached from y = 0 by others that are solved one after the other. These have
// all bounds multiplied by one number, which grows to 1: that keeps a problem feasible or
// infeasible, and every step near the center of the domain. For a Quadratic it is slack in
// place of hard rows, whose price grows. Where the rows contradict each other, the
// duals grow, and their direction tends to a Farkas vector.
func (p *Problem) Newton(ctx context.Context, y []float64, o Options) (*State, int, error) {
	n := &ascent{Options: o, watch: newWatch(p)}
	s, err := p.At(ctx, y, o.Spectrum)
	if err != nil {
		return nil, 0, err
	}
	if o.Factor != nil {
		s = p.with(y, nil, mat.DenseCopyOf(o.Factor))
	}
	if err := p.Alone(); err != nil {
		return s, 0, err
	}
	last, err := n.run(ctx, s, o.Tol, soon)
	if err != errLimit {
		return last, n.iter, err
	}
	if n.iter == n.MaxIter {
		return last, n.iter, n.limit(last)
	}
	if s.b == nil {
		if err := p.Feasible(ctx, o); err != nil {
			return last, n.iter, err
		}
	}
	near, err := p.evaluate(ctx, make([]float64, len(y)), o.Spectrum)
	if err != nil {
		return last, n.iter, err
	}
	for q, at := range p.path() {
		if near, err = n.run(ctx, near.of(q), 0.03, 4*soon); err != nil && err != errLimit {
			return last, n.iter, err
		}
		if err := p.Proof(ctx, near.Y); err != nil {
			return last, n.iter, err
		}
		if hard := near.of(p); hard.Violation <= 0.3 || at == 1 {
			if last, err = n.run(ctx, hard, o.Tol, soon); err != errLimit {
				return last, n.iter, err
			}
		}
	}
	if last, err = n.run(ctx, last, o.Tol, o.MaxIter); err == errLimit {
		err = n.limit(last)
	}
	return last, n.iter, err
}

func (n *ascent) limit(s *State) error {
	return &gram.ConvergenceError{Iter: n.iter, Residual: max(s.Violation, s.Gap), Tol: n.Tol}
}

// Feasible looks for a Farkas vector of the hard rows on the path of the problem that has
// LogDet in place of F, which keeps the duals near the center of their domain. Errors are
// a *constraint.InfeasibleError and ctx.Err(); nil proves nothing.
func (p *Problem) Feasible(ctx context.Context, o Options) error {
	hard := &Problem{F: LogDet{}, T: p.T, N: p.N}
	for _, r := range p.Rows {
		if r.Bound.Price != Hard {
			continue
		}
		if r.Identity != 0 { // as a term for each direction, beside copies of the others
			atoms, n := hard.T.Dims()
			t := mat.NewDense(atoms+len(r.Weight)+n, n, nil)
			t.Copy(hard.T)
			for k := range r.Weight {
				t.SetRow(atoms+k, p.T.RawRowView(r.First+k))
			}
			weight := slices.Clone(r.Weight)
			for j := range n {
				t.Set(atoms+len(r.Weight)+j, j, 1)
				weight = append(weight, r.Identity)
			}
			hard.T, r.First, r.Weight, r.Identity = t, atoms, weight, 0
		}
		hard.Rows = append(hard.Rows, r)
	}
	if len(hard.Rows) == 0 {
		return nil
	}
	n := &ascent{Options: o, watch: newWatch(hard)}
	s, err := hard.evaluate(ctx, make([]float64, len(hard.Rows)), nil)
	if err != nil {
		return err
	}
	for q := range hard.path() {
		if s, err = n.run(ctx, s.of(q), 0.03, 100); err == errLimit {
			err = hard.Proof(ctx, s.Y)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// soon is the number of steps within which Newton's method usually ends.
const soon = 25

// ascent is a run of Newton's method, with the steps that it has made so far.
type ascent struct {
	Options
	watch *watch
	iter  int
}

var errLimit = errors.New("limit of steps")

// run makes up to so many steps from s. The error is errLimit where they, or rounding, end it.
func (n *ascent) run(ctx context.Context, s *State, tol float64, steps int) (*State, error) {
	for ; !(s.Violation <= tol && s.Gap <= tol); steps-- {
		if steps == 0 || n.iter == n.MaxIter {
			return s, errLimit
		}
		n.iter++
		n.Progress(n.iter, s.Dual)
		d, err := s.direction(ctx)
		if err != nil {
			return s, err
		}
		if proof := n.watch.look(ctx, s, d); proof != nil {
			return s, proof
		}
		var next *State
		if s.b != nil {
			next, err = s.damped(ctx, d)
		} else {
			next, err = s.search(ctx, d, n.Spectrum)
		}
		if err != nil {
			return s, err
		}
		if next == nil {
			if proof := n.watch.last(ctx, s, d); proof != nil {
				return s, proof
			}
			return s, errLimit
		}
		s = next
	}
	return s, nil
}

// At is the state at y; that of y = 0 where the dual is −∞.
func (p *Problem) At(ctx context.Context, y []float64, spec Spectrum) (*State, error) {
	s, err := p.evaluate(ctx, y, spec)
	if err == nil && s.grad == nil {
		s, err = p.evaluate(ctx, make([]float64, len(y)), spec)
	}
	return s, err
}

// evaluate is the state at y, or one without a gradient where the dual is −∞.
func (p *Problem) evaluate(ctx context.Context, y []float64, spec Spectrum) (*State, error) {
	if _, barrier := p.F.(LogDet); !barrier {
		return p.spectral(ctx, y, spec)
	}
	if b, ok := inverseFactor(p.weighted(p.T, y)); ok {
		return p.with(y, nil, b), ctx.Err()
	}
	return &State{}, ctx.Err()
}

// of is the state of a problem that differs from that of s by its bounds.
func (s *State) of(p *Problem) *State {
	t := *s
	t.p = p
	t.measure(s.conjugate)
	return &t
}

// path yields the problems that lead to p, with a number that ends at 1.
func (p *Problem) path() iter.Seq2[*Problem, float64] {
	_, square := p.F.(Quadratic)
	return func(yield func(*Problem, float64) bool) {
		if square {
			const greatest = 1e17
			for gamma := 1.0; gamma <= greatest; gamma *= 10 {
				if !yield(p.softened(gamma), gamma/greatest) {
					return
				}
			}
			return
		}
		// The smaller the first bounds are, the nearer to the center duals grow that prove a
		// contradiction.
		at, smaller := 1.0, 0.1
		for i := range p.Rows {
			if p.Rows[i].Bound.Price == Hard {
				smaller = 1e-3
			}
			if b := math.Abs(p.Rows[i].Bound.B - p.Rows[i].Offset); b > 0 {
				at = min(at, p.size(&p.Rows[i])/b)
			}
		}
		for at *= smaller; ; at = min(1, 4*at) {
			if !yield(p.scaled(at), at) || at == 1 {
				return
			}
		}
	}
}

// scaled is the problem with all bounds multiplied by f.
func (p *Problem) scaled(f float64) *Problem {
	q := *p
	q.Rows = append([]Row(nil), p.Rows...)
	for i := range q.Rows {
		r := &q.Rows[i]
		r.Bound.B *= f
		r.Offset *= f
		switch r.Bound.Price {
		case Inverse: // ξ(y) is multiplied by f, and the domain of y stays
			r.Bound.Gamma *= f
		case Square:
			r.Bound.Gamma /= f * f
		}
	}
	return &q
}

// softened is the problem with slack in place of its hard rows, whose price is gamma in
// units in which nothing depends on the scale of a constraint.
func (p *Problem) softened(gamma float64) *Problem {
	q := *p
	q.Rows = append([]Row(nil), p.Rows...)
	for i := range q.Rows {
		if r := &q.Rows[i]; r.Bound.Price == Hard {
			size := p.size(r)
			r.Bound = Bound{Square, r.Bound.B, gamma / (size * size)}
		}
	}
	return &q
}

// better tells whether t is a step forward from s: it ascends by a part of what the
// slope promises, or rounding hides the ascent and t violates less.
func (s *State) better(t *State, ascent, promised, noise float64) bool {
	if ascent >= 1e-4*promised && promised > noise {
		return true
	}
	return promised <= noise && ascent >= -noise && max(t.Violation, t.Gap) < 0.9*max(s.Violation, s.Gap)
}

// linear is the change of the part of the dual that X has no part in, Σ (φ_c(y+αd) −
// φ_c(y)) − αd_c·offset_c, and the size of what it is the sum of.
func (s *State) linear(y []float64) (change, size float64) {
	for i := range s.p.Rows {
		r := &s.p.Rows[i]
		d := y[i] - s.Y[i]
		if d == 0 {
			continue
		}
		part := d * r.Bound.B
		if r.Bound.Price != Hard {
			_, from, _ := r.Bound.At(s.Y[i])
			_, to, _ := r.Bound.At(y[i])
			part = to - from
		}
		change += part - d*r.Offset
		size += math.Abs(part) + math.Abs(d*r.Offset)
	}
	return change, size
}

// along is Project(y + αd), and the ascent of the dual that its slope promises.
func (s *State) along(d []float64, alpha float64) (y []float64, promised float64) {
	y = make([]float64, len(d))
	for i := range y {
		y[i] = s.p.Rows[i].Project(s.Y[i] + alpha*d[i])
		promised += s.grad[i] * (y[i] - s.Y[i])
	}
	return y, promised
}

// damped makes one of the steps from 1 down to 1/(1+δ) along d, which lies inside of the
// domain: the first that ascends enough and does not go too near the boundary, where the
// slope falls to −∞; nil if none ascends.
func (s *State) damped(ctx context.Context, d []float64) (*State, error) {
	e := s.p.weighted(s.r, d) // BᵀM(d)B
	raw := e.RawSymmetric()
	var square, slope float64
	for i := range raw.N {
		for _, v := range raw.Data[i*raw.Stride : i*raw.Stride+raw.N] {
			square += v * v
		}
	}
	for i, v := range d {
		square += s.slope[i] * v * v
		slope += s.grad[i] * v
	}
	const steps = 8
	shortest := 1 / (1 + math.Sqrt(square))
	for k := range steps + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		alpha := math.Pow(shortest, float64(k)/steps)
		u, logdet, ok := upperOf(e, alpha)
		if !ok {
			continue
		}
		y, promised := s.along(d, alpha)
		change, size := s.linear(y)
		ascent := change + logdet
		noise := 4 * 0x1p-52 * (size + s.size() + math.Abs(logdet) + float64(raw.N))
		if promised > noise && !(ascent >= 1e-4*promised) {
			continue
		}
		b, r := mat.DenseCopyOf(s.b), mat.DenseCopyOf(s.r)
		for _, m := range []*mat.Dense{b, r} {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			blas64.Trsm(blas.Right, blas.NoTrans, 1, u, m.RawMatrix())
		}
		t := &State{p: s.p, Y: y, b: b, r: r, logdet: s.logdet - logdet}
		t.measure(t.logdet)
		var end float64
		for i, v := range d {
			end += t.grad[i] * v
		}
		if s.better(t, ascent, promised, noise) && (k == steps || promised <= noise || end >= -0.5*slope) {
			return t, nil
		}
	}
	return nil, nil
}

// search makes a step along d: 1 if that ascends enough, a shorter one by the secant of
// the slopes if not, a longer one while the slope stays what it is. nil if none ascends.
func (s *State) search(ctx context.Context, d []float64, spec Spectrum) (*State, error) {
	var slope float64 // at 0
	for i, g := range s.grad {
		slope += g * d[i]
	}
	if slope-slope != 0 { // rounding has left no direction
		return nil, nil
	}
	// Of a Quadratic slopes are nearly linear, and the secant of any two of them tells where
	// they are 0; of an exponential it tells nothing.
	least, steepest := 1e-12, math.Inf(-1)
	if _, linear := s.p.F.(Quadratic); !linear {
		least, steepest = 0.1, -0.5*slope
	}
	alpha := 1.0
	var best *State
	for range 100 {
		y, promised := s.along(d, alpha)
		t, err := s.p.spectral(ctx, y, spec)
		if err != nil {
			return nil, err
		}
		if t.grad == nil {
			if best != nil {
				return best, nil
			}
			alpha /= 8
			continue
		}
		ascent := t.Dual - s.Dual
		noise := 16 * 0x1p-52 * (math.Abs(s.Dual) + math.Abs(t.Dual) + s.size() + t.size())
		var end float64
		for i, g := range t.grad {
			end += g * d[i]
		}
		switch {
		case s.better(t, ascent, promised, noise) && (end >= steepest || promised <= noise):
			if alpha < 1 || end < 0.9*slope {
				return t, nil
			}
			best = t
			alpha *= 8
		case best != nil:
			return best, nil
		default:
			// The dual is concave: the secant of its slopes crosses 0 before alpha.
			f := slope / (slope - end)
			if !(f > least) {
				f = least
			}
			alpha *= min(f, 0.5)
		}
		if alpha < 1e-200 {
			break
		}
	}
	return best, nil
}

// size is what rounding errors of the dual are relative to.
func (s *State) size() (sum float64) {
	for i := range s.p.Rows {
		sum += math.Abs(s.Y[i] * s.p.Rows[i].Bound.B)
	}
	for j, v := range s.sigma {
		sum += math.Abs(s.lambda[j] * v)
	}
	return sum
}

// direction is the step to the maximum of the quadratic model of the dual, under the
// signs, over the rows that bind or ascend; 0 for the others.
func (s *State) direction(ctx context.Context) ([]float64, error) {
	m := &model{s: s}
	for i := range s.p.Rows {
		r := &s.p.Rows[i]
		if s.Y[i] != 0 || r.Project(s.grad[i]) != 0 || r.Relation == constraint.Equal {
			m.rows = append(m.rows, i)
		}
	}
	return m.solve(ctx)
}
