package dual

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram/eig"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// vonNeumannSweep is the iterate of VonNeumann, X = W·exp(Θ)·Wᵀ ([K06] Algorithm 2). Only the exponents are kept, so that
// eigenvalues may fall as far as they like.
type vonNeumannSweep struct {
	p      *Problem
	w      *mat.Dense // the eigenvectors as columns
	theta  []float64
	report *Report

	// The loaded row: its vectors in the coordinates of W, then the eigenpairs of H without the identity.
	row *Row
	v   *mat.Dense
	mu  []float64
	q   *mat.Dense
	a   float64 // of the last step
	at  turned  // the last evaluation

	room, work, e, line []float64
}

// turned is the eigendecomposition of Θ + aH.
type turned struct {
	a     float64
	valid bool
	theta []float64
	q     mat.Dense            // the q_k in its eigenvectors
	ones  []*eig.RankOneUpdate // its eigenvectors as a product, or
	all   *mat.Dense           // as a matrix
}

func newVonNeumann(p *Problem, report *Report) *vonNeumannSweep {
	r := len(p.Base)
	s := &vonNeumannSweep{p: p, w: mat.NewDense(r, r, nil), theta: slices.Clone(p.Base), report: report, v: &mat.Dense{}}
	for i := range r {
		s.w.Set(i, i, 1)
	}
	s.e, s.line = make([]float64, r), make([]float64, r)
	return s
}

// exp is e^x, but finite where that would overflow.
func exp(x float64) float64 { return math.Exp(min(x, 700)) }

