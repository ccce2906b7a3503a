// Package laplace has Laplace's approximation of the posterior of a Gaussian process by the likelihood of the logistic function
// ([RW06] 3.4): what package gp classifies by, and package widths learns widths by.
//
// Row i of weight w_i and target y_i = ±1 has the log-likelihood w_i·ln σ(y_i·f_i), where f is a Gaussian process of covariance K.
// With g its derivatives by f and W minus its second derivatives, the posterior is replaced by a normal distribution with
// the mode f = Kg for mean and the inverse of K⁻¹ + W for covariance. With B = I + W½KW½, the logarithm of the marginal likelihood
// becomes
//
//	L = −½·gᵀKg + Σ_i w_i·ln σ(y_i·f_i) − ½·ln|B|.
//
// [RW06] C. E. Rasmussen and C. K. I. Williams. Gaussian Processes for Machine Learning. MIT Press, 2006: algorithm 3.1 for the mode
// and 5.1 for the derivatives.
package laplace

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Mode is the approximation for one target. f = Kα/λ.
type Mode struct {
	Alpha      []float64  // α; g up to the residual
	F          []float64  // the function at the rows
	Root       []float64  // the diagonal of W½
	Factor     *mat.Dense // the upper triangle of U, UᵀU = B
	Likelihood float64    // L
	Steps      int        // of Newton's method
	Bound      float64    // the root of (α−g)ᵀK(α−g)/λ; the exact mode differs at a row x by at most Bound·√(K(x,x)/λ)
}

// halvings is the largest number of times that a step is halved.
const halvings = 30

// With a bound below near, where Newton's method converges, a value that is less by roundOff of its size is no worse.
const near, roundOff = 1e-3, 1e-12

// Find returns the approximation for the covariance K/λ, of which k is the upper triangle, targets y = ±1 and weights w, nil
// for ones. The steps start at the α of start, or at 0, and end when Bound is at most tol. A step takes n³/3 flops and n² numbers. The error is
// ctx.Err(), a *gram.NotPDError for numbers that are not finite, or a *gram.ConvergenceError, with the mode so far, after most
// steps or when round-off allows no better one.
//
// Half the square of the norm of f in the space of K/λ less the log-likelihood, which the mode makes least, has the gradient of norm Bound in
// that space and is strongly convex with the constant 1 there: this gives the bound of its place.
func Find(ctx context.Context, k *mat.Dense, lambda float64, y, w, start []float64, tol float64, most int) (*Mode, error) {
	n := len(y)
	sym := blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: k.RawMatrix().Stride, Data: k.RawMatrix().Data}
	times := func(v []float64) []float64 {
		out := make([]float64, n)
		blas64.Symv(1/lambda, sym, linalg.Vector(v), 0, linalg.Vector(out))
		return out
	}
	m := &Mode{Alpha: make([]float64, n), F: make([]float64, n), Root: make([]float64, n)}
	value := objective(y, w, m.Alpha, m.F)
	if start != nil {
		if f := times(start); objective(y, w, start, f) > value {
			copy(m.Alpha, start)
			m.F, value = f, objective(y, w, start, f)
		}
	}
	rest := make([]float64, n)
	for ; ; m.Steps++ {
		g := make([]float64, n)
		for i, f := range m.F {
			p := Sigmoid(-y[i] * f) // of the other class
			weight := weightOf(w, i)
			g[i] = weight * y[i] * p
			m.Root[i] = math.Sqrt(weight * p * (1 - p))
			rest[i] = m.Alpha[i] - g[i]
		}
		m.Bound = math.Sqrt(max(0, linalg.Dot(rest, times(rest))))
		if err := m.factor(ctx, k, lambda); err != nil {
			return nil, err
		}
		m.Likelihood = value
		for i := range n {
			m.Likelihood -= math.Log(m.Factor.At(i, i))
		}
		if m.Bound <= tol {
			return m, nil
		}
		// α + δ with (I + W·K)δ = g − α, by δ = r − W½B⁻¹W½·K·r for r = g − α.
		step := times(rest)
		for i, r := range m.Root {
			step[i] *= r
		}
		if err := m.solve(ctx, step); err != nil {
			return nil, err
		}
		for i, r := range m.Root {
			step[i] = r*step[i] - rest[i]
		}
		moved, better := times(step), false
		for length := 1.0; !better && length > math.Pow(.5, halvings) && m.Steps < most; length /= 2 {
			alpha, f := make([]float64, n), make([]float64, n)
			for i := range n {
				alpha[i], f[i] = m.Alpha[i]+length*step[i], m.F[i]+length*moved[i]
			}
			if v := objective(y, w, alpha, f); v > value || m.Bound < near && v > value-roundOff*(1-value) {
				// f is computed anew, so that errors of the steps do not add up.
				m.Alpha, m.F, better = alpha, times(alpha), true
				value = objective(y, w, m.Alpha, m.F)
			}
		}
		if !better {
			return m, &gram.ConvergenceError{Iter: m.Steps, Residual: m.Bound, Tol: tol}
		}
	}
}

