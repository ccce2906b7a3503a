package itml

import (
	"context"
	"errors"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/eig"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The dual problem. With multipliers y, y ≥ 0 for ≤ and y ≤ 0 for ≥, and
//
//	M(y) = −ΦC(y)Φᵀ = −Tᵀdiag(a)T,   a_k = y_{i(k)}·coef_k,
//
// the minimizer of the Lagrangian over W ⪰ 0 has the eigenvectors of M and the
// eigenvalues h(σ) = (f_s*)'(σ), and
//
//	D(y) = −Σ_j f_s*(σ_j) + Σ_i (φ_i(y_i) + y_i·offset_i),   ∂D/∂y_i = value_i(W) − ξ_i(y_i),
//
// is concave with a gradient that is Lipschitz for all regularizers but LogDet,
// whose −log det is self-concordant.

// state is the dual problem at y.
type state struct {
	y, grad   []float64
	value     []float64 // of the constraints
	objective float64
	residual  float64    // largest violation of the optimality conditions
	sigma     []float64  // eigenvalues of M: all, or with Lanczos those above τ
	u         *mat.Dense // r×q eigenvectors
	r         *mat.Dense // atoms×q: T·u
}

// spectrum sets sigma and u for the weights a of the atoms.
type spectrum func(ctx context.Context, p *problem, a []float64) (sigma []float64, u *mat.Dense, err error)

// dense is the spectrum by a full eigendecomposition.
func dense(ctx context.Context, p *problem, a []float64) ([]float64, *mat.Dense, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return eig.SymAll(p.weighted(p.t, a))
}

// weighted returns −Tᵀdiag(a)T for T or T·u.
func (p *problem) weighted(t *mat.Dense, a []float64) *mat.SymDense {
	k, r := t.Dims()
	s := mat.NewDense(k, r, nil)
	for i := range k {
		blas64.Axpy(-a[i], vector(t.RawRowView(i)), vector(s.RawRowView(i)))
	}
	m := mat.NewSymDense(r, nil)
	raw := m.RawSymmetric()
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, t.RawMatrix(), s.RawMatrix(), 0, blas64.General{Rows: r, Cols: r, Stride: raw.Stride, Data: raw.Data})
	return m
}

// lanczos is the spectrum above τ by eig.TopK on u ↦ −Tᵀ(a∘(Tu)), which needs
// neither M nor K^½. It asks for two more pairs than there were last time.
type lanczos struct {
	last     int
	seed     uint64
	products int
}

func (l *lanczos) spectrum(ctx context.Context, p *problem, a []float64) ([]float64, *mat.Dense, error) {
	_, r := p.t.Dims()
	tau := p.tau
	if p.reg == Frobenius {
		tau = 0
	}
	for k := min(r, l.last+2); ; k = min(r, 2*k) {
		if k > r/3 {
			return dense(ctx, p, a)
		}
		var st eig.Stats
		values, u, err := eig.TopK(ctx, operator{p.t, a}, k, eig.Options{Tol: 1e-12, Seed: l.seed, Stats: &st})
		l.products += st.Products
		var ce *gram.ConvergenceError
		if errors.As(err, &ce) {
			return dense(ctx, p, a)
		}
		if err != nil {
			return nil, nil, err
		}
		if values[k-1] > tau {
			continue
		}
		above := 0
		for above < k && values[above] > tau {
			above++
		}
		l.last = above
		above = max(above, 1)
		return values[:above], u.Slice(0, r, 0, above).(*mat.Dense), nil
	}
}

// operator is u ↦ −Tᵀ(a∘(Tu)).
type operator struct {
	t *mat.Dense
	a []float64
}

// Dim returns the number of coordinates.
func (o operator) Dim() int { _, r := o.t.Dims(); return r }

// Apply sets dst = −Tᵀ(a∘(T·x)).
func (o operator) Apply(dst, x *mat.Dense) {
	k, _ := o.t.Dims()
	_, s := x.Dims()
	tx := mat.NewDense(k, s, nil)
	tx.Mul(o.t, x)
	for i := range k {
		blas64.Scal(-o.a[i], vector(tx.RawRowView(i)))
	}
	dst.Mul(o.t.T(), tx)
}

// weights returns a for the multipliers y.
func (p *problem) weights(y []float64) []float64 {
	k, _ := p.t.Dims()
	a := make([]float64, k)
	for i := range p.rows {
		r := &p.rows[i]
		for j, c := range r.coef {
			a[r.first+j] = y[i] * c
		}
	}
	return a
}

