package itml

import (
	"github.com/gramworks/gram/algos/kernels/internal/dual"
	"github.com/gramworks/gram/internal/enum"
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

// String returns "logdet", "frobenius", "near-identity" or "trace".
func (r Regularizer) String() string {
	return enum.Name(r, "logdet", "frobenius", "near-identity", "trace")
}

// alpha is where f_s is least over [0,∞).
func (r Regularizer) alpha() float64 {
	if r == LogDet || r == NearIdentity {
		return 1
	}
	return 0
}

// function returns f_s as package dual has it, with the weight tau of the trace.
func (r Regularizer) function(tau float64) dual.Function {
	switch r {
	case LogDet:
		return dual.LogDet{}
	case NearIdentity:
		return dual.Quadratic{Tau: -1}
	case Frobenius:
		return dual.Quadratic{}
	}
	return dual.Quadratic{Tau: tau, Constant: -tau * tau / 2}
}

// bound is the bound b of a constraint with slack at the weight γ: LogDet adds
// γ·(ξ/b − log(ξ/b) − 1) to the objective where b > 0; the others, and LogDet where b ≤ 0,
// add ½γ·((ξ−b)/scale)².
func (r Regularizer) bound(b, gamma, scale float64) dual.Bound {
	switch {
	case gamma == 0:
		return dual.Bound{B: b}
	case r == LogDet && b > 0:
		return dual.Bound{Price: dual.Inverse, B: b, Gamma: gamma}
	}
	return dual.Bound{Price: dual.Square, B: b, Gamma: gamma / (scale * scale)}
}

const (
	left    = blas.Left
	trans   = blas.Trans
	noTrans = blas.NoTrans
	upper   = blas.Upper
	nonUnit = blas.NonUnit
)
