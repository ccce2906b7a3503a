package itml

import (
	"math"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"gonum.org/v1/gonum/blas"
)

// Regularizer is the function f of W that a fit minimizes: f(W) = Σ_j f_s(λ_j)
// over the eigenvalues of W. It is least at W = αI, the kernel without
// constraints.
type Regularizer uint8

const (
	LogDet       Regularizer = iota // λ − log λ − 1, α = 1: information-theoretic metric learning (ITML)
	Frobenius                       // ½λ², α = 0: POLA's
	NearIdentity                    // ½(λ−1)², α = 1
	Trace                           // τλ + ½λ², α = 0: Trace-SSIKDR; few eigenvalues are not 0
)

// String returns the name of r.
func (r Regularizer) String() string {
	return [...]string{"logdet", "frobenius", "near-identity", "trace"}[min(r, Trace)]
}

// alpha is where f_s is least over [0,∞).
func (r Regularizer) alpha() float64 {
	if r == LogDet || r == NearIdentity {
		return 1
	}
	return 0
}

// value is f_s at λ ≥ 0.
func (r Regularizer) value(tau, lambda float64) float64 {
	switch r {
	case LogDet:
		return lambda - 1 - math.Log(lambda)
	case NearIdentity:
		return (lambda - 1) * (lambda - 1) / 2
	case Frobenius:
		return lambda * lambda / 2
	}
	return tau*lambda + lambda*lambda/2
}

// conjugate returns f_s*(σ) = max over λ ≥ 0 of λσ − f_s(λ), and the λ of the
// maximum, its derivative. For LogDet and σ ≥ 1 it is infinite.
func (r Regularizer) conjugate(tau, sigma float64) (value, lambda float64) {
	switch r {
	case LogDet:
		if sigma >= 1 {
			return math.Inf(1), math.Inf(1)
		}
		return -math.Log1p(-sigma), 1 / (1 - sigma)
	case NearIdentity:
		if sigma < -1 {
			return -0.5, 0
		}
		return sigma + sigma*sigma/2, 1 + sigma
	case Frobenius:
		tau = 0
	}
	lambda = max(0, sigma-tau)
	return lambda * lambda / 2, lambda
}

// difference returns the divided difference of λ(σ) at a and b, the derivative
// where they are equal.
func (r Regularizer) difference(tau, a, b float64) float64 {
	switch r {
	case LogDet:
		return 1 / ((1 - a) * (1 - b))
	case NearIdentity:
		tau = -1
	case Frobenius:
		tau = 0
	}
	if a < b {
		a, b = b, a
	}
	switch {
	case a <= tau:
		return 0
	case b >= tau:
		return 1
	}
	return (a - tau) / (a - b)
}

// limit returns the ξ that constraint r's value is held to at the dual y, the
// constraint's part of the dual objective, φ with φ' = −ξ, and ξ'(y) ≥ 0.
//
// Without slack ξ is the bound b, φ = −by. With slack γ LogDet adds
// γ·(ξ/b − log(ξ/b) − 1) to the objective where b > 0, so that 1/ξ = 1/b − y/γ;
// the others, and LogDet where b ≤ 0, add ½γ·(ξ−b)², so that ξ = b + y/γ.
func (p *problem) limit(r *row, y float64) (xi, phi, slope float64) {
	b, g := r.bound, p.slack
	switch {
	case g == 0:
		return b, -b * y, 0
	case p.reg == LogDet && b > 0:
		s := 1 - y*b/g
		if s <= 0 {
			return math.Inf(1), math.Inf(-1), math.Inf(1)
		}
		xi = b / s
		return xi, g * math.Log(s), xi * xi / g
	}
	return b + y/g, -b*y - y*y/(2*g), 1 / g
}

// penalty is what slack costs at best for a constraint with that value.
func (p *problem) penalty(r *row, value float64) float64 {
	b := r.bound
	if p.slack == 0 || r.relation == constraint.AtMost && value <= b || r.relation == constraint.AtLeast && value >= b {
		return 0
	}
	if p.reg == LogDet && b > 0 {
		if value <= 0 {
			return math.Inf(1)
		}
		return p.slack * (value/b - math.Log(value/b) - 1)
	}
	return p.slack * (value - b) * (value - b) / 2
}

// project returns the dual nearest to y that has the sign of r's relation.
func (r *row) project(y float64) float64 {
	if r.relation == constraint.AtMost && y < 0 || r.relation == constraint.AtLeast && y > 0 {
		return 0
	}
	return y
}

// violation is |y − project(y+g)| for the gradient g of the dual objective: 0
// where y is optimal.
func (r *row) violation(y, g float64) float64 {
	if r.project(y+g) == y+g {
		return math.Abs(g)
	}
	return math.Abs(y)
}

const (
	left    = blas.Left
	trans   = blas.Trans
	noTrans = blas.NoTrans
	upper   = blas.Upper
	nonUnit = blas.NonUnit
)
