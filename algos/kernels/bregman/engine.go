package bregman

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// state is X for one divergence. u are directions Fᵀz of a constraint as rows.
type state interface {
	// load makes c the constraint that step and move speak of and returns tr(KA) and
	// tr(K|A|), Σ over the terms of absolute values.
	load(c *row, u *mat.Dense) (value, size float64)
	// step returns the a with tr(K(a)A) = ξ(y+a), or least or most if it is beyond.
	step(b bound, least, most float64) (float64, error)
	// move replaces K by K(a) for the a of the last step.
	move() error
	// rebuild makes X anew from e.sum; ok is false if that is not in the domain.
	rebuild(ctx context.Context, e *engine) (ok bool, err error)
	// frame returns M and λ with X = M·diag(λ)·Mᵀ in the coordinates of the u.
	frame() (m *mat.Dense, lambda []float64)
	// derivative is Φ: d(MᵀXM)_ij = Φ_ij·N_ij for a change N = Σ dy_c·MᵀH_cM; nil for ones.
	derivative() *mat.SymDense
	// advance goes along N, to t at most, as far as the dual function is well above; its
	// derivative without that of X is rest(t), −∞ where it is not defined. It
	// returns t, 0 if it has not moved.
	advance(n *mat.SymDense, most float64, rest func(t float64) float64) (t float64, err error)
	divergence() float64
	trace() float64        // of X
	unit() float64         // what the divergence is measured by
	transform() *mat.Dense // T with K = G₀TTᵀG₀ᵀ
}

// row is a constraint in the coordinates of F: H = Σ weight_k·u_ku_kᵀ + identity·VᵀV.
type row struct {
	relation constraint.Relation
	bound    float64
	weight   []float64
	size     []float64           // Σ|z_i|·‖F_i‖ of the terms: what the rounding of u_k is relative to
	rows     []constraint.Vector // z_k by rows of F, where that is less than r numbers
	u        *mat.Dense          // else the u_k as rows
	identity float64
	definite bool // A ⪰ 0
	price    price
	scale    float64 // s of the quadratic price
}

// price is that of moving a bound.
type price uint8

const (
	hard price = iota
	entropy
	inverse
	quadratic
)

// bound is ξ as a function of the dual.
type bound struct {
	price    price
	b, gamma float64 // for quadratic: γ/s² or γ/s
	y        float64
	base     float64 // 1/b + y/γ for inverse, b − y/γ for quadratic
}

// at returns ξ(y+a) and its derivative, which is ≤ 0.
func (b bound) at(a float64) (xi, slope float64) {
	switch b.price {
	case entropy:
		xi = b.b * math.Exp(-(b.y+a)/b.gamma)
		return xi, -xi / b.gamma
	case inverse:
		xi = 1 / (b.base + a/b.gamma)
		return xi, -xi * xi / b.gamma
	case quadratic:
		return b.base - a/b.gamma, -1 / b.gamma
	}
	return b.b, 0
}

// lowest is the infimum of the a for which ξ(y+a) is defined.
func (b bound) lowest() float64 {
	if b.price == inverse {
		return -b.gamma * b.base
	}
	return math.Inf(-1)
}

// cost is γ·d(ξ, b).
func (b bound) cost() float64 {
	xi, _ := b.at(0)
	switch b.price {
	case entropy:
		return b.gamma * (xi*math.Log(xi/b.b) - xi + b.b)
	case inverse:
		return b.gamma * (xi/b.b - math.Log(xi/b.b) - 1)
	case quadratic:
		return b.gamma * (xi - b.b) * (xi - b.b) / 2
	}
	return 0
}

// engine holds a fit.
type engine struct {
	cfg   Config
	f     *mat.Dense // G₀
	start *spectral
	in    []constraint.Linear
	cs    []row
	order []int
	s     state
	stats *Stats
	y     []extended
	kept  []extended // the duals of the last X that was rebuilt
	snap  []float64  // the duals at the last search for a contradiction
	value []float64  // tr(KA) and tr(K|A|) as last measured
	size  []float64
	v     []float64
	room  []float64
	dirs  mat.Dense
}

