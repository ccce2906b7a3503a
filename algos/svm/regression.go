package svm

import (
	"context"
	"fmt"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Regression holds the settings of support vector regression (ε-SVR),
//
//	min ½‖w‖² + Σ_i C·w_i·max(0, |y_i−⟨w,φ(x_i)⟩−b|−ε).
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses C by the data.
type Regression struct {
	Kernel     kernel.Kernel     `json:"-"` // stored as its Spec; no default
	C          float64           // default 10 standard deviations of the target
	Epsilon    gram.Opt[float64] // half the width of the tube; default 0.1 standard deviations of the target
	NoBias     bool              // b = 0
	Tol        float64           // largest violation of the optimality conditions, see Solve; default 1e-3 standard deviations of the target
	MaxIter    int               // default 10⁷, or 100·n if that is more
	CacheBytes int64             // memory for kernel rows; default 256 MiB, less if MemoryLimit requires it
	Double     bool              // compute kernel rows in float64 from the start; see the package documentation
	gram.Run   `json:"-"`
	nu         float64 // above 0: the fit is that of a NuSVR, and finds Epsilon
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Regression) Settings(s *settings.Fields) {
	kernel.SettingOrMatrix(s, &c.Kernel)
	costInDeviations(s, &c.C)
	s.Bool(&c.NoBias, "no-bias", "no constant")
	tolInDeviations(s, &c.Tol)
	shared(s, &c.MaxIter, &c.CacheBytes, &c.Double)
	s.OptFloat(&c.Epsilon, "epsilon", "half the width of the tube without loss; 0: none").DefaultRule(.1, "a tenth of the standard deviation of the target").
		AtLeast(0).SearchLog(1e-2, .5).InDeviations()
}

// costInDeviations describes the setting C of Regression and NuSVR, by default ten standard deviations of the target.
func costInDeviations(s *settings.Fields, c *float64) {
	s.Float(c, "c", "weight of the loss against the norm").DefaultRule(1, "ten times the standard deviation of the target").
		Above(0).SearchLog(.1, 1e3).InDeviations().Tries(1).Tries(100)
}

// tolInDeviations describes the setting Tol of Regression and NuSVR, by default a thousandth of the standard deviation of the
// target.
func tolInDeviations(s *settings.Fields, tol *float64) {
	s.Float(tol, "tol", "violation of the optimality conditions").DefaultRule(defaultTol, "a thousandth of the standard deviation of the target").Above(0)
}

// scaled returns c with the defaults that follow from the target, so that the fit is the same, up to this factor, as that to the
// target divided by its standard deviation. If the deviation is 0, c keeps the defaults 1, 0.1 and 1e-3 of C, Epsilon and Tol.
func (c Regression) scaled(y, w []float64) Regression {
	sd := 0.
	if w == nil || len(w) == len(y) {
		sd = metric.Deviation(y, w)
	}
	if sd == 0 {
		return c
	}
	if c.C == 0 {
		c.C = 10 * sd
	}
	if !c.Epsilon.Given() {
		c.Epsilon = gram.Set(.1 * sd)
	}
	if c.Tol == 0 {
		c.Tol = defaultTol * sd
	}
	return c
}

// Plan returns the expected cost of Fit for data of shape s. The flops assume that a
// tenth of all kernel values is computed.
func (c Regression) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, _ := c.plan(s)
	return p, nil
}

// plan is Plan for resolved settings. It also returns the bytes for kernel rows.
func (c Regression) plan(s gram.Shape) (gram.Plan, int64) {
	q := quantities{part: s.N, problems: 1, width: 1, support: s.N / 2}
	p, cache := q.plan(c.Run, s, c.CacheBytes, c.Double)
	p.Description = fmt.Sprintf("support vector regression, rows of the kernel matrix in %s, if %d rows become support vectors", num.FormatBytes(cache), q.support)
	return p, cache
}

// Fit trains on the rows of x; see Config.Fit.
func (c Regression) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*Regressor, error) {
	return c.FitFrom(ctx, x, y, w, nil)
}

// FitFrom is Fit starting from the given coefficients of the rows; nil means zeros.
// See Config.FitFrom.
func (c Regression) FitFrom(ctx context.Context, x mat.Matrix, y, w, coef []float64) (*Regressor, error) {
	if n, is, err := ofMatrix(&c.Kernel, &x); is {
		if err != nil {
			return nil, err
		}
		m, err := c.FitFrom(ctx, x, y, w, coef)
		if m != nil {
			m.cfg.Kernel = m.onMatrix(n, c.Workers)
		}
		return m, err
	}
	begin := time.Now()
	all, _ := check.Dims(x)
	x, y, w, kept, err := rows.Weighted(c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	if kept != nil && len(coef) == all {
		coef = rows.Pick(coef, kept)
	}
	n, _ := x.Dims()
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	c, err = settings.Resolved(c.scaled(y, w), gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, 1)
	if err != nil {
		return nil, err
	}
	if err := check.Target(y, n); err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := Problem{Kernel: c.Kernel, X: s, Target: y, Lower: make([]float64, n), Upper: make([]float64, n), Epsilon: c.Epsilon.Value(),
		NoBias: c.NoBias, Tol: c.Tol, MaxIter: c.MaxIter, Double: c.Double, Run: c.Run}
	for i := range n {
		p.Upper[i] = c.C
		if w != nil {
			p.Upper[i] *= w[i]
		}
		p.Lower[i] = -p.Upper[i]
	}
	if coef != nil {
		if len(coef) != n {
			panic("svm: the coefficients to start from have the wrong length")
		}
		for i, v := range coef {
			if v-v != 0 {
				return nil, fmt.Errorf("coefficients to start from: %w", &gram.DataError{Row: rows.Number(i, kept), Col: 0, Value: v})
			}
		}
		p.Start = coef
	}
	_, p.CacheBytes = c.plan(gram.ShapeOf(s, 1))
	if c.nu > 0 {
		all, _ := p.sums()
		p.Half = c.nu * all / 2
	}
	sol, err := Solve(ctx, p)
	if sol == nil {
		return nil, err
	}
	if c.nu > 0 {
		c.nu, c.Epsilon = 0, gram.Set(max(0, sol.Epsilon))
	}
	m := &Regressor{cfg: c, machine: newMachine(c.Kernel, s, mat.NewDense(n, 1, sol.Coef), []float64{sol.Bias}, nil, 1, c.Workers)}
	m.stats = Stats{Problems: []SolveStats{sol.Stats}, Support: len(m.support), Seconds: time.Since(begin).Seconds()}
	rows.Renumber(m.support, kept)
	return m, err
}
