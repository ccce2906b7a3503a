package svm

import (
	"context"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Problem is the dual of a support vector machine on n rows, in signed variables:
//
//	min ½βᵀKβ − yᵀβ + ε·Σ|β_i|,   lower_i ≤ β_i ≤ upper_i,   Σβ_i = 0 unless NoBias.
//
// With targets y = ±1 and the bounds 0 and y·C the problem is C-SVC and β_i = y_iα_i.
// With real targets y, the bounds ±C and ε > 0 it is ε-SVR and β_i = α_i − α*_i. The
// function is f(x) = Σβ_iK(x_i,x) + b.
//
// The ν-machines fix sums instead of ε and b. With Sum the constraint is Σβ_i = Sum, as of
// one-class machines. With Half there are two:
//
//	β = p + q,   0 ≤ p_i ≤ upper_i,   lower_i ≤ q_i ≤ 0,   Σp_i = −Σq_i = Half,
//
// and Solution.Epsilon is the ε for which β solves the problem above: that of the tube of
// ν-SVR, and −ρ for the margin ρ of ν-SVC, whose targets are 0.
type Problem struct {
	Kernel       kernel.Kernel
	X            mat.Matrix // n×d
	Target       []float64  // y
	Lower, Upper []float64  // lower ≤ 0 ≤ upper
	Epsilon      float64
	NoBias       bool
	Sum          float64   // of all β_i; needs a bias
	Half         float64   // if above 0, the sum of p and of −q; needs a bias, and Epsilon and Sum of 0
	Start        []float64 // initial β, which is put within the bounds; nil: zeros, or with Sum or Half the first rows at their bounds

	Tol        float64 // largest SolveStats.Violation of a solution; default 1e-3
	MaxIter    int     // default 10⁷, or 100·n if that is more
	CacheBytes int64   // memory for rows of K; default 256 MiB, and never more than all of K takes
	Double     bool    // rows of K in float64, not float32
	gram.Run

	x      gram.Samples[float64] // the rows of X
	spare  *spare                // memory; nil: none
	values *pairValues           // the kernel matrix, in place of Kernel and X; nil: it is not known
	sides  []*side               // β, or p and q
}

// Solution is the function f(x) = Σβ_iK(x_i,x) + b that Solve finds.
type Solution struct {
	Coef []float64 // β
	Bias float64   // b; 0 with NoBias
	// Epsilon is the Epsilon of the Problem or, with Half, the ε that Solve finds, which may be below 0.
	Epsilon float64
	Stats   SolveStats
}

// SolveStats says how one problem was solved. Objective, Gap and Violation are
// computed at the end in float64 on all rows.
type SolveStats struct {
	Iterations int
	Objective  float64 // the objective that Problem states
	Gap        float64 // duality gap divided by the primal objective
	Violation  float64 // violation of the optimality conditions, see Solve
	Support    int     // rows with β ≠ 0
	Bounded    int     // support vectors at a bound
	margin     float64 // ρ, by which the solution of a NuSVC was divided; 0 for other machines
	Rounds     int     // how often the gradient of all rows was computed anew
	Rows       int64   // kernel rows computed, or taken from values that pairs of classes share
	Hits       float64 // share of the requested kernel rows that were in the cache
	Double     bool    // whether rows of K were computed in float64

	KernelSeconds   float64 // time for rows of K; 0 for pairs of classes that share values of the kernel
	GradientSeconds float64 // time for gradients of all rows; 0 for such pairs
	Seconds         float64 // total time; 0 for a problem that was not begun
}

const (
	defaultTol   = 1e-3
	defaultCache = 256 << 20
	defaultIter  = 10_000_000
)

// Solve solves p by sequential minimal optimization. X must contain neither NaN nor
// infinities, which Solve does not check. Solve panics if a slice does not have length
// n. The caller's goroutine reports progress.
//
// A solution is optimal if no feasible change of it lowers the objective to first
// order. The violation of this condition, at which LIBSVM stops, too, is
//
//	max_{β_i > lower_i} (∂₋f)_i − min_{β_i < upper_i} (∂₊f)_i
//
// with the left and right derivatives ∂₋f and ∂₊f of the objective. With NoBias it is
// the largest amount by which one of these derivatives has the wrong sign. With Half it is
// the larger of those of p and of q. Solve ends when the violation is at most Tol.
//
// If MaxIter is reached, or the gradient stays so large that it cannot be computed to within
// Tol, as with kernel values of 10³⁰, the error is a *gram.ConvergenceError; if ctx ends, it is
// ctx.Err(). In both cases Solve also returns the solution so far, which is feasible but not
// optimal. A Sum or Half that the bounds do not allow is a *gram.ConfigError.
func Solve(ctx context.Context, p Problem) (*Solution, error) { return p.solve(ctx) }

// solve is Solve. It fills in the settings of p. With spare memory the solution lies there.
func (p *Problem) solve(ctx context.Context) (*Solution, error) {
	begin := time.Now()
	n := len(p.Target)
	if p.values == nil {
		p.x = gram.Of(p.X)
		n = p.x.N()
	}
	if len(p.Target) != n || len(p.Lower) != n || len(p.Upper) != n || p.Start != nil && len(p.Start) != n {
		panic("svm: the lengths of the problem's slices differ")
	}
	if (p.Sum != 0 || p.Half > 0) && p.NoBias || p.Half > 0 && (p.Epsilon != 0 || p.Sum != 0) {
		panic("svm: the constraints of the problem exclude each other")
	}
	if p.Tol == 0 {
		p.Tol = defaultTol
	}
	if p.MaxIter == 0 {
		p.MaxIter = max(defaultIter, 100*n)
	}
	if p.CacheBytes == 0 {
		p.CacheBytes = defaultCache
	}
	sol := p.spare.solution()
	*sol = Solution{Coef: p.spare.take(n), Epsilon: p.Epsilon}
	defer func() { sol.Stats.Seconds = max(1e-9, time.Since(begin).Seconds()) }()
	if err := p.begin(sol.Coef); err != nil {
		return nil, err
	}
	if n == 0 {
		return sol, ctx.Err()
	}
	var err error
	stalled := false
	if !p.Double {
		stalled, err = solveDual[float32](ctx, p, sol)
	}
	if p.Double || stalled {
		sol.Stats.Double = true
		_, err = solveDual[float64](ctx, p, sol)
	}
	for i, b := range sol.Coef {
		if b != 0 {
			sol.Stats.Support++
			if b == p.Lower[i] || b == p.Upper[i] {
				sol.Stats.Bounded++
			}
		}
	}
	return sol, err
}

// begin sets beta, and the sides, to what the solver starts from.
func (p *Problem) begin(beta []float64) error {
	switch {
	case p.Half > 0:
		n := len(beta)
		zeros := p.spare.take(n)
		p.sides = append(p.spare.list(), p.spare.side(0, p.spare.take(n), zeros, p.Upper), p.spare.side(1, p.spare.take(n), p.Lower, zeros))
		for k, v := range p.sides {
			if p.Start != nil {
				copy(v.part, p.Start)
			}
			if !v.reach(p.Half * float64(1-2*k)) {
				return settings.Refuse("Half", p.Half, "at most the sum of Upper and that of -Lower")
			}
		}
		p.join(beta)
		return nil
	case p.Sum != 0:
		p.sides = append(p.spare.list(), p.spare.side(0, beta, p.Lower, p.Upper))
		copy(beta, p.Start)
		if !p.sides[0].reach(p.Sum) {
			return settings.Refuse("Sum", p.Sum, "between the sums of Lower and Upper")
		}
		return nil
	}
	p.sides = append(p.spare.list(), p.spare.side(0, beta, p.Lower, p.Upper))
	if p.Start != nil {
		p.feasible(beta)
	}
	return nil
}

// join sets beta to the sum of the two sides.
func (p *Problem) join(beta []float64) {
	for i := range beta {
		beta[i] = p.sides[0].part[i] + p.sides[1].part[i]
	}
}

// reach puts the variables within their bounds and moves them, in the order of the rows, until
// their sum is total. It reports whether the bounds allow that, to rounding.
func (v *side) reach(total float64) bool {
	missing, scale := total, math.Abs(total)
	for i, b := range v.part {
		v.part[i] = min(max(b, v.lower[i]), v.upper[i])
		missing -= v.part[i]
		scale += math.Abs(v.part[i])
	}
	for i, b := range v.part {
		if missing > 0 {
			v.part[i] = b + min(v.upper[i]-b, missing)
		} else if missing < 0 {
			v.part[i] = b + max(v.lower[i]-b, missing)
		}
		missing -= v.part[i] - b
	}
	return math.Abs(missing) <= 1e-12*scale
}

// feasible sets beta to p.Start, put within the bounds. If the coefficients must sum
// to 0 and do not, those of the sign with the larger sum are reduced toward 0, in the
// order of the rows, until they do.
func (p *Problem) feasible(beta []float64) {
	var sum float64
	for i, b := range p.Start {
		beta[i] = min(max(b, p.Lower[i]), p.Upper[i])
		sum += beta[i]
	}
	if p.NoBias {
		return
	}
	// A sum that differs from 0 by rounding alone is accepted.
	var scale float64
	for _, b := range beta {
		scale += math.Abs(b)
	}
	if math.Abs(sum) <= 1e-12*scale {
		return
	}
	for i, b := range beta {
		if sum > 0 && b > 0 {
			step := min(b, sum)
			beta[i], sum = b-step, sum-step
		} else if sum < 0 && b < 0 {
			step := max(b, sum)
			beta[i], sum = b-step, sum-step
		}
	}
}

// rates returns the offsets of the one-sided derivatives of variable i of a side: g_i+up is
// the right derivative of the objective and g_i+down the left one.
func (p *Problem) rates(v *side, i int) (up, down float64) {
	b := v.part[i]
	up, down = p.Epsilon-p.Target[i], -p.Epsilon-p.Target[i]
	if b < 0 {
		up = down
	} else if b > 0 {
		down = up
	}
	if b >= v.upper[i] {
		up = math.Inf(1)
	}
	if b <= v.lower[i] {
		down = math.Inf(-1)
	}
	return up, down
}

// gradient changes g from K·at to K·beta for all rows, in float64, and copies beta to
// at. It computes the rows of K of the coefficients that have changed, or those of all
// nonzero coefficients if these are fewer.
func (p *Problem) gradient(ctx context.Context, g, at, beta []float64) error {
	changed, support := p.spare.changes(len(beta))
	for i, b := range beta {
		if b != at[i] {
			changed = append(changed, i)
		}
		if b != 0 {
			support = append(support, i)
		}
	}
	if len(support) < len(changed) {
		clear(g)
		clear(at)
		changed = support
	}
	if len(changed) == 0 {
		return ctx.Err()
	}
	if p.values != nil {
		p.values.addTo(g, at, beta, changed, p.spare.take(len(g)))
		copy(at, beta)
		return ctx.Err()
	}
	v := make([]float64, len(changed))
	for k, i := range changed {
		v[k] = beta[i] - at[i]
	}
	block := kernel.Against[float64](p.Kernel, p.x.Select(changed)).Limit(p.Workers)
	n := p.x.N()
	step := min(n, max(64, 60_000_000/(len(changed)*(8+p.width()/8)))) // below 50 ms of work
	part := make([]float64, step)
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, n)
		block.Mul(gram.Rows[float64]{Data: part, N: hi - lo, D: 1, Stride: 1}, p.x.Slice(lo, hi), gram.Rows[float64]{Data: v, N: len(v), D: 1, Stride: 1})
		for k, u := range part[:hi-lo] {
			g[lo+k] += u
		}
	}
	copy(at, beta)
	return nil
}