func newEngine(cfg Config, f *mat.Dense, start *spectral, in []constraint.Linear, stats *Stats) (*engine, error) {
	_, r := f.Dims()
	k := len(in)
	e := &engine{cfg: cfg, f: f, start: start, in: in, stats: stats, cs: make([]row, k), y: make([]extended, k), kept: make([]extended, k)}
	e.snap, e.value, e.size, e.v = make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, r)
	if cfg.Divergence == VonNeumann {
		e.s = newVonNeumann(start, stats)
	} else {
		e.s = newBurg(r, stats)
	}
	for i := range in {
		keep, err := e.prepare(i, in[i])
		if err != nil {
			return nil, err
		}
		if keep {
			e.order = append(e.order, i)
		} else {
			stats.Dropped = append(stats.Dropped, i)
		}
	}
	shuffle := rng.New(rng.Derive(cfg.Seed, "order of constraints"), 0)
	shuffle.Shuffle(len(e.order), func(i, j int) { e.order[i], e.order[j] = e.order[j], e.order[i] })
	return e, nil
}

// prepare brings a constraint into the coordinates of F. keep is false if it does
// not depend on K.
func (e *engine) prepare(i int, in constraint.Linear) (keep bool, err error) {
	_, r := e.f.Dims()
	c := &e.cs[i]
	*c = row{relation: in.Relation, bound: in.Bound, identity: in.Identity, definite: in.Identity >= 0}
	if e.start.empty {
		c.identity = 0
	}
	var dense []float64
	short := true
	for _, t := range in.Terms {
		length, size := e.project(e.v, t.Z)
		if size-size != 0 || t.Weight*size*size-t.Weight*size*size != 0 {
			return false, &gram.ConfigError{Field: fmt.Sprintf("constraints[%d]", i), Value: size * size, Want: "rows and weights whose squares are finite numbers"}
		}
		// Equal rows differ by rounding at most.
		if t.Weight == 0 || length <= 4*0x1p-53*size {
			continue
		}
		c.definite = c.definite && t.Weight > 0
		c.weight, c.size = append(c.weight, t.Weight), append(c.size, size)
		dense = append(dense, e.v...)
		c.rows = append(c.rows, t.Z)
		short = short && t.Z.Index != nil && len(t.Z.Index) <= r
	}
	if e.cfg.Divergence == Burg && c.identity != 0 {
		// tr K = tr X·leftᵀ·left: as many terms as the rank.
		for k := range e.start.rank() {
			row := e.start.left.RawRowView(k)
			c.weight, c.size = append(c.weight, c.identity), append(c.size, e.start.sigma[k])
			dense = append(dense, row...)
		}
		c.identity, short = 0, false
	}
	if len(c.weight) == 0 && c.identity == 0 {
		if c.relation.Excess(0, c.bound) == 0 || e.cfg.Slack > 0 {
			return false, nil
		}
		return false, e.alone(i, math.Copysign(1, c.bound), fmt.Sprintf("its value is 0 for every kernel in the range of the start, the bound is %g", c.bound))
	}
	if !short && len(c.weight) > 0 {
		c.u, c.rows = mat.NewDense(len(c.weight), r, dense), nil
	}
	_, c.scale = e.load(c)
	if e.cfg.Slack > 0 {
		switch {
		case !c.definite || c.bound <= 0:
			c.price = quadratic
		case e.cfg.Divergence == Burg:
			c.price = inverse
		default:
			c.price = entropy
		}
	}
	return true, nil
}

// project sets v = Fᵀz and returns ‖v‖ and Σ|z_i|·‖F_i‖.
func (e *engine) project(v []float64, z constraint.Vector) (length, size float64) {
	clear(v)
	for k, value := range z.Value {
		i := k
		if z.Index != nil {
			i = z.Index[k]
		}
		if value == 0 {
			continue
		}
		row := e.f.RawRowView(i)
		var sum float64
		for j, x := range row {
			v[j] += value * x
			sum += x * x
		}
		size += math.Abs(value) * math.Sqrt(sum)
	}
	return norm(v), size
}

// directions returns the u_k of constraint c as rows, valid until the next call;
// nil if there are none.
func (e *engine) directions(c *row) *mat.Dense {
	if c.u != nil || len(c.rows) == 0 {
		return c.u
	}
	r := len(e.v)
	if len(e.room) < len(c.rows)*r {
		e.room = make([]float64, len(c.rows)*r)
	}
	for k, z := range c.rows {
		e.project(e.room[k*r:(k+1)*r], z)
	}
	e.dirs.SetRawMatrix(blas64.General{Rows: len(c.rows), Cols: r, Stride: r, Data: e.room[:len(c.rows)*r]})
	return &e.dirs
}

