package sideinfo

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/eig"
	"gonum.org/v1/gonum/mat"
)

// task is the problem for one set of landmarks and labels.
type task struct {
	cfg   Config
	loss  loss
	s0, p *mat.Dense
	scale float64 // ‖P‖²

	// Once they are needed: eigenvalues and eigenvectors of P, and S₀ and R in
	// the coordinates of these.
	values     []float64
	q, s0q, rq *mat.Dense
}

// choose solves for the λ that was given, or for the best of the grid.
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
	scores := make([]float64, len(grid))
	meter := t.cfg.Meter()
	for i, lambda := range grid {
		s, stats, err := t.solve(ctx, lambda*t.scale)
		if err != nil {
			return nil, err
		}
		scores[i] = Alignment(s, t.s0) * t.loss.alignment(s)
		if best == nil || scores[i] > m.stats.Alignment {
			best, m.stats = s, stats
			m.stats.Lambda, m.stats.Alignment = lambda, scores[i]
		}
		meter.Report(gram.Event{Phase: "generalized Nyström", Done: int64(i + 1), Total: int64(len(grid)), Objective: stats.Objective[len(stats.Objective)-1]})
	}
	slices.Reverse(scores)
	m.stats.Scores, m.stats.Held = scores, held
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

// first is the start of the iteration.
func (t *task) first(lambda float64) (*mat.Dense, error) {
	if _, ok := t.loss.(*classLoss); !ok {
		return mat.DenseCopyOf(t.s0), nil
	}
	if err := t.rotate(); err != nil {
		return nil, err
	}
	var a, s mat.Dense
	s.Mul(t.q, t.start(lambda))
	a.Mul(&s, t.q.T())
	return project(&a)
}

// project is (a)₊.
func project(a *mat.Dense) (*mat.Dense, error) {
	s, _, err := eig.ProjectPSD(symmetric(a))
	if err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(s), nil
}

// solve minimizes the objective for one λ.
func (t *task) solve(ctx context.Context, lambda float64) (*mat.Dense, Stats, error) {
	var stats Stats
	s, err := t.first(lambda)
	if err != nil {
		return nil, stats, err
	}
	m, _ := s.Dims()
	gradient, next := mat.NewDense(m, m, nil), (*mat.Dense)(nil)
	value := t.at(gradient, s, lambda)
	stats.Objective = append(stats.Objective, value)
	if t.cfg.StartOnly {
		return s, stats, nil
	}
	size := t.size(lambda)
	unused := mat.NewDense(m, m, nil)
	// The curvature is 2(λ + λmax(P)²) at most; the search starts below that.
	a := 2 * (lambda + t.scale/float64(m))
	y, at, momentum := s, value, 1.0
	var d, trial mat.Dense
	for iter := 1; iter <= t.cfg.MaxIter; iter++ {
		if err := ctx.Err(); err != nil {
			return nil, stats, err
		}
		// From y, whose value and gradient are at hand, to next.
		var reached float64
		for {
			trial.Scale(-1/a, gradient)
			trial.Add(&trial, y)
			if next, err = project(&trial); err != nil {
				return nil, stats, err
			}
			d.Sub(next, y)
			if err := ctx.Err(); err != nil {
				return nil, stats, err
			}
			reached = t.at(unused, next, lambda)
			if reached <= at+dot(gradient, &d)+a/2*dot(&d, &d)+1e-13*math.Abs(at) || a > 1e6*(lambda+t.scale) {
				break
			}
			a *= 2
		}
		stats.Iter = iter
		stats.Residual = a * math.Sqrt(dot(&d, &d)) / size
		if t.cfg.Accelerated && reached > value {
			// Restart from the last iterate without momentum.
			momentum, y = 1, s
			at = t.at(gradient, y, lambda)
			if stats.Residual <= t.cfg.Tol {
				break
			}
			continue
		}
		old := s
		s, value = next, reached
		stats.Objective = append(stats.Objective, value)
		if stats.Residual <= t.cfg.Tol {
			break
		}
		y = s
		if t.cfg.Accelerated {
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
	return s, stats, nil
}

// size is the norm of the gradient's terms, 2λ‖S₀‖ + ‖∇ of the loss at 0‖.
func (t *task) size(lambda float64) float64 {
	m, _ := t.s0.Dims()
	g := mat.NewDense(m, m, nil)
	t.loss.at(g, mat.NewDense(m, m, nil))
	size := math.Sqrt(dot(g, g)) + 2*lambda*math.Sqrt(dot(t.s0, t.s0))
	if size == 0 {
		return 1
	}
	return size
}
