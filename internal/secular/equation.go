package secular

import (
	"math"

	kernel "github.com/gramworks/gram/asm/secular"
)

// equation is the secular equation 1/ρ + Σ z_i²/(d_i−λ) = 0 with strictly ascending
// poles d, no z_i zero and ρ > 0. Root j lies between d_j and d_{j+1}, the last root
// between d_{k−1} and d_{k−1} + ρ‖z‖².
type equation struct {
	d, z2   []float64 // poles and squared weights
	inverse float64   // 1/ρ
	reach   float64   // ρ‖z‖²
	steps   int       // number of rational steps after which bisection takes over
}

func newEquation(d, z []float64, rho float64) *equation {
	s := &equation{d: d, z2: make([]float64, len(z)), inverse: 1 / rho, steps: maxSteps}
	var norm float64
	for i, v := range z {
		s.z2[i] = v * v
		norm += v * v
	}
	s.reach = rho * norm
	return s
}

const (
	eps      = 0x1p-53
	maxSteps = 40 // usually three or four are enough
)

// root returns root j as its offset tau from the pole number origin, the nearer of
// its two neighbors, and the number of evaluations of the sums.
func (s *equation) root(j int) (origin int, tau float64, evals int) {
	k := len(s.d)
	if k == 1 {
		return 0, s.reach, 0
	}
	// lo and hi bracket tau: the function is ≤ 0 at one and ≥ 0 at the other. It is
	// never evaluated at the end that is a pole.
	var t kernel.Terms
	var lo, hi float64
	left, right := j, j+1 // the two poles of the rational function
	split := j + 1
	if j == k-1 {
		left, right = k-2, k-1
		split = k - 1 // the term of the last pole counts as phi
		origin, lo, hi = j, 0, s.reach
		tau = hi / 2
	} else {
		gap := s.d[j+1] - s.d[j]
		kernel.Sums(&t, s.d, s.z2, split, s.d[j], gap/2)
		evals++
		if s.inverse+t.Psi+t.Phi >= 0 {
			origin, lo, hi = j, 0, gap/2
		} else {
			origin, lo, hi = j+1, -gap/2, 0
		}
		mid := math.Copysign(gap/2, hi+lo)
		w, dw := s.inverse+t.Psi+t.Phi, t.DPsi+t.DPhi
		tau = s.refine(j, origin, mid, w, dw, s.guess(j, origin, gap, t), lo, hi)
	}
	if !(tau > lo && tau < hi) {
		tau = between(lo, hi)
	}
	last := 0. // size of the previous step, if it was a rational one
	for step := 0; ; step++ {
		kernel.Sums(&t, s.d, s.z2, split, s.d[origin], tau)
		evals++
		w, dw := s.inverse+t.Psi+t.Phi, t.DPsi+t.DPhi
		bound := 8*(math.Abs(t.Psi)+math.Abs(t.Phi)) + s.inverse + math.Abs(tau)*dw
		if math.Abs(w) <= eps*bound || math.IsNaN(w) {
			return origin, tau, evals
		}
		if w < 0 {
			lo = max(lo, tau)
		} else {
			hi = min(hi, tau)
		}
		next, size := math.NaN(), 0.
		if step < s.steps {
			next = tau + s.step(j, origin, left, right, tau, t, w, dw)
			size = math.Abs(next - tau)
		}
		if !(next > lo && next < hi) {
			next, size = between(lo, hi), 0
			if !(next > lo && next < hi) {
				return origin, tau, evals // there is no number between the ends
			}
		}
		// The iteration converges quadratically: judged by the ratio of the last two
		// steps, another step would change nothing.
		if ratio := size / last; last > 0 && size > 0 && size*ratio*ratio <= eps/16*math.Abs(next) {
			return origin, next, evals
		}
		tau, last = next, size
	}
}

