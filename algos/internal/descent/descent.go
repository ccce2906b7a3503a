// Package descent moves the points of learned features along the gradient of an objective: the
// gradient by the points, and steps that lower the objective.
package descent

import (
	"context"
	"math"

	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// Parameters returns what f was made of: the frequencies, d×m, or the landmarks,
// m×d. They are f's own and must not be changed.
func Parameters(f basis.Learnable) *mat.Dense {
	if v, ok := f.(*basis.Values); ok {
		return v.Landmarks()
	}
	return f.Points()
}

// Thin reports whether f was made for sparse rows.
func Thin(f basis.Learnable) bool {
	v, ok := f.(*basis.Values)
	return ok && v.Thin()
}

// Transposed multiplies by Xᵀ: dst = Xᵀ·b for b of n rows.
type Transposed interface {
	MulTrans(ctx context.Context, dst, b *mat.Dense) error
}

// Pull returns ∂f/∂U, d×m, for the points U of b, where phi are the features of the
// rows x and e = ∂f/∂phi, both n×features; e is overwritten. It costs 2·nnz(x)·m flops.
func Pull(ctx context.Context, workers int, b basis.Learnable, e, phi *mat.Dense, x Transposed) (*mat.Dense, error) {
	n, p := phi.Dims()
	u := b.Points()
	d, m := u.Dims()
	s, err := par.Sum(ctx, workers, n, 1024, func(lo, hi int) []float64 {
		s := make([]float64, m)
		b.Chain(e.Slice(lo, hi, 0, p).(*mat.Dense), phi.Slice(lo, hi, 0, p).(*mat.Dense), s)
		return s
	}, func(a, b []float64) []float64 {
		for j, v := range b {
			a[j] += v
		}
		return a
	})
	if err != nil {
		return nil, err
	}
	g := mat.NewDense(d, m, nil)
	if err := x.MulTrans(ctx, g, e.Slice(0, n, 0, m).(*mat.Dense)); err != nil {
		return nil, err
	}
	basis.Shift(g, u, s)
	return g, nil
}

// Search is a descent on the points of a basis by gradients with steps of Armijo's
// rule. It remembers the size of the last step.
type Search struct {
	step float64
}

const (
	armijo    = 1e-4 // of the decrease a gradient promises
	longest   = 1    // step at most, relative to the parameters' scale
	halvings  = 40
	firstStep = 0.03
)

// Step looks for a step η with f(U−ηG) ≤ f(U) − 10⁻⁴η‖G‖² for the points U of b, halving
// it from four times the last one, and never moves U by more than the scale of b. value
// is f(U), and at returns f of the basis it is given. Step returns the new basis and f
// there, or nil if no step is left that lowers f.
func (s *Search) Step(b basis.Learnable, g *mat.Dense, value float64, at func(basis.Learnable) (float64, error)) (basis.Learnable, float64, error) {
	slope, scale := rows.Squares(g), b.Scale()
	if slope == 0 || scale == 0 || math.IsInf(slope, 0) || math.IsNaN(slope) {
		return nil, value, nil
	}
	unit := scale / math.Sqrt(slope)
	if s.step == 0 {
		s.step = firstStep * unit
	}
	eta := min(4*s.step, longest*unit)
	u := b.Points()
	d, m := u.Dims()
	points := mat.NewDense(d, m, nil)
	for range halvings {
		points.Scale(-eta, g)
		points.Add(points, u)
		next := b.With(points)
		v, err := at(next)
		if err != nil {
			return nil, value, err
		}
		if v <= value-armijo*eta*slope && v < value {
			s.step = eta
			return next, v, nil
		}
		eta /= 2
	}
	return nil, value, nil
}
