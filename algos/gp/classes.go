package gp

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/laplace"
	"github.com/gramworks/gram/algos/learned/widths"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ClassConfig holds the settings of Gaussian process classification by Laplace's approximation; see the package comment.
type ClassConfig struct {
	Kernel   kernel.Kernel     `json:"-"` // stored as its Spec; no default
	Lambda   gram.Opt[float64] // λ > 0: the covariance is K/λ; default that of the largest approximate marginal likelihood
	Tol      float64           // largest bound of the error of the mode, see ClassStats; default 1e-6
	MaxIter  int               // largest number of Newton's steps; default 100
	ARD      bool              `json:",omitempty"` // the widths of the kernel, one for each column, and λ unless it is given, are those of the largest approximate marginal likelihood (package widths)
	ARDRows  int               `json:"-"`          // ARD: largest number of rows that widths are learned from; default 2000; not stored
	gram.Run `json:"-"`
}

// ClassStats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type ClassStats struct {
	Rows          int          // rows with a weight
	LogLikelihood float64      // approximate logarithm of the marginal likelihood, summed over the functions
	Evaluations   int          // number of values of λ at which it was computed
	Steps         int          // of Newton's method for the functions that are returned, together
	Bound         float64      // for each function |f(x) − f*(x)| ≤ Bound·√(K(x,x)/λ), where f* is the exact mode
	Widths        widths.Stats // ARD: how the widths were learned
	Seconds       float64
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *ClassConfig) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	if s.Resolving() && s.Shape.D > 0 {
		s.Check(kernel.Fits(c.Kernel, s.Shape.D))
	}
	s.Check(check.Rows(s.Shape.N))
	lambda := s.OptFloat(&c.Lambda, "lambda", "the covariance of the function is the kernel over lambda").AtLeast(0)
	if !s.Resolving() {
		lambda.DefaultRule(0, "that of the largest approximate marginal likelihood")
	}
	s.Require(!c.Lambda.Given() || c.Lambda.Value() > 0, &c.Lambda, "above 0")
	s.Float(&c.Tol, "tol", "bound of the error of the mode, over the deviation of the process").Default(1e-6).Above(0)
	s.Int(&c.MaxIter, "max-iter", "Newton's steps at most").Default(100).AtLeast(1)
	widths.Setting(s, &c.ARD, &c.ARDRows, c.Kernel, &c.Lambda)
}

// The number of values of λ, and of Newton's steps for each, that a plan reckons with.
const classEvaluations, stepsEach = 14, 5

// Plan returns the expected cost of Fit for data of shape s, where s.Outputs is the number of classes.
func (c ClassConfig) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	s.Outputs = multiclass.Functions(s.Outputs)
	n, d, t, times := float64(s.N), float64(s.D), float64(s.Outputs), 1.0
	if !c.Lambda.Given() && !c.ARD {
		times = classEvaluations
	}
	p := gram.Plan{
		Flops:       2*n*n*d + times*t*stepsEach*n*n*n/3,
		PeakBytes:   check.Bytes(8 * ((t+2)*n*n + n*n/2 + 2*n*d + 10*n*(t+1))),
		ModelBytes:  check.Bytes(8 * (t*n*n/2 + n*(d+2*t))),
		FullKernel:  true,
		Description: "Gaussian process classification by Laplace's approximation",
	}
	if !c.ARD {
		return p, nil
	}
	return c.widths().PlanBefore(s, p)
}

// widths is the configuration that learns the widths.
func (c ClassConfig) widths() widths.Config {
	return widths.Config{Kernel: c.Kernel, Criterion: widths.Laplace, Lambda: c.Lambda, Rows: c.ARDRows, Run: c.Run}
}

