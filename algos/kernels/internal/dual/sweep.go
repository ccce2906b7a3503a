package dual

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"gonum.org/v1/gonum/mat"
)

// iterate is the X that sweeps change, for one divergence.
type iterate interface {
	// load makes r the row that step and move speak of and returns tr(XH) and tr(X|H|).
	load(r *Row) (value, size float64)
	// step returns the a with tr(X(a)H) = ξ(y+a) − offset, or least or most if it is beyond.
	step(b position, least, most float64) (float64, error)
	// move replaces X by X(a) for the a of the last step.
	move() error
	// rebuild makes X that of the duals y; ok is false if they are not in the domain.
	rebuild(ctx context.Context, y []extended) (ok bool, err error)
	// state measures X as it is, beside the duals y.
	state(y []extended) *State
	// take makes X that of a state of Newton's method.
	take(s *State)
	// save returns a function that makes X again what it is now.
	save() func()
	// distance returns how far the X that the sweeps maintain is from the X that the duals stand for, relative in
	// every direction.
	distance(ctx context.Context, y []extended) (float64, error)
	// divergence returns the divergence of the current X from X at y = 0.
	divergence() float64
}

// Report says how many steps Sweep took and how long they lasted.
type Report struct {
	Iterations  int // sweeps, then NewtonSteps
	NewtonSteps int
	Projections int     // steps of a sweep that changed X
	Evaluations int     // of tr(X(a)H) in searches for a: one per projection where there is a closed form
	Divergence  float64 // of X from X at y = 0

	ProjectionSeconds float64 // of the sweeps; of them, for VonNeumann:
	RootSeconds       float64 // the searches for a
	ProductSeconds    float64 // the products of eigenvectors
}

// engine holds the duals and the iterate that sweeps change, and what they have counted.
type engine struct {
	Report
	Options
	p    *Problem
	x    iterate
	y    []extended
	kept []extended // the duals of the last X that was rebuilt
	seen []float64  // the duals at the last search for a contradiction
	last *State     // as measured last
}

func newEngine(p *Problem, o Options) *engine {
	m := len(p.Rows)
	e := &engine{Options: o, p: p, y: make([]extended, m), kept: make([]extended, m), seen: make([]float64, m)}
	if e.Order == nil {
		for i := range m {
			e.Order = append(e.Order, i)
		}
	}
	if _, entropy := p.F.(VonNeumann); entropy {
		e.x = newVonNeumann(p, &e.Report)
	} else {
		e.x = newBurg(p, o.Tol, &e.Evaluations)
	}
	return e
}

// Sweep solves a problem whose F is LogDet or VonNeumann from y = 0 by cyclic projections on its rows, each in O(r²), and,
// where their rate says that these would take longer, by Newton's method from there. All duals are summed in twice the
// precision, and X is computed anew from them before the end.
//
// The last state comes with every error: a *constraint.InfeasibleError that is proven; ctx.Err(); a
// *gram.ConvergenceError after MaxIter sweeps and steps, where a bound asks for more than 2⁵² times the value, or where
// rounding forbids any progress.
func (p *Problem) Sweep(ctx context.Context, o Options) (*State, Report, error) {
	e := newEngine(p, o)
	err := e.learn(ctx)
	var short *gram.ConvergenceError
	if e.last == nil || err != nil && !errors.As(err, &short) { // X as it is
		e.last = e.x.state(e.y)
	}
	e.Divergence = e.x.divergence()
	return e.last, e.Report, err
}

// Warm returns the duals of a few sweeps and B, where Newton's method for LogDet may start: bounds that are far away take one
// projection each, and many of its steps. A row that cannot be projected on ends the sweeps. The error is ctx.Err().
func (p *Problem) Warm(ctx context.Context, o Options, sweeps int) (y []float64, b *mat.Dense, err error) {
	e := newEngine(p, o)
	if p.Alone() == nil {
		for range sweeps {
			if _, _, err := e.sweep(ctx); err != nil {
				break
			}
		}
	}
	s := e.x.state(e.y)
	return s.Y, s.b, ctx.Err()
}