func (e *engine) boundOf(i int) bound {
	c := &e.cs[i]
	b := bound{price: c.price, b: c.bound, gamma: e.cfg.Slack, y: e.y[i].hi}
	switch c.price {
	case quadratic:
		b.gamma /= c.scale
		if e.cfg.Divergence == Burg {
			b.gamma /= c.scale
		}
		b.base = extended{hi: c.bound}.plus(e.y[i].over(extended{hi: -b.gamma})).hi
	case inverse:
		b.base = extended{hi: 1}.over(extended{hi: c.bound}).plus(e.y[i].over(extended{hi: b.gamma})).hi
	}
	return b
}

// visit is what was seen of the constraints: the largest relative violation and
// the sum of |y·(tr(KA)−ξ)|.
type visit struct{ violation, gap float64 }

// measure is what a violation is relative to: the bound, or max(|ξ|, tr(K|A|)) where
// the value can be small by cancellation, or the bound is no goal.
func (c *row) measure(size, xi float64) float64 {
	if c.definite && xi > 0 {
		return xi
	}
	return max(math.Abs(xi), size)
}

func (v *visit) add(c *row, value, size, xi, y float64) {
	if d := c.relation.Excess(value, xi); d != 0 {
		v.violation = max(v.violation, d/c.measure(size, xi))
	}
	v.gap += math.Abs(y * (value - xi))
}

// residual is the larger of violation and gap, relative; at most Tol at the end.
func (e *engine) residual(v visit) float64 {
	return max(v.violation, v.gap/(e.s.unit()+e.s.divergence()))
}

func (e *engine) report(m *gram.Meter, total int) {
	m.Report(gram.Event{Phase: "kernel learning", Done: int64(e.stats.Iterations), Total: int64(total), Objective: e.s.divergence()})
}