// at evaluates the dual problem. Where D is −∞ only that is set.
func (p *problem) at(ctx context.Context, y []float64, spec spectrum) (*state, error) {
	s := &state{y: y}
	var err error
	if s.sigma, s.u, err = spec(ctx, p, p.weights(y)); err != nil {
		return nil, err
	}
	lambda := make([]float64, len(s.sigma))
	for j, v := range s.sigma {
		f, l := p.reg.conjugate(p.tau, v)
		s.objective -= f
		lambda[j] = l
	}
	if math.IsInf(s.objective, 0) {
		return s, nil
	}
	k, _ := p.t.Dims()
	s.r = mat.NewDense(k, len(lambda), nil)
	s.r.Mul(p.t, s.u)
	s.value, s.grad = make([]float64, len(y)), make([]float64, len(y))
	for i := range p.rows {
		r := &p.rows[i]
		v := r.offset
		for j, c := range r.coef {
			for q, t := range s.r.RawRowView(r.first + j) {
				v += c * lambda[q] * t * t
			}
		}
		xi, phi, _ := p.limit(r, y[i])
		s.value[i], s.grad[i] = v, v-xi
		s.objective += phi + y[i]*r.offset
		s.residual = max(s.residual, r.violation(y[i], s.grad[i]))
	}
	if s.objective != s.objective {
		s.objective = math.Inf(-1)
	}
	return s, nil
}

// begin returns the first state: y = 0 or, where W = 0 stands still around it
// (Trace), the best of a few points on the ray of the projected gradient.
func (p *problem) begin(ctx context.Context, spec spectrum) (*state, error) {
	s, err := p.at(ctx, make([]float64, len(p.rows)), spec)
	if err != nil || p.reg != Trace || s.residual == 0 {
		return s, err
	}
	d := make([]float64, len(p.rows))
	for i := range d {
		d[i] = p.rows[i].project(s.grad[i])
	}
	m, _, err := dense(ctx, p, p.weights(d))
	if err != nil || m[len(m)-1] <= 0 {
		return s, err
	}
	scale := 2 * max(p.tau, 0x1p-40) / m[len(m)-1]
	for range 60 {
		y := make([]float64, len(d))
		for i := range y {
			y[i] = scale * d[i]
		}
		t, err := p.at(ctx, y, spec)
		if err != nil {
			return s, err
		}
		if !(t.objective > s.objective) {
			break
		}
		s = t
		scale *= 2
	}
	return s, nil
}

// newton maximizes D by a projected Newton method on the free multipliers
// (those not held at 0 by the gradient), the equations solved by conjugate
// gradients with products of the generalized Hessian [ZST10], where
// [J10] Algorithm 1 takes gradient steps of a fixed length.
func (p *problem) newton(ctx context.Context, o *options, spec spectrum) (*state, error) {
	s, err := p.begin(ctx, spec)
	if err != nil {
		return s, err
	}
	for s.residual > o.tol {
		if o.iterations++; o.iterations > o.maxIter {
			return s, p.stuck(s, o)
		}
		o.report(s)
		d, err := p.direction(ctx, s)
		if err != nil {
			return s, err
		}
		next, err := p.search(ctx, s, d, spec)
		if err == nil && next == nil { // no ascent along the Newton direction
			next, err = p.search(ctx, s, s.grad, spec)
		}
		if err != nil {
			return s, err
		}
		if next == nil {
			return s, p.stuck(s, o)
		}
		s = next
		if p.unbounded(s) {
			return s, p.stuck(s, o)
		}
	}
	return s, nil
}

// search returns the first of the points project(y + 2⁻ᵗd) that ascends enough,
// or lowers the residual where rounding hides the ascent; nil if none does.
func (p *problem) search(ctx context.Context, s *state, d []float64, spec spectrum) (*state, error) {
	step := 1.
	for range 40 {
		y := make([]float64, len(d))
		var gain float64
		for i := range y {
			y[i] = p.rows[i].project(s.y[i] + step*d[i])
			gain += s.grad[i] * (y[i] - s.y[i])
		}
		t, err := p.at(ctx, y, spec)
		if err != nil {
			return nil, err
		}
		noise := 1e-13 * (1 + math.Abs(s.objective))
		if !math.IsInf(t.objective, 0) &&
			(t.objective > s.objective && t.objective >= s.objective+1e-4*gain || t.objective >= s.objective-noise && t.residual < 0.9*s.residual) {
			return t, nil
		}
		step /= 2
	}
	return nil, nil
}

// direction solves (H + Ξ + μI)d = grad on the free multipliers, where H is the
// generalized Hessian of −Σf* and Ξ the slopes of ξ; on the others it leads to 0.
func (p *problem) direction(ctx context.Context, s *state) ([]float64, error) {
	m := len(p.rows)
	free, slope := make([]bool, m), make([]float64, m)
	edge := min(1e-6, s.residual)
	for i := range p.rows {
		r := &p.rows[i]
		free[i] = math.Abs(s.y[i]) > edge || r.project(s.grad[i]) != 0 || r.relation == constraint.Equal
		_, _, slope[i] = p.limit(r, s.y[i])
	}
	change := p.hessian(s)
	mu := 1e-3*min(1, s.residual) + 1e-13
	product := func(dst, v []float64) {
		w := change(p.weights(v))
		for i := range p.rows {
			if !free[i] {
				dst[i] = 0
				continue
			}
			r := &p.rows[i]
			sum := (slope[i] + mu) * v[i]
			for j, c := range r.coef {
				sum -= c * w[r.first+j]
			}
			dst[i] = sum
		}
	}
	// Conjugate gradients from 0.
	d, r, v, hv := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	for i := range r {
		if free[i] {
			r[i] = s.grad[i]
		}
	}
	copy(v, r)
	rho := dot(r, r)
	stop := rho * math.Pow(min(0.1, math.Sqrt(s.residual)), 2)
	for range min(2*m+10, 500) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if rho <= stop {
			break
		}
		product(hv, v)
		curvature := dot(v, hv)
		if !(curvature > 0) {
			break
		}
		blas64.Axpy(rho/curvature, vector(v), vector(d))
		blas64.Axpy(-rho/curvature, vector(hv), vector(r))
		next := dot(r, r)
		blas64.Scal(next/rho, vector(v))
		blas64.Axpy(1, vector(r), vector(v))
		rho = next
	}
	for i := range d {
		if !free[i] {
			d[i] = -s.y[i]
		}
	}
	return d, nil
}

