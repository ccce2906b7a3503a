package goal

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of Goal-NYS and Goal-RFF.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses Lambda and the width of the kernel by the data.
type Config struct {
	Kernel    kernel.Kernel     `json:"-"` // kernel.Gaussian, for Fourier also kernel.Laplacian; no default
	Features  Features          // default Nystrom
	M         int               // number of landmarks, or of frequencies, each of which makes two features; default that of given or fixed ones, else 64, or the number of rows if that is less
	Landmarks landmark.Selector `json:"-"` // Nystrom: selects the initial landmarks; default landmark.KMeans{}
	Loss      Loss              // loss for classes; default SquaredHinge. The loss for values is Squared
	C         float64           // SquaredHinge, Logistic: weight of the loss; default 1
	Lambda    gram.Opt[float64] // Squared: λ, not multiplied by the number of rows; default 1e-3; 0: least squares
	NoBias    bool              // b = 0

	MaxIter  gram.Opt[int]     // largest number of turns; 0: the points stay as they are; default 50
	Steps    int               // gradient steps in each turn; default 5
	Tol      gram.Opt[float64] // the fit ends when a turn lowers the objective by less than this share; default 1e-5; 0: as long as it falls
	Holdout  gram.Opt[float64] // share of the rows, rounded down, that decides how many turns are made: turns without them find where their loss is smallest, turns with all rows go as far; 0: all turns are made; default 0.2
	Folds    int               // such parts of the rows, held out one after the other; the mean of their losses counts, and no turns are made if none have a mean lower than the start's by more than its standard error. With few rows one part tells little. Default 1
	Patience int               // turns without a better loss on the held-out rows after which to stop; default 10
	Given    Given             `json:"-"`
	gram.Run `json:"-"`
}

// Given holds ingredients of a fit. Nil ones are chosen by Fit.
type Given struct {
	Points *mat.Dense // initial landmarks or frequencies, M×D, one in each row, for instance those of another model
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Iter       int       // number of turns on all rows
	Objective  []float64 // objective at the start and after each of these turns; it never increases
	Validation []float64 // mean loss on the held-out rows after the start and each turn without them, the last values of parts that stopped being repeated; nil where none are held out
	Final      float64   // objective of the model
	Residual   float64   // decrease that another Newton step would bring, relative to the objective
	Seconds    float64
}

// Settings describes the settings. Features says which of the two methods it is, and is
// none itself; neither are given Points.
func (c *Config) Settings(s *settings.Fields) {
	s.Require(c.Features <= Fourier, &c.Features, "Nystrom or Fourier")
	families, points := []string{"gaussian"}, "landmarks"
	if c.Features == Fourier {
		families, points = []string{"gaussian", "laplacian"}, "frequencies, of two features each"
	}
	kernel.Setting(s, &c.Kernel, families...)
	if c.Given.Points != nil {
		m, d := c.Given.Points.Dims()
		if c.M == 0 {
			c.M = m
		}
		if m != c.M || d != s.Shape.D {
			s.Refuse(&c.Given.Points, fmt.Sprintf("%d×%d", m, d), fmt.Sprintf("%d×%d", c.M, s.Shape.D))
		}
	}
	few, rule := max(1, min(s.Shape.N, 64)), "64, or the number of rows if that is less"
	if c.Features == Nystrom && c.Given.Points == nil {
		selection.Count(s, &c.M, c.Landmarks, "m", points, few, rule)
	} else {
		s.Int(&c.M, "m", points).DefaultRule(few, rule).AtLeast(1).AtMost(1 << 24)
	}
	if c.Features == Nystrom {
		selection.Setting(s, &c.Landmarks, "landmarks", "where the landmarks start", "kmeans", "uniform")
	}
	if s.Resolving() && s.Shape.Outputs < 2 {
		c.Loss = Squared
	}
	settings.Choice(s, &c.Loss, "loss", "classes: loss; that of values is squared", SquaredHinge, Logistic, Squared)
	s.Float(&c.C, "c", "squared-hinge, logistic: weight of the loss against the norm").Default(1).Above(0).SearchLog(1e-2, 1e3)
	s.OptFloat(&c.Lambda, "lambda", "squared: weight of the squared norm; 0: none").Default(1e-3).AtLeast(0).SearchLog(1e-6, 10).LeaveOneOut(settings.ForValues)
	s.Bool(&c.NoBias, "no-bias", "no constant")
	s.OptInt(&c.MaxIter, "max-iter", "turns of the learning at most; 0: the points stay as they are").Default(50).AtLeast(0)
	s.Int(&c.Steps, "steps", "gradient steps in each turn").Default(5).AtLeast(1)
	s.OptFloat(&c.Tol, "tol", "relative decrease of the objective in a turn at which to stop; 0: while there is any").Default(1e-5).AtLeast(0)
	s.OptFloat(&c.Holdout, "holdout", "share of the rows that decide when to stop; 0: none").Default(.2).AtLeast(0).Below(1)
	s.Int(&c.Folds, "folds", "such parts of the rows, held out one after the other; for few rows").Default(1).AtLeast(1)
	s.Require(float64(c.Folds)*c.Holdout.Value() <= 1, &c.Folds, "from 1 to 1/Holdout")
	s.Int(&c.Patience, "patience", "turns without a better one on these rows after which to stop").Default(10).AtLeast(1)
	s.Tries(settings.Candidates{Names: []string{"gamma", "lambda"}, Lists: [][]string{{"gamma=0.3*scale lambda=0.1"}}, Targets: settings.ForValues})
	s.Tries(settings.Candidates{Names: []string{"gamma"}, Lists: [][]string{{"gamma=0.3*scale"}}, Targets: settings.ForClasses})
}