// run sweeps until the tolerance is reached, or until Newton's method is expected to
// reach it sooner.
func (e *engine) run(ctx context.Context) error {
	meter := e.cfg.Meter()
	err := e.learn(ctx, meter)
	if err != nil && err == ctx.Err() {
		// What is returned is measured as it is.
		if err := e.measure(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		e.certify(e.look())
	}
	if err == nil {
		e.report(meter, e.stats.Iterations)
	}
	e.stats.Duals = make([]float64, len(e.cs))
	for i := range e.cs {
		e.stats.Duals[i] = e.y[i].hi
	}
	if e.cfg.Slack > 0 {
		e.stats.Bounds = make([]float64, len(e.cs))
		for i := range e.cs {
			e.stats.Bounds[i] = e.cs[i].bound
		}
	}
	for _, i := range e.order {
		b := e.boundOf(i)
		e.stats.Price += b.cost()
		if e.cfg.Slack > 0 {
			e.stats.Bounds[i], _ = b.at(0)
		}
	}
	e.stats.Divergence = e.s.divergence()
	return err
}

func (e *engine) learn(ctx context.Context, meter *gram.Meter) error {
	var trend []float64
	for sweep := 1; sweep <= e.cfg.MaxIter; sweep++ {
		moved := e.stats.Projections
		seen, err := e.sweep(ctx)
		stuck := errors.Is(err, errStuck)
		if err != nil && !stuck {
			return err
		}
		e.stats.Iterations = sweep
		left := e.residual(seen)
		// Every step leaves rounding errors in X.
		const fresh = 50
		if left <= e.cfg.Tol || sweep == e.cfg.MaxIter || sweep%fresh == 0 {
			if left, err = e.rebuild(ctx); err != nil || left <= e.cfg.Tol {
				return err
			}
		}
		e.report(meter, e.cfg.MaxIter)
		if sweep >= 4 && sweep&(sweep-1) == 0 {
			if err := e.growth(); err != nil {
				return err
			}
		}
		trend = append(trend, math.Log(left/e.cfg.Tol))
		if !e.cfg.Cyclic && (stuck || e.slow(trend, e.stats.Projections-moved)) {
			return e.newton(ctx, meter)
		}
	}
	return &gram.ConvergenceError{Iter: e.stats.Iterations, Residual: max(e.stats.Violation, e.stats.Gap), Tol: e.cfg.Tol}
}

// slow tells whether Newton's method is expected to need less time than the sweeps that
// are left at the rate of the last ones, of which the latest had so many projections.
// trend is the logarithm of the residual over the tolerance after each sweep.
func (e *engine) slow(trend []float64, projections int) bool {
	n := len(trend)
	if n < 4 {
		return false
	}
	const pessimism = 1e4 // sweeps, where there is no progress
	left := pessimism
	if rate := (trend[n/2-1] - trend[n-1]) / float64(n-n/2); rate > 0 {
		left = min(left, trend[n-1]/rate)
	}
	_, columns := e.f.Dims()
	k, p, r := float64(len(e.order)), float64(projections), float64(columns)
	sweep, step := 2*k*r*r, 2*k*r*r
	if e.cfg.Divergence == Burg {
		sweep += 8 * p * r * r
	} else {
		sweep += 2 * p * r * r * r
		step += 20 * r * r * r
	}
	if p <= mostDense {
		step += p*p*r + p*p*p
	} else {
		step += 80 * p * r * r
	}
	const steps, speed = 12, 4 // Newton steps; how much faster their flops are
	return left*sweep > steps*step/speed
}

// sweep visits every constraint once. A constraint that is met to a hundredth of
// the tolerance is left as it is.
func (e *engine) sweep(ctx context.Context) (visit, error) {
	var seen visit
	defer func(begin time.Time) { e.stats.ProjectionSeconds += time.Since(begin).Seconds() }(time.Now())
	for _, i := range e.order {
		if err := ctx.Err(); err != nil {
			return seen, err
		}
		c := &e.cs[i]
		value, size := e.load(c)
		b := e.boundOf(i)
		xi, _ := b.at(0)
		seen.add(c, value, size, xi, b.y)
		if b.y == 0 && c.relation != constraint.Equal && c.relation.Excess(value, xi) == 0 || math.Abs(value-xi) <= 0.01*e.cfg.Tol*c.measure(size, xi) {
			continue
		}
		least, most := math.Inf(-1), math.Inf(1)
		switch c.relation {
		case constraint.AtMost:
			most = -b.y
		case constraint.AtLeast:
			least = -b.y
		}
		a, err := e.s.step(b, least, most)
		var sign *signError
		switch {
		case errors.As(err, &sign):
			return seen, e.alone(i, sign.d, err.Error())
		case err != nil:
			return seen, err
		case a == 0:
			continue
		}
		if err := e.s.move(); err != nil {
			return seen, fmt.Errorf("%w: %w", errStuck, err)
		}
		e.y[i] = e.y[i].plus(extended{hi: a})
		if c.relation != constraint.Equal && a == -b.y {
			e.y[i] = extended{}
		}
		e.stats.Projections++
	}
	return seen, nil
}

// load is the state's, with the directions computed where they are not kept.
func (e *engine) load(c *row) (value, size float64) {
	return e.s.load(c, e.directions(c))
}

// alone is the error of a constraint that no kernel keeps, with the multiplier that
// proves it.
func (e *engine) alone(i int, d float64, reason string) error {
	farkas := make([]float64, len(e.cs))
	farkas[i] = d
	return &constraint.InfeasibleError{Constraints: []int{i}, Farkas: farkas, Reason: reason}
}

// gather returns the directions of constraints as rows, with their weights;
// constraint at[k] has the rows first[k] to first[k+1]−1.
func (e *engine) gather(at []int) (u *mat.Dense, weight []float64, first []int) {
	first = []int{0}
	for _, i := range at {
		weight = append(weight, e.cs[i].weight...)
		first = append(first, len(weight))
	}
	u = mat.NewDense(max(1, len(weight)), len(e.v), nil)
	for k, i := range at {
		if d := e.directions(&e.cs[i]); d != nil {
			u.Slice(first[k], first[k+1], 0, len(e.v)).(*mat.Dense).Copy(d)
		}
	}
	return u, weight, first
}

// measure sets the values of all constraints at the present kernel by products of
// blocks of them.
func (e *engine) measure(ctx context.Context) error {
	m, lambda := e.s.frame()
	trace := e.s.trace()
	var z mat.Dense
	const block = 256
	for rest := e.order; len(rest) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, terms := 0, 0
		for n < len(rest) && (n == 0 || terms < block) {
			terms += len(e.cs[rest[n]].weight)
			n++
		}
		u, weight, first := e.gather(rest[:n])
		z.Reset()
		z.Mul(u, m)
		for k, i := range rest[:n] {
			c := &e.cs[i]
			value, size := c.identity*trace, math.Abs(c.identity)*trace
			for t := first[k]; t < first[k+1]; t++ {
				var sum float64
				for j, x := range z.RawRowView(t) {
					sum += lambda[j] * x * x
				}
				value += weight[t] * sum
				size += math.Abs(weight[t]) * sum
			}
			e.value[i], e.size[i] = value, size
		}
		rest = rest[n:]
	}
	return nil
}

