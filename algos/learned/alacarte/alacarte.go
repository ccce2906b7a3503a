package alacarte

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Factors selects the factors of the frequencies that are learned. The others stay as they are drawn.
type Factors uint8

const (
	FSARD   Factors = iota // S and the length scales
	FSGBARD                // S, G, B and the length scales
)

// String returns the name as the command line takes it.
func (f Factors) String() string { return enum.Name(f, "fsard", "fsgbard") }

// Config holds the settings of a fit. Kernel must be set; the other fields have defaults.
type Config struct {
	Kernel   kernel.Kernel `json:"-"` // where learning starts: a kernel.Gaussian; no default
	Factors  Factors
	M        int           // number of frequencies; there are 2M features; default 256
	Noise    float64       // σ² at the start, as a share of the variance of the targets; default 0.1
	MaxIter  gram.Opt[int] // largest number of quasi-Newton steps; 0: only a, σ and the features as drawn; default 100
	Tol      float64       // the fit ends when ten steps raise the log likelihood by less than this share of it, for targets in a unit near their deviation, and of the number of rows; default 1e-4
	gram.Run `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	LogLikelihood []float64 // at the start and after each step; it never decreases
	Noise         float64   // σ²
	Amplitude     float64   // a²
	Scales        []float64 // length scales ℓ of the columns, in units of the kernel's width 1/√(2γ) at the start
	Seconds       float64
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel, "gaussian")
	s.Check(check.Rows(s.Shape.N))
	settings.Choice(s, &c.Factors, "factors", "factors of the frequencies that are learned, with the length scales", FSARD, FSGBARD)
	s.Int(&c.M, "m", "frequencies, of two features each").Default(256).AtLeast(1).AtMost(1<<14).SearchLog(32, 512)
	s.Float(&c.Noise, "noise", "variance of the noise at the start, as a share of the targets'").Default(.1).Above(0)
	s.OptInt(&c.MaxIter, "max-iter", "quasi-Newton steps at most; 0: none").Default(100).AtLeast(0)
	s.Float(&c.Tol, "tol", "relative increase of the likelihood in ten steps at which to stop").Default(1e-4).Above(0)
}

// Plan returns the expected cost of Fit for data of shape s. It assumes all steps, of 1.2
// likelihoods each.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, p, d := float64(s.N), float64(2*c.M), float64(s.D)
	times := 1 + 1.2*float64(c.MaxIter.Value())
	parameters := float64(3*c.M + 4*s.D)
	return gram.Plan{
		Flops:       times * (4*n*p*p + 2*p*p*p + 30*n*p + 2*n*d),
		PeakBytes:   check.Bytes(8 * (4*n*p + 6*p*p + 4*n*d + 30*parameters + 8*n)),
		ModelBytes:  check.Bytes(8 * (p/2*d + p)),
		Description: fmt.Sprintf("Gaussian process regression on %d learned features (%v)", 2*c.M, c.Factors),
	}, nil
}

// Fit learns from the rows of x with targets y and weights w; nil means ones. Rows of weight 0 are
// left out. It neither keeps nor changes x. If ctx ends the fit after the first step, Fit returns
// the model of the steps so far with ctx.Err(). If MaxIter steps do not reach Tol, or a line search
// finds no larger likelihood before, it returns the model with a *gram.ConvergenceError. Its
// Residual is the relative increase in the last ten steps.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*Model, error) {
	begin := time.Now()
	start, err := rows.Begin(&c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	s, y, w := start.X, start.Y, start.W
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := newLikelihood(c, s, y, w)
	l.ctx = ctx
	stats, ended := c.maximize(ctx, l)
	if len(stats.LogLikelihood) == 0 {
		return nil, ended
	}
	steps := int64(len(stats.LogLikelihood))
	c.Report(gram.Event{Phase: phase, Done: steps, Total: steps, Objective: stats.LogLikelihood[steps-1]})
	omega, noise, amplitude := l.at(l.best)
	stats.Noise, stats.Amplitude, stats.Scales = noise, amplitude, l.scales(l.best)
	f := basis.NewFourier(omega, c.Workers)
	ridge := linear.Ridge{Lambda: gram.Set(noise / amplitude), Run: gram.Run{Workers: c.Workers}}
	r, err := ridge.Fit(ctx, f, s, y, w)
	if stopped := ctx.Err(); stopped != nil {
		// The mean for the features that were found is worth its time.
		ended = stopped
		r, err = ridge.Fit(context.WithoutCancel(ctx), f, s, y, w)
	}
	if err != nil {
		return nil, err
	}
	coef, bias := r.Weights()
	stats.Seconds = time.Since(begin).Seconds()
	return &Model{cfg: c, f: basis.Function{Basis: f, Coef: coef, Bias: bias}, stats: stats}, ended
}

// phase is what a fit reports to be in.
const phase = "likelihood"

// patience is the number of steps whose increase Tol bounds.
const patience = 10

// maximize raises the likelihood and leaves the best parameters in l.
func (c Config) maximize(ctx context.Context, l *likelihood) (Stats, error) {
	var stats Stats
	meter := c.Meter()
	most := c.MaxIter.Value()
	var rise float64 // relative, in the last steps
	step := func(value float64) {
		value -= l.n * math.Log(l.unit) // of the targets in their own unit
		stats.LogLikelihood = append(stats.LogLikelihood, value)
		meter.Report(gram.Event{Phase: phase, Done: int64(len(stats.LogLikelihood) - 1), Total: int64(most) + 1, Objective: value})
	}
	limits := optimize.Settings{
		Converger: optimize.NeverTerminate{},
		Recorder: recorder(func(at *optimize.Location) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			l.best = append(l.best[:0], at.X...)
			step(-at.F)
			k := len(stats.LogLikelihood) - 1
			last, before := stats.LogLikelihood[k], stats.LogLikelihood[max(0, k-patience)]
			rise = (last - before) / (math.Abs(at.F) + l.n)
			switch {
			case k >= patience && rise < c.Tol:
				return errDone
			case k == most:
				return errEnough
			}
			return nil
		}),
	}
	l.best = append([]float64(nil), l.start...)
	if most == 0 {
		value, _ := l.value(l.start)
		if err := ctx.Err(); err != nil {
			return stats, err
		}
		step(value)
		return stats, nil
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 { v, _ := l.value(x); return -v },
		Grad: func(grad, x []float64) {
			_, g := l.value(x)
			for i, v := range g {
				grad[i] = -v
			}
		},
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() },
	}
	_, err := optimize.Minimize(problem, l.start, &limits, &optimize.LBFGS{})
	switch {
	case ctx.Err() != nil:
		return stats, ctx.Err()
	case errors.Is(err, errDone), err == nil: // without an error the gradient is 0
		return stats, nil
	case len(stats.LogLikelihood) == 0:
		return stats, err
	}
	// All steps are done, or a line search found nothing better.
	return stats, &gram.ConvergenceError{Iter: len(stats.LogLikelihood) - 1, Residual: rise, Tol: c.Tol}
}

// The recorder returns these errors to end the steps. Fit returns neither: errEnough becomes a *gram.ConvergenceError.
var (
	errDone   = errors.New("the likelihood has converged")
	errEnough = errors.New("all steps are done")
)

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
