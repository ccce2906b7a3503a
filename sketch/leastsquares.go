package sketch

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/num"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// LeastSquares solves min ‖Ax − b‖ for tall matrices A, n×d with n ≫ d, by random
// sketches. The zero value is ready for use.
type LeastSquares struct {
	// Rows is the number of rows of the sketch, at least d and at most n. 0 means 4·d for
	// Solve and 40·d for Approximate.
	Rows int
	// Tolerance is the relative size of the gradient at which Solve stops: ‖Aᵀr‖ ≤
	// Tolerance·‖A‖·‖r‖ for the residual r, with A in the basis that the sketch
	// orthonormalizes. 0 means 1e-14.
	Tolerance float64
	// Iterations limits the iterations of Solve; 0 means 100.
	Iterations int
	gram.Run   `json:"-"`
}

// Solution is an approximate solution of min ‖Ax − b‖ with its residual.
type Solution struct {
	X          []float64
	Residual   float64 // ‖AX − b‖
	Iterations int     // of Solve
}

// Approximate returns the solution of min ‖S(Ax − b)‖ for an SRHT S. With s = 40·d rows
// its residual is typically 1 + d/(2·s) = 1.0125 times the least one. Cost: one pass
// over A with n·d·log₂r additions and a QR factorization of s rows.
//
// The error is a *gram.ConfigError for a negative setting, a *gram.DataError if a number is not
// finite or if squares of numbers overflow, a *gram.NotPDError if the columns of A depend on each
// other, with the column as pivot, and ctx.Err(). It panics if b has not n elements, if n < d or
// if A is empty.
func (l LeastSquares) Approximate(ctx context.Context, a *mat.Dense, b []float64) (Solution, error) {
	_, d := a.Dims()
	p, err := l.precondition(ctx, a, b, 40*d)
	if err != nil {
		return Solution{}, err
	}
	s := Solution{X: p.x}
	r := append([]float64(nil), b...)
	raw := a.RawMatrix()
	blas64.Gemv(gblas.NoTrans, -1, raw, linalg.Vector(s.X), 1, linalg.Vector(r))
	s.Residual = blas64.Nrm2(linalg.Vector(r))
	return s, ctx.Err()
}

// Solve returns the solution to working precision. The triangular factor of a sketch
// makes A nearly orthonormal, so that LSQR [PS82] takes about log(1/Tolerance)/log(√(s/d))
// iterations whatever the condition of A is [AMT10, RT08]; each takes two products
// with A.
//
// Errors and panics are those of Approximate; if Tolerance is not reached, the error is
// a *gram.ConvergenceError beside the best solution so far.
func (l LeastSquares) Solve(ctx context.Context, a *mat.Dense, b []float64) (Solution, error) {
	n, d := a.Dims()
	p, err := l.precondition(ctx, a, b, 4*d)
	if err != nil {
		return Solution{}, err
	}
	tolerance, iterations := l.Tolerance, l.Iterations
	if tolerance == 0 {
		tolerance = 1e-14
	}
	if iterations == 0 {
		iterations = 100
	}
	raw := a.RawMatrix()
	// LSQR for min ‖(A·R⁻¹)y − r₀‖, r₀ = b − A·x₀.
	u, v, w, y, t := make([]float64, n), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	forward := func(alpha float64) { // u ← A·R⁻¹·v − alpha·u
		copy(t, v)
		blas64.Trsv(gblas.NoTrans, p.r, linalg.Vector(t))
		blas64.Gemv(gblas.NoTrans, 1, raw, linalg.Vector(t), -alpha, linalg.Vector(u))
	}
	backward := func(beta float64) { // v ← R⁻ᵀ·Aᵀ·u − beta·v
		blas64.Gemv(gblas.Trans, 1, raw, linalg.Vector(u), 0, linalg.Vector(t))
		blas64.Trsv(gblas.Trans, p.r, linalg.Vector(t))
		for i := range v {
			v[i] = t[i] - float64(beta*v[i])
		}
	}
	copy(u, b)
	blas64.Gemv(gblas.NoTrans, -1, raw, linalg.Vector(p.x), 1, linalg.Vector(u))
	beta := normalize(u)
	backward(0)
	alpha := normalize(v)
	copy(w, v)
	phi, rho := beta, alpha
	s := Solution{}
	gradient := alpha // relative to the residual; the norm of A·R⁻¹ is about one
	for s.Iterations < iterations && phi > 0 && gradient > tolerance {
		if err = ctx.Err(); err != nil {
			break
		}
		s.Iterations++
		forward(alpha)
		beta = normalize(u)
		backward(beta)
		alpha = normalize(v)
		length := math.Hypot(rho, beta)
		c, sn := rho/length, beta/length
		theta := sn * alpha
		rho = -c * alpha
		step := c * phi
		phi *= sn
		for i := range y {
			y[i] += step / length * w[i]
			w[i] = v[i] - float64(theta/length*w[i])
		}
		gradient = alpha * math.Abs(c)
		l.Report(gram.Event{Phase: "iterations", Done: int64(s.Iterations), Total: int64(iterations), Objective: phi})
	}
	blas64.Trsv(gblas.NoTrans, p.r, linalg.Vector(y))
	for i := range y {
		y[i] += p.x[i]
	}
	s.X, s.Residual = y, phi
	if err == nil && phi > 0 && !(gradient <= tolerance) {
		err = &gram.ConvergenceError{Iter: s.Iterations, Residual: gradient, Tol: tolerance}
	}
	return s, err
}

