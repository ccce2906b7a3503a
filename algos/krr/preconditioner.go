package krr

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/mat"
)

// preconditioner is I + S·C·Q·Cᵀ·S for the kernel values C of landmarks, up to a factor the
// inverse of S·C·W⁻¹·Cᵀ·S + λI. C is not stored: reading it would take as long as computing
// it.
type preconditioner struct {
	p     *problem
	block *kernel.Block[float64]   // of the landmarks
	apply func(v *mat.Dense) error // sets v = Q·v
}

// Dim returns the number of rows n.
func (a *preconditioner) Dim() int { n, _ := a.p.x.Dims(); return n }

// Apply sets dst = x + S·C·Q·Cᵀ·S·x.
func (a *preconditioner) Apply(dst, x *mat.Dense) {
	m, _ := a.block.Dims()
	n, s := x.Dims()
	in := x
	if a.p.root != nil {
		in = mat.DenseCopyOf(x)
		scaleRows(in, a.p.root)
	}
	v := mat.NewDense(m, s, nil)
	a.block.MulT(gram.View(v), gram.Of(a.p.x), gram.View(in))
	a.apply(v)
	a.block.Mul(gram.View(dst), gram.Of(a.p.x), gram.View(v))
	scaleRows(dst, a.p.root)
	for i := range n {
		blas64.Axpy(1, row(x, i), row(dst, i))
	}
}

// landmarks are what the preconditioners of a problem share for all λ.
type landmarks struct {
	block *kernel.Block[float64]
	core  *mat.Dense // W
	sum   *mat.Dense // the upper triangle of CᵀS²C; nil: not computed
}

// preconditioner selects the landmarks, unless a fit for another λ did, and factors. It
// returns nil if the approximation has rank 0.
func (p *problem) preconditioner(ctx context.Context) (gram.Operator, error) {
	if p.landmarks == nil {
		run := p.c.Run
		run.Seed = rng.Derive(run.Seed, "preconditioner")
		run.Progress = nil
		points, err := p.c.Landmarks.Select(ctx, p.c.Kernel, p.x, nil, p.c.M, run)
		if err != nil {
			return nil, err
		}
		l := &landmarks{block: kernel.Against[float64](p.c.Kernel, points.U).Limit(p.c.Workers), core: mat.NewDense(p.c.M, p.c.M, nil)}
		l.block.Fill(gram.View(l.core), gram.Of(points.U))
		p.landmarks = l
	}
	l := p.landmarks
	// The trace of CᵀS²C is about n/m·‖W‖². Its round-off acts like a number ε on the diagonal
	// of W, which hides eigenvalues of S·G·S up to n/m·ε.
	share, norm := p.total/float64(p.c.M), mat.Norm(l.core, 2)
	epsilon := 0x1p-50 * share * norm * norm / p.shift
	pre := &preconditioner{p: p, block: l.block}
	var err error
	if norm > 0 && share*epsilon <= p.shift/4 {
		pre.apply, err = p.normal(ctx, l, epsilon)
	} else {
		pre.apply, err = p.deflation(ctx, l.block, mat.DenseCopyOf(l.core))
	}
	if pre.apply == nil {
		return nil, err
	}
	return pre, nil
}

// columns adds fᵀf to the upper triangle of sum for the features f = S·C·root of all rows;
// a nil root stands for I.
func (p *problem) columns(ctx context.Context, block *kernel.Block[float64], root, sum *mat.Dense) error {
	n, d := p.x.Dims()
	m, _ := block.Dims()
	_, r := sum.Dims()
	piece := max(64, min(n, pieceRows, int(2e9/(float64(m)*float64(d+2*r))))) // 64 rows or more make a product fast
	values := mat.NewDense(piece, m, nil)
	features := values
	if root != nil {
		features = mat.NewDense(piece, r, nil)
	}
	for lo := 0; lo < n; lo += piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+piece, n)
		c, f := values.Slice(0, hi-lo, 0, m).(*mat.Dense), features.Slice(0, hi-lo, 0, r).(*mat.Dense)
		block.Fill(gram.View(c), gram.Of(p.x).Slice(lo, hi))
		if root != nil {
			rows.Mul(f, gram.Of(c), root)
		}
		if p.root != nil {
			scaleRows(f, p.root[lo:hi])
		}
		blas64.Syrk(blas.Trans, 1, f.RawMatrix(), 1, symmetric(sum))
		p.meter.Report(gram.Event{Phase: "preconditioner", Done: int64(hi), Total: int64(n)})
	}
	return nil
}

