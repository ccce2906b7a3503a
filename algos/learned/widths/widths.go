package widths

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Criterion is what widths and λ make largest.
type Criterion uint8

const (
	Likelihood  Criterion = iota // the marginal likelihood of a Gaussian process
	LeaveOneOut                  // minus the logarithm of the squared leave-one-out error
	Laplace                      // the marginal likelihood of classes, targets ±1, by Laplace's approximation
)

// String returns the name as the command line takes it.
func (c Criterion) String() string { return enum.Name(c, "likelihood", "leave-one-out", "laplace") }

// Config holds the settings of Learn. Kernel must be set; the other fields have defaults.
type Config struct {
	Kernel    kernel.Kernel // kernel.Gaussian, Matern or RationalQuadratic, whose width does not matter, a kernel.Composite of these, whose widths keep their ratios, or a kernel.Scaled of one, where the steps start; no default
	Criterion Criterion
	Inducing  *mat.Dense        // m×d points, such as those of a landmark.Selector: the criterion is Titsias' bound of Likelihood with them, and the start is that of few rows; nil: the criterion is exact
	NoBias    bool              // no constant
	Lambda    gram.Opt[float64] // λ, which is then not learned
	Penalty   solve.Penalty     // the convention of Lambda and of Learned.Lambda; default solve.Total
	Rows      int               // largest number of rows that widths are learned from; default 2000
	MaxIter   gram.Opt[int]     // largest number of quasi-Newton steps; 0: none; default 100
	Tol       float64           // the steps end when five of them raise the criterion by less than this for each row and output; default 1e-4
	gram.Run
}

// Stats holds figures of a call of Learn, for reports and comparisons.
type Stats struct {
	Rows      int       // rows that they were learned from
	Criterion []float64 // at the start and after each step; it never decreases
	Seconds   float64
}

// Learned is a kernel with a factor for each column, and λ in the convention of Config.Penalty.
type Learned struct {
	Kernel *kernel.Scaled
	Lambda float64
	Stats  Stats
}

const defaultRows = 2000

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	if s.Resolving() && s.Shape.D > 0 {
		s.Check(kernel.Fits(c.Kernel, s.Shape.D))
	}
	s.Check(check.Rows(s.Shape.N))
	s.Check(usable(s, c.Kernel))
	settings.Choice(s, &c.Criterion, "criterion", "what widths make largest", Likelihood, LeaveOneOut, Laplace)
	if c.Inducing != nil && s.Resolving() {
		_, d := c.Inducing.Dims()
		s.Require(s.Shape.D == 0 || d == s.Shape.D, &c.Inducing, "points of %d columns", s.Shape.D)
		s.Require(c.Criterion == Likelihood, &c.Criterion, "likelihood with inducing points")
	}
	s.Bool(&c.NoBias, "no-bias", "no constant")
	lambda := s.OptFloat(&c.Lambda, "lambda", "variance of the noise in units of the amplitude").AtLeast(0)
	if !s.Resolving() {
		lambda.DefaultRule(0, "learned")
	}
	s.Require(!c.Lambda.Given() || c.Lambda.Value() > 0, &c.Lambda, "above 0")
	solve.Setting(s, &c.Penalty)
	s.Int(&c.Rows, "rows", "rows that widths are learned from at most").Default(defaultRows).AtLeast(2)
	s.OptInt(&c.MaxIter, "max-iter", "quasi-Newton steps at most; 0: none").Default(100).AtLeast(0)
	s.Float(&c.Tol, "tol", "increase of the criterion in five steps, for each row and output, at which to stop").Default(1e-4).Above(0)
}

// usable returns an error if a fit resolves its settings with a kernel whose widths cannot be learned.
func usable(s *settings.Fields, k kernel.Kernel) error {
	if !s.Resolving() || k == nil { // kernel.Setting refuses nil
		return nil
	}
	_, _, err := shapeOf(k)
	return err
}

// Setting describes the settings by which a method with λ takes its kernel with learned widths.
func Setting(s *settings.Fields, ard *bool, most *int, k kernel.Kernel, lambda *gram.Opt[float64]) {
	s.Require(!*ard || !lambda.Given() || lambda.Value() > 0, lambda, "above 0 where widths are learned")
	s.Bool(ard, "ard", "learn a width of the kernel for each column, and lambda, by gradient; kernels gaussian, matern and rational-quadratic, of any width")
	s.Int(most, "ard-rows", "ard: rows that widths are learned from at most").Default(defaultRows).AtLeast(2)
	if *ard {
		s.Check(usable(s, k))
	}
}

// stepsExpected is the number of steps that a plan reckons with.
const stepsExpected = 40

// newtonExpected is the number of factors that a plan reckons with for a value of Laplace's criterion and its derivatives.
const newtonExpected = 12

