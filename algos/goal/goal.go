package goal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Config are the settings of Goal-NYS and Goal-RFF.
type Config struct {
	Kernel    kernel.Kernel     `json:"-"` // kernel.Gaussian, for Fourier also kernel.Laplacian; no default
	Features  Features          // default Nystrom
	M         int               // landmarks, or frequencies, which make two features each; default 64, or the number of rows if that is less
	Landmarks landmark.Selector `json:"-"` // Nystrom: how the first are chosen; default landmark.KMeans{}
	Points    *mat.Dense        `json:"-"` // M×D landmarks or frequencies to start from, for instance another model's; nil: chosen
	Loss      Loss              // for classes; default SquaredHinge. For values it is Squared
	C         float64           // SquaredHinge, Logistic: weight of the loss; default 1
	Lambda    float64           // Squared: λ, not multiplied by the number of rows; default 1e-3
	NoBias    bool              // b = 0

	MaxIter   int     // turns; default 50
	NoLearn   bool    // the points stay as they are
	Steps     int     // gradient steps in each turn; default 5
	Tol       float64 // relative decrease of the objective in a turn at which to stop; default 1e-5
	Holdout   float64 // share of the rows, rounded down, that decides how many turns are made: turns without them find where their loss is smallest, turns with all rows go as far; default 0.2
	NoHoldout bool    // all turns are made
	Folds     int     // such parts of the rows, held out one after the other; the mean of their losses counts, and no turns are made if none have a mean lower than the start's by more than its standard error. With few rows one part tells little. Default 1
	Patience  int     // turns without a better one on the held-out rows after which to stop; default 10
	gram.Run  `json:"-"`
}

// Stats says how a fit went.
type Stats struct {
	Iter       int       // turns made on all rows
	Objective  []float64 // after the start and after each of them: never rises
	Validation []float64 // mean loss on the held-out rows after the start and each turn without them, the last values of parts that stopped being repeated; nil where none are held out
	Final      float64   // objective of the model
	Residual   float64   // of the last Newton step: the decrease that the next promises, relative to the objective
	Seconds    float64
}

func (c Config) resolve(n, d int, values bool) (Config, error) {
	if err := kernel.Check(c.Kernel); err != nil {
		return c, err
	}
	if c.Features > Fourier {
		return c, &gram.ConfigError{Field: "Features", Value: c.Features, Want: "Nystrom or Fourier"}
	}
	_, gaussian := c.Kernel.(kernel.Gaussian)
	_, laplacian := c.Kernel.(kernel.Laplacian)
	switch {
	case !gaussian && c.Features == Nystrom:
		return c, &gram.ConfigError{Field: "Kernel", Value: c.Kernel.Spec().Name, Want: "gaussian"}
	case !gaussian && !laplacian:
		return c, &gram.ConfigError{Field: "Kernel", Value: c.Kernel.Spec().Name, Want: "gaussian or laplacian"}
	}
	if c.Points != nil {
		m, pd := c.Points.Dims()
		if c.M == 0 {
			c.M = m
		}
		if m != c.M || pd != d {
			return c, &gram.ConfigError{Field: "Points", Value: fmt.Sprintf("%d×%d", m, pd), Want: fmt.Sprintf("%d×%d", c.M, d)}
		}
	}
	if c.M == 0 {
		c.M = max(1, min(n, 64))
	}
	if c.M < 1 || c.Features == Nystrom && c.Points == nil && c.M > n {
		return c, &gram.ConfigError{Field: "M", Value: c.M, Want: fmt.Sprintf("landmarks from 1 to the number of rows, %d", n)}
	}
	if c.M > 1<<24 {
		return c, &gram.ConfigError{Field: "M", Value: c.M, Want: "at most 2^24"}
	}
	if c.Landmarks == nil {
		c.Landmarks = landmark.KMeans{}
	}
	if values {
		c.Loss = Squared
	}
	for _, f := range []struct {
		p *float64
		v float64
	}{{&c.C, 1}, {&c.Lambda, 1e-3}, {&c.Tol, 1e-5}} {
		if *f.p == 0 {
			*f.p = f.v
		}
	}
	if c.Holdout == 0 && !c.NoHoldout {
		c.Holdout = .2
	}
	if c.MaxIter == 0 && !c.NoLearn {
		c.MaxIter = 50
	}
	if c.Steps == 0 {
		c.Steps = 5
	}
	if c.Folds == 0 {
		c.Folds = 1
	}
	if c.Patience == 0 {
		c.Patience = 10
	}
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	switch {
	case c.Loss > Squared:
		return c, &gram.ConfigError{Field: "Loss", Value: c.Loss, Want: "SquaredHinge, Logistic or Squared"}
	case !positive(c.C):
		return c, &gram.ConfigError{Field: "C", Value: c.C, Want: "a finite number > 0"}
	case !positive(c.Lambda):
		return c, &gram.ConfigError{Field: "Lambda", Value: c.Lambda, Want: "a finite number > 0"}
	case !positive(c.Tol):
		return c, &gram.ConfigError{Field: "Tol", Value: c.Tol, Want: "a finite number > 0"}
	case c.MaxIter < 0 || c.NoLearn && c.MaxIter > 0:
		return c, &gram.ConfigError{Field: "MaxIter", Value: c.MaxIter, Want: "at least 0, and 0 with NoLearn"}
	case c.Steps < 1:
		return c, &gram.ConfigError{Field: "Steps", Value: c.Steps, Want: "at least 1"}
	case !(c.Holdout >= 0 && c.Holdout < 1) || c.NoHoldout && c.Holdout != 0:
		return c, &gram.ConfigError{Field: "Holdout", Value: c.Holdout, Want: "from 0 to 1, and 0 with NoHoldout"}
	case c.Folds < 1 || float64(c.Folds)*c.Holdout > 1:
		return c, &gram.ConfigError{Field: "Folds", Value: c.Folds, Want: "from 1 to 1/Holdout"}
	case c.Patience < 1:
		return c, &gram.ConfigError{Field: "Patience", Value: c.Patience, Want: "at least 1"}
	}
	return c, nil
}

