package bregman

import (
	"math"
	"time"

	"github.com/gramworks/gram/eig"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// vonNeumann is X = W·exp(Θ)·Wᵀ ([K06] Algorithm 2). Only the exponents are kept,
// so that eigenvalues may fall as far as they like.
type vonNeumann struct {
	w     *mat.Dense // orthogonal
	theta []float64
	start []float64 // log of the eigenvalues of K₀
	stats *Stats

	// The loaded constraint: its directions Wᵀv_k as rows, then the eigenpairs of
	// H without the identity.
	c    *row
	v    *mat.Dense
	mu   []float64
	q    *mat.Dense
	room []float64
	at   turned // the last evaluation
}

// turned is the eigendecomposition of Θ + aH.
type turned struct {
	a     float64
	valid bool
	theta []float64
	q     *mat.Dense           // the q_k in its eigenvectors
	ones  []*eig.RankOneUpdate // its eigenvectors as a product, or
	all   *mat.Dense           // as a matrix
}

func newVonNeumann(logs []float64, stats *Stats) *vonNeumann {
	return &vonNeumann{w: eye(len(logs)), theta: append([]float64(nil), logs...), start: logs, stats: stats, v: &mat.Dense{}}
}

// exp is e^x without infinity.
func exp(x float64) float64 { return math.Exp(min(x, 700)) }

func (s *vonNeumann) load(c *row, v *mat.Dense) (value, size float64) {
	s.c, s.mu, s.at.valid = c, nil, false
	if v != nil {
		s.room = turn(s.v, v, s.w, s.room)
	}
	for j, t := range s.theta {
		e := exp(t)
		sum, all := c.identity, math.Abs(c.identity)
		for k, weight := range c.weight {
			x := s.v.At(k, j)
			sum += weight * x * x
			all += math.Abs(weight) * x * x
		}
		value += e * sum
		size += e * all
	}
	return value, size
}

// many is the number of terms above which one full eigendecomposition is made
// instead of a rank-one change for each.
const many = 8

// evaluate decomposes Θ + aH.
func (s *vonNeumann) evaluate(a float64) error {
	s.stats.Evaluations++
	r := len(s.theta)
	t := turned{a: a, valid: true, theta: s.theta, q: s.q}
	switch {
	case a == 0 || len(s.mu) == 0:
	case len(s.mu) <= many:
		for k, mu := range s.mu {
			one, err := eig.RankOne(t.theta, t.q.RawRowView(k), a*mu)
			if err != nil {
				return err
			}
			t.q = one.MulRight(t.q)
			t.theta = one.Values()
			t.ones = append(t.ones, one)
		}
	default:
		h := mat.NewSymDense(r, nil)
		for k, mu := range s.mu {
			blas64.Syr(a*mu, blas64.Vector{N: r, Data: s.q.RawRowView(k), Inc: 1}, h.RawSymmetric())
		}
		for j, x := range s.theta {
			h.SetSym(j, j, h.At(j, j)+x)
		}
		var err error
		if t.theta, t.all, err = eig.SymAll(h); err != nil {
			return err
		}
		t.q = &mat.Dense{}
		t.q.Mul(s.q, t.all)
	}
	if s.c.identity != 0 {
		moved := make([]float64, r)
		for j, x := range t.theta {
			moved[j] = x + a*s.c.identity
		}
		t.theta = moved
	}
	s.at = t
	return nil
}

// value returns tr(K(a)A), its derivative and tr(K(a)|A|) at the last evaluation.
// With A's elements A_ij in the eigenvectors the derivative is ΣA_ij²·φ_ij for the
// divided differences φ of the exponential (Daleckii and Krein).
func (s *vonNeumann) value() (value, slope, size float64) {
	t := s.at.theta
	r := len(t)
	e := make([]float64, r)
	row := make([]float64, r)
	for j := range t {
		e[j] = exp(t[j])
	}
	for i := range r {
		clear(row)
		for k, mu := range s.mu {
			x := s.at.q.RawRowView(k)
			f := mu * x[i]
			for j := i; j < r; j++ {
				row[j] += f * x[j]
			}
			size += math.Abs(f*x[i]) * e[i]
		}
		row[i] += s.c.identity
		size += math.Abs(s.c.identity) * e[i]
		value += row[i] * e[i]
		slope += row[i] * row[i] * e[i]
		for j := i + 1; j < r; j++ {
			d := t[j] - t[i]
			phi := (e[j] - e[i]) / d
			if math.Abs(d) < 1e-4 {
				phi = e[i] * (1 + d/2)
			}
			slope += 2 * row[j] * row[j] * phi
		}
	}
	return value, slope, size
}

func (s *vonNeumann) step(b bound) (float64, error) {
	begin := time.Now()
	defer func() { s.stats.RootSeconds += time.Since(begin).Seconds() }()
	var err error
	if len(s.c.weight) > 0 {
		if s.mu, s.q, err = spectrum(s.c.weight, s.v); err != nil {
			return 0, err
		}
	} else {
		s.mu = nil
	}
	xi, _ := b.at(0)
	switch {
	case s.c.identity != 0 && b.price == hard && len(s.mu) == 0:
		if xi/s.c.identity <= 0 {
			return 0, errSign
		}
		s.stats.Evaluations++
		var sum float64
		for _, t := range s.theta {
			sum += exp(t)
		}
		return math.Log(xi/(s.c.identity*sum)) / s.c.identity, nil
	case s.c.identity == 0:
		if err := reachable(s.mu, xi, b.price == quadratic); err != nil {
			return 0, err
		}
	}
	if len(s.mu) == 1 && s.mu[0] > 0 && s.c.identity == 0 && b.price != quadratic {
		return s.rankOne(b, xi)
	}
	var sum float64
	for _, mu := range s.mu {
		sum += math.Abs(mu)
	}
	var failed error
	a, _ := root(func(a float64) (value, slope, size float64) {
		if err := s.evaluate(a); err != nil {
			failed = err
			return 0, 1, 1
		}
		value, slope, size = s.value()
		xi, falls := b.at(a)
		return value - xi, slope - falls, size + math.Abs(xi)
	}, b.lowest(), math.Inf(1), 1/(sum+math.Abs(s.c.identity)))
	return a, failed
}

// rankOne solves log tr(K(a)A) = log ξ(y+a) for A = zzᵀ. The left side is convex
// and increasing in a, at most with slope μ, and for a → −∞ tr(K(a)A) falls like
// 1/a²: Newton's method on log tr from the right, and on tr^(−½) from the left.
func (s *vonNeumann) rankOne(b bound, xi float64) (float64, error) {
	mu := s.mu[0]
	falls := 0.0 // −d log ξ/da
	if b.price == entropy {
		falls = 1 / b.gamma
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	a := 0.0
	const most = 100
	for n := 0; ; n++ {
		if err := s.evaluate(a); err != nil {
			return 0, err
		}
		log, slope := s.logValue()
		slope += falls
		gap := log - math.Log(xi) + a*falls
		// Exponents have absolute errors of some ulps.
		ends := max(1, math.Abs(s.at.theta[0]), math.Abs(s.at.theta[len(s.at.theta)-1]))
		if math.Abs(gap) <= 4*0x1p-52*ends || n == most {
			return a, nil
		}
		if gap > 0 {
			hi = a
		} else {
			lo = a
		}
		next := a - gap/slope
		switch {
		case gap > 0 && falls == 0:
			next = a + 2*(1-math.Exp(min(gap, 600)/2))/slope
		case gap < 0 && n == 0 && falls == 0:
			// From the left the tangent goes too far; this bound does not.
			var mean float64
			for j, x := range s.q.RawRowView(0) {
				mean += s.theta[j] * x * x
			}
			next = min(next, (math.Log(xi/mu)-mean)/mu)
		}
		if !(next > lo && next < hi) {
			switch {
			case math.IsInf(lo, -1):
				next = 2*hi - 1/mu
			case math.IsInf(hi, 1):
				next = 2*lo + 1/mu
			default:
				next = lo + (hi-lo)/2
			}
		}
		if next == a || next == lo || next == hi {
			return a, nil
		}
		a = next
	}
}

// logValue is log tr(K(a)A) and its derivative for a single term.
func (s *vonNeumann) logValue() (log, slope float64) {
	t, q := s.at.theta, s.at.q.RawRowView(0)
	r := len(t)
	top := math.Inf(-1)
	for _, x := range t {
		top = max(top, x)
	}
	e := make([]float64, r)
	var sum float64
	for j := range t {
		e[j] = math.Exp(t[j] - top)
		sum += e[j] * q[j] * q[j]
	}
	var d float64
	for i := range r {
		qi, ei, ti := q[i]*q[i], e[i], t[i]
		part := 0.5 * qi * ei
		for j := i + 1; j < r; j++ {
			gap := t[j] - ti
			phi := (e[j] - ei) / gap
			if gap < 1e-4 && gap > -1e-4 {
				phi = ei * (1 + gap/2)
			}
			part += q[j] * q[j] * phi
		}
		d += 2 * qi * part
	}
	return math.Log(s.mu[0]*sum) + top, s.mu[0] * d / sum
}

func (s *vonNeumann) move(a float64) error {
	if !s.at.valid || s.at.a != a {
		begin := time.Now()
		err := s.evaluate(a)
		s.stats.RootSeconds += time.Since(begin).Seconds()
		if err != nil {
			return err
		}
	}
	begin := time.Now()
	for _, one := range s.at.ones {
		s.w = one.MulRight(s.w)
	}
	if s.at.all != nil {
		var w mat.Dense
		w.Mul(s.w, s.at.all)
		s.w = &w
	}
	s.theta, s.at.valid = s.at.theta, false
	s.stats.ProductSeconds += time.Since(begin).Seconds()
	return nil
}

// rebuild decomposes log X₀ + h, which makes W orthogonal again.
func (s *vonNeumann) rebuild(h *mat.SymDense) error {
	for j, x := range s.start {
		h.SetSym(j, j, h.At(j, j)+x)
	}
	theta, w, err := eig.SymAll(h)
	if err != nil {
		return err
	}
	s.theta, s.w, s.at.valid = theta, w, false
	return nil
}

func (s *vonNeumann) trace() float64 {
	var sum float64
	for _, t := range s.theta {
		sum += exp(t)
	}
	return sum
}

// unit is tr K₀.
func (s *vonNeumann) unit() float64 {
	var sum float64
	for _, t := range s.start {
		sum += exp(t)
	}
	return sum
}

// divergence is tr(X log X − X log X₀ − X + X₀).
func (s *vonNeumann) divergence() float64 {
	d := s.unit()
	for j, t := range s.theta {
		var log float64
		for i, l := range s.start {
			x := s.w.At(i, j)
			log += l * x * x
		}
		d += exp(t) * (t - log - 1)
	}
	return max(0, d)
}

func (s *vonNeumann) transform() *mat.Dense {
	r := len(s.theta)
	t := mat.NewDense(r, r, nil)
	for i := range r {
		from, to := s.w.RawRowView(i), t.RawRowView(i)
		for j, x := range s.theta {
			to[j] = from[j] * math.Exp(x/2)
		}
	}
	return t
}
