package svm

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/smo"
	"github.com/gramworks/gram/kernel"
)

const (
	tileRows    = smo.Lanes / 2 // number of rows of K computed together
	serialWork  = 1 << 19       // products of columns below which a block of rows is computed by one goroutine
	complete    = 1024          // up to this number of active rows all of K is computed at once if the cache has room
	askEvery    = 16            // iterations between two looks at the context, apart from rows that are computed
	fewRows     = 48            // least number of rows of K in the cache, unless the problem has fewer
	chunkMargin = 0.1           // fraction of the violation within which a variable becomes active in later rounds
	roundIter   = 100_000       // least limit of iterations of a round in float32
	maxSingle   = 8             // index of the last round in float32
	maxRounds   = 1000          // rounds, of which solvable problems take a few, after which rounding moves the violation to and fro
	lookEvery   = 10_000        // least number of iterations between two looks at the size of the gradient
	maxCoarse   = 20            // looks in a row that see a gradient too large for the tolerance
)

// solver is the state of sequential minimal optimization. Variables that are not
// active keep their values until the active ones are optimal; then the gradient of
// all variables is computed anew.
type solver[F gram.Float] struct {
	p    *Problem
	beta []float64 // of all rows
	diag []float64 // of all rows
	all  *kernel.Block[F]

	block  *kernel.Block[F] // computes kernel rows against the active rows
	active []int            // the active variables, ascending
	cache  cache[F]
	g, kii []float64 // of the active variables: the gradient Kβ and the diagonal of K
	zero   []F

	gain smo.Best

	in     []bool // whether a variable is, or stays, active
	index  []int  // the numbers of those
	want   []int  // rows of K to compute
	batch  int    // most rows to compute together
	buffer []F    // a few rows of x

	coarse            int // number of looks in a row that have seen a gradient too large for the tolerance
	stats             *SolveStats
	requested, missed int64 // rows requested, and those of them that were not in the cache
	meter             *gram.Meter
}

// side is a group of variables, one for each row, that keep their sum if there is a bias: all of
// β, or its positive or its negative part.
type side struct {
	part, lower, upper []float64 // the variables and their bounds, of all rows
	up, down           []float64 // of the active variables: the offsets of the right and left derivatives
	least, most        smo.Best
}

// solveDual improves sol.Coef. stalled reports that kernel rows in F are not accurate
// enough to reach the tolerance.
func solveDual[F gram.Float](ctx context.Context, p *Problem, sol *Solution) (stalled bool, err error) {
	n := len(sol.Coef)
	s := newSolver[F](p, sol)
	sol.Stats.Gap = 1
	if s.diag, err = p.diagonal(ctx); err != nil {
		return false, err
	}
	if p.values == nil {
		s.all = kernel.Against[F](p.Kernel, p.x).Limit(p.Workers)
	}
	if s.batch = tileRows; p.alone() {
		s.batch = 1
	}
	s.cache.prepare(n, p.CacheBytes, p.spare)
	g, at := p.spare.take(n), p.spare.take(n) // the gradient, and the coefficients for which it holds
	gradient := func() error {
		if p.values != nil {
			return p.gradient(ctx, g, at, s.beta)
		}
		begin := time.Now()
		err := p.gradient(ctx, g, at, s.beta)
		s.stats.GradientSeconds += time.Since(begin).Seconds()
		return err
	}
	if err := gradient(); err != nil {
		return false, err
	}
	defer func() {
		if s.requested > 0 {
			sol.Stats.Hits = 1 - float64(s.missed)/float64(s.requested)
		}
	}()
	single := sizeof[F]() == 4
	s.activate(g, p.Start != nil)
	sol.Stats.Objective, _ = p.objective(s.beta, g, 0, p.Epsilon)
	for round := 0; ; round++ {
		before, objective := s.stats.Iterations, s.stats.Objective
		limit := p.MaxIter
		if single {
			limit = min(limit, before+max(roundIter, 20*n))
		}
		err := s.iterate(ctx, p.Tol*(1-0.1*float64(min(round, 5))), limit)
		if err == nil {
			err = gradient()
		}
		if err != nil {
			// The bias of the model so far comes from the gradient of the active variables.
			p.conditions(sol, func(v *side) conditions {
				m, _ := v.least.Least()
				most, _ := v.most.Most()
				return conditions{m, most, p.between(m, most)}
			})
			return false, err
		}
		p.conclude(sol, g)
		sol.Stats.Rounds++
		v := sol.Stats.Violation
		switch {
		case v <= p.Tol:
			end := int64(max(1, s.stats.Iterations))
			s.meter.Report(gram.Event{Phase: "svm", Done: end, Total: end, Objective: s.stats.Objective})
			return false, nil
		case s.stats.Iterations >= p.MaxIter || !single && (s.stats.Iterations == before || round >= maxRounds || s.hopeless(g)):
			return false, &gram.ConvergenceError{Iter: s.stats.Iterations, Residual: v, Tol: p.Tol}
		case single && (round == maxSingle || !(s.stats.Objective < objective-1e-7*math.Abs(objective))):
			return true, nil
		}
		s.activate(g, true)
	}
}