// heldOut returns how many of n rows are held out.
func (c Config) heldOut(n int) int {
	if c.MaxIter.Value() == 0 {
		return 0
	}
	return int(c.Holdout.Value() * float64(n))
}

// Plan returns the expected cost of Fit for data of shape s. It assumes that all turns are made, with
// two Newton steps each. s.Outputs is the number of classes, at most 1 for values.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.plan(s)
}

func (c Config) plan(s gram.Shape) (gram.Plan, error) {
	var p gram.Plan
	if pl, ok := c.Landmarks.(landmark.Planner); ok && c.Features == Nystrom && c.Given.Points == nil {
		var err error
		if p, err = pl.Plan(s, c.M, c.Run); err != nil {
			return gram.Plan{}, err
		}
	}
	n, d, m := float64(s.N), float64(s.D), float64(c.M)
	k := float64(multiclass.Functions(s.Outputs))
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
	p.Flops += float64(max(1, c.MaxIter.Value())) * turn
	if c.heldOut(s.N) > 0 {
		p.Flops *= float64(1 + c.Folds)
	}
	p.ModelBytes = check.Bytes(8 * (m*d + q*k))
	b := min(n, blockRows)
	work := 8 * (6*m*d + 2*b*q + 4*n*k + 2*hessians*q*q + q*q + 6*q*k)
	if held := float64(c.heldOut(s.N)); held > 0 {
		work += bytes*entries + 8*2*n*k
	}
	p.PeakBytes = max(p.PeakBytes+check.Bytes(8*m*d), check.Bytes(work))
	p.Description = fmt.Sprintf("%s: %d points learned with %d linear function(s)", c.Features, c.M, int(k))
	return p, nil
}

// Fit trains a classifier; w are weights of the rows; nil means ones. It neither keeps nor changes x and
// y. If ctx ends the fit after the first coefficients are known, or the last Newton steps do not reach
// their tolerance, Fit returns the best model so far with ctx.Err() or a *gram.ConvergenceError. It is
// not an error if MaxIter turns do not reach Tol; see Stats.
//
// The Cholesky factorizations take features³/3 flops for each function and cannot be interrupted.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	c, s, targets, w, err := c.classes(x, y, w)
	if err != nil {
		return nil, err
	}
	f, err := c.fit(ctx, s, targets, w)
	if f == nil {
		return nil, err
	}
	return &Classifier{f, slices.Clone(y.Names)}, err
}

// classes checks settings and data, and returns those of the rows that have a weight, with the
// targets y = ±1 of each function.
func (c Config) classes(x mat.Matrix, y gram.Labels, w []float64) (Config, gram.Samples[float64], *mat.Dense, []float64, error) {
	x, y, w, kept, err := rows.Weighted(c, c.Run, x, y, w)
	if err == nil {
		c.Landmarks, err = selection.Kept(c.Landmarks, kept)
	}
	n, d := check.Dims(x)
	if err == nil {
		c, err = settings.Resolved(c, gram.Shape{N: n, D: d, Outputs: max(2, len(y.Names))})
	}
	if err != nil {
		return c, gram.Samples[float64]{}, nil, nil, err
	}
	s, err := c.Run.Samples(planner{c}, x, max(2, len(y.Names)))
	if err == nil {
		err = check.Labeled(y, w, n)
	}
	if err != nil {
		return c, s, nil, nil, err
	}
	return c, s, multiclass.Signs(y.Class, len(y.Names)), w, nil
}

// FitValues trains a real-valued function with the squared loss; Fit explains the arguments and errors.
func (c Config) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*Regressor, error) {
	c, s, targets, w, err := c.values(x, y, w)
	if err != nil {
		return nil, err
	}
	f, err := c.fit(ctx, s, targets, w)
	if f == nil {
		return nil, err
	}
	return &Regressor{f}, err
}

// values checks settings and data, and returns those of the rows that have a weight, with a
// copy of y.
func (c Config) values(x mat.Matrix, y, w []float64) (Config, gram.Samples[float64], *mat.Dense, []float64, error) {
	x, y, w, kept, err := rows.Weighted(c, c.Run, x, y, w)
	if err == nil {
		c.Landmarks, err = selection.Kept(c.Landmarks, kept)
	}
	n, d := check.Dims(x)
	if err == nil {
		err = check.Rows(n)
	}
	if err == nil {
		c, err = settings.Resolved(c, gram.Shape{N: n, D: d, Outputs: 1})
	}
	if err != nil {
		return c, gram.Samples[float64]{}, nil, nil, err
	}
	s, err := c.Run.Samples(planner{c}, x, 1)
	if err == nil {
		err = check.Target(y, n)
	}
	if err == nil {
		err = check.Weights(w, n)
	}
	if err != nil {
		return c, s, nil, nil, err
	}
	return c, s, mat.NewDense(n, 1, slices.Clone(y)), w, nil
}

// planner is a Config whose defaults are filled in, so that Plan need not resolve it again.
type planner struct{ Config }

// Plan returns the expected cost of a fit with these settings.
func (p planner) Plan(s gram.Shape) (gram.Plan, error) { return p.plan(s) }

// first returns the points that learning starts from, d×m: those that are given, else drawn frequencies or selected landmarks.
func (c Config) first(ctx context.Context, x gram.Samples[float64], w []float64) (*mat.Dense, error) {
	u := c.Given.Points
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
		u = m.Omega()
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
	f.cfg.Given = Given{}
	return f, err
}

// part returns the problem for some of the rows. It uses the same buffers.
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

// ChooseLambda returns the λ of least leave-one-out error of krr with the same kernel on the same rows.
func (c Config) ChooseLambda(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (float64, error) {
	return krr.Config{Kernel: c.Kernel, NoBias: modelfile.Not(c.NoBias), Run: c.Run}.ChooseLambda(ctx, x, y, w)
}