// symmetric returns a as a symmetric matrix with its upper triangle.
func symmetric(a *mat.Dense) blas64.Symmetric {
	r := a.RawMatrix()
	return blas64.Symmetric{Uplo: blas.Upper, N: r.Rows, Stride: r.Stride, Data: r.Data}
}

// normal returns the product with Q = −(λ(W+εI) + CᵀS²C)⁻¹.
func (p *problem) normal(ctx context.Context, l *landmarks, epsilon float64) (func(v *mat.Dense) error, error) {
	m, _ := l.core.Dims()
	if l.sum == nil {
		sum := mat.NewDense(m, m, nil)
		if err := p.columns(ctx, l.block, nil, sum); err != nil {
			return nil, err
		}
		l.sum = sum
	}
	w := mat.NewDense(m, m, nil)
	w.Scale(p.shift, l.core)
	for i := range m {
		w.Set(i, i, w.At(i, i)+p.shift*epsilon)
	}
	w.Add(w, l.sum)
	if err := solve.Cholesky(ctx, w, p.meter); err != nil {
		return nil, err
	}
	return func(v *mat.Dense) error {
		err := solve.CholeskySolve(ctx, w, v)
		v.Scale(-1, v)
		return err
	}, nil
}

// deflation returns the product with Q = B·diag(gain)·Bᵀ, where U = S·C·B has orthonormal
// columns, the eigenvectors of S·C·W⁻¹·Cᵀ·S. With the smallest eigenvalue ℓ, gain_j is
// (ℓ+λ)/(Λ_j+λ) − 1. It keeps smaller eigenvalues than normal and takes three times the
// flops. It returns nil if there is no eigenvalue.
func (p *problem) deflation(ctx context.Context, block *kernel.Block[float64], w *mat.Dense) (func(v *mat.Dense) error, error) {
	m, _ := w.Dims()
	root, mu, err := solve.InvSqrt(ctx, mat.NewSymDense(m, w.RawMatrix().Data), 0, 0)
	if err != nil || len(mu) == 0 {
		return nil, err
	}
	// Φ = S·C·W^{−1/2}. With ΦᵀΦ = VΛVᵀ, U = Φ·VΛ^{−1/2}.
	r := len(mu)
	gramian := mat.NewDense(r, r, nil)
	if err := p.columns(ctx, block, root, gramian); err != nil {
		return nil, err
	}
	values := make([]float64, r)
	if !symmetricEigen(lapack.EVCompute, gramian.RawMatrix(), values) {
		return nil, &gram.ConvergenceError{Residual: math.NaN()}
	}
	keep := 0
	for keep < r && values[r-1-keep] > 1e-12*values[r-1] {
		keep++
	}
	if keep == 0 {
		return nil, nil
	}
	gain, turn := make([]float64, keep), mat.NewDense(r, keep, nil)
	least := values[r-keep]
	for j := range keep {
		v := values[r-1-j]
		gain[j] = (least+p.shift)/(v+p.shift) - 1
		for i := range r {
			turn.Set(i, j, gramian.At(i, r-1-j)/math.Sqrt(v))
		}
	}
	b := mat.NewDense(m, keep, nil)
	b.Mul(root, turn)
	return func(v *mat.Dense) error {
		_, s := v.Dims()
		t := mat.NewDense(keep, s, nil)
		t.Mul(b.T(), v)
		scaleRows(t, gain)
		v.Mul(b, t)
		return nil
	}, nil
}