// heldOut is the number of rows of n that learning does not see.
func (c Config) heldOut(n int) int {
	if c.MaxIter == 0 {
		return 0
	}
	return int(c.Holdout * float64(n))
}

// Plan returns what Fit will cost for data of shape s if all turns are made, with
// two Newton steps each. Outputs is the number of classes, at most 1 for values.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := c.resolve(s.N, s.D, s.Outputs < 2)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.plan(s)
}

func (c Config) plan(s gram.Shape) (gram.Plan, error) {
	var p gram.Plan
	if pl, ok := c.Landmarks.(landmark.Planner); ok && c.Features == Nystrom && c.Points == nil {
		var err error
		if p, err = pl.Plan(s, c.M, c.Run); err != nil {
			return gram.Plan{}, err
		}
	}
	n, d, m := float64(s.N), float64(s.D), float64(c.M)
	k := 1.0
	if s.Outputs > 2 {
		k = float64(s.Outputs)
	}
	q := float64(c.Features.width(c.M) + 1)
	entries, bytes := n*d, 8.0
	if s.NNZ > 0 {
		entries, bytes = float64(s.NNZ), 12
	}
	functions, hessians := k, float64(c.Loss.group(int(q), int(k)))
	if c.Loss == Squared {
		functions, hessians = 1, 1
	}
	newton := 2.0
	if c.Loss == Squared {
		newton = 1
	}
	step := 3*m*(2*entries+20*n) + newton*(m*(2*entries+20*n)+functions*(n*q*q+q*q*q/3)+4*n*q*k)
	turn := float64(c.Steps) * step
	p.Flops += float64(max(1, c.MaxIter)) * turn
	if c.heldOut(s.N) > 0 {
		p.Flops *= float64(1 + c.Folds)
	}
	p.ModelBytes = int64(8 * (m*d + q*k))
	b := min(n, blockRows)
	work := 8 * (6*m*d + 2*b*q + 4*n*k + 2*hessians*q*q + q*q + 6*q*k)
	if held := float64(c.heldOut(s.N)); held > 0 {
		work += bytes*entries + 8*2*n*k
	}
	p.PeakBytes = max(p.PeakBytes+int64(8*m*d), int64(work))
	p.Description = fmt.Sprintf("%s: %d points learned with %d linear function(s)", c.Features, c.M, int(k))
	return p, nil
}