func (e *engine) learn(ctx context.Context) error {
	_, entropy := e.p.F.(VonNeumann)
	var trend []float64
	before, best, least := slices.Clone(e.y), slices.Clone(e.y), math.Inf(1) // duals before a sweep, and before that with the least residual
	next, steps := 0, e.MaxIter                                              // sweep of the next attempt by Newton's method, and its steps
	if entropy {
		steps = soon // where eigenvalues are many decades apart sweeps lead on
	}
	for sweep := 1; e.Iterations < e.MaxIter; sweep++ {
		moved := e.Projections
		copy(before, e.y)
		violation, gap, err := e.sweep(ctx)
		stuck := errors.Is(err, errStuck)
		if errors.Is(err, errGrowth) {
			break
		}
		if err != nil && !stuck {
			return err
		}
		e.Iterations++
		left := max(violation, gap/(e.p.unit()+e.x.divergence()))
		if left < least { // what was seen is what there was before the sweep, more or less
			least = left
			copy(best, before)
		}
		// Every step leaves rounding errors in X, so X is computed anew from the duals once in so many sweeps.
		const fresh = 50
		if left <= e.Tol || e.Iterations == e.MaxIter || sweep%fresh == 0 {
			if left, err = e.rebuild(ctx); err != nil || left <= e.Tol {
				return err
			}
		}
		e.Progress(e.Iterations, e.x.divergence())
		if sweep >= 4 && sweep&(sweep-1) == 0 {
			if err := e.growth(ctx); err != nil {
				return err
			}
		}
		trend = append(trend, math.Log(left/e.Tol))
		if e.Cyclic || !stuck && (sweep < next || !e.slow(trend, e.Projections-moved)) {
			continue
		}
		if stuck {
			steps = e.MaxIter
		}
		var slow *gram.ConvergenceError
		if err := e.newton(ctx, steps); stuck || !errors.As(err, &slow) {
			return err
		}
		trend, next, steps = nil, 4*sweep, e.MaxIter
	}
	if err := e.keep(ctx, best); err != nil {
		return err
	}
	return &gram.ConvergenceError{Iter: e.Iterations, Residual: max(e.last.Violation, e.last.Gap), Tol: e.Tol}
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
	_, entropy := e.p.F.(VonNeumann)
	if n < 4 && (n < 2 || !entropy) {
		return false
	}
	const pessimism = 1e4 // sweeps, where there is no progress
	left := pessimism
	if rate := (trend[n/2-1] - trend[n-1]) / float64(n-n/2); rate > 0 {
		left = min(left, trend[n-1]/rate)
	}
	_, columns := e.p.T.Dims()
	k, p, r := float64(len(e.y)), float64(projections), float64(columns)
	sweep, step := 2*k*r*r, 2*k*r*r
	if entropy {
		sweep += 2 * p * r * r * r
		step += 20 * r * r * r
	} else {
		sweep += 8 * p * r * r
	}
	products := 10. // of conjugate gradients
	if slices.ContainsFunc(e.p.Rows, func(r Row) bool { return r.Bound.Price == Hard }) {
		products = 40
	}
	step += min(p*p*r+p*p*p, 4*products*p*r*r)
	const steps, speed = 12, 4 // Newton steps; how much faster their flops are
	return left*sweep > steps*step/speed
}

// sweep visits every row once and returns the largest relative violation and Σ|y·(value−ξ)| that it saw. A row that is
// met to a hundredth of the tolerance is left as it is.
func (e *engine) sweep(ctx context.Context) (violation, gap float64, err error) {
	defer func(begin time.Time) { e.ProjectionSeconds += time.Since(begin).Seconds() }(time.Now())
	for _, i := range e.Order {
		if err := ctx.Err(); err != nil {
			return violation, gap, err
		}
		r := &e.p.Rows[i]
		value, size := e.x.load(r)
		value, size = value+r.Offset, size+math.Abs(r.Offset)
		if len(r.Weight) > 1 && !(size > 0x1p-300 && size < 0x1p300) { // eigenvalues have squares, and gonum finds them: its Dsterf panics below 2⁻⁴⁰⁴
			return violation, gap, fmt.Errorf("%w: a value of %g", errStuck, size)
		}
		b := r.Bound.from(e.y[i], r.Offset)
		xi, _ := b.at(0)
		xi += r.Offset
		violation = max(violation, r.violation(value, xi, size))
		gap += math.Abs(b.y * (value - xi))
		if b.y == 0 && r.Relation != constraint.Equal && r.Relation.Excess(value, xi) == 0 || math.Abs(value-xi) <= 0.01*e.Tol*r.measure(xi, size) {
			continue
		}
		if r.definite() && b.Price == Hard && value > 0 && xi > value*0x1p52 {
			return violation, gap, errGrowth
		}
		if err := e.project(i, b); err != nil {
			return violation, gap, err
		}
	}
	return violation, gap, nil
}

