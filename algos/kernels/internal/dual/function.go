package dual

import "math"

// Function is a convex function f of the eigenvalues λ ≥ 0 of X. A problem asks for the
// least Σ f(λ_j) − tr(X·Base).
type Function interface {
	Value(lambda float64) float64
	// Conjugate returns f*(σ) = max over λ of λσ − f(λ) and the λ of the maximum, its
	// derivative; infinite outside of its domain.
	Conjugate(sigma float64) (value, lambda float64)
	// Difference returns the divided difference of λ(σ) at a and b, the derivative
	// where they are equal.
	Difference(a, b float64) float64
}

// LogDet is λ − log λ − 1, least at 1: the divergence of Burg from the identity. It
// keeps X positive definite.
type LogDet struct{}

// Value returns λ − log λ − 1, which is f.
func (LogDet) Value(lambda float64) float64 { return lambda - 1 - math.Log(lambda) }

// Conjugate returns −log(1−σ) and λ = 1/(1−σ) for σ < 1, and infinities beyond.
func (LogDet) Conjugate(sigma float64) (value, lambda float64) {
	if sigma >= 1 {
		return math.Inf(1), math.Inf(1)
	}
	return -math.Log1p(-sigma), 1 / (1 - sigma)
}

// Difference returns the divided difference of λ = 1/(1−σ), which is 1/((1−a)(1−b)).
func (LogDet) Difference(a, b float64) float64 { return 1 / ((1 - a) * (1 - b)) }

// Quadratic is ½(λ+Tau)² + Constant: with Tau = 0 the squared Frobenius norm, with −1
// the squared distance from the identity, with τ > 0 and Constant = −½τ² the trace norm
// beside the Frobenius norm.
type Quadratic struct{ Tau, Constant float64 }

// Value returns ½(λ+Tau)² + Constant, which is f.
func (f Quadratic) Value(lambda float64) float64 {
	return (lambda+f.Tau)*(lambda+f.Tau)/2 + f.Constant
}

// Conjugate returns ½λ² − ½Tau² − Constant and λ = max(0, σ−Tau).
func (f Quadratic) Conjugate(sigma float64) (value, lambda float64) {
	lambda = max(0, sigma-f.Tau)
	return lambda*lambda/2 - f.Tau*f.Tau/2 - f.Constant, lambda
}

// Difference returns the divided difference of max(0, σ−Tau): 1 for a and b from Tau on, and 0 below.
func (f Quadratic) Difference(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	switch {
	case a < f.Tau || a == f.Tau && b < a:
		return 0
	case b >= f.Tau:
		return 1
	}
	return (a - f.Tau) / (a - b)
}

// VonNeumann is λ·log λ − λ, the negative entropy.
type VonNeumann struct{}

// Value returns λ·log λ − λ, which is f, and 0 at λ = 0.
func (VonNeumann) Value(lambda float64) float64 {
	if lambda == 0 {
		return 0
	}
	return lambda*math.Log(lambda) - lambda
}

// Conjugate returns e^σ, which is f* and its own derivative λ.
func (VonNeumann) Conjugate(sigma float64) (value, lambda float64) {
	v := math.Exp(sigma)
	return v, v
}

// Difference returns the divided difference of the exponential, (e^a − e^b)/(a − b).
func (VonNeumann) Difference(a, b float64) float64 {
	if d := a - b; d != 0 {
		return math.Exp(b) * math.Expm1(d) / d
	}
	return math.Exp(a)
}

// Price is what moving a bound b to ξ costs for one constraint.
type Price uint8

const (
	Hard    Price = iota // ξ = b
	Inverse              // γ(ξ/b − log(ξ/b) − 1), for b > 0
	Entropy              // γ(ξ·log(ξ/b) − ξ + b), for b > 0
	Square               // ½γ(ξ−b)²
)

// Bound is b with the price of moving it.
type Bound struct {
	Price    Price
	B, Gamma float64
}

// At returns ξ(y), the least γd(ξ,b) + yξ that belongs to it, and the slope −ξ′(y) ≥ 0.
// Where there is none the least is −∞.
func (b Bound) At(y float64) (xi, least, slope float64) {
	switch b.Price {
	case Inverse:
		s := 1 + y*b.B/b.Gamma
		if !(s > 0) {
			return math.Inf(1), math.Inf(-1), 0
		}
		xi = b.B / s
		return xi, b.Gamma * math.Log(s), xi * xi / b.Gamma
	case Entropy:
		xi = b.B * math.Exp(-y/b.Gamma)
		return xi, b.Gamma * (b.B - xi), xi / b.Gamma
	case Square:
		xi = b.B - y/b.Gamma
		return xi, y*b.B - y*y/(2*b.Gamma), 1 / b.Gamma
	}
	return b.B, y * b.B, 0
}

// position is a bound seen from the dual y that a projection begins with, less what the row has beside tr(XH): ξ(y+a) − offset
// is what tr(XH) is to be after a step a.
type position struct {
	Bound
	offset float64
	y      float64
	base   float64 // 1/b + y/γ for Inverse, b − y/γ for Square, whose terms may cancel
}

// from returns the bound as a projection sees it that begins with the dual y.
func (b Bound) from(y extended, offset float64) position {
	p := position{Bound: b, offset: offset, y: y.hi}
	switch b.Price {
	case Inverse:
		p.base = extended{hi: 1}.over(extended{hi: b.B}).plus(y.over(extended{hi: b.Gamma})).hi
	case Square:
		p.base = extended{hi: b.B}.plus(y.over(extended{hi: -b.Gamma})).hi
	}
	return p
}

// at returns ξ(y+a) − offset and its derivative, which is ≤ 0.
func (p position) at(a float64) (xi, slope float64) {
	switch p.Price {
	case Entropy:
		xi = p.B * math.Exp(-(p.y+a)/p.Gamma)
		return xi - p.offset, -xi / p.Gamma
	case Inverse:
		xi = 1 / (p.base + a/p.Gamma)
		return xi - p.offset, -xi * xi / p.Gamma
	case Square:
		return p.base - a/p.Gamma - p.offset, -1 / p.Gamma
	}
	return p.B - p.offset, 0
}

// lowest is the infimum of the a for which ξ(y+a) is defined.
func (p position) lowest() float64 {
	if p.Price == Inverse {
		return -p.Gamma * p.base
	}
	return math.Inf(-1)
}

// moves tells whether ξ(y+a) − offset takes both signs for some a.
func (p position) moves() bool {
	return p.Price == Square || p.Price != Hard && p.offset > 0
}

// Cost returns the price of moving the bound to ξ, which is infinite where ξ must be positive and is not.
func (b Bound) Cost(xi float64) float64 {
	switch {
	case b.Price == Hard || xi == b.B:
		return 0
	case b.Price == Square:
		return b.Gamma * (xi - b.B) * (xi - b.B) / 2
	case xi <= 0 || math.IsInf(xi/b.B, 1):
		return math.Inf(1)
	case b.Price == Inverse:
		return b.Gamma * (xi/b.B - math.Log(xi/b.B) - 1)
	}
	return b.Gamma * (xi*math.Log(xi/b.B) - xi + b.B)
}