// look judges the values that were measured.
func (e *engine) look() visit {
	var seen visit
	for _, i := range e.order {
		b := e.boundOf(i)
		xi, _ := b.at(0)
		seen.add(&e.cs[i], e.value[i], e.size[i], xi, b.y)
	}
	return seen
}

// certify makes a visit that of the model and returns its residual.
func (e *engine) certify(v visit) float64 {
	e.stats.Violation, e.stats.Gap = v.violation, v.gap/(e.s.unit()+e.s.divergence())
	return max(e.stats.Violation, e.stats.Gap)
}

// rebuild makes X anew from the duals, measures the constraints, and certifies what it
// sees. Duals that rounding has driven out of the domain go back towards the last ones
// that were not.
func (e *engine) rebuild(ctx context.Context) (float64, error) {
	for range 64 {
		ok, err := e.s.rebuild(ctx, e)
		if err != nil {
			return 0, err
		}
		if ok {
			break
		}
		for i := range e.y {
			half := extended{hi: 0.5}
			e.y[i] = e.y[i].times(half).plus(e.kept[i].times(half))
		}
	}
	copy(e.kept, e.y)
	if err := e.measure(ctx); err != nil {
		return 0, err
	}
	return e.certify(e.look()), nil
}

// sum returns Σ y_c·H_c, in the basis V for VonNeumann.
func (e *engine) sum(ctx context.Context) (*mat.SymDense, error) {
	r := len(e.v)
	h := mat.NewSymDense(r, nil)
	var shift float64
	for n, i := range e.order {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		y := e.y[i].hi
		if y == 0 {
			continue
		}
		c := &e.cs[i]
		u := e.directions(c)
		for k, w := range c.weight {
			blas64.Syr(y*w, blas64.Vector{N: r, Data: u.RawRowView(k), Inc: 1}, h.RawSymmetric())
		}
		shift += y * c.identity
	}
	if e.cfg.Divergence == Burg {
		return h, nil
	}
	var p, q mat.Dense
	p.Mul(h, e.start.right)
	q.Mul(e.start.right.T(), &p)
	rank, _ := q.Dims()
	out := mat.NewSymDense(rank, nil)
	for i := range rank {
		for j := i; j < rank; j++ {
			out.SetSym(i, j, (q.At(i, j)+q.At(j, i))/2)
		}
		out.SetSym(i, i, out.At(i, i)+shift)
	}
	return out, nil
}

// growth looks for a proof in the growth of the duals.
func (e *engine) growth() error {
	d := make([]float64, len(e.cs))
	for i, y := range e.y {
		d[i] = y.hi - e.snap[i]
		e.snap[i] = y.hi
	}
	return e.contradiction(d)
}