// Plan returns the expected cost of Learn for data of shape s.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d, t := float64(min(s.N, c.Rows)), float64(s.D), float64(max(1, s.Outputs))
	matrices, factors := 1.0, 1.0
	switch c.Criterion {
	case LeaveOneOut:
		matrices, factors = 2, 2
	case Laplace:
		matrices, factors = 3, t*newtonExpected/3
	}
	steps := 1.2*float64(min(stepsExpected, c.MaxIter.Value())) + 1
	if c.Inducing != nil {
		points, _ := c.Inducing.Dims()
		m, few := float64(points), min(n, startRows)
		return gram.Plan{
			Flops:       steps*(8*n*m*m+3*m*m*m+n*m*(8*d+60)) + 20*few*few*few,
			PeakBytes:   check.Bytes(8 * (few*few + 256*few + 5*n*d + n*(t+2) + 6*m*m + 4*m*(d+t+2) + 12*blockRows*(m+d) + 30*d)),
			ModelBytes:  check.Bytes(8 * d),
			Description: fmt.Sprintf("widths of the kernel by gradient with %d inducing points", points),
		}, nil
	}
	blocks := 3 * float64(c.NumWorkers()) * blockRows * (n + d)
	return gram.Plan{
		FullKernel:  true,
		Flops:       steps * n * n * (factors*n + 4*d + 30),
		PeakBytes:   check.Bytes(8 * (matrices*n*n + 256*n + 5*n*d + 8*n*(t+2) + blocks + 30*d)),
		ModelBytes:  check.Bytes(8 * d),
		Description: "widths of the kernel by gradient",
	}, nil
}

// PlanBefore returns the expected cost of Learn and of a fit after it, whose plan is given, for data of shape s.
func (c Config) PlanBefore(s gram.Shape, fit gram.Plan) (gram.Plan, error) {
	p, err := c.Plan(s)
	fit.Flops += p.Flops
	fit.PeakBytes = max(fit.PeakBytes, p.PeakBytes)
	fit.Description += " with a width for each column"
	return fit, err
}

