package bregman

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// state is X for one divergence.
type state interface {
	// load makes c the constraint that step and move speak of, with s×r directions
	// v_k, and returns tr(KA) and tr(K|A|), Σ over the terms of absolute values.
	load(c *row, v *mat.Dense) (value, size float64)
	// step returns a with tr(K(a)A) = ξ(y+a).
	step(b bound) (float64, error)
	// move replaces K by K(a).
	move(a float64) error
	// rebuild makes X anew from h = Σ y_c·H_c.
	rebuild(h *mat.SymDense) error
	divergence() float64
	trace() float64        // of X
	unit() float64         // what the divergence is measured by
	transform() *mat.Dense // T with X = TTᵀ
}

// row is a constraint in the coordinates of F: H = Σ weight_k·v_kv_kᵀ +
// identity·I.
type row struct {
	relation constraint.Relation
	bound    float64
	weight   []float64
	rows     []constraint.Vector // z_k by rows of F, where that is less than r numbers
	v        *mat.Dense          // else the v_k as rows
	identity float64
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
}

// at returns ξ(y+a) and its derivative, which is ≤ 0.
func (b bound) at(a float64) (xi, slope float64) {
	y := b.y + a
	switch b.price {
	case entropy:
		xi = b.b * math.Exp(-y/b.gamma)
		return xi, -xi / b.gamma
	case inverse:
		xi = 1 / (1/b.b + y/b.gamma)
		return xi, -xi * xi / b.gamma
	case quadratic:
		return b.b - y/b.gamma, -1 / b.gamma
	}
	return b.b, 0
}

