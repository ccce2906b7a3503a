package krr

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// system is the matrix S·A·S + shift·I for an operator A. If ctx ends during a
// product, the product is set to 0. Conjugate gradients treats this as a direction
// without curvature, and solve.CG stops without changing its iterate.
type system struct {
	ctx   context.Context
	dim   int
	apply func(dst, x *mat.Dense) error // A·x
	root  []float64
	shift float64
	buf   *mat.Dense // S·x
	err   error
}

// Dim returns the number of rows n.
func (s *system) Dim() int { return s.dim }

// Apply sets dst to the product of the system with x.
func (s *system) Apply(dst, x *mat.Dense) {
	in := x
	if s.root != nil {
		if s.buf == nil {
			s.buf = mat.NewDense(x.RawMatrix().Rows, x.RawMatrix().Cols, nil)
		}
		in = s.buf
		in.Copy(x)
		scaleRows(in, s.root)
	}
	if s.err == nil {
		s.err = s.apply(dst, in)
	}
	if s.err != nil {
		dst.Zero()
		return
	}
	scaleRows(dst, s.root)
	for i := range s.dim {
		blas64.Axpy(s.shift, row(x, i), row(dst, i))
	}
}

func row(a *mat.Dense, i int) blas64.Vector {
	r := a.RawRowView(i)
	return blas64.Vector{N: len(r), Data: r, Inc: 1}
}

func scaleRows(a *mat.Dense, f []float64) {
	for i, v := range f {
		blas64.Scal(v, row(a, i))
	}
}

// solve runs conjugate gradients. It returns a nil iterate if there was no progress.
func (s *system) solve(rhs *mat.Dense, o solve.Options) (*mat.Dense, solve.Stats, error) {
	n, t := rhs.Dims()
	x := mat.NewDense(n, t, nil)
	st, err := solve.CG(s.ctx, x, s, 0, rhs, o)
	if s.err != nil {
		err = s.err
	}
	if err != nil && (st.Iter == 0 || mat.Norm(x, 1) == 0) {
		return nil, st, err
	}
	return x, st, err
}

// cg solves the system by products with a kernel matrix that is not stored.
func (p *problem) cg(ctx context.Context, st *Stats) (*mat.Dense, error) {
	begin := time.Now()
	o := solve.Options{Tol: p.c.Tol, MaxIter: p.c.MaxIter, Progress: p.meter.Report}
	if !p.c.NoPreconditioner {
		pre, err := p.preconditioner(ctx)
		if err != nil {
			return nil, err
		}
		if pre != nil {
			o.Precondition = pre
		}
	}
	st.KernelSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	n, _ := p.x.Dims()
	s := &system{ctx: ctx, dim: n, root: p.root, shift: p.shift, apply: func(dst, x *mat.Dense) error {
		return p.block.MulSelf(ctx, gram.View(dst), gram.View(x))
	}}
	if p.block.Halves() {
		o.Rough = p.rough(ctx, s)
	}
	beta, res, err := s.solve(p.rhs, o)
	st.Iterations = res.Iter
	for _, v := range res.Residual {
		st.Residual = max(st.Residual, v)
	}
	var rough *gram.ConvergenceError
	if beta != nil && (err == nil || errors.As(err, &rough)) { // else the residual is only that of the recurrence
		st.Bound = p.bound(beta, res.Residual)
	}
	st.SolveSeconds = time.Since(begin).Seconds()
	return beta, err
}

// bound returns Stats.Bound for the solution beta with the given relative residuals. The
// matrix of the system is A = M + λI for a positive semi-definite M. Let β be the solution
// of a system with residual r, and e = A⁻¹r its error. Without a constant,
//
//	‖f−f*‖² = eᵀMe ≤ max_μ μ/(μ+λ)²·‖r‖² = ‖r‖²/(4λ).
//
// With a constant, β = β_y − b·β_1 has the residual r = r_y − b·r_1 and sᵀβ = 0. Then
// Ae = r − δs for the error δ of b, and sᵀe = 0. Hence e is the projection of A⁻¹r along A⁻¹s,
// ‖f−f*‖² ≤ eᵀAe ≤ rᵀA⁻¹r ≤ ‖r‖²/λ, and δ² ≤ rᵀA⁻¹r/(sᵀA⁻¹s), where
// sᵀA⁻¹s ≥ (sᵀβ_1)²/(β_1ᵀAβ_1) by Cauchy and Schwarz. Round-off in the residuals is left out.
func (p *problem) bound(beta *mat.Dense, residual []float64) float64 {
	_, columns := beta.Dims()
	norm := make([]float64, columns)
	for j := range norm {
		norm[j] = residual[j] * mat.Norm(p.rhs.ColView(j), 2)
	}
	t := len(p.mean)
	worst := 0.0
	if columns == t {
		for _, v := range norm {
			worst = max(worst, v)
		}
		return worst / (2 * math.Sqrt(p.shift))
	}
	one, s := beta.ColView(t), p.rhs.ColView(t)
	dot := mat.Dot(s, one)
	least := dot * dot / (dot + mat.Norm(one, 2)*norm[t])
	for j := range t {
		b := mat.Dot(s, beta.ColView(j)) / dot
		worst = max(worst, norm[j]+math.Abs(b)*norm[t])
	}
	return worst / math.Sqrt(p.shift) * (1 + 1/math.Sqrt(least))
}