// hessian returns the function that takes the weights a of a change
// dM = −Tᵀdiag(a)T to the changes t_kᵀ·dW·t_k of the atoms, where in the
// eigenvectors of M dW_ab = Ω_ab·dM_ab with the divided differences Ω of h.
//
// From a spectrum that ends at τ, what lies below is taken as one eigenvalue, the
// mean: the steps are then not quite Newton's.
func (p *problem) hessian(s *state) func(a []float64) []float64 {
	q := len(s.sigma)
	atoms, r := p.t.Dims()
	omega := mat.NewDense(q, q, nil)
	for a := range q {
		for b := range q {
			omega.Set(a, b, p.reg.difference(p.tau, s.sigma[a], s.sigma[b]))
		}
	}
	var below []float64 // twice Ω between each eigenvalue and what lies below
	if q < r {
		var mean float64
		for k, a := range p.weights(s.y) {
			t := p.t.RawRowView(k)
			mean -= a * dot(t, t)
		}
		for _, v := range s.sigma {
			mean -= v
		}
		for _, v := range s.sigma {
			below = append(below, 2*p.reg.difference(p.tau, v, min(mean/float64(r-q), v)))
		}
	}
	w := mat.NewDense(atoms, q, nil)
	out := make([]float64, atoms)
	return func(a []float64) []float64 {
		raw := p.weighted(s.r, a).RawSymmetric()
		n := blas64.General{Rows: q, Cols: q, Stride: raw.Stride, Data: raw.Data}
		if below != nil { // T(dM·u − u·uᵀdM·u)
			scaled, hu := mat.NewDense(atoms, q, nil), mat.NewDense(r, q, nil)
			for k := range atoms {
				blas64.Axpy(-a[k], vector(s.r.RawRowView(k)), vector(scaled.RawRowView(k)))
			}
			hu.Mul(p.t.T(), scaled)
			w.Mul(p.t, hu)
			blas64.Gemm(noTrans, noTrans, -1, s.r.RawMatrix(), n, 1, w.RawMatrix())
			for k := range atoms {
				out[k] = 0
				row := w.RawRowView(k)
				for b, v := range s.r.RawRowView(k) {
					out[k] += below[b] * v * row[b]
				}
			}
		} else {
			clear(out)
		}
		for i := range q {
			for b, o := range omega.RawRowView(i) {
				n.Data[i*n.Stride+b] *= o
			}
		}
		blas64.Gemm(noTrans, noTrans, 1, s.r.RawMatrix(), n, 0, w.RawMatrix())
		for k := range atoms {
			out[k] += dot(w.RawRowView(k), s.r.RawRowView(k))
		}
		return out
	}
}

// unbounded reports whether y is so large that the dual has no maximum.
func (p *problem) unbounded(s *state) bool {
	for _, y := range s.y {
		if math.Abs(y) > 1e12*(1+p.tau) {
			return true
		}
	}
	return false
}

// stuck is the error of an iteration that ended early: a *constraint.InfeasibleError if
// the multipliers, divided by their sum, are close to a proof that the hard
// constraints contradict each other (no eigenvalue of M above 0 and an ascent
// without end), else a *gram.ConvergenceError.
func (p *problem) stuck(s *state, o *options) error {
	var sum, ascent float64
	worst := 0
	for i, y := range s.y {
		sum += math.Abs(y)
		ascent += y * (p.rows[i].offset - p.rows[i].bound)
		if math.Abs(y) > math.Abs(s.y[worst]) {
			worst = i
		}
	}
	if p.slack == 0 && sum > 1e3*(1+p.tau) && len(s.sigma) > 0 {
		top := s.sigma[0]
		for _, v := range s.sigma {
			top = max(top, v)
		}
		if ascent > 0 && top <= 1e-3*ascent {
			return &constraint.InfeasibleError{Constraints: []int{p.rows[worst].at}, Reason: "it contradicts the others; give the constraints slack"}
		}
	}
	return &gram.ConvergenceError{Iter: o.iterations, Residual: s.residual, Tol: o.tol}
}

// options are what the iterations share.
type options struct {
	tol        float64
	maxIter    int
	iterations int
	meter      *gram.Meter
	phase      string
}

func (o *options) report(s *state) {
	o.meter.Report(gram.Event{Phase: o.phase, Done: int64(o.iterations), Total: int64(o.maxIter), Objective: s.objective})
}
