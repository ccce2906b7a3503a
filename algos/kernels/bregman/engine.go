package bregman

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/internal/dual"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
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
	// problem is the dual problem of p.Rows on the u, and what else Newton's method starts from.
	problem(p *dual.Problem, u *mat.Dense) (factor *mat.Dense)
	// take makes X that of a solution.
	take(s *dual.State) error
	// save returns a function that restores X.
	save() func()
	// distance is that of X from X of the duals, relative in every direction.
	distance(ctx context.Context, e *engine) (float64, error)
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
	price    dual.Price
	scale    float64 // s of the quadratic price
}

// bound is ξ as a function of the dual.
type bound struct {
	price    dual.Price
	b, gamma float64 // for quadratic: γ/s² or γ/s
	y        float64
	base     float64 // 1/b + y/γ for inverse, b − y/γ for quadratic
}

// at returns ξ(y+a) and its derivative, which is ≤ 0.
func (b bound) at(a float64) (xi, slope float64) {
	switch b.price {
	case dual.Entropy:
		xi = b.b * math.Exp(-(b.y+a)/b.gamma)
		return xi, -xi / b.gamma
	case dual.Inverse:
		xi = 1 / (b.base + a/b.gamma)
		return xi, -xi * xi / b.gamma
	case dual.Square:
		return b.base - a/b.gamma, -1 / b.gamma
	}
	return b.b, 0
}

// lowest is the infimum of the a for which ξ(y+a) is defined.
func (b bound) lowest() float64 {
	if b.price == dual.Inverse {
		return -b.gamma * b.base
	}
	return math.Inf(-1)
}