// refine starts from next and returns a root of a model of the equation. The model
// keeps the poles on both sides and replaces the rest of the sums by a straight line
// through its value and derivative at tau, where the whole function has the value w
// and the derivative dw. It costs a few divisions and saves half an evaluation of
// all terms in the first step; in later steps it would save less than it costs.
func (s *equation) refine(j, origin int, tau, w, dw, next, lo, hi float64) float64 {
	base := s.d[origin]
	dl, dr := s.d[j]-base, s.d[j+1]-base
	zl, zr := s.z2[j], s.z2[j+1]
	rl, rr := 1/(dl-tau), 1/(dr-tau)
	a := w - zl*rl - zr*rr
	b := max(dw-zl*rl*rl-zr*rr*rr, 0)
	for range 2 {
		if !(next > lo && next < hi) {
			return next
		}
		rl, rr = 1/(dl-next), 1/(dr-next)
		pl, pr := zl*rl, zr*rr
		v, dv := a+b*(next-tau)+pl+pr, b+pl*rl+pr*rr
		xl, xr := dl-next, dr-next
		c := v - xr*dv - (dl-dr)*pl*rl
		if origin != j {
			c = v - xl*dv - (dr-dl)*pr*rr
		}
		eta := rational(xl, xr, c, v, dv, false)
		next += eta
		if math.Abs(eta) <= 1e-2*math.Abs(next-tau) {
			break
		}
	}
	return next
}

// guess solves the equation with the poles j and j+1 kept and the rest of the sums
// replaced by its value t in the middle of the gap.
func (s *equation) guess(j, origin int, gap float64, t kernel.Terms) float64 {
	zj, zk := s.z2[j], s.z2[j+1]
	c := s.inverse + t.Psi + t.Phi + zj/(gap/2) - zk/(gap/2)
	if origin == j {
		return smaller(c, c*gap+zj+zk, zj*gap)
	}
	return -smaller(-c, -c*gap+zj+zk, zk*gap)
}

// step returns the correction of tau by the root of c + a/(d_left−λ) +
// b/(d_right−λ). For interior roots a and b keep the weight of the nearer pole and
// match the function and its derivative; for the last root both match them [L93].
func (s *equation) step(j, origin, left, right int, tau float64, t kernel.Terms, w, dw float64) float64 {
	base := s.d[origin]
	dl, dr := (s.d[left]-base)-tau, (s.d[right]-base)-tau
	var c float64
	switch {
	case j == right: // the last root: both poles lie on its left
		c = math.Abs(w - dl*t.DPsi - dr*t.DPhi)
	case origin == left:
		c = w - dr*dw - (s.d[left]-s.d[right])*s.z2[left]/(dl*dl)
	default:
		c = w - dl*dw - (s.d[right]-s.d[left])*s.z2[right]/(dr*dr)
	}
	return rational(dl, dr, c, w, dw, j == right)
}

// rational returns the root of the model of step as a correction.
func rational(dl, dr, c, w, dw float64, last bool) float64 {
	a, b := (dl+dr)*w-dl*dr*dw, dl*dr*w
	disc := math.Sqrt(math.Abs(a*a - 4*b*c))
	var eta float64
	switch {
	case last && a >= 0:
		eta = (a + disc) / (2 * c)
	case last:
		eta = 2 * b / (a - disc)
	case a <= 0:
		eta = (a - disc) / (2 * c)
	default:
		eta = 2 * b / (a + disc)
	}
	if !(w*eta < 0) { // the step leads away from the root because of rounding; Newton's step points to the root
		eta = -w / dw
	}
	return eta
}

// smaller returns the root of c·x² − a·x + b nearer to zero, for b ≥ 0.
func smaller(c, a, b float64) float64 {
	disc := math.Sqrt(math.Abs(a*a - 4*b*c))
	if a > 0 {
		return 2 * b / (a + disc)
	}
	return (a - disc) / (2 * c)
}

// between returns a number between lo and hi. It is the geometric mean if both have
// the same sign and are far apart, so that the number of decades is halved, and
// otherwise the mean. An end at 0 counts as 2⁻⁶⁰ of the other end.
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