func (s *vonNeumannSweep) load(r *Row) (value, size float64) {
	s.row, s.mu, s.at.valid = r, nil, false
	if len(r.Weight) > 0 {
		s.room = turn(s.v, s.p.vectors(r), s.w, s.room)
	}
	for j, t := range s.theta {
		e := exp(t)
		sum, all := r.Identity, math.Abs(r.Identity)
		for k, weight := range r.Weight {
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

// evaluate sets at to the eigendecomposition of Θ + aH.
func (s *vonNeumannSweep) evaluate(a float64) error {
	s.report.Evaluations++
	r := len(s.theta)
	t := &s.at
	t.a, t.valid, t.theta, t.ones, t.all = a, true, s.theta, t.ones[:0], nil
	t.q.Reset()
	if len(s.mu) > 0 {
		t.q.CloneFrom(s.q)
	}
	switch {
	case a == 0 || len(s.mu) == 0:
	case len(s.mu) <= many:
		for k, mu := range s.mu {
			one, err := eig.RankOne(t.theta, t.q.RawRowView(k), a*mu)
			if err != nil {
				return err
			}
			s.work = one.MulRightTo(&t.q, &t.q, s.work)
			t.q.SetRow(k, one.Along()) // of which the product has few digits where the change is large
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
		if t.theta, t.all, err = eig.SymAll(context.Background(), h); err != nil {
			return err
		}
		t.q.Mul(s.q, t.all)
	}
	if s.row.Identity != 0 {
		moved := make([]float64, r)
		for j, x := range t.theta {
			moved[j] = x + a*s.row.Identity
		}
		t.theta = moved
	}
	return nil
}

// value returns tr(K(a)A), its derivative and tr(K(a)|A|) at the last evaluation.
// With A's elements A_ij in the eigenvectors the derivative is ΣA_ij²·φ_ij for the
// divided differences φ of the exponential (Daleckii and Krein).
func (s *vonNeumannSweep) value() (value, slope, size float64) {
	t := s.at.theta
	r := len(t)
	e, row := s.e, s.line
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
		row[i] += s.row.Identity
		size += math.Abs(s.row.Identity) * e[i]
		value += row[i] * e[i]
		slope += row[i] * row[i] * e[i]
		for j := i + 1; j < r; j++ {
			slope += 2 * row[j] * row[j] * difference(t[i], t[j], e[i], e[j])
		}
	}
	return value, slope, size
}

func (s *vonNeumannSweep) step(b position, least, most float64) (float64, error) {
	a, err := s.target(b)
	s.a = min(max(a, least), most)
	return s.a, err
}

// target is the step of step without its limits.
func (s *vonNeumannSweep) target(b position) (float64, error) {
	begin := time.Now()
	defer func() { s.report.RootSeconds += time.Since(begin).Seconds() }()
	var err error
	if len(s.row.Weight) > 0 {
		if s.mu, s.q, err = eigenpairs(s.row.Weight, s.v); err != nil {
			return 0, err
		}
	} else {
		s.mu = nil
	}
	xi, _ := b.at(0)
	switch {
	case s.row.Identity != 0 && b.Price == Hard && len(s.mu) == 0:
		if xi/s.row.Identity <= 0 {
			return 0, &signError{-math.Copysign(1, s.row.Identity)}
		}
		s.report.Evaluations++
		var sum float64
		for _, t := range s.theta {
			sum += exp(t)
		}
		return math.Log(xi/(s.row.Identity*sum)) / s.row.Identity, nil
	case s.row.Identity == 0:
		if err := reachable(s.mu, xi, b.moves()); err != nil {
			return 0, err
		}
	}
	if len(s.mu) == 1 && s.mu[0] > 0 && s.row.Identity == 0 && (b.Price == Hard || b.Price == Entropy && b.offset == 0) {
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
	}, b.lowest(), math.Inf(1), 1/(sum+math.Abs(s.row.Identity)))
	return a, failed
}

// rankOne solves log tr(K(a)A) = log ξ(y+a) for A = zzᵀ. The left side is convex
// and increasing in a, at most with slope μ, and for a → −∞ tr(K(a)A) falls like
// 1/a²: Newton's method on log tr from the right, and on tr^(−½) from the left.
func (s *vonNeumannSweep) rankOne(b position, xi float64) (float64, error) {
	mu := s.mu[0]
	falls := 0.0 // −d log ξ/da
	if b.Price == Entropy {
		falls = 1 / b.Gamma
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	a := 0.0
	const most = 100
	for n := 0; ; n++ {
		if err := s.evaluate(a); err != nil {
			return 0, err
		}
		log, slope, ends := s.logValue()
		slope += falls
		gap := log - math.Log(xi) + a*falls
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

// logValue returns log tr(K(a)A) and its derivative for a single term. Exponents have absolute errors of some ulps of the largest
// one. size is the largest absolute exponent among those that count in the value, at least 1: eigenvalues that have died out do
// not blur it.
func (s *vonNeumannSweep) logValue() (log, slope, size float64) {
	t, q := s.at.theta, s.at.q.RawRowView(0)
	r := len(t)
	top := math.Inf(-1)
	for _, x := range t {
		top = max(top, x)
	}
	e := s.e
	var sum float64
	for j := range t {
		e[j] = math.Exp(t[j] - top)
		sum += e[j] * q[j] * q[j]
	}
	size = 1
	for j := range t {
		if e[j]*q[j]*q[j] >= 0x1p-53*sum {
			size = max(size, math.Abs(t[j]))
		}
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
	return math.Log(s.mu[0]*sum) + top, s.mu[0] * d / sum, size
}

func (s *vonNeumannSweep) move() error {
	if !s.at.valid || s.at.a != s.a {
		begin := time.Now()
		err := s.evaluate(s.a)
		s.report.RootSeconds += time.Since(begin).Seconds()
		if err != nil {
			return err
		}
	}
	begin := time.Now()
	for _, one := range s.at.ones {
		s.work = one.MulRightTo(s.w, s.w, s.work)
	}
	if s.at.all != nil {
		s.turn(s.at.all)
	}
	s.theta, s.at.valid = s.at.theta, false
	s.report.ProductSeconds += time.Since(begin).Seconds()
	return nil
}

// turn multiplies the eigenvectors by the orthogonal matrix u.
func (s *vonNeumannSweep) turn(u *mat.Dense) {
	var w mat.Dense
	w.Mul(s.w, u)
	s.w = &w
}

// rebuild decomposes log X₀ + Σ y_c·H_c, which makes W orthogonal again.
func (s *vonNeumannSweep) rebuild(ctx context.Context, y []extended) (ok bool, err error) {
	high, _ := split(y)
	theta, w, err := Dense(ctx, s.p, high)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return false, err
	}
	s.w, s.theta, s.at.valid = w, theta, false
	return true, nil
}

// difference is (e^y − e^x)/(y − x) for ex = e^x and ey = e^y.
func difference(x, y, ex, ey float64) float64 {
	d := y - x
	if math.Abs(d) < 1e-4 {
		return ex * (1 + d/2)
	}
	return (ey - ex) / d
}

func (s *vonNeumannSweep) take(t *State) {
	s.w, s.theta, s.at.valid = mat.DenseCopyOf(t.u), slices.Clone(t.sigma), false
}

func (s *vonNeumannSweep) save() func() {
	w, theta := mat.DenseCopyOf(s.w), s.theta
	return func() { s.w, s.theta, s.at.valid = w, theta, false }
}

// distance is 0: X of a solution is computed from its duals.
func (s *vonNeumannSweep) distance(context.Context, []extended) (float64, error) { return 0, nil }

func (s *vonNeumannSweep) state(y []extended) *State {
	t := &State{p: s.p, sigma: slices.Clone(s.theta), u: mat.DenseCopyOf(s.w), r: &mat.Dense{}}
	t.Y, t.low = split(y)
	t.r.Mul(s.p.T, s.w)
	var trace float64
	for _, v := range s.theta {
		t.lambda = append(t.lambda, exp(v))
		trace += exp(v)
	}
	t.measure(trace)
	return t
}

// divergence is tr(X log X − X log X₀ − X + X₀).
func (s *vonNeumannSweep) divergence() (d float64) {
	log := s.line // the diagonal of Wᵀ(log X₀)W
	clear(log)
	for i, l := range s.p.Base {
		d += exp(l)
		for j, x := range s.w.RawRowView(i) {
			log[j] += l * x * x
		}
	}
	for j, t := range s.theta {
		d += exp(t) * (t - log[j] - 1)
	}
	return max(0, d)
}