// factor computes the Cholesky factor of B = I + W^½·K·W^½/λ at the current weights.
func (m *Mode) factor(ctx context.Context, k *mat.Dense, lambda float64) error {
	n := len(m.Root)
	if m.Factor == nil {
		m.Factor = mat.NewDense(n, n, nil)
	}
	for i, r := range m.Root {
		from, to := k.RawRowView(i), m.Factor.RawRowView(i)
		for j := i; j < n; j++ {
			to[j] = r * m.Root[j] * from[j] / lambda
		}
		to[i]++
	}
	return solve.Cholesky(ctx, m.Factor, gram.Run{}.Meter())
}

// solve overwrites v by B⁻¹v.
func (m *Mode) solve(ctx context.Context, v []float64) error {
	return solve.CholeskySolve(ctx, m.Factor, mat.NewDense(len(v), 1, v))
}

// objective returns −½·αᵀf + Σ w·ln σ(y·f).
func objective(y, w, alpha, f []float64) float64 {
	sum := -.5 * linalg.Dot(alpha, f)
	for i, v := range f {
		sum += weightOf(w, i) * logSigmoid(y[i]*v)
	}
	return sum
}

func weightOf(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// Sigmoid returns 1/(1+exp(−x)).
func Sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

func logSigmoid(x float64) float64 {
	if x < 0 {
		return x - math.Log1p(math.Exp(x))
	}
	return -math.Log1p(math.Exp(-x))
}

// The logistic function is nearly a mixture of normal distribution functions, Σ_k share_k·Φ(slope_k·x): the largest difference is
// below 3e-9 ([MS92] J. F. Monahan and L. A. Stefanski. Normal scale mixture approximations to F*(z) and computation of the logistic-normal
// integral. Handbook of the Logistic Distribution, 1992).
var (
	share = [8]float64{0.003246343272134, 0.051517477033972, 0.195077912673858, 0.315569823632818,
		0.274149576158423, 0.131076880695470, 0.027912418727972, 0.001449567805354}
	slope = [8]float64{1.365340806296348, 1.059523971016916, 0.830791313765644, 0.650732166639391,
		0.508135425366489, 0.396313345166341, 0.308904252267995, 0.238212616409306}
)

// Average returns the integral of σ(f) over a normal f of that mean and variance: the mean of σ under the approximate posterior, [RW06]
// (3.25). Each normal function of the mixture has the integral Φ(slope·mean/√(1+slope²·variance)).
func Average(mean, variance float64) float64 {
	var sum float64
	for k, s := range slope {
		sum += share[k] * .5 * math.Erfc(-s*mean/math.Sqrt(2*(1+s*s*variance)))
	}
	return sum
}