// project makes the step of the loaded row i, whose bound is b.
func (e *engine) project(i int, b position) error {
	least, most := math.Inf(-1), math.Inf(1)
	r := &e.p.Rows[i]
	switch r.Relation {
	case constraint.AtMost:
		most = -b.y
	case constraint.AtLeast:
		least = -b.y
	}
	a, err := e.x.step(b, least, most)
	var sign *signError
	switch {
	case errors.As(err, &sign):
		farkas := make([]float64, len(e.y))
		farkas[i] = sign.d
		return e.p.infeasible(farkas, []int{i}, err.Error())
	case err != nil:
		return err
	case a == 0:
		return nil
	}
	if err := e.x.move(); err != nil {
		return fmt.Errorf("%w: %w", errStuck, err)
	}
	e.y[i] = e.y[i].plus(extended{hi: a})
	if r.Relation != constraint.Equal && a == -b.y {
		e.y[i] = extended{}
	}
	e.Projections++
	return nil
}

// rebuild makes X anew from the duals and measures it. Duals that rounding has driven out of the domain go back towards
// the last ones that were not.
func (e *engine) rebuild(ctx context.Context) (residual float64, err error) {
	for range 64 {
		ok, err := e.x.rebuild(ctx, e.y)
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
	e.last = e.x.state(e.y)
	return e.last.residual(), ctx.Err()
}

// residual is the larger of violation and gap.
func (s *State) residual() float64 { return max(s.Violation, s.Gap) }

// growth looks for a proof that the rows contradict each other in the growth of the duals.
func (e *engine) growth(ctx context.Context) error {
	d := make([]float64, len(e.y))
	for i, y := range e.y {
		d[i] = y.hi - e.seen[i]
		e.seen[i] = y.hi
	}
	return cmp.Or(e.p.Proof(ctx, d), ctx.Err())
}

// newton makes at most so many steps of Newton's method, and keeps what it had if they end
// farther away.
func (e *engine) newton(ctx context.Context, most int) error {
	before, err := e.rebuild(ctx)
	if err != nil || before <= e.Tol {
		return err
	}
	sweeps := e.Iterations
	o := Options{Tol: e.Tol, MaxIter: min(most, e.MaxIter-sweeps), Factor: e.last.b, Spectrum: Dense}
	o.Progress = func(n int, objective float64) { e.Progress(sweeps+n, objective) }
	s, steps, err := e.p.Newton(ctx, e.last.Y, o)
	e.NewtonSteps += steps
	e.Iterations += steps
	if s == nil || err != nil && s.residual() >= before {
		return err
	}
	for i, y := range s.Y {
		e.y[i] = extended{hi: y}
	}
	e.x.take(s)
	if e.last = e.x.state(e.y); err != nil {
		return err
	}
	return e.agree(ctx)
}

// agree decides which X goes with a solution of Newton's method, whose X has been changed step by step, not computed from the
// duals. The X of the duals is taken if it meets the tolerance too. Where it is so ill-conditioned that the last bits of the
// duals decide on that, the X of the steps stays if it differs from that of the duals by at most a thousandth in every direction;
// otherwise the error is a *gram.ConvergenceError.
func (e *engine) agree(ctx context.Context) error {
	restore := e.x.save()
	ok, err := e.x.rebuild(ctx, e.y)
	if err == nil && ok {
		if s := e.x.state(e.y); s.residual() <= e.Tol {
			e.last = s
			return ctx.Err()
		}
	}
	restore()
	if err != nil {
		return err
	}
	off, err := e.x.distance(ctx, e.y)
	if err == nil && !(off <= 1e-3) {
		err = &gram.ConvergenceError{Iter: e.Iterations, Residual: off, Tol: 1e-3}
	}
	return err
}
