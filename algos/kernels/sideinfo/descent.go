package sideinfo

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// task is the problem for one set of landmarks and labels.
type task struct {
	cfg         Config
	loss        loss
	half, s0, p *mat.Dense // S₀ = half·halfᵀ
	scale       float64    // ‖P‖²

	// Once they are needed: eigenvalues and eigenvectors of P, and S₀ and R in
	// the coordinates of these.
	values     []float64
	q, s0q, rq *mat.Dense

	// For pairs: where Newton's method came to for the last λ, reached.
	path    *mat.Dense
	reached float64
}

// choose solves for the λ that was given, or for the best of the grid that converge, and
// returns the root of S. A *gram.ConvergenceError comes with it if none does.
func (t *task) choose(ctx context.Context, m *Model) (*mat.Dense, error) {
	grid := slices.Clone(t.cfg.Grid)
	if t.cfg.Lambda > 0 {
		grid = []float64{t.cfg.Lambda}
	}
	slices.Sort(grid)
	slices.Reverse(grid)
	var held []float64
	if c, ok := t.loss.(*classLoss); ok && len(grid) > 1 && !t.cfg.ByAlignment && slices.Max(c.class) > slices.Min(c.class) {
		var err error
		if held, err = t.validate(ctx, c, grid); err != nil {
			return nil, err
		}
		grid = []float64{grid[max(0, crossval.Choose(held, false))]}
		slices.Reverse(held)
	}
	var best *mat.Dense
	scores := slices.Repeat([]float64{math.Inf(-1)}, len(grid))
	converged, lost := false, 0
	p, pairs := t.loss.(*pairLoss)
	meter := t.cfg.Meter()
	for i, lambda := range grid {
		root, stats, err := t.solve(ctx, lambda*t.scale)
		if err != nil {
			return nil, err
		}
		var s mat.Dense
		s.Mul(root, root.T())
		score := Alignment(&s, t.s0) * t.loss.alignment(&s)
		lost++
		ok := t.cfg.StartOnly || stats.Residual <= t.cfg.Tol
		if ok {
			scores[i], lost = score, 0
		}
		if best == nil || ok && !converged || ok == converged && score > m.stats.Alignment {
			best, converged, m.stats = root, ok, stats
			m.stats.Lambda, m.stats.Alignment = lambda, score
		}
		meter.Report(gram.Event{Phase: "generalized Nyström", Done: int64(i + 1), Total: int64(len(grid)), Objective: stats.Objective[len(stats.Objective)-1]})
		// For pairs the way to smaller λ leads through larger ones. Where all pairs are alike
		// every product is 0.
		if pairs && converged && (p.alike() || lost == 2) {
			break
		}
	}
	slices.Reverse(scores)
	m.stats.Scores, m.stats.Held = scores, held
	if !converged {
		return best, &gram.ConvergenceError{Iter: m.stats.Iter, Residual: m.stats.Residual, Tol: t.cfg.Tol}
	}
	return best, nil
}

// at returns the objective at s and its gradient.
func (t *task) at(gradient, s *mat.Dense, lambda float64) float64 {
	value := t.loss.at(gradient, s)
	var d mat.Dense
	d.Sub(s, t.s0)
	value += lambda * dot(&d, &d)
	d.Scale(2*lambda, &d)
	gradient.Add(gradient, &d)
	return value
}

// first returns the S that the iteration for λ starts from.
func (t *task) first(ctx context.Context, lambda float64) (*mat.Dense, error) {
	if _, ok := t.loss.(*classLoss); !ok {
		return mat.DenseCopyOf(t.s0), nil
	}
	if err := t.rotate(ctx); err != nil {
		return nil, err
	}
	var a, s mat.Dense
	s.Mul(t.q, t.start(lambda))
	a.Mul(&s, t.q.T())
	return project(ctx, &a)
}

// project returns the positive semidefinite matrix nearest to the symmetric part of a in the Frobenius norm.
func project(ctx context.Context, a *mat.Dense) (*mat.Dense, error) {
	s, _, err := eig.ProjectPSD(ctx, linalg.Symmetric(a))
	if err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(s), nil
}

// solve minimizes the objective for one λ and returns the root of S.
func (t *task) solve(ctx context.Context, lambda float64) (root *mat.Dense, stats Stats, err error) {
	p, err := t.scaled(ctx, lambda)
	if err != nil {
		return nil, stats, err
	}
	if t.cfg.Solver == Newton && !t.cfg.StartOnly {
		o, err := t.follow(ctx, p, lambda, &stats)
		if err != nil {
			return nil, stats, err
		}
		return p.root(o), stats, nil
	}
	s, err := t.first(ctx, lambda)
	if err != nil {
		return nil, stats, err
	}
	if t.cfg.StartOnly {
		stats.Objective = append(stats.Objective, t.at(mat.NewDense(len(p.t), len(p.t), nil), s, lambda))
		stats.Residual, err = p.distance(ctx, s)
	} else {
		s, err = t.descend(ctx, p, s, lambda, &stats)
	}
	if err != nil {
		return nil, stats, err
	}
	root, err = squareRoot(ctx, s)
	return root, stats, err
}

