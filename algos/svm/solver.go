package svm

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/smo"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
)

const (
	batch       = smo.Lanes / 2 // number of rows of K computed together
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
	cache  *cache[F]
	// Of the active variables: the gradient Kβ, the offsets of the right and left
	// derivatives, the diagonal of K, and zeros.
	g, up, down, kii []float64
	zero             []F

	least, most, gain smo.Best

	buffer        []F // a few rows of x
	coarse        int // number of looks in a row that have seen a gradient too large for the tolerance
	stats         *SolveStats
	asked, missed int64 // rows requested, and those of them that were not in the cache
	meter         *gram.Meter
}

// solve improves sol.Coef. stalled reports that kernel rows in F are not accurate
// enough to reach the tolerance.
func solve[F gram.Float](ctx context.Context, p *Problem, sol *Solution) (stalled bool, err error) {
	n := p.x.N()
	s := &solver[F]{p: p, beta: sol.Coef, stats: &sol.Stats, meter: p.Meter()}
	sol.Stats.Gap = 1
	if s.diag, err = p.diagonal(ctx); err != nil {
		return false, err
	}
	s.all = kernel.Against[F](p.Kernel, p.x).Limit(p.Workers)
	s.cache = newCache[F](n, p.CacheBytes, p.spare)
	s.zero = make([]F, n)
	g, at := make([]float64, n), make([]float64, n) // the gradient, and the coefficients for which it holds
	gradient := func() error {
		begin := time.Now()
		err := p.gradient(ctx, g, at, s.beta)
		s.stats.GradientSeconds += time.Since(begin).Seconds()
		return err
	}
	if err := gradient(); err != nil {
		return false, err
	}
	defer func() {
		if s.asked > 0 {
			sol.Stats.Hits = 1 - float64(s.missed)/float64(s.asked)
		}
	}()
	single := sizeof[F]() == 4
	s.activate(g, p.Start != nil)
	sol.Stats.Objective, _ = p.objective(s.beta, g, 0)
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
			m, _ := s.least.Least()
			most, _ := s.most.Most()
			sol.Bias, sol.Stats.Violation = p.between(m, most), p.violation(m, most)
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

// activate makes variables active according to the gradient of all variables. Without
// chunk these are all variables. With chunk they are those with nonzero coefficients
// and those that violate their conditions at the present constant, or nearly do.
func (s *solver[F]) activate(g []float64, chunk bool) {
	n := len(g)
	up, down := make([]float64, n), make([]float64, n)
	for i, b := range s.beta {
		up[i], down[i] = s.p.rates(i, b)
	}
	c := s.p.conditions(s.beta, g)
	margin := chunkMargin * s.p.violation(c.least, c.most)
	lo, hi := -c.bias-margin, -c.bias+margin
	index := make([]int, 0, n)
	for i, b := range s.beta {
		if !chunk || b != 0 || g[i]+up[i] < hi || g[i]+down[i] > lo {
			index = append(index, i)
		}
	}
	if !worth(n-len(index), n) {
		index = index[:0]
		for i := range n {
			index = append(index, i)
		}
	}
	s.g, s.up, s.down, s.kii = rows.Pick(g, index), rows.Pick(up, index), rows.Pick(down, index), rows.Pick(s.diag, index)
	same := slices.Equal(s.active, index)
	s.active = index
	if same {
		return // the cached rows of K remain valid
	}
	s.block = s.all
	if len(index) < n {
		s.block = s.all.Select(index)
	}
	s.cache.clear(len(index))
	if len(index) <= complete && s.cache.capacity() >= len(index) {
		every := make([]int, len(index))
		for t := range every {
			every[t] = t
		}
		s.fill(every)
	}
}

// worth reports whether leaving out the given number of n variables pays.
func worth(out, n int) bool { return 5*out >= n && n > complete }

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
	m, _ := s.least.Least()
	most, _ := s.most.Most()
	lo, hi := s.p.idle(m, most)
	var index []int
	for t, g := range s.g {
		if g+s.up[t] <= hi || g+s.down[t] >= lo {
			index = append(index, t)
		}
	}
	if !worth(len(s.active)-len(index), len(s.active)) {
		return false
	}
	s.g, s.up, s.down, s.kii = rows.Pick(s.g, index), rows.Pick(s.up, index), rows.Pick(s.down, index), rows.Pick(s.kii, index)
	s.active = rows.Pick(s.active, index)
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
		m, i := s.least.Least()
		most, j := s.most.Most()
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
			s.free(i, j, m, most)
		} else {
			s.pair(i, j, m)
		}
		if s.missed > missed {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
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

// refresh finds the least right and the largest left derivative.
func (s *solver[F]) refresh() {
	z := s.zero[:len(s.g)]
	smo.Step(s.g, s.up, s.down, z, z, 0, 0, &s.least, &s.most)
}

// pair raises variable i, which has the least right derivative m, and lowers the
// variable with which the objective decreases most to second order. low is the
// variable with the largest left derivative.
func (s *solver[F]) pair(i, low int, m float64) {
	ki := s.row(i, -1, &s.least, &s.most)
	smo.Pair(s.g, s.down, s.kii, ki, m, s.kii[i], &s.gain)
	_, j := s.gain.Most()
	if j < 0 {
		j = low // the gain underflows
	}
	kj := s.row(j, i, &s.gain, &s.gain)
	a := max(smo.Tau, s.kii[i]+s.kii[j]-2*float64(ki[j]))
	rate := (s.g[j] + s.down[j]) - m
	ri, rj := s.room(i, 1), s.room(j, -1)
	step := min(rate/a, ri, rj)
	s.stats.Objective += step * (a*step/2 - rate)
	s.move(i, step, ri)
	s.move(j, -step, rj)
	smo.Step(s.g, s.up, s.down, ki, kj, step, -step, &s.least, &s.most)
}

// free is pair for a problem without the equality constraint: i is raised and j is
// lowered by the amounts that are best together, either of which may be 0. Moving
// single variables instead takes 2 to 270 times as many iterations: if all entries of
// K are similar, single moves can hardly change anything but the sum of β.
func (s *solver[F]) free(i, low int, m, most float64) {
	if i < 0 || low < 0 || i == low || m >= most {
		s.single(i, low, m, most)
		return
	}
	ki := s.row(i, -1, &s.least, &s.most)
	smo.Pair(s.g, s.down, s.kii, ki, m, s.kii[i], &s.gain)
	_, j := s.gain.Most()
	if j < 0 {
		j = low // the gain underflows
	}
	kj := s.row(j, i, &s.gain, &s.gain)
	ri, rj := s.room(i, 1), s.room(j, -1)
	up, down, change := quadrant(-m, s.g[j]+s.down[j], max(smo.Tau, s.kii[i]), max(smo.Tau, s.kii[j]), float64(ki[j]), ri, rj)
	s.stats.Objective += change
	s.move(i, up, ri)
	s.move(j, -down, rj)
	smo.Step(s.g, s.up, s.down, ki, kj, up, -down, &s.least, &s.most)
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
func (s *solver[F]) single(i, j int, m, most float64) {
	rate, sign := m, 1.0
	if most > -m {
		i, rate, sign = j, most, -1
	}
	k := s.row(i, -1, &s.least, &s.most)
	a := max(smo.Tau, s.kii[i])
	room := s.room(i, sign)
	step := min(math.Abs(rate)/a, room)
	s.stats.Objective += step * (a*step/2 - math.Abs(rate))
	s.move(i, sign*step, room)
	smo.Step(s.g, s.up, s.down, k, k, sign*step, 0, &s.least, &s.most)
}

// room returns how far variable t can move in the direction of sign: to its bound, or
// to 0, where the derivative jumps.
func (s *solver[F]) room(t int, sign float64) float64 {
	i := s.active[t]
	b := s.beta[i]
	switch {
	case s.p.Epsilon > 0 && b*sign < 0:
		return math.Abs(b)
	case sign > 0:
		return s.p.Upper[i] - b
	}
	return b - s.p.Lower[i]
}

// move adds step to variable t. room is the result of room for that direction.
func (s *solver[F]) move(t int, step, room float64) {
	i := s.active[t]
	b := s.beta[i]
	switch {
	case math.Abs(step) < room:
		s.beta[i] = b + step
	case s.p.Epsilon > 0 && b*step < 0:
		s.beta[i] = 0
	case step > 0:
		s.beta[i] = s.p.Upper[i]
	default:
		s.beta[i] = s.p.Lower[i]
	}
	s.up[t], s.down[t] = s.p.rates(i, s.beta[i])
}

// row returns the row of K of variable t. If the row must be computed, a few others
// are computed with it, because a tile of rows takes little longer than one row. The
// others belong to the best variables of the other lanes, which the next iterations
// are likely to need. The row of variable pin is not evicted.
func (s *solver[F]) row(t, pin int, near ...*smo.Best) []F {
	s.asked++
	if s.cache.has(t) {
		return s.cache.row(t)
	}
	s.missed++
	if pin >= 0 {
		s.cache.row(pin)
	}
	most := min(batch, s.cache.capacity()-1)
	want := make([]int, 0, batch)
	want = append(want, t)
	for lane := range smo.Lanes {
		for _, b := range near {
			c := int(b.Index[lane])
			if len(want) < most && c >= 0 && !s.cache.has(c) && !slices.Contains(want, c) {
				want = append(want, c)
			}
		}
	}
	s.fill(want)
	return s.cache.row(t)
}

// fill computes the rows of the given variables, none of which may be in the cache.
func (s *solver[F]) fill(want []int) {
	begin := time.Now()
	s.stats.Rows += int64(len(want))
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
// gap divided by the primal objective at the given bias.
func (p *Problem) objective(beta, g []float64, bias float64) (dual, gap float64) {
	var norm, linear, loss float64
	for i, b := range beta {
		norm += b * g[i]
		linear += p.Epsilon*math.Abs(b) - p.Target[i]*b
		r := p.Target[i] - (g[i] + bias)
		if r > p.Epsilon {
			loss += p.Upper[i] * (r - p.Epsilon)
		} else if -r > p.Epsilon {
			loss -= p.Lower[i] * (-r - p.Epsilon)
		}
	}
	dual = norm/2 + linear
	primal := norm/2 + loss
	if primal > 0 {
		gap = (primal + dual) / primal
	}
	return dual, gap
}

// conditions holds the least right derivative, the largest left derivative, and the
// bias: the mean over free variables, or else a value between the two.
type conditions struct{ least, most, bias float64 }

func (p *Problem) conditions(beta, g []float64) conditions {
	c := conditions{math.Inf(1), math.Inf(-1), 0}
	var sum float64
	free := 0
	for i, b := range beta {
		up, down := p.rates(i, b)
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

// conclude sets bias, objective, gap and violation from the gradient g of all rows.
func (p *Problem) conclude(sol *Solution, g []float64) {
	c := p.conditions(sol.Coef, g)
	sol.Bias, sol.Stats.Violation = c.bias, p.violation(c.least, c.most)
	sol.Stats.Objective, sol.Stats.Gap = p.objective(sol.Coef, g, sol.Bias)
}
