package krr

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/mat"
)

// EffectiveDimension returns S(λ) = Σ_j μ_j/(μ_j+λ) for eigenvalues μ and λ > 0.
// Negative eigenvalues are regarded as round-off and count as 0.
func EffectiveDimension(mu []float64, lambda float64) float64 {
	var s float64
	for _, m := range mu {
		if m > 0 {
			s += m / (m + lambda)
		}
	}
	return s
}

// Goodness returns, for each λ, a measure of how good a partition of the rows is for
// divided regression ([S16] 3.3.4),
//
//	g(λ) = Σ_i S_i(λ)/S(λ),   S(λ) = Σ_j μ_j/(μ_j+λ),
//
// where μ = eig(G)/n for S and μ = eig(G_ii)/n_i for S_i. The variance of the divided
// estimate is g(λ) times that of the whole estimate, and g is 1 for a single part.
// [S16] prints S_i(λp_i) with p_i = n_i/n; as the spectra are already divided by n_i,
// this would count p_i twice. label holds the part of every row, −1 for none.
//
// Goodness computes the eigenvalues of the whole kernel matrix: n² numbers and 4n³/3
// flops, which cannot be interrupted. A sample of some thousand rows is sufficient.
func Goodness(ctx context.Context, k kernel.Kernel, x mat.Matrix, label []int, lambda []float64, run gram.Run) ([]float64, error) {
	n, _ := x.Dims()
	if err := kernel.Check(k); err != nil {
		return nil, err
	}
	if len(label) != n {
		panic("krr: there are not as many labels as rows")
	}
	for _, l := range lambda {
		if !(l > 0) || math.IsInf(l, 0) {
			return nil, settings.Refuse("lambda", l, "a finite number > 0")
		}
	}
	s, err := run.Samples(planFunc(planSpectrum), x, 0)
	if err != nil {
		return nil, err
	}
	var groups [][]int
	for i, p := range label {
		if p < 0 {
			continue
		}
		for p >= len(groups) {
			groups = append(groups, nil)
		}
		groups[p] = append(groups[p], i)
	}
	whole, err := spectrum(ctx, k, s, all(n), run)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(lambda))
	meter := run.Meter()
	for p, g := range groups {
		if len(g) == 0 {
			continue
		}
		mu, err := spectrum(ctx, k, s, g, run)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", p, err)
		}
		for i, l := range lambda {
			out[i] += EffectiveDimension(mu, l)
		}
		meter.Report(gram.Event{Phase: "spectra of parts", Done: int64(p + 1), Total: int64(len(groups))})
	}
	for i, l := range lambda {
		if s := EffectiveDimension(whole, l); s > 0 {
			out[i] /= s
		} else {
			out[i] = 1 // the kernel is 0 on all rows
		}
	}
	return out, nil
}

// planFunc is a function that returns the expected cost of a fit.
type planFunc func(gram.Shape) (gram.Plan, error)

// Plan calls f, so that gram.Run.Samples can ask a function for a plan.
func (f planFunc) Plan(s gram.Shape) (gram.Plan, error) { return f(s) }

func planSpectrum(s gram.Shape) (gram.Plan, error) {
	n := float64(s.N)
	return gram.Plan{
		Flops:       2*n*n*float64(s.D) + 4*n*n*n/3,
		PeakBytes:   check.Bytes(8 * (n*n + 2*n*float64(s.D) + 40*n)),
		FullKernel:  true,
		Description: "eigenvalues of the kernel matrix",
	}, nil
}

// spectrum returns the eigenvalues of the kernel matrix of some rows of x, divided by
// the number of these rows, in ascending order.
func spectrum(ctx context.Context, k kernel.Kernel, x gram.Samples[float64], index []int, run gram.Run) ([]float64, error) {
	n := len(index)
	p := &problem{x: rows.Dense(x, index), meter: gram.Run{}.Meter()}
	p.block = kernel.Against[float64](k, p.x).Limit(run.Workers)
	g := mat.NewDense(n, n, nil)
	if err := p.fill(ctx, g); err != nil {
		return nil, err
	}
	mu := make([]float64, n)
	if !symmetricEigen(lapack.EVNone, g.RawMatrix(), mu) {
		return nil, &gram.ConvergenceError{Residual: math.NaN()}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range mu {
		mu[i] /= float64(n)
	}
	return mu, nil
}