// follow finds the optimum for λ by Newton's method: from the solution without S ⪰ 0 for
// classes, and for pairs along those for larger λ, from the last λ that was solved for, or
// else from S₀. Each is a tenth of the one before, or, where that does not converge in a few
// steps, less of a step.
func (t *task) follow(ctx context.Context, p *scaled, lambda float64, stats *Stats) (*point, error) {
	if _, ok := t.loss.(*classLoss); ok {
		x := mat.NewDense(len(p.t), len(p.t), nil)
		x.DivElem(p.b, p.low)
		return p.newton(ctx, t.cfg.Tol, t.cfg.MaxIter, x, stats)
	}
	if t.path == nil {
		t.path, t.reached = t.s0, 10*t.scale
	}
	for factor := 10.0; ; {
		q, tol, steps, l := p, t.cfg.Tol, t.cfg.MaxIter, lambda
		if next := t.reached / factor; next > 2*lambda {
			var err error
			if q, err = t.scaled(ctx, next); err != nil {
				return nil, err
			}
			tol, steps, l = 1e-3, 10, next
		}
		before := stats.Iter
		stats.Objective = nil
		o, err := q.newton(ctx, tol, steps, q.in(t.path), stats)
		if err != nil {
			return nil, err
		}
		switch {
		case o.residual <= tol:
			if stats.Iter-before <= 5 {
				factor = min(10, factor*factor)
			}
		case factor > 1.1:
			factor = math.Sqrt(factor)
			continue
		}
		t.path, t.reached = q.out(o.x), l
		if q == p {
			return o, nil
		}
	}
}

// distance returns the residual of S in the scaled problem, by which the solvers measure how far they have come.
func (p *scaled) distance(ctx context.Context, s *mat.Dense) (float64, error) {
	o, err := p.at(ctx, p.in(s))
	if err != nil {
		return 0, err
	}
	return o.from, nil
}

// looks is the number of gradients between two looks at the residual, which takes an
// eigendecomposition more.
const looks = 10

// descend is the method of projected gradients from s, with steps by the rule of Armijo and
// Goldstein. It ends, too, where rounding lets the objective fall no more.
func (t *task) descend(ctx context.Context, p *scaled, s *mat.Dense, lambda float64, stats *Stats) (*mat.Dense, error) {
	m, _ := s.Dims()
	gradient, next := mat.NewDense(m, m, nil), (*mat.Dense)(nil)
	value := t.at(gradient, s, lambda)
	stats.Objective = append(stats.Objective, value)
	unused := mat.NewDense(m, m, nil)
	// The curvature is 2(λ + λmax(P)²) at most; the search starts below that.
	a := 2 * (lambda + t.scale/float64(m))
	y, at, momentum := s, value, 1.0
	var d, trial mat.Dense
	var err error
	least, since := math.Inf(1), 0
	for ; ; stats.Iter++ {
		if value < least {
			least, since = value, 0
		}
		since++
		last := stats.Iter == t.cfg.MaxIter || since > 2*stagnation
		if stats.Iter%looks == 0 || last {
			if stats.Residual, err = p.distance(ctx, s); err != nil || last || stats.Residual <= t.cfg.Tol {
				return s, err
			}
		}
		// From y, whose value and gradient are at hand, to next.
		var reached float64
		for {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			trial.Scale(-1/a, gradient)
			trial.Add(&trial, y)
			if next, err = project(ctx, &trial); err != nil {
				return nil, err
			}
			d.Sub(next, y)
			reached = t.at(unused, next, lambda)
			if reached <= at+dot(gradient, &d)+a/2*dot(&d, &d)+1e-13*math.Abs(at) || a > 1e6*(lambda+t.scale) {
				break
			}
			a *= 2
		}
		if t.cfg.Solver == Accelerated && reached > value {
			// Restart from the last iterate without momentum.
			momentum, y = 1, s
			at = t.at(gradient, y, lambda)
			continue
		}
		old := s
		s, value = next, reached
		stats.Objective = append(stats.Objective, value)
		y = s
		if t.cfg.Solver == Accelerated {
			after := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
			y = mat.NewDense(m, m, nil)
			y.Sub(s, old)
			y.Scale((momentum-1)/after, y)
			y.Add(y, s)
			momentum = after
		}
		at = t.at(gradient, y, lambda)
		a /= 1.5 // steps may grow again
	}
}