// newSolver returns a solver, in the memory of the problem if that has one.
func newSolver[F gram.Float](p *Problem, sol *Solution) *solver[F] {
	n := len(sol.Coef)
	var s *solver[F]
	if p.spare != nil {
		s, _ = p.spare.solver.(*solver[F])
	}
	if s == nil {
		s = new(solver[F])
	}
	if p.spare != nil {
		p.spare.solver = s
	}
	*s = solver[F]{p: p, beta: sol.Coef, stats: &sol.Stats, meter: p.Meter(), cache: s.cache,
		in: s.in, index: s.index, active: s.active[:0], g: s.g, kii: s.kii, zero: resized(s.zero, n), buffer: s.buffer, want: s.want}
	return s
}

// activate makes variables active according to the gradient of all variables. Without
// chunk these are all variables. With chunk they are those with nonzero coefficients
// and those that violate their conditions at the present constant, or nearly do.
func (s *solver[F]) activate(g []float64, chunk bool) {
	n := len(g)
	in := resized(s.in, n)
	clear(in)
	var c [2]conditions
	var margin float64
	for k, v := range s.p.sides {
		c[k] = s.p.measure(v, g)
		margin = max(margin, chunkMargin*s.p.violation(c[k].least, c[k].most))
	}
	for k, v := range s.p.sides {
		lo, hi := -c[k].bias-margin, -c[k].bias+margin
		for i, b := range v.part {
			up, down := s.p.rates(v, i)
			if !chunk || b != 0 || g[i]+up < hi || g[i]+down > lo {
				in[i] = true
			}
		}
	}
	index := s.listed(in)
	if !shrinkingPays(n-len(index), n) {
		index = index[:0]
		for i := range n {
			index = append(index, i)
		}
	}
	s.g, s.kii = resized(s.g, len(index)), resized(s.kii, len(index))
	for t, i := range index {
		s.g[t], s.kii[t] = g[i], s.diag[i]
	}
	for _, v := range s.p.sides {
		v.up, v.down = resized(v.up, len(index)), resized(v.down, len(index))
		for t, i := range index {
			v.up[t], v.down[t] = s.p.rates(v, i)
		}
	}
	same := slices.Equal(s.active, index)
	s.active = append(s.active[:0], index...)
	if same {
		return // the cached rows of K remain valid
	}
	s.block = s.all
	if len(index) < n {
		s.block = s.all.Select(index)
	}
	s.cache.clear(len(index))
	if len(index) <= complete && s.cache.capacity() >= len(index) {
		s.want = s.want[:0]
		for t := range index {
			s.want = append(s.want, t)
		}
		s.fill(s.want)
	}
}