// engine holds a fit.
type engine struct {
	cfg   Config
	f     *mat.Dense // G₀
	noise float64    // largest eigenvalue of what rounding has added to G₀G₀ᵀ
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

func newEngine(cfg Config, f *mat.Dense, noise float64, start *spectral, in []constraint.Linear, stats *Stats) (*engine, error) {
	_, r := f.Dims()
	k := len(in)
	e := &engine{cfg: cfg, f: f, noise: noise, start: start, in: in, stats: stats, cs: make([]row, k), y: make([]extended, k), kept: make([]extended, k)}
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
			return false, settings.Refuse(fmt.Sprintf("constraints[%d]", i), size*size, "rows and weights whose squares are finite numbers")
		}
		// Equal rows differ by rounding at most.
		if t.Weight == 0 || length <= 4*0x1p-53*size || length*length <= e.noise*dot(t.Z.Value, t.Z.Value) {
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
			c.price = dual.Square
		case e.cfg.Divergence == Burg:
			c.price = dual.Inverse
		default:
			c.price = dual.Entropy
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
	case dual.Square:
		b.gamma /= c.scale
		if e.cfg.Divergence == Burg {
			b.gamma /= c.scale
		}
		b.base = extended{hi: c.bound}.plus(e.y[i].over(extended{hi: -b.gamma})).hi
	case dual.Inverse:
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
	if d := c.relation.Excess(value, xi); d != 0 || value-value != 0 {
		if d /= c.measure(size, xi); d != d || value-value != 0 {
			d = math.Inf(1)
		}
		v.violation = max(v.violation, d)
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
	e.stats.Bounds = make([]float64, len(e.cs))
	for i := range e.cs {
		e.stats.Bounds[i] = e.in[i].Bound
	}
	for _, i := range e.order {
		b := e.boundOf(i)
		xi, _ := b.at(0)
		e.stats.Bounds[i] = xi
		e.stats.Price += dual.Bound{Price: b.price, B: b.b, Gamma: b.gamma}.Cost(xi)
	}
	e.stats.Divergence = e.s.divergence()
	return err
}

func (e *engine) learn(ctx context.Context, meter *gram.Meter) error {
	var trend []float64
	before, best, least := slices.Clone(e.y), slices.Clone(e.y), math.Inf(1) // duals before a sweep, and before that with the least residual
	next, steps := 0, e.cfg.MaxIter                                          // sweep of the next attempt by Newton's method, and its steps
	if e.cfg.Divergence == VonNeumann {
		steps = 25 // where eigenvalues are many decades apart sweeps lead on
	}
	for sweep := 1; e.stats.Iterations < e.cfg.MaxIter; sweep++ {
		moved := e.stats.Projections
		copy(before, e.y)
		seen, err := e.sweep(ctx)
		stuck := errors.Is(err, errStuck)
		if errors.Is(err, errGrowth) {
			break
		}
		if err != nil && !stuck {
			return err
		}
		e.stats.Iterations++
		left := e.residual(seen)
		if left < least { // what was seen is what there was before the sweep, more or less
			least = left
			copy(best, before)
		}
		// Every step leaves rounding errors in X.
		const fresh = 50
		if left <= e.cfg.Tol || e.stats.Iterations == e.cfg.MaxIter || sweep%fresh == 0 {
			if left, err = e.rebuild(ctx); err != nil || left <= e.cfg.Tol {
				return err
			}
		}
		e.report(meter, e.cfg.MaxIter)
		if sweep >= 4 && sweep&(sweep-1) == 0 {
			if err := e.growth(ctx); err != nil {
				return err
			}
		}
		trend = append(trend, math.Log(left/e.cfg.Tol))
		if e.cfg.Cyclic || !stuck && (sweep < next || !e.slow(trend, e.stats.Projections-moved)) {
			continue
		}
		if stuck {
			steps = e.cfg.MaxIter
		}
		var slow *gram.ConvergenceError
		if err := e.newton(ctx, meter, steps); stuck || !errors.As(err, &slow) {
			return err
		}
		trend, next, steps = nil, 4*sweep, e.cfg.MaxIter
	}
	if err := e.keep(ctx, best); err != nil {
		return err
	}
	return &gram.ConvergenceError{Iter: e.stats.Iterations, Residual: max(e.stats.Violation, e.stats.Gap), Tol: e.cfg.Tol}
}

// keep makes X that of the present duals or of those of the best sweep, whichever is better.
func (e *engine) keep(ctx context.Context, best []extended) error {
	last := slices.Clone(e.y)
	left, err := e.rebuild(ctx)
	if err != nil {
		return err
	}
	copy(e.y, best)
	other, err := e.rebuild(ctx)
	if err != nil || other <= left {
		return err
	}
	copy(e.y, last)
	_, err = e.rebuild(ctx)
	return err
}

// slow tells whether Newton's method is expected to need less time than the sweeps that
// are left at the rate of the last ones, of which the latest had so many projections.
// trend is the logarithm of the residual over the tolerance after each sweep.
func (e *engine) slow(trend []float64, projections int) bool {
	n := len(trend)
	if n < 4 && (n < 2 || e.cfg.Divergence == Burg) {
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
	products := 40. // of conjugate gradients
	if e.cfg.Slack > 0 {
		products = 10
	}
	step += min(p*p*r+p*p*p, 4*products*p*r*r)
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
		if c.definite && b.price == dual.Hard && value > 0 && xi > value*0x1p52 {
			return seen, errGrowth
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

// measureMapped sets the values of all constraints to those of the rows of x as the model maps them.
func (e *engine) measureMapped(m *Model, x mat.Matrix) {
	n, d := x.Dims()
	_, r := m.Dims()
	const block = 256
	from, to := mat.NewDense(min(n, block), d, nil), mat.NewDense(min(n, block), r, nil)
	// each calls f with the position in index of every row, and with the row mapped.
	each := func(index []int, f func(k int, v []float64)) {
		for lo := 0; lo < len(index); lo += block {
			part := index[lo:min(lo+block, len(index))]
			for k, i := range part {
				mat.Row(from.RawRowView(k), i, x)
			}
			m.Map(to.Slice(0, len(part), 0, r).(*mat.Dense), from.Slice(0, len(part), 0, d))
			for k := range part {
				f(lo+k, to.RawRowView(k))
			}
		}
	}
	every := make([]int, n)
	for i := range every {
		every[i] = i
	}
	var trace float64
	if slices.ContainsFunc(e.in, func(c constraint.Linear) bool { return c.Identity != 0 }) {
		each(every, func(_ int, v []float64) { trace += dot(v, v) })
	}
	sum := make([]float64, r)
	for _, i := range e.order {
		in := &e.in[i]
		value, size := in.Identity*trace, math.Abs(in.Identity)*trace
		for _, t := range in.Terms {
			index := t.Z.Index
			if index == nil {
				index = every
			}
			clear(sum)
			each(index, func(k int, v []float64) {
				blas64.Axpy(t.Z.Value[k], blas64.Vector{N: r, Data: v, Inc: 1}, blas64.Vector{N: r, Data: sum, Inc: 1})
			})
			square := dot(sum, sum)
			value += t.Weight * square
			size += math.Abs(t.Weight) * square
		}
		e.value[i], e.size[i] = value, size
	}
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
	if e.stats.Gap != e.stats.Gap {
		e.stats.Gap = math.Inf(1)
	}
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

// problem is the dual problem of the rows in their order.
func (e *engine) problem() (p *dual.Problem, factor *mat.Dense) {
	p = &dual.Problem{N: len(e.cs)}
	u, _, first := e.gather(e.order)
	for k, i := range e.order {
		c := &e.cs[i]
		b := e.boundOf(i)
		p.Rows = append(p.Rows, dual.Row{At: i, First: first[k], Weight: c.weight, Identity: c.identity, Relation: c.relation,
			Bound: dual.Bound{Price: b.price, B: b.b, Gamma: b.gamma}})
	}
	return p, e.s.problem(p, u)
}

// growth looks for a proof that the constraints contradict each other in the growth of
// the duals.
func (e *engine) growth(ctx context.Context) error {
	d := make([]float64, len(e.order))
	for k, i := range e.order {
		d[k] = e.y[i].hi - e.snap[i]
		e.snap[i] = e.y[i].hi
	}
	p, _ := e.problem()
	return p.Proof(ctx, d)
}

// newton makes at most so many steps of Newton's method, and keeps what it had if they end
// farther away.
func (e *engine) newton(ctx context.Context, meter *gram.Meter, most int) error {
	before, err := e.rebuild(ctx)
	if err != nil || before <= e.cfg.Tol {
		return err
	}
	p, factor := e.problem()
	y := make([]float64, len(e.order))
	for k, i := range e.order {
		y[k] = e.y[i].hi
	}
	sweeps := e.stats.Iterations
	s, steps, err := p.Newton(ctx, y, dual.Options{Tol: e.cfg.Tol, MaxIter: min(most, e.cfg.MaxIter-sweeps), Factor: factor, Spectrum: dual.Dense,
		Progress: func(n int, objective float64) {
			meter.Report(gram.Event{Phase: "kernel learning", Done: int64(sweeps + n), Total: int64(e.cfg.MaxIter), Objective: objective})
		}})
	e.stats.NewtonSteps += steps
	e.stats.Iterations += steps
	if s == nil || err != nil && max(s.Violation, s.Gap) >= before {
		return err
	}
	for k, i := range e.order {
		e.y[i] = extended{hi: s.Y[k]}
	}
	e.stats.Violation, e.stats.Gap = s.Violation, s.Gap
	if fault := e.s.take(s); fault != nil {
		return fault
	}
	if err != nil {
		return err
	}
	return e.agree(ctx)
}

// agree certifies a solution of Newton's method, whose X has been changed step by step, not
// computed from the duals. X of the duals is taken if it keeps the constraints as well.
// Where it is so ill-conditioned that the last bits of the duals decide on that, X
// stays if it is that of the duals but for a thousandth in every direction.
func (e *engine) agree(ctx context.Context) error {
	if err := e.measure(ctx); err != nil {
		return err
	}
	seen, restore := e.look(), e.s.save()
	ok, err := e.s.rebuild(ctx, e)
	if err == nil && ok {
		if err = e.measure(ctx); err == nil && e.certify(e.look()) <= e.cfg.Tol {
			return nil
		}
	}
	restore()
	if err != nil {
		return err
	}
	off, err := e.s.distance(ctx, e)
	if err == nil && !(off <= 1e-3) {
		err = &gram.ConvergenceError{Iter: e.stats.Iterations, Residual: off, Tol: 1e-3}
	}
	if err == nil {
		err = e.measure(ctx)
	}
	e.certify(seen)
	return err
}