// checked is the number of rows by which the error of products in float32 is estimated.
const checked = 128

// rough returns the system s with kernel products in float32, for the inner solves of iterative refinement.
func (p *problem) rough(ctx context.Context, s *system) *solve.Rough {
	n, _ := p.x.Dims()
	if p.single == nil {
		p.single = kernel.Against[float32](p.c.Kernel, p.x).Limit(p.c.Workers)
	}
	out := *s
	out.apply = func(dst, x *mat.Dense) error { return p.single.MulSelf(ctx, gram.View(dst), gram.View(x)) }
	index := make([]int, min(n, checked))
	for k := range index {
		index[k] = k * n / len(index)
	}
	part := gram.Of(p.x).Select(index)
	return &solve.Rough{Operator: &out, Index: index, Rows: func(dst, x *mat.Dense) {
		in := x
		if p.root != nil {
			in = mat.DenseCopyOf(x)
			scaleRows(in, p.root)
		}
		p.block.Mul(gram.View(dst), part, gram.View(in))
		for k, i := range index {
			if p.root != nil {
				blas64.Scal(p.root[i], row(dst, k))
			}
			blas64.Axpy(p.shift, row(x, i), row(dst, k))
		}
	}}
}

// SolveOptions holds the penalty and the weights of Solve, and the options of its conjugate gradients.
type SolveOptions struct {
	Lambda  float64       // λ ≥ 0
	Penalty solve.Penalty // default solve.Total: λ is added to A; solve.PerRow: n·λ is added, or λ times the sum of the weights
	Weights []float64     // weights of the rows; nil: ones
	solve.Options
}

// Solve returns the coefficients α of kernel ridge regression for a positive
// semi-definite matrix A that replaces the kernel matrix. A is known only by its
// products. The solution, by conjugate gradients, is α = Sβ with
// (S·A·S + λI)·β = S·y for n×t targets y and S = diag(√w). A preconditioner in o
// belongs to the matrix of this system. If A = Φ·Φᵀ for features Φ of the rows, the
// regression function is φ(x)ᵀ·(Φᵀα).
//
// On cancellation and with a *gram.ConvergenceError the coefficients so far are
// returned, nil if there are none. Products with A are not interrupted.
func Solve(ctx context.Context, a gram.Operator, y *mat.Dense, o SolveOptions) (*mat.Dense, solve.Stats, error) {
	n, _ := y.Dims()
	if a.Dim() != n {
		panic("krr: the operator is of another order than y")
	}
	if o.Weights != nil && len(o.Weights) != n {
		panic("krr: there are not as many weights as rows")
	}
	if !(o.Lambda >= 0) || math.IsInf(o.Lambda, 0) {
		return nil, solve.Stats{}, settings.Refuse("Lambda", o.Lambda, "a finite number ≥ 0")
	}
	s := &system{ctx: ctx, dim: n, apply: func(dst, x *mat.Dense) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.Apply(dst, x)
		return nil
	}}
	total := float64(n)
	rhs := y
	if o.Weights != nil {
		s.root = make([]float64, n)
		total = 0
		for i, v := range o.Weights {
			s.root[i] = math.Sqrt(v)
			total += v
		}
		rhs = mat.DenseCopyOf(y)
		scaleRows(rhs, s.root)
	}
	s.shift = o.Penalty.Scale(o.Lambda, total)
	alpha, st, err := s.solve(rhs, o.Options)
	var pd *gram.NotPDError
	if errors.As(err, &pd) && o.Lambda == 0 { // the last directions may consist of round-off
		err = &gram.ConvergenceError{Iter: st.Iter, Residual: worst(st.Residual), Tol: o.Tol}
	}
	if alpha != nil {
		scaleRows(alpha, s.root)
	}
	return alpha, st, err
}

func worst(v []float64) float64 {
	m := 0.0
	for _, r := range v {
		m = max(m, r)
	}
	return m
}
