package eig

import "math"

// secular is the equation 1/ρ + Σ z_i²/(d_i−λ) = 0 with ascending poles d, no two
// equal, no z_i zero and ρ > 0. Root j lies between d_j and d_{j+1}, the last one
// between d_{k−1} and d_{k−1} + ρ‖z‖².
type secular struct {
	d, z    []float64
	inverse float64 // 1/ρ
	reach   float64 // ρ‖z‖²
}

func newSecular(d, z []float64, rho float64) *secular {
	s := &secular{d: d, z: z, inverse: 1 / rho}
	var norm float64
	for _, v := range z {
		norm += v * v
	}
	s.reach = rho * norm
	return s
}

// terms are the sums at one λ: psi over the poles up to j, phi over those
// behind, with their derivatives.
type terms struct{ psi, dpsi, phi, dphi float64 }

// at evaluates the sums for root j at λ = d[o] + tau.
func (s *secular) at(j, o int, tau float64) (t terms) {
	base := s.d[o]
	for i, z := range s.z[:j+1] {
		q := z / ((s.d[i] - base) - tau)
		t.psi += z * q
		t.dpsi += q * q
	}
	for i := j + 1; i < len(s.z); i++ {
		z := s.z[i]
		q := z / ((s.d[i] - base) - tau)
		t.phi += z * q
		t.dphi += q * q
	}
	return t
}

// maxSteps is the number of rational steps after which bisection takes over;
// four to six are the rule.
const maxSteps = 40

// root returns root j as its offset tau from the pole number origin, the nearer
// of its two neighbours.
func (s *secular) root(j int) (origin int, tau float64) {
	k := len(s.d)
	if k == 1 {
		return 0, s.reach
	}
	// A bracket in tau, at whose ends the function has values ≤ 0 and ≥ 0; the
	// end at the pole itself is never evaluated.
	var lo, hi float64
	left, right := j, j+1 // the poles that the rational function has
	if j == k-1 {
		left, right = k-2, k-1
		origin, lo, hi = j, 0, s.reach
		tau = hi / 2
	} else {
		gap := s.d[j+1] - s.d[j]
		t := s.at(j, j, gap/2)
		if s.inverse+t.psi+t.phi >= 0 {
			origin, lo, hi = j, 0, gap/2
		} else {
			origin, lo, hi = j+1, -gap/2, 0
		}
		tau = s.guess(j, origin, gap, t)
	}
	if !(tau > lo && tau < hi) {
		tau = between(lo, hi)
	}
	for step := 0; ; step++ {
		t := s.at(j, origin, tau)
		if j == k-1 { // the last pole's own term counts as phi
			q := s.z[k-1] / ((s.d[k-1] - s.d[origin]) - tau)
			t.phi, t.dphi = s.z[k-1]*q, q*q
			t.psi -= t.phi
			t.dpsi -= t.dphi
		}
		w, dw := s.inverse+t.psi+t.phi, t.dpsi+t.dphi
		bound := 8*(math.Abs(t.psi)+math.Abs(t.phi)) + s.inverse + math.Abs(tau)*dw
		if math.Abs(w) <= eps*bound || math.IsNaN(w) {
			return origin, tau
		}
		if w < 0 {
			lo = max(lo, tau)
		} else {
			hi = min(hi, tau)
		}
		next := math.NaN()
		if step < maxSteps {
			next = tau + s.step(j, origin, left, right, tau, t, w, dw)
		}
		if !(next > lo && next < hi) {
			next = between(lo, hi)
			if !(next > lo && next < hi) {
				return origin, tau // no number is left between the ends
			}
		}
		tau = next
	}
}

// guess solves the equation with the poles j and j+1 as they are and the rest
// replaced by its value t in the middle of the gap.
func (s *secular) guess(j, origin int, gap float64, t terms) float64 {
	zj, zk := s.z[j]*s.z[j], s.z[j+1]*s.z[j+1]
	c := s.inverse + t.psi + t.phi + zj/(gap/2) - zk/(gap/2)
	if origin == j {
		return smaller(c, c*gap+zj+zk, zj*gap)
	}
	return -smaller(-c, -c*gap+zj+zk, zk*gap)
}

// step is the correction of tau by the root of c + a/(d_left−λ) + b/(d_right−λ)
// that matches the function and its derivative, with the weight of the nearer
// pole kept (interior roots) or both matched (the last root) [Li 1993].
func (s *secular) step(j, origin, left, right int, tau float64, t terms, w, dw float64) float64 {
	base := s.d[origin]
	dl, dr := (s.d[left]-base)-tau, (s.d[right]-base)-tau
	var c float64
	switch {
	case j == right: // the last root: both poles lie on its left
		c = math.Abs(w - dl*t.dpsi - dr*t.dphi)
	case origin == left:
		q := s.z[left] / dl
		c = w - dr*dw - (s.d[left]-s.d[right])*q*q
	default:
		q := s.z[right] / dr
		c = w - dl*dw - (s.d[right]-s.d[left])*q*q
	}
	a, b := (dl+dr)*w-dl*dr*dw, dl*dr*w
	disc := math.Sqrt(math.Abs(a*a - 4*b*c))
	var eta float64
	switch {
	case j == right && a >= 0:
		eta = (a + disc) / (2 * c)
	case j == right:
		eta = 2 * b / (a - disc)
	case a <= 0:
		eta = (a - disc) / (2 * c)
	default:
		eta = 2 * b / (a + disc)
	}
	if !(w*eta < 0) { // away from the root: rounding; Newton's step points to it
		eta = -w / dw
	}
	return eta
}

// smaller returns the root nearer to zero of c·x² − a·x + b for b ≥ 0.
func smaller(c, a, b float64) float64 {
	disc := math.Sqrt(math.Abs(a*a - 4*b*c))
	if a > 0 {
		return 2 * b / (a + disc)
	}
	return (a - disc) / (2 * c)
}

// between returns a number between lo and hi: the geometric mean where both have
// the same sign and are far apart, so that decades are halved, else the mean. An
// end at 0 stands for 2⁻⁶⁰ of the other.
func between(lo, hi float64) float64 {
	a, b := math.Abs(lo), math.Abs(hi)
	if lo < 0 && hi > 0 {
		return lo + (hi-lo)/2
	}
	sign := 1.
	if lo < 0 {
		sign, a, b = -1, b, a
	}
	if a == 0 {
		a = max(b*0x1p-60, math.SmallestNonzeroFloat64)
	}
	if b > 4*a {
		return sign * math.Sqrt(a) * math.Sqrt(b)
	}
	return sign * (a + (b-a)/2)
}
