package falkon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Method is the name of the method in model files.
const Method = "falkon"

// Config holds the settings.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses Lambda by the data.
type Config struct {
	Kernel     kernel.Kernel     `json:"-"` // stored as its Spec; no default
	Lambda     gram.Opt[float64] // default 10⁻⁶ times the number of rows, or 10⁻⁶ with solve.PerRow; greater than 0
	Penalty    solve.Penalty     // default solve.Total: λ is not multiplied by the number of rows
	NoBias     modelfile.Not     `json:"Bias"` // f has no constant; by default it has one, which is not penalized
	Landmarks  landmark.Selector `json:"-"`    // default landmark.Uniform{}; not stored
	M          int               // number of landmarks; default 10√n, at most 4096 and n
	Tol        float64           // relative residual; default 1e-6
	MaxIter    int               // largest number of passes; default 200
	Single     bool              `json:",omitempty"` // kernel values of the passes are in float32 as long as that reduces the residual, which is computed in float64
	CacheBytes int64             `json:"-"`          // with Single: memory for kernel values that stay from pass to pass; default 256 MiB, less if MemoryLimit requires it; not stored
	gram.Run   `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Rows          int
	Jitter        float64 // δ, the number that was added to the diagonal of W
	Shift         float64 // λ as it was added to ΦᵀSΦ
	Iterations    int     // passes over the rows by conjugate gradients, without those that only compute the residual
	Single        int     // those of them whose kernel values were in float32
	Residual      float64 // largest ‖Φᵀ·S·(y − b·1 − Φz) − λz‖/‖Φᵀ·S·(y − b·1)‖ of an output, from its definition; by the recurrence if the fit was cancelled
	RMSBound      float64 // (Σ w_i·(f(x_i) − f*(x_i))²/Σw)^½ is at most that for each output, where f* is the exact solution; 0 if ctx ended the fit
	SelectSeconds float64
	FactorSeconds float64
	SolveSeconds  float64
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	n := s.Shape.N
	kernel.Setting(s, &c.Kernel)
	s.Check(check.Rows(n))
	def := 1e-6
	if c.Penalty == solve.Total {
		def *= float64(max(1, n))
	}
	s.OptFloat(&c.Lambda, "lambda", "weight of the squared norm").DefaultRule(def, "1e-6 times the number of rows, or 1e-6 per row").Above(0).LeaveOneOut(settings.AnyTargets)
	solve.Setting(s, &c.Penalty)
	settings.Switch(s, &c.NoBias, "no-bias", "no constant", true)
	selection.Setting(s, &c.Landmarks, "landmarks", "choice of the landmarks", "uniform", "kmeans", "leverage", "column-norm", "farthest", "rpcholesky")
	selection.Count(s, &c.M, c.Landmarks, "m", "landmarks", max(1, min(n, 4096, int(10*math.Sqrt(float64(n))))), "10 times the root of the number of rows, at most 4096 and the number of rows")
	s.Float(&c.Tol, "tol", "relative residual").Default(1e-6).Above(0)
	s.Int(&c.MaxIter, "max-iter", "passes over the rows at most").Default(200).AtLeast(1)
	s.Bool(&c.Single, "single", "kernel values of the passes in float32 while that gains accuracy; the residual is in float64")
	s.MiB(&c.CacheBytes, "cache", "single: MiB for kernel values of rows in memory that stay from pass to pass").Default(256 << 20).Above(0)
}

// Plan returns the expected cost of Fit for data of shape s. It assumes 20 passes.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, _, err := c.plan(s)
	return p, err
}

// plan is Plan for settings that are complete. kept is the number of rows whose kernel values stay from pass to pass.
func (c Config) plan(s gram.Shape) (p gram.Plan, kept int, err error) {
	var choice gram.Plan
	if pl, ok := c.Landmarks.(landmark.Planner); ok {
		if choice, err = pl.Plan(s, c.M, c.Run); err != nil {
			return gram.Plan{}, 0, err
		}
	}
	n, d, m, t := float64(s.N), float64(s.D), float64(c.M), float64(max(1, s.Outputs))
	if !c.NoBias {
		t++
	}
	points := 8 * 2 * m * d
	q := min(n, rowsPerLandmark*m)
	work := 8 * (m*(m+1) + q*d + n + float64(sampledRows(c.M))*m + 8*m*t + n*t + 4*partRows(c.M, int(t))*(m+t) + 8*m*t)
	if c.Single {
		work += singleBytes(d, m, t, c.NumWorkers())
		row := 4 * m
		cache := float64(c.CacheBytes)
		if c.MemoryLimit > 0 {
			cache = max(0, min(cache, float64(c.MemoryLimit)-points-work))
		}
		if kept = int(min(n, cache/row)); kept < s.N {
			kept -= kept % grainRows
		}
		work += row * float64(kept)
	}
	return gram.Plan{
		Flops:       choice.Flops + 20*(n*m*(2*d+25)+4*n*m*t) + 2*m*m*m,
		PeakBytes:   check.Bytes(max(float64(choice.PeakBytes), points+work)),
		ModelBytes:  check.Bytes(8 * m * (d + t)),
		Description: fmt.Sprintf("kernel ridge regression on %d landmarks by conjugate gradients", c.M),
	}, kept, nil
}

// PlanClasses returns the expected cost of FitClasses for data of shape s, where s.Outputs
// is the number of classes.
func (c Config) PlanClasses(s gram.Shape) (gram.Plan, error) {
	s.Outputs = multiclass.Functions(s.Outputs)
	return c.Plan(s)
}

// Fit trains on the rows of x with targets y and weights w; nil means ones. It neither
// keeps nor changes x.
//
// Besides errors of settings and data, Fit returns ctx.Err() and a
// *gram.ConvergenceError, in both cases with the model so far if there is one.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*Model, error) {
	return c.FitAll(ctx, x, rows.Column(y), w)
}

// FitAll is Fit for several targets at once, the columns of the n×t matrix y.
func (c Config) FitAll(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (*Model, error) {
	p, err := c.begin(ctx, x, y, w, 1)
	if err != nil {
		return nil, err
	}
	return p.fit(ctx)
}

// FitClasses trains a classifier on the rows of x with weights w; nil means ones. Its functions are fitted to the signs of the
// classes (multiclass.Signs), as in krr.Config. It neither keeps nor changes x and y. It returns the errors of Fit.
func (c Config) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*krr.Classifier, error) {
	return krr.FitClasses(ctx, Method, x, y, w, c.FitAll)
}

// FitClassesEach returns the classifiers for several λ on the same rows. They share work
// in the same way as the models of FitEach.
func (c Config) FitClassesEach(ctx context.Context, x mat.Matrix, y gram.Labels, w, lambda []float64) ([]*krr.Classifier, error) {
	return krr.FitClassesEach(ctx, Method, x, y, w, lambda, c.FitEach)
}

// FitEach returns the models for several λ on the same rows. They share the landmarks, the factor of W, the product of the
// features with the targets and the passes of conjugate gradients, as many λ at once as have room for a preconditioner each (256
// MiB, less if MemoryLimit requires it). With Single, and for a λ that is alone, conjugate gradients start from the solution for
// the next larger λ. Stats.Iterations counts the passes that the λ of a model shares. The functions agree with those of Fit to
// the accuracy that Stats says, not in every bit. With a *gram.ConvergenceError the models are returned too.
func (c Config) FitEach(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64, lambda []float64) ([]*Model, error) {
	order := make([]int, len(lambda))
	for i, l := range lambda {
		if !(l > 0) || math.IsInf(l, 0) {
			return nil, settings.Refuse("Lambda", l, "a finite number > 0")
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lambda[b], lambda[a]) })
	if c.Lambda = gram.Set(1.0); len(lambda) == 0 { // replaced below by the values in lambda
		return nil, nil
	}
	p, err := c.begin(ctx, x, y, w, len(lambda))
	if err != nil {
		return nil, err
	}
	most, err := p.together()
	if err != nil {
		return nil, err
	}
	models := make([]*Model, len(lambda))
	var short error
	for group := range slices.Chunk(order, most) {
		made, err := p.fitGroup(ctx, pick(lambda, group))
		var ce *gram.ConvergenceError
		if errors.As(err, &ce) && made != nil {
			short = err
		} else if err != nil {
			return nil, err
		}
		for k, i := range group {
			models[i] = made[k]
		}
	}
	return models, short
}

// begin does the steps that do not depend on λ, for a number of λ: several need a matrix more than Plan says.
func (c Config) begin(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64, lambdas int) (*problem, error) {
	start, err := rows.Begin(&c, c.Run, x, y, w, selection.Keep(&c.Landmarks))
	if err != nil {
		return nil, err
	}
	s, y, w := start.X, start.Y, start.W
	n := s.N()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &problem{c: c, x: s, y: y, w: w, total: float64(n), once: lambdas == 1, meter: c.Meter(), stats: Stats{Rows: n}}
	if w != nil {
		p.total = 0
		for _, v := range w {
			p.total += v
		}
	}
	_, outputs := y.Dims()
	plan, kept, err := c.plan(gram.ShapeOf(s, outputs))
	if err != nil {
		return nil, err
	}
	if lambdas > 1 {
		plan.PeakBytes += 8 * int64(c.M) * int64(c.M)
		if err := c.Run.Check(plan); err != nil {
			return nil, err
		}
	}
	if c.Single {
		p.kept = make([][]float32, (kept+grainRows-1)/grainRows)
	}
	begin := time.Now()
	run := c.Run
	run.Seed = rng.Derive(run.Seed, "landmarks")
	points, err := c.Landmarks.Select(ctx, c.Kernel, s, w, c.M, run)
	if err != nil {
		return nil, err
	}
	p.stats.SelectSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	p.u = points.U
	p.pack()
	if err := p.factor(ctx); err != nil {
		return nil, err
	}
	if err := p.sample(ctx); err != nil {
		return nil, err
	}
	if err := p.targets(ctx); err != nil {
		return nil, err
	}
	p.stats.FactorSeconds = time.Since(begin).Seconds()
	return p, nil
}

// ChooseLambda returns the λ of least leave-one-out error of krr with the same kernel on the same rows.
func (c Config) ChooseLambda(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (float64, error) {
	return c.exact().ChooseLambda(ctx, x, y, w)
}

// ChooseLambdaClasses is ChooseLambda for the targets ±1 of FitClasses.
func (c Config) ChooseLambdaClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (float64, error) {
	return c.exact().ChooseLambdaClasses(ctx, x, y, w)
}

// exact returns kernel ridge regression with all rows as landmarks, the problem that c approximates.
func (c Config) exact() krr.Config {
	return krr.Config{Kernel: c.Kernel, Penalty: c.Penalty, NoBias: c.NoBias, Run: c.Run}
}