// lowest is the infimum of the a for which ξ(y+a) is defined.
func (b bound) lowest() float64 {
	if b.price == inverse {
		return -b.gamma/b.b - b.y
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
	f     *mat.Dense
	cs    []row
	order []int
	s     state
	m     *Model
	snap  []float64 // the duals at the last test for feasibility
	v     []float64
	room  []float64
	dirs  mat.Dense
}

func newEngine(cfg Config, f *mat.Dense, in []constraint.Linear, s state, m *Model) (*engine, error) {
	_, r := f.Dims()
	e := &engine{cfg: cfg, f: f, cs: make([]row, len(in)), s: s, m: m, snap: make([]float64, len(in)), v: make([]float64, r)}
	for i := range in {
		keep, err := e.prepare(i, in[i])
		if err != nil {
			return nil, err
		}
		if keep {
			e.order = append(e.order, i)
		} else {
			m.stats.Dropped = append(m.stats.Dropped, i)
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
	*c = row{relation: in.Relation, bound: in.Bound, identity: in.Identity}
	positive := in.Identity >= 0
	if in.Identity != 0 && mat.Norm(e.f, 1) == 0 {
		c.identity = 0
	}
	var dense []float64
	var kept []constraint.Term
	for _, t := range in.Terms {
		length, size := e.project(e.v, t.Z)
		if size-size != 0 || t.Weight*size-t.Weight*size != 0 {
			return false, &gram.ConfigError{Field: fmt.Sprintf("constraints[%d]", i), Value: size, Want: "rows and weights whose squares are finite numbers"}
		}
		// Equal rows differ by rounding at most.
		if t.Weight == 0 || length <= 0x1p-52*size {
			continue
		}
		positive = positive && t.Weight > 0
		kept = append(kept, t)
		c.weight = append(c.weight, t.Weight)
		dense = append(dense, e.v...)
	}
	if _, burg := e.s.(*burg); burg && c.identity != 0 {
		// tr K = tr X·FᵀF: r terms.
		var g mat.SymDense
		g.SymOuterK(1, e.f.T())
		for j := range r {
			c.weight = append(c.weight, c.identity)
			for k := range r {
				dense = append(dense, g.At(j, k))
			}
		}
		root, err := factorOf(&g)
		if err != nil {
			return false, err
		}
		copy(dense[len(dense)-r*r:], root.RawMatrix().Data)
		c.identity = 0
	}
	if len(c.weight) == 0 && c.identity == 0 {
		if c.relation.Excess(0, c.bound) == 0 || e.cfg.Slack > 0 {
			return false, nil
		}
		return false, infeasible(i, fmt.Sprintf("its value is 0 for every kernel in the range of the start, the bound is %g", c.bound))
	}
	short := len(kept) == len(c.weight)
	for _, t := range kept {
		short = short && t.Z.Index != nil && len(t.Z.Index) <= r
	}
	if short {
		for _, t := range kept {
			c.rows = append(c.rows, t.Z)
		}
	} else if len(c.weight) > 0 {
		c.v = mat.NewDense(len(c.weight), r, dense)
	}
	if e.cfg.Slack > 0 {
		_, c.scale = e.load(c)
		switch _, burg := e.s.(*burg); {
		case !positive || c.bound <= 0:
			c.price = quadratic
		case burg:
			c.price = inverse
		default:
			c.price = entropy
		}
	}
	return true, nil
}

// factorOf returns R, r×r, with RᵀR = g.
func factorOf(g *mat.SymDense) (*mat.Dense, error) {
	r := g.SymmetricDim()
	var eig mat.EigenSym
	if !eig.Factorize(g, true) {
		return nil, &gram.ConvergenceError{Residual: math.NaN()}
	}
	var q mat.Dense
	eig.VectorsTo(&q)
	root := mat.NewDense(r, r, nil)
	for j, l := range eig.Values(nil) {
		for i := range r {
			root.Set(j, i, math.Sqrt(max(l, 0))*q.At(i, j))
		}
	}
	return root, nil
}

// project sets v = Fᵀz and returns ‖v‖² and Σz_i²‖F_i‖².
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
		size += value * value * sum
	}
	for _, x := range v {
		length += x * x
	}
	return length, size
}

// directions returns the v_k of constraint c as rows, valid until the next call;
// nil if there are none.
func (e *engine) directions(c *row) *mat.Dense {
	if c.v != nil || len(c.rows) == 0 {
		return c.v
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
	b := bound{price: c.price, b: c.bound, gamma: e.cfg.Slack, y: e.m.stats.Duals[i]}
	if c.price == quadratic {
		b.gamma /= c.scale
		if _, burg := e.s.(*burg); burg {
			b.gamma /= c.scale
		}
	}
	return b
}

// visit is what was seen of the constraints: the largest relative violation and
// the sum of |y·(tr(KA)−ξ)|.
type visit struct{ violation, gap float64 }

func (v *visit) add(c *row, value, size, xi, y float64) {
	if d := c.relation.Excess(value, xi); d > 0 {
		v.violation = max(v.violation, d/max(math.Abs(xi), size))
	}
	v.gap += math.Abs(y * (value - xi))
}

func (e *engine) within(v visit) bool {
	return v.violation <= e.cfg.Tol && v.gap <= e.cfg.Tol*(e.s.unit()+e.s.divergence())
}

// run sweeps until the tolerance is reached.
func (e *engine) run(ctx context.Context) error {
	meter := e.cfg.Meter()
	report := func(sweep, of int) {
		meter.Report(gram.Event{Phase: "kernel learning", Done: int64(sweep), Total: int64(of), Objective: e.s.divergence()})
	}
	defer e.price()
	next := 2 // sweep of the next test for feasibility
	for sweep := 1; sweep <= e.cfg.MaxIter; sweep++ {
		seen, err := e.sweep(ctx)
		if err != nil {
			return err
		}
		e.m.stats.Iterations = sweep
		last := sweep == e.cfg.MaxIter
		// Every step leaves rounding errors in X.
		const fresh = 50
		if !e.within(seen) && !last && sweep%fresh != 0 && sweep != next {
			report(sweep, e.cfg.MaxIter)
			continue
		}
		if sweep == next {
			if err := e.feasible(); err != nil {
				return err
			}
			next *= 2
		}
		if err := e.s.rebuild(e.sum(e.m.stats.Duals)); err != nil {
			return err
		}
		seen = e.look()
		e.m.stats.Violation = seen.violation
		e.m.stats.Gap = seen.gap / (e.s.unit() + e.s.divergence())
		if e.within(seen) {
			report(sweep, sweep)
			return nil
		}
		report(sweep, e.cfg.MaxIter)
	}
	return &gram.ConvergenceError{Iter: e.cfg.MaxIter, Residual: max(e.m.stats.Violation, e.m.stats.Gap), Tol: e.cfg.Tol}
}

// sweep visits every constraint once. A constraint that is met to a hundredth of
// the tolerance is left as it is.
func (e *engine) sweep(ctx context.Context) (visit, error) {
	var seen visit
	defer func(begin time.Time) { e.m.stats.ProjectionSeconds += time.Since(begin).Seconds() }(time.Now())
	for _, i := range e.order {
		if err := ctx.Err(); err != nil {
			return seen, err
		}
		c := &e.cs[i]
		value, size := e.load(c)
		b := e.boundOf(i)
		xi, _ := b.at(0)
		seen.add(c, value, size, xi, b.y)
		if b.y == 0 && c.relation != constraint.Equal && c.relation.Excess(value, xi) == 0 || math.Abs(value-xi) <= 0.01*e.cfg.Tol*max(math.Abs(xi), size) {
			continue
		}
		a, err := e.s.step(b)
		if err != nil {
			return seen, infeasible(i, err.Error())
		}
		switch c.relation {
		case constraint.AtMost:
			a = min(a, -b.y)
		case constraint.AtLeast:
			a = max(a, -b.y)
		}
		if a == 0 {
			continue
		}
		if err := e.s.move(a); err != nil {
			return seen, infeasible(i, "the kernel becomes singular: "+err.Error())
		}
		e.m.stats.Duals[i] += a
		if c.relation != constraint.Equal && a == -b.y {
			e.m.stats.Duals[i] = 0
		}
		e.m.stats.Projections++
	}
	return seen, nil
}

// load is the state's, with the directions computed where they are not kept.
func (e *engine) load(c *row) (value, size float64) {
	return e.s.load(c, e.directions(c))
}

func infeasible(i int, reason string) error {
	return &constraint.InfeasibleError{Constraints: []int{i}, Reason: reason}
}

// look measures all constraints at the present kernel.
func (e *engine) look() visit {
	var seen visit
	for _, i := range e.order {
		c := &e.cs[i]
		value, size := e.load(c)
		b := e.boundOf(i)
		xi, _ := b.at(0)
		seen.add(c, value, size, xi, b.y)
	}
	return seen
}

func (e *engine) price() {
	for _, i := range e.order {
		e.m.stats.Price += e.boundOf(i).cost()
	}
}

// sum returns Σ d_c·H_c.
func (e *engine) sum(d []float64) *mat.SymDense {
	_, r := e.f.Dims()
	h := mat.NewSymDense(r, nil)
	for _, i := range e.order {
		if d[i] == 0 {
			continue
		}
		c := &e.cs[i]
		v := e.directions(c)
		for k, w := range c.weight {
			blas64.Syr(d[i]*w, blas64.Vector{N: r, Data: v.RawRowView(k), Inc: 1}, h.RawSymmetric())
		}
		for j := range r {
			h.SetSym(j, j, h.At(j, j)+d[i]*c.identity)
		}
	}
	return h
}

// feasible looks for a proof that the constraints contradict each other: growth d
// of the duals of the right signs with Σd_c·b_c > 0. Every feasible X has
// Σd_c·b_c ≤ tr(X·Σd_cH_c) ≤ tr X·λmax, so its trace is at least their ratio; a
// thousand times what it is now counts as infinite. For contradictory constraints
// the ratio grows with the square of the number of sweeps. The first call has nothing
// to compare with.
func (e *engine) feasible() error {
	d := make([]float64, len(e.cs))
	var gain, size float64
	var who []int
	for _, i := range e.order {
		c := &e.cs[i]
		d[i] = e.m.stats.Duals[i] - e.snap[i]
		if c.relation == constraint.AtMost && d[i] > 0 || c.relation == constraint.AtLeast && d[i] < 0 || c.price != hard {
			d[i] = 0
		}
		gain += d[i] * c.bound
		size += math.Abs(d[i] * c.bound)
		if d[i] != 0 {
			who = append(who, i)
		}
	}
	copy(e.snap, e.m.stats.Duals)
	if e.m.stats.Iterations <= 2 || !(gain > 1e-10*size) {
		return nil
	}
	var eig mat.EigenSym
	if h := e.sum(d); !eig.Factorize(h, false) {
		return nil
	}
	top := slices.Max(eig.Values(nil))
	if top > 0 && gain/top < 1e3*(e.s.trace()+e.s.unit()) {
		return nil
	}
	weight := func(i int) float64 { return math.Abs(d[i] * e.cs[i].bound) }
	slices.SortStableFunc(who, func(i, j int) int { return cmp.Compare(weight(j), weight(i)) })
	for len(who) > 1 && weight(who[len(who)-1]) < 1e-3*weight(who[0]) {
		who = who[:len(who)-1]
	}
	return &constraint.InfeasibleError{Constraints: who, Reason: "no kernel in the range of the start keeps them together (slack allows for that)"}
}