// Fit trains on the rows of x with the classes y and weights w; nil means ones. Rows of weight 0
// are left out, and a row of weight 2 counts like two equal rows. It neither keeps nor changes x; the model holds a copy of its rows. Two classes have
// one function; more classes have one function each, for the class against the rest, with one λ for all.
//
// Besides errors of settings and data, Fit returns ctx.Err() and, if MaxIter steps do not reach Tol, a
// *gram.ConvergenceError, with the model so far.
func (c ClassConfig) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	begin := time.Now()
	if _, ok := c.Kernel.(*kernel.Precomputed); ok {
		return nil, settings.Refuse("Kernel", "known by its columns", "a function of two rows: the variance of a row needs its value with itself")
	}
	start, err := rows.Begin(&c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	n, _ := start.X.Dims()
	if err := check.Labeled(start.Y, start.W, n); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &classProblem{c: c, w: start.W, meter: c.Meter(), modes: make([]*laplace.Mode, multiclass.Functions(len(y.Names)))}
	p.stats.Rows = n
	signs := multiclass.Signs(start.Y.Class, len(y.Names))
	if c.ARD {
		learned, err := c.widths().Learn(ctx, start.X, signs, start.W)
		if err != nil {
			return nil, err
		}
		p.c.Kernel, p.c.Lambda, p.stats.Widths = learned.Kernel, gram.Set(learned.Lambda), learned.Stats
	}
	for f := range p.modes {
		p.y = append(p.y, mat.Col(nil, f, signs))
	}
	every := make([]int, n)
	for i := range every {
		every[i] = i
	}
	data := rows.Dense(start.X, every)
	p.k = mat.NewDense(n, n, nil)
	filler := &problem{c: Config{Kernel: p.c.Kernel, Run: c.Run}, points: data, meter: p.meter}
	if err := filler.fill(ctx, p.k, data); err != nil {
		return nil, err
	}
	err = p.choose(ctx)
	var open *gram.ConvergenceError
	if err != nil && !errors.As(err, &open) {
		return nil, err
	}
	p.stats.Seconds = time.Since(begin).Seconds()
	return p.model(data, y.Names), err
}

// classProblem holds the settings and the data of a fit to classes, and the modes of the functions for the λ that was tried last.
type classProblem struct {
	c     ClassConfig
	y     [][]float64 // ±1, of each function
	w     []float64
	k     *mat.Dense // kernel matrix
	modes []*laplace.Mode
	stats ClassStats
	meter *gram.Meter
}

// at sets the modes to those for one λ, found to tol, and returns their likelihood. Steps start at the functions of the λ before.
func (p *classProblem) at(ctx context.Context, lambda, tol float64) (float64, error) {
	ratio := lambda / p.c.Lambda.Value()
	p.c.Lambda = gram.Set(lambda)
	p.stats.Evaluations++
	p.stats.LogLikelihood, p.stats.Steps, p.stats.Bound = 0, 0, 0
	var open error
	for f, y := range p.y {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		var start []float64
		if p.modes[f] != nil {
			start = slices.Clone(p.modes[f].Alpha)
			floats.Scale(ratio, start)
		}
		m, err := laplace.Find(ctx, p.k, lambda, y, p.w, start, tol, p.c.MaxIter)
		if m == nil {
			return 0, err
		}
		if err != nil {
			open = err
		}
		p.modes[f] = m
		p.stats.LogLikelihood += m.Likelihood
		p.stats.Steps += m.Steps
		p.stats.Bound = max(p.stats.Bound, m.Bound)
	}
	p.meter.Report(gram.Event{Phase: phase, Done: int64(p.stats.Evaluations), Total: max(classEvaluations, int64(p.stats.Evaluations)+1), Objective: p.stats.LogLikelihood})
	return p.stats.LogLikelihood, open
}

// searchTol is the tolerance of modes whose likelihoods choose λ: it moves a likelihood by less than indifferent.
const searchTol = 1e-4

// choose finds the modes for the λ that is given, or else for that of the largest likelihood in units of the mean of the kernel's diagonal.
func (p *classProblem) choose(ctx context.Context) error {
	if p.c.Lambda.Given() {
		_, err := p.at(ctx, p.c.Lambda.Value(), p.c.Tol)
		return err
	}
	scale := mat.Trace(p.k) / float64(p.stats.Rows)
	if !(scale > 0) {
		scale = 1
	}
	var lambda float64
	var modes []*laplace.Mode // without their factors
	top := math.Inf(-1)
	err := maximizeByParabolas(-4, 2, 9, func(decade float64) (float64, error) {
		v, err := p.at(ctx, scale*math.Pow(10, decade), max(p.c.Tol, searchTol))
		var open *gram.ConvergenceError
		if err != nil && !errors.As(err, &open) {
			return 0, err
		}
		for _, m := range p.modes {
			m.Factor = nil
		}
		if v > top {
			lambda, modes, top = p.c.Lambda.Value(), slices.Clone(p.modes), v
		}
		return v, nil
	})
	if err != nil {
		return err
	}
	p.c.Lambda, p.modes = gram.Set(lambda), modes
	_, err = p.at(ctx, lambda, p.c.Tol)
	if open := (*gram.ConvergenceError)(nil); err != nil && !errors.As(err, &open) {
		return err
	}
	count := int64(p.stats.Evaluations)
	p.meter.Report(gram.Event{Phase: phase, Done: count, Total: count, Objective: p.stats.LogLikelihood})
	return err
}