// preconditioner is the triangular factor of S·A, and the solution of the sketched
// problem.
type preconditioner struct {
	r blas64.Triangular
	x []float64
}

func (l LeastSquares) precondition(ctx context.Context, a *mat.Dense, b []float64, rows int) (preconditioner, error) {
	n, d := a.Dims()
	if len(b) != n || n < d || d == 0 {
		panic("sketch: least squares need a matrix with at least as many rows as columns, and as many targets as rows")
	}
	var p preconditioner
	switch {
	case l.Rows < 0:
		return p, &gram.ConfigError{Field: "Rows", Value: l.Rows, Want: "an integer ≥ 0"}
	case !(l.Tolerance >= 0):
		return p, &gram.ConfigError{Field: "Tolerance", Value: l.Tolerance, Want: "a number ≥ 0"}
	case l.Iterations < 0:
		return p, &gram.ConfigError{Field: "Iterations", Value: l.Iterations, Want: "an integer ≥ 0"}
	}
	if l.Rows > 0 {
		rows = l.Rows
	}
	rows = max(d, min(rows, n))
	if err := ctx.Err(); err != nil {
		return p, err
	}
	if err := check.Target(b, n); err != nil {
		return p, err
	}
	s := NewSRHT[float64](rows, n, l.Seed)
	raw := a.RawMatrix()
	sa := num.MakeRows[float64](rows, d+1)
	s.apply(sa, num.Rows[float64]{Data: raw.Data, N: n, D: d, Stride: raw.Stride}, b, l.Workers)
	p.x = make([]float64, rows)
	for i := range p.x {
		p.x[i] = sa.Row(i)[d]
	}
	if err := ctx.Err(); err != nil {
		return p, err
	}
	lapack := blas.Current().Lapack()
	tau, work := make([]float64, d), make([]float64, 1)
	lapack.Dgeqrf(rows, d, sa.Data, sa.Stride, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack.Dgeqrf(rows, d, sa.Data, sa.Stride, tau, work, len(work))
	lapack.Dormqr(gblas.Left, gblas.Trans, rows, 1, d, sa.Data, sa.Stride, tau, p.x, 1, work, -1)
	if need := int(work[0]); need > len(work) {
		work = make([]float64, need)
	}
	lapack.Dormqr(gblas.Left, gblas.Trans, rows, 1, d, sa.Data, sa.Stride, tau, p.x, 1, work, len(work))
	p.r = blas64.Triangular{Uplo: gblas.Upper, Diag: gblas.NonUnit, N: d, Data: sa.Data, Stride: sa.Stride}
	p.x = p.x[:d]
	for j := range d {
		length := blas64.Nrm2(blas64.Vector{N: j + 1, Data: sa.Data[j:], Inc: sa.Stride})
		diagonal := math.Abs(sa.Data[j*sa.Stride+j])
		if !(diagonal > 0x1p-52*float64(rows)*length) {
			if err := gram.Of(a).InRange(); err != nil {
				return p, err
			}
			return p, fmt.Errorf("sketch: the columns of the matrix are not independent: %w", &gram.NotPDError{Pivot: j, Margin: diagonal / max(length, math.SmallestNonzeroFloat64)})
		}
	}
	blas64.Trsv(gblas.NoTrans, p.r, linalg.Vector(p.x))
	return p, nil
}

// normalize divides x by its length, which it returns, unless that is zero.
func normalize(x []float64) float64 {
	length := blas64.Nrm2(linalg.Vector(x))
	if length > 0 {
		blas64.Scal(1/length, linalg.Vector(x))
	}
	return length
}