// Learn returns the kernel with its widths, and λ, for the rows of x with the n×t targets y and weights w; nil
// means ones. All outputs share them. It neither keeps nor changes x. The model that is fitted with the kernel may use
// all rows.
//
// Besides errors of settings and data, Learn returns ctx.Err(). Widths that MaxIter steps have not brought to the
// tolerance are no error: Stats has the criterion after each step. If no step is possible, since the kernel
// matrix is singular even with the largest λ of the grid, the error is a *gram.NotPDError.
func (c Config) Learn(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (*Learned, error) {
	begin := time.Now()
	x, y, w, _, err := rows.Weighted(c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	n, d := check.Dims(x)
	if c, err = settings.Resolved(c, gram.Shape{N: n, D: d}); err != nil {
		return nil, err
	}
	_, outputs := check.Dims(y)
	s, err := c.Run.Samples(c, x, outputs)
	if err != nil {
		return nil, err
	}
	if err := check.Targets(y, n); err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Criterion == Laplace {
		if err := checkSigns(y); err != nil {
			return nil, err
		}
	}
	total := float64(n)
	if w != nil {
		total = 0
		for _, v := range w {
			total += v
		}
	}
	if c.Lambda.Given() {
		c.Lambda = gram.Set(c.Penalty.Scale(c.Lambda.Value(), total))
	}
	p, err := c.problem(s, y, w)
	if err != nil {
		return nil, err
	}
	start, err := c.start(ctx, p)
	if err != nil {
		return nil, err
	}
	learned, err := c.maximize(ctx, p, start)
	if err != nil {
		return nil, err
	}
	steps := int64(len(learned.Stats.Criterion))
	c.Report(gram.Event{Phase: phase, Done: steps, Total: steps, Objective: learned.Stats.Criterion[steps-1]})
	learned.Lambda /= c.Penalty.Scale(1, total)
	learned.Stats.Seconds = time.Since(begin).Seconds()
	return learned, nil
}

// sample returns n numbers of rows below all, ascending.
func sample(all, n int, seed uint64) []int {
	index := rng.New(rng.Derive(seed, "widths"), 0).Perm(all)[:n]
	slices.Sort(index)
	return index
}

// startRows is the number of rows that the start is chosen by.
const startRows = 400

// start returns the parameters that the steps start at: the best of a grid, on some of the rows.
func (c Config) start(ctx context.Context, p *problem) ([]float64, error) {
	n, d := p.x.Dims()
	few := p
	if n > startRows {
		few = p.rows(sample(n, startRows, rng.Derive(c.Seed, "start")))
	}
	var factors [][]float64
	if k, is := c.Kernel.(*kernel.Scaled); is {
		factors = append(factors, p.given(k))
	} else {
		unit := p.kernel.length / few.median(rng.Derive(c.Seed, "median"))
		for _, f := range []float64{2, 1, .5, .25} {
			factors = append(factors, slices.Repeat([]float64{math.Log(f * unit)}, d))
		}
	}
	var lambda []float64
	for _, v := range []float64{1e-3, 1e-2, 1e-1, 1} {
		lambda = append(lambda, v*p.kernel.top)
	}
	if c.Lambda.Given() {
		lambda = []float64{c.Lambda.Value()}
	}
	var best []float64
	top := math.Inf(-1)
	var none error
	for _, s := range factors {
		for _, l := range lambda {
			at := append([]float64{math.Log(l)}, s...)
			v, _, err := few.value(ctx, at, false)
			var pd *gram.NotPDError
			switch {
			case errors.As(err, &pd):
				none = err
			case err != nil:
				return nil, err
			case best == nil || v > top:
				best, top = at, v
			}
		}
	}
	if best == nil {
		return nil, none
	}
	return best, nil
}

// phase is what the steps report to be in.
const phase = "widths"

// patience is the number of steps whose increase Tol bounds.
const patience = 5

// errEnd is what the recorder returns to end the steps after MaxIter of them, or where Tol ends them. Learn does not return it.
var errEnd = errors.New("the steps are done")

// recorder is called with the start and with the result of each step.
type recorder func(*optimize.Location) error

// Init does nothing: a recorder needs no preparation.
func (recorder) Init() error { return nil }

// Record calls r with the start and with what every step has reached.
func (r recorder) Record(at *optimize.Location, op optimize.Operation, _ *optimize.Stats) error {
	if op != optimize.MajorIteration {
		return nil
	}
	return r(at)
}

// maximize takes the steps. The first parameter is ln λ, which stays if it is given.
func (c Config) maximize(ctx context.Context, p *problem, start []float64) (*Learned, error) {
	n, _ := p.x.Dims()
	_, t := p.y.Dims()
	stats, best := Stats{Rows: n}, slices.Clone(start)
	unit := float64(n * t)
	meter := c.Meter()
	most := c.MaxIter.Value()
	fixed := 0
	if c.Lambda.Given() {
		fixed = 1
	}
	objective := &memo{fixed: start[:fixed], unit: unit, value: func(at []float64) (float64, []float64, error) { return p.value(ctx, at, true) }}
	record := func(x []float64, f float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		best = append(best[:fixed], x...)
		stats.Criterion = append(stats.Criterion, -f*unit)
		k := len(stats.Criterion) - 1
		meter.Report(gram.Event{Phase: phase, Done: int64(k), Total: int64(most) + 1, Objective: -f * unit})
		if k >= most || k >= patience && stats.Criterion[k]-stats.Criterion[k-patience] < c.Tol*unit {
			return errEnd
		}
		return nil
	}
	free := start[fixed:]
	if f := objective.at(free); objective.err != nil || len(free) == 0 || most == 0 {
		if objective.err != nil {
			return nil, objective.err
		}
		if err := record(free, f); err != nil && !errors.Is(err, errEnd) {
			return nil, err
		}
		return p.learned(best, stats)
	}
	_, err := optimize.Minimize(optimize.Problem{
		Func:   objective.at,
		Grad:   func(grad, x []float64) { objective.at(x); copy(grad, objective.grad) },
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() },
	}, free, &optimize.Settings{
		Converger: optimize.NeverTerminate{},
		Recorder:  recorder(func(at *optimize.Location) error { return record(at.X, at.F) }),
	}, &optimize.LBFGS{})
	if stopped := ctx.Err(); stopped != nil {
		return nil, stopped
	}
	if len(stats.Criterion) == 0 { // it has a value at the start
		return nil, err
	}
	// A line search that finds nothing better ends the steps, too.
	return p.learned(best, stats)
}

// memo is minus the criterion over unit, with the gradient at the last parameters.
type memo struct {
	fixed []float64 // parameters before those that are free
	unit  float64
	value func(at []float64) (float64, []float64, error)
	seen  []float64
	last  float64
	grad  []float64
	err   error // of the last call, where the value is +Inf
}

// farthest is the largest absolute value of a parameter whose criterion is computed.
const farthest = 40

// at returns minus the criterion over unit for the free parameters x, and keeps its gradient. It is +Inf where the criterion has
// no value, for the reason in m.err, or where a parameter exceeds farthest.
func (m *memo) at(x []float64) float64 {
	if m.seen != nil && slices.Equal(x, m.seen) {
		return m.last
	}
	m.seen = append(m.seen[:0], x...)
	m.last, m.err, m.grad = math.Inf(1), nil, make([]float64, len(x))
	for _, v := range x {
		if !(math.Abs(v) <= farthest) {
			return m.last
		}
	}
	v, slope, err := m.value(slices.Concat(m.fixed, x))
	if m.err = err; err != nil {
		return m.last
	}
	m.last = -v / m.unit
	for i := range x {
		m.grad[i] = -slope[len(m.fixed)+i] / m.unit
	}
	return m.last
}
