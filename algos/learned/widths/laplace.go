package widths

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/laplace"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// The modes of Laplace's approximation are found to modeTol in at most modeSteps steps.
const modeTol, modeSteps = 1e-7, 100

// byLaplace returns the criterion Laplace and its derivatives. With the covariance K/λ, α, W and B of package laplace,
// R = W½B⁻¹W½ and the probability q_i of y_i = 1,
//
//	dL = ½·αᵀdKα/λ − ½·tr(R·dK)/λ + uᵀdKα/λ,  u = s − RKs/λ,  s_i = −½·(1 − (B⁻¹)_ii)·(1 − 2q_i)
//
// ([RW06] algorithm 5.1: s is the derivative by the mode, which moves by (I + KW/λ)⁻¹dKα/λ).
func (p *problem) byLaplace(ctx context.Context, at []float64, derive bool) (float64, []float64, error) {
	n, t := p.y.Dims()
	a := p.scaled(at[1:])
	lambda := leastLambda + math.Exp(at[0])
	k := mat.NewDense(n, n, nil)
	if err := p.fill(ctx, k, a, 0); err != nil {
		return 0, nil, err
	}
	var value, slope float64
	sum := &weighed{m: mat.NewDense(n, n, nil), own: -.5 / lambda}
	for f := range t {
		y := mat.Col(nil, f, p.y)
		m, err := laplace.Find(ctx, k, lambda, y, p.w, nil, modeTol, modeSteps)
		if m == nil {
			return 0, nil, err
		}
		value += m.Likelihood
		if !derive {
			continue
		}
		if err := invert(ctx, m.Factor); err != nil {
			return 0, nil, err
		}
		s, trace := make([]float64, n), 0.0
		for i, f := range m.F {
			own := m.Factor.At(i, i)
			trace += own
			s[i] = -.5 * (1 - own) * (1 - 2*laplace.Sigmoid(f))
			for j := i; j < n; j++ {
				v := m.Root[i] * m.Root[j] * m.Factor.At(i, j)
				m.Factor.Set(i, j, v)
				sum.m.Set(i, j, sum.m.At(i, j)+v)
			}
		}
		u := symmetricTimes(m.Factor, symmetricTimes(k, s))
		for i, v := range u {
			u[i] = s[i] - v/lambda
		}
		sum.add(.5/lambda, m.Alpha, m.Alpha)
		sum.add(1/lambda, u, m.Alpha)
		slope += -.5*linalg.Dot(m.Alpha, m.F) + .5*(float64(n)-trace) - linalg.Dot(u, m.F)
	}
	if !derive {
		return value, nil, nil
	}
	grad, err := p.chain(ctx, a, sum)
	if err != nil {
		return 0, nil, err
	}
	grad[0] = slope * (lambda - leastLambda) / lambda
	return value, grad, nil
}

// checkSigns returns a *gram.DataError for a target that is not ±1.
func checkSigns(y *mat.Dense) error {
	n, _ := y.Dims()
	for i := range n {
		for _, v := range y.RawRowView(i) {
			if v != 1 && v != -1 {
				return &gram.DataError{Row: i, Col: -1, Value: v, Reason: "the target of a class is 1 or -1"}
			}
		}
	}
	return nil
}