// Fit trains a classifier; w are weights of the rows, nil meaning ones. x and y are
// neither kept nor changed. If ctx ends the fit after the first coefficients are
// known, or the last Newton steps do not reach their tolerance, the best model so
// far is returned with ctx.Err() or the *gram.ConvergenceError. That MaxIter turns
// are not enough for Tol is no error: Stats tells.
//
// The Cholesky factors, features³/3 flops for each function, cannot be
// interrupted.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	n, d := x.Dims()
	c, err := c.resolve(n, d, false)
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(planner{c}, x, max(2, len(y.Names)))
	if err != nil {
		return nil, err
	}
	if err := check.Classes(y, n); err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	f, err := c.fit(ctx, s, signs(y), w)
	if f == nil {
		return nil, err
	}
	return &Classifier{f, slices.Clone(y.Names)}, err
}

// FitValues trains a function of real value, with the squared loss. It is Fit
// otherwise.
func (c Config) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*Regressor, error) {
	n, d := x.Dims()
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	c, err := c.resolve(n, d, true)
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(planner{c}, x, 1)
	if err != nil {
		return nil, err
	}
	if err := check.Target(y, n); err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	f, err := c.fit(ctx, s, mat.NewDense(n, 1, slices.Clone(y)), w)
	if f == nil {
		return nil, err
	}
	return &Regressor{f}, err
}

// planner plans settings that are resolved.
type planner struct{ Config }

// Plan returns what a fit with these settings will cost.
func (p planner) Plan(s gram.Shape) (gram.Plan, error) { return p.plan(s) }

// signs is ±1 for every row and function: one for two classes.
func signs(y gram.Labels) *mat.Dense {
	k := len(y.Names)
	if k == 2 {
		k = 1
	}
	s := mat.NewDense(len(y.Class), k, nil)
	for i, class := range y.Class {
		row := s.RawRowView(i)
		for j := range row {
			row[j] = -1
		}
		switch {
		case k > 1:
			row[class] = 1
		case class == 1:
			row[0] = 1
		}
	}
	return s
}

// first returns the points to start from, d×m.
func (c Config) first(ctx context.Context, x gram.Samples[float64], w []float64) (*mat.Dense, error) {
	u := c.Points
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "points")
	switch {
	case u != nil:
		if err := gram.Of(u).Finite(); err != nil {
			return nil, fmt.Errorf("points to start from: %w", err)
		}
	case c.Features == Fourier:
		m, err := rff.Config{Kernel: c.Kernel, M: c.M, Run: run}.Fit(ctx, x)
		if err != nil {
			return nil, err
		}
		return m.Omega(), nil
	default:
		p, err := c.Landmarks.Select(ctx, c.Kernel, x, w, c.M, run)
		if err != nil {
			return nil, err
		}
		u = p.U
	}
	return mat.DenseCopyOf(u.T()), ctx.Err()
}

// fit is Fit for settings and data that have been checked.
func (c Config) fit(ctx context.Context, x gram.Samples[float64], y *mat.Dense, w []float64) (*function, error) {
	begin := time.Now()
	u, err := c.first(ctx, x, w)
	if err != nil {
		return nil, err
	}
	all := c.problem(x, y, w, c.Loss)
	all.basis = c.basis(u)
	at, stats, err := c.learn(ctx, all, u)
	if at == nil {
		return nil, err
	}
	if err == nil {
		_, stats.Final, stats.Residual, err = all.solve(ctx, at, newtonTol, newtonSteps)
		if err == nil && !(stats.Residual <= newtonTol) {
			err = &gram.ConvergenceError{Iter: newtonSteps, Residual: stats.Residual, Tol: newtonTol}
		}
	}
	stats.Seconds = time.Since(begin).Seconds()
	f := &function{cfg: c, phi: all.basis.With(at.u), w: mat.DenseCopyOf(at.w.Slice(0, all.p, 0, all.k)), bias: make([]float64, all.k), stats: stats}
	if all.q > all.p {
		copy(f.bias, at.w.RawRowView(all.p))
	}
	f.cfg.Points = nil
	return f, err
}

// part is the problem for some of the rows. It uses the same buffers.
func part(t *problem, index []int) *problem {
	slices.Sort(index)
	p := *t
	p.n, p.x, p.y = len(index), t.x.Select(index), rows.Dense(gram.Of(t.y), index)
	if t.weight != nil {
		p.weight = make([]float64, len(index))
		for to, from := range index {
			p.weight[to] = t.weight[from]
		}
	}
	return &p
}