// width returns about how many numbers of a row make a value of the kernel.
func (p *Problem) width() int {
	n, d := p.x.Dims()
	if p.x.IsSparse() && n > 0 {
		return p.x.NNZ() / n
	}
	return d
}

// alone reports whether rows of K are best computed one at a time: those from a kernel matrix, and those of rows with
// many zeros, which do not share the work of a tile.
func (p *Problem) alone() bool {
	if p.values != nil {
		return true
	}
	n, d := p.x.Dims()
	nonzeros := p.x.NNZ()
	if dense, is := p.x.Dense(); is {
		for i := range n {
			for _, v := range dense.Row(i) {
				if v != 0 {
					nonzeros++
				}
			}
		}
	}
	return 2*int64(nonzeros) < int64(n)*int64(d)
}

// diagonal returns K(x_i,x_i) for every row i. The error is ctx.Err().
func (p *Problem) diagonal(ctx context.Context) ([]float64, error) {
	if p.values != nil {
		return p.values.diag, ctx.Err()
	}
	diag := make([]float64, p.x.N())
	err := par.For(ctx, p.Workers, len(diag), 64, func(lo, hi int) {
		kernel.Diagonal(diag[lo:hi], p.Kernel, p.x.Slice(lo, hi))
	})
	return diag, err
}