// listed returns the indices of the true elements of in.
func (s *solver[F]) listed(in []bool) []int {
	s.in, s.index = in, resized(s.index, len(in))
	index := s.index[:0]
	for t, is := range in {
		if is {
			index = append(index, t)
		}
	}
	return index
}

// shrinkingPays reports whether leaving out the given number of n variables pays.
func shrinkingPays(out, n int) bool { return 5*out >= n && n > complete }

// idle returns the bounds of the rule for shrinking: a variable is left out if its
// right derivative is above hi and its left derivative below lo. This is the rule of
// [J99] in the form of LIBSVM: the variable would not be chosen even together with
// the best partner.
func (p *Problem) idle(least, most float64) (lo, hi float64) {
	if p.NoBias {
		v := max(-least, most)
		return -v, v
	}
	return least, most
}

// shrink leaves out the active variables that are unlikely to move, if there are many.
func (s *solver[F]) shrink() bool {
	if len(s.active) <= complete {
		return false
	}
	in := resized(s.in, len(s.g))
	clear(in)
	for _, v := range s.p.sides {
		m, _ := v.least.Least()
		most, _ := v.most.Most()
		lo, hi := s.p.idle(m, most)
		for t, g := range s.g {
			if g+v.up[t] <= hi || g+v.down[t] >= lo {
				in[t] = true
			}
		}
	}
	index := s.listed(in)
	if !shrinkingPays(len(s.active)-len(index), len(s.active)) {
		return false
	}
	s.g, s.kii = compact(s.g, index), compact(s.kii, index)
	for _, v := range s.p.sides {
		v.up, v.down = compact(v.up, index), compact(v.down, index)
	}
	s.active = compact(s.active, index)
	s.block = s.block.Select(index)
	s.cache.keep(index)
	return true
}