// newton maximizes the dual function by Newton's method on the multipliers that are
// not zero, or whose constraint is violated. A step may end where a multiplier becomes
// zero and, for Burg, before X is singular.
func (e *engine) newton(ctx context.Context, meter *gram.Meter) error {
	free := make([]bool, len(e.cs))
	for i, c := range e.cs {
		free[i] = c.relation == constraint.Equal || e.y[i].hi != 0
	}
	best, idle := math.Inf(1), 0
	for n := 0; e.stats.Iterations < e.cfg.MaxIter; n++ {
		e.stats.Iterations++
		if err := e.measure(ctx); err != nil {
			return err
		}
		left := e.certify(e.look())
		if left <= e.cfg.Tol || n%8 == 0 {
			var err error
			if left, err = e.rebuild(ctx); err != nil || left <= e.cfg.Tol {
				return err
			}
		}
		e.report(meter, e.cfg.MaxIter)
		if left < 0.5*best {
			best, idle = left, 0
		} else if idle++; idle > 30 {
			break
		}
		if n%4 == 3 {
			if err := e.growth(); err != nil {
				return err
			}
			if n%16 == 15 && e.cfg.Divergence == VonNeumann {
				if err := e.otherwise(ctx); err != nil {
					return err
				}
			}
		}
		if moved, err := e.newtonStep(ctx, free, left); err != nil {
			return err
		} else if !moved {
			break
		}
		e.stats.NewtonSteps++
	}
	left, err := e.rebuild(ctx)
	if err != nil || left <= e.cfg.Tol {
		return err
	}
	if err := e.growth(); err != nil {
		return err
	}
	return &gram.ConvergenceError{Iter: e.stats.Iterations, Residual: left, Tol: e.cfg.Tol}
}

// newtonStep makes a step from the values that were measured; moved is false if it
// found nowhere to go. free is where the last step ended.
func (e *engine) newtonStep(ctx context.Context, free []bool, left float64) (moved bool, err error) {
	var set []int
	for _, i := range e.order {
		xi, _ := e.boundOf(i).at(0)
		if e.y[i].hi != 0 || e.cs[i].relation.Excess(e.value[i], xi) > 0 {
			set = append(set, i)
		}
	}
	if len(set) == 0 {
		return false, nil
	}
	k := len(set)
	h := &divided{phi: e.s.derivative(), identity: make([]float64, k), slope: make([]float64, k), terms: &mat.Dense{}}
	u, weight, first := e.gather(set)
	m, _ := e.s.frame()
	h.terms.Mul(u, m)
	h.weight, h.first = weight, first
	g, y, relation, some := make([]float64, k), make([]float64, k), make([]constraint.Relation, k), make([]bool, k)
	for n, i := range set {
		xi, falls := e.boundOf(i).at(0)
		h.identity[n], h.slope[n] = e.cs[i].identity, -falls
		g[n], y[n], relation[n] = xi-e.value[i], e.y[i].hi, e.cs[i].relation
		some[n] = free[i] || y[n] == 0
	}
	d, err := step(ctx, h, g, y, relation, some, max(1e-8, min(1e-2, 0.1*left)))
	if err != nil {
		return false, err
	}
	most := math.Inf(1)
	whole := make([]float64, len(e.cs))
	for n, i := range set {
		free[i] = some[n]
		whole[i] = d[n]
		if relation[n] == constraint.AtMost && d[n] > 0 || relation[n] == constraint.AtLeast && d[n] < 0 {
			most = min(most, max(1, -y[n]/d[n]))
		}
	}
	if err := e.contradiction(whole); err != nil {
		return false, err
	}
	t, err := e.s.advance(h.sum(d), most, func(t float64) float64 {
		var sum float64
		for n, i := range set {
			b := e.boundOf(i)
			if t*d[n] <= b.lowest() {
				return math.Inf(-1)
			}
			xi, _ := b.at(t * d[n])
			sum += d[n] * xi
		}
		return sum
	})
	if err != nil || t == 0 {
		return false, err
	}
	for n, i := range set {
		e.y[i] = e.y[i].plus(twoProduct(t, d[n]))
		if v := e.y[i].hi; relation[n] == constraint.AtMost && v > 0 || relation[n] == constraint.AtLeast && v < 0 || t == 1 && d[n] == -y[n] {
			e.y[i] = extended{}
		}
	}
	return true, nil
}

// otherwise looks for a contradiction by Burg's divergence, whose duals lead to a proof
// where there is one: they have the determinant of Σ −d_c·H_c grow.
func (e *engine) otherwise(ctx context.Context) error {
	cfg := e.cfg
	cfg.Divergence, cfg.Slack, cfg.Progress, cfg.MaxIter = Burg, 0, nil, 200
	if e.cfg.Slack > 0 {
		return nil
	}
	b, err := newEngine(cfg, e.f, e.start, e.in, &Stats{})
	if err != nil {
		return err
	}
	err = b.newton(ctx, cfg.Meter())
	var slow *gram.ConvergenceError
	if errors.As(err, &slow) {
		return nil
	}
	return err
}