// iterate moves pairs of active variables until no violation exceeds tol or the total
// number of iterations reaches limit, or until they are hopeless. The error is ctx.Err().
func (s *solver[F]) iterate(ctx context.Context, tol float64, limit int) error {
	interval := min(1000, len(s.beta))
	nextShrink := s.stats.Iterations + interval
	nextLook := s.stats.Iterations + max(lookEvery, len(s.beta))
	s.refresh()
	for {
		v, m, most, i, j := s.worst()
		if s.p.violation(m, most) <= tol || s.stats.Iterations >= limit {
			return nil
		}
		if s.stats.Iterations%askEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if s.stats.Iterations%256 == 0 {
			s.meter.Report(gram.Event{Phase: "svm", Done: int64(s.stats.Iterations), Objective: s.stats.Objective})
		}
		if s.stats.Iterations >= nextLook {
			if s.hopeless(s.g) {
				return nil
			}
			nextLook = s.stats.Iterations + max(lookEvery, len(s.beta))
		}
		if s.stats.Iterations >= nextShrink {
			nextShrink = s.stats.Iterations + interval
			if s.shrink() {
				s.refresh()
				continue
			}
		}
		s.stats.Iterations++
		missed := s.missed
		if s.p.NoBias {
			s.free(v, i, j, m, most)
		} else {
			s.pair(v, i, j, m)
		}
		if s.missed > missed {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
}

// worst returns the side with the largest violation, its least right and its largest left
// derivative, and the variables that have them.
func (s *solver[F]) worst() (v *side, m, most float64, i, j int) {
	v = s.p.sides[0]
	m, i = v.least.Least()
	most, j = v.most.Most()
	for _, w := range s.p.sides[1:] {
		m2, i2 := w.least.Least()
		most2, j2 := w.most.Most()
		if s.p.violation(m2, most2) > s.p.violation(m, most) {
			v, m, most, i, j = w, m2, most2, i2, j2
		}
	}
	return v, m, most, i, j
}

// hopeless looks at the gradient g and reports whether it has been so large for a while that a
// few units in the last place of its largest number exceed the tolerance. Violations are
// differences of such numbers.
func (s *solver[F]) hopeless(g []float64) bool {
	var largest float64
	for _, v := range g {
		largest = max(largest, math.Abs(v))
	}
	if 0x1p-48*largest <= s.p.Tol {
		s.coarse = 0
		return false
	}
	s.coarse++
	return s.coarse >= maxCoarse
}

// violation returns the violation for the least right and the largest left derivative.
func (p *Problem) violation(least, most float64) float64 {
	if p.NoBias {
		return max(0, -least, most)
	}
	if math.IsInf(least, 1) || math.IsInf(most, -1) {
		return 0
	}
	return max(0, most-least)
}

// refresh finds the least right and the largest left derivative of every side.
func (s *solver[F]) refresh() { s.refreshBut(nil) }

// refreshBut is refresh for all sides but one.
func (s *solver[F]) refreshBut(known *side) {
	z := s.zero[:len(s.g)]
	for _, v := range s.p.sides {
		if v != known {
			smo.Step(s.g, v.up, v.down, z, z, 0, 0, &v.least, &v.most)
		}
	}
}

// step adds a·k+b·l to the gradient after variables of side v have moved.
func (s *solver[F]) step(v *side, k, l []F, a, b float64) {
	smo.Step(s.g, v.up, v.down, k, l, a, b, &v.least, &v.most)
	s.refreshBut(v)
}

// pair raises variable i, which has the least right derivative m, and lowers the
// variable with which the objective decreases most to second order. low is the
// variable with the largest left derivative.
func (s *solver[F]) pair(v *side, i, low int, m float64) {
	ki := s.row(i, -1, &v.least, &v.most)
	smo.Pair(s.g, v.down, s.kii, ki, m, s.kii[i], &s.gain)
	_, j := s.gain.Most()
	if j < 0 {
		j = low // the gain underflows
	}
	kj := s.row(j, i, &s.gain, &s.gain)
	a := max(smo.Tau, s.kii[i]+s.kii[j]-2*float64(ki[j]))
	rate := (s.g[j] + v.down[j]) - m
	ri, rj := s.room(v, i, 1), s.room(v, j, -1)
	step := min(rate/a, ri, rj)
	s.stats.Objective += step * (a*step/2 - rate)
	s.move(v, i, step, ri)
	s.move(v, j, -step, rj)
	s.step(v, ki, kj, step, -step)
}

// free is pair for a problem without the equality constraint: i is raised and j is
// lowered by the amounts that are best together, either of which may be 0. Moving
// single variables instead takes 2 to 270 times as many iterations: if all entries of
// K are similar, single moves can hardly change anything but the sum of β.
func (s *solver[F]) free(v *side, i, low int, m, most float64) {
	if i < 0 || low < 0 || i == low || m >= most {
		s.single(v, i, low, m, most)
		return
	}
	ki := s.row(i, -1, &v.least, &v.most)
	smo.Pair(s.g, v.down, s.kii, ki, m, s.kii[i], &s.gain)
	_, j := s.gain.Most()
	if j < 0 {
		j = low // the gain underflows
	}
	kj := s.row(j, i, &s.gain, &s.gain)
	ri, rj := s.room(v, i, 1), s.room(v, j, -1)
	up, down, change := quadrant(-m, s.g[j]+v.down[j], max(smo.Tau, s.kii[i]), max(smo.Tau, s.kii[j]), float64(ki[j]), ri, rj)
	s.stats.Objective += change
	s.move(v, i, up, ri)
	s.move(v, j, -down, rj)
	s.step(v, ki, kj, up, -down)
}

// quadrant minimizes ½a·s² + ½b·t² − c·s·t − p·s − q·t over 0 ≤ s ≤ ms, 0 ≤ t ≤ mt.
func quadrant(p, q, a, b, c, ms, mt float64) (s, t, value float64) {
	try := func(x, y float64) {
		if v := x*(a*x/2-c*y-p) + y*(b*y/2-q); v < value {
			s, t, value = x, y, v
		}
	}
	if det := a*b - c*c; det > smo.Tau*a*b {
		x, y := (b*p+c*q)/det, (a*q+c*p)/det
		if x >= 0 && x <= ms && y >= 0 && y <= mt {
			try(x, y)
			return s, t, value
		}
	}
	clamp := func(v, most float64) float64 { return min(max(v, 0), most) }
	for _, x := range [2]float64{0, ms} {
		try(x, clamp((q+c*x)/b, mt))
	}
	for _, y := range [2]float64{0, mt} {
		try(clamp((p+c*y)/a, ms), y)
	}
	return s, t, value
}

// single moves the variable with the largest violation if no pair reduces the objective.
func (s *solver[F]) single(v *side, i, j int, m, most float64) {
	rate, sign := m, 1.0
	if most > -m {
		i, rate, sign = j, most, -1
	}
	k := s.row(i, -1, &v.least, &v.most)
	a := max(smo.Tau, s.kii[i])
	room := s.room(v, i, sign)
	step := min(math.Abs(rate)/a, room)
	s.stats.Objective += step * (a*step/2 - math.Abs(rate))
	s.move(v, i, sign*step, room)
	s.step(v, k, k, sign*step, 0)
}

// room returns how far variable t of a side can move in the direction of sign: to its bound, or
// to 0, where the derivative jumps.
func (s *solver[F]) room(v *side, t int, sign float64) float64 {
	i := s.active[t]
	b := v.part[i]
	switch {
	case s.p.Epsilon > 0 && b*sign < 0:
		return math.Abs(b)
	case sign > 0:
		return v.upper[i] - b
	}
	return b - v.lower[i]
}

// move adds step to variable t of a side. room is the result of room for that direction.
func (s *solver[F]) move(v *side, t int, step, room float64) {
	i := s.active[t]
	b := v.part[i]
	switch {
	case math.Abs(step) < room:
		v.part[i] = b + step
	case s.p.Epsilon > 0 && b*step < 0:
		v.part[i] = 0
	case step > 0:
		v.part[i] = v.upper[i]
	default:
		v.part[i] = v.lower[i]
	}
	v.up[t], v.down[t] = s.p.rates(v, i)
	if len(s.p.sides) > 1 {
		s.beta[i] = s.p.sides[0].part[i] + s.p.sides[1].part[i]
	}
}

// row returns the row of K of variable t. If the row must be computed, a few others
// are computed with it, because a tile of rows takes little longer than one row. The
// others belong to the best variables of the other lanes, which the next iterations
// are likely to need. The row of variable pin is not evicted.
func (s *solver[F]) row(t, pin int, near ...*smo.Best) []F {
	s.requested++
	if s.cache.has(t) {
		return s.cache.row(t)
	}
	s.missed++
	if pin >= 0 {
		s.cache.row(pin)
	}
	most := min(s.batch, s.cache.capacity()-1)
	want := append(s.want[:0], t)
	for lane := range smo.Lanes {
		if len(want) >= most {
			break
		}
		for _, b := range near {
			c := int(b.Index[lane])
			if len(want) < most && c >= 0 && !s.cache.has(c) && !slices.Contains(want, c) {
				want = append(want, c)
			}
		}
	}
	s.want = want
	s.fill(want)
	return s.cache.row(t)
}

// fill computes the rows of the given variables, none of which may be in the cache.
func (s *solver[F]) fill(want []int) {
	s.stats.Rows += int64(len(want))
	if v := s.p.values; v != nil {
		for _, t := range want {
			rowOf(v, s.cache.claim(t), t)
		}
		return
	}
	begin := time.Now()
	_, d := s.p.x.Dims()
	dst := make([][]F, len(want))
	index := make([]int, len(want))
	for k, t := range want {
		dst[k] = s.cache.claim(t)
		index[k] = s.active[t]
	}
	block := s.block
	if len(want)*len(s.active)*(s.p.width()+8) < serialWork {
		block = block.Limit(1)
	}
	x, dense := s.p.x.Dense()
	if !dense {
		block.FillEach(dst, gram.As[F](s.p.x.Select(index), nil))
	} else {
		if len(s.buffer) < len(want)*d {
			s.buffer = make([]F, len(want)*d)
		}
		part := gram.Rows[F]{Data: s.buffer[:len(want)*d], N: len(want), D: d, Stride: max(1, d)}
		for k, i := range index {
			row := part.Row(k)
			for c, v := range x.Row(i) {
				row[c] = F(v)
			}
		}
		block.FillEach(dst, gram.Dense(part))
	}
	s.stats.KernelSeconds += time.Since(begin).Seconds()
}

// between returns the bias for the least right and the largest left derivative. Every
// −b between the two satisfies all conditions.
func (p *Problem) between(least, most float64) float64 {
	switch {
	case p.NoBias || math.IsInf(least, 1) && math.IsInf(most, -1):
		return 0
	case math.IsInf(least, 1):
		return -most
	case math.IsInf(most, -1):
		return -least
	}
	return 0 - (least+most)/2
}

// objective returns the dual objective for beta and its gradient g, and the duality
// gap divided by the primal objective at the given bias and epsilon.
func (p *Problem) objective(beta, g []float64, bias, epsilon float64) (dual, gap float64) {
	var norm, linear, loss float64
	for i, b := range beta {
		norm += b * g[i]
		linear += p.Epsilon*math.Abs(b) - p.Target[i]*b
		r := p.Target[i] - (g[i] + bias)
		if r > epsilon {
			loss += p.Upper[i] * (r - epsilon)
		}
		if -r > epsilon {
			loss -= p.Lower[i] * (-r - epsilon)
		}
	}
	dual = norm/2 + linear
	primal := norm/2 + loss
	if p.Sum != 0 || p.Half > 0 {
		primal += bias*p.Sum + 2*epsilon*p.Half
	}
	if primal != 0 {
		gap = (primal + dual) / math.Abs(primal)
	}
	return dual, gap
}

// conditions holds the least right derivative, the largest left derivative, and the
// bias of a side: the mean over free variables, or else a value between the two.
type conditions struct{ least, most, bias float64 }

func (p *Problem) measure(v *side, g []float64) conditions {
	c := conditions{math.Inf(1), math.Inf(-1), 0}
	var sum float64
	free := 0
	for i := range v.part {
		up, down := p.rates(v, i)
		c.least, c.most = min(c.least, g[i]+up), max(c.most, g[i]+down)
		if up == down {
			sum += g[i] + up
			free++
		}
	}
	c.bias = p.between(c.least, c.most)
	if free > 0 && !p.NoBias {
		c.bias = 0 - sum/float64(free)
	}
	return c
}

// conditions sets bias, epsilon and violation from the conditions of the sides. At the rows that are
// free in p the function is ε below the target, and at those that are free in q above it.
func (p *Problem) conditions(sol *Solution, of func(v *side) conditions) {
	c := of(p.sides[0])
	sol.Bias, sol.Stats.Violation = c.bias, p.violation(c.least, c.most)
	if len(p.sides) > 1 {
		d := of(p.sides[1])
		sol.Bias, sol.Epsilon = (c.bias+d.bias)/2, (c.bias-d.bias)/2
		sol.Stats.Violation = max(sol.Stats.Violation, p.violation(d.least, d.most))
	}
}

// conclude sets bias, epsilon, objective, gap and violation from the gradient g of all rows.
func (p *Problem) conclude(sol *Solution, g []float64) {
	p.conditions(sol, func(v *side) conditions { return p.measure(v, g) })
	sol.Stats.Objective, sol.Stats.Gap = p.objective(sol.Coef, g, sol.Bias, sol.Epsilon)
}
