package svm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

const defaultNu = .5

// nuSetting describes the setting ν. Its name is svm-nu because nu is the smoothness of a Matérn kernel.
func nuSetting(s *settings.Fields, nu *float64, help string) {
	s.Float(nu, "svm-nu", help).Default(defaultNu).Above(0).AtMost(1).SearchLog(.01, .8)
}

// NuSVC holds the settings of a ν support vector classifier. Of each function,
//
//	min ½‖w‖² − νρ + (1/W)·Σ_i w_i·max(0, ρ−y_i(⟨w,φ(x_i)⟩+b)),   W = Σ_i w_i,
//
// with weights w_i that include ClassWeights. At most the share ν of the weight lies within the
// margin ρ or on its wrong side, and at least that share are support vectors. A fit solves a
// Problem whose solution is the same up to a factor, and divides it by the ρ of that Problem: the
// model is the one of a C-SVC with C = 1/ρ. A fit solves to a violation of Tol of that model;
// svm-train stops earlier where ρ is small.
//
// ν can be at most 2·min(W₊,W₋)/W for the weights W₊ and W₋ of the two sides of a function. A fit
// whose ν is larger for any of its functions returns a *gram.ConfigError that names the classes
// and the largest ν for them. A fit whose ρ is zero returns one, too: where the classes
// overlap, as with a linear kernel, ν must not be too small.
//
// A fit takes settings that are not given at their defaults.
type NuSVC struct {
	Kernel       kernel.Kernel // no default
	Nu           float64       // default 0.5
	ClassWeights []float64     // factors of the weights of the classes in the order of their names; default 1 for each
	Multi        Multi         // how more than two classes are told apart
	Tol          float64       // largest violation of the optimality conditions, see Solve; default 1e-3
	MaxIter      int           // default 10⁷, or 100·n if that is more
	CacheBytes   int64         // memory for kernel rows; default 256 MiB, less if MemoryLimit requires it
	Double       bool          // compute kernel rows in float64 from the start
	gram.Run
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *NuSVC) Settings(s *settings.Fields) {
	kernel.SettingOrMatrix(s, &c.Kernel)
	nuSetting(s, &c.Nu, "largest share of rows within the margin, least share of support vectors")
	s.Float(&c.Tol, "tol", "violation of the optimality conditions").Default(defaultTol).Above(0)
	shared(s, &c.MaxIter, &c.CacheBytes, &c.Double)
	classSettings(s, &c.Multi, &c.ClassWeights, "weights of the rows")
}

// machine returns the settings of the C-SVC that is fitted.
func (c NuSVC) machine() Config {
	return Config{Kernel: c.Kernel, C: 1, ClassWeights: c.ClassWeights, Multi: c.Multi, Tol: c.Tol, MaxIter: c.MaxIter,
		CacheBytes: c.CacheBytes, Double: c.Double, Start: ZeroStart, Run: c.Run, nu: c.Nu}
}

// Plan returns the expected cost of Fit for data of shape s; see Config.Plan.
func (c NuSVC) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.machine().Plan(s)
}

// Fit trains on the rows of x with weights w; nil means ones. See Config.Fit. Config of the model
// has the largest C of its functions.
func (c NuSVC) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Model, error) {
	n, d := check.Dims(x)
	c, err := settings.Resolved(c, gram.Shape{N: n, D: d, Outputs: len(y.Names)})
	if err != nil {
		return nil, err
	}
	return c.machine().FitFrom(ctx, x, y, w, nil)
}

// sums returns the sums of the bounds of both signs.
func (p *Problem) sums() (positive, negative float64) {
	for i := range p.Upper {
		positive, negative = positive+p.Upper[i], negative-p.Lower[i]
	}
	return positive, negative
}

// feasible returns an error that names the classes of the first function for which nu is too large.
func (c Config) feasible(y gram.Labels, w []float64) error {
	if c.nu == 0 {
		return nil
	}
	k := len(y.Names)
	weight := make([]float64, k)
	all := 0.
	for i, class := range y.Class {
		weight[class] += c.bound(y, w, i)
		all += c.bound(y, w, i)
	}
	for f := range c.Functions(k) {
		a, b := 0, 1
		first, second := weight[a], weight[b]
		switch {
		case c.pairs(k):
			a, b = pairOf(f, k)
			first, second = weight[a], weight[b]
		case k > 2:
			a, b, first, second = f, -1, weight[f], all-weight[f]
		}
		least := min(first, second)
		if most := 2 * least / (first + second); least > 0 && c.nu > most*(1+1e-12) {
			other := "the others"
			if b >= 0 {
				other = y.Names[b]
			}
			return settings.Refuse("Nu", c.nu, "at most %.6g for the classes %s and %s, whose rows weigh %g and %g", math.Floor(most*1e6)/1e6, y.Names[a], other, first, second)
		}
	}
	return nil
}

// solution solves p, which for a NuSVC gets its constraints first. Its solution is divided by the margin.
func (c Config) solution(ctx context.Context, p *Problem) (*Solution, error) {
	if c.nu == 0 {
		return p.solve(ctx)
	}
	clear(p.Target)
	positive, negative := p.sums()
	if positive == 0 || negative == 0 {
		// There are rows of one class alone, which is the answer.
		s := &Solution{Coef: make([]float64, len(p.Target)), Bias: 1}
		if s.Stats.Seconds = 1e-9; positive == 0 {
			s.Bias = -1
		}
		return s, ctx.Err()
	}
	p.Half = c.nu * (positive + negative) / 2
	if p.values == nil {
		p.x = gram.Of(p.X)
	}
	diag, err := p.diagonal(ctx)
	if err != nil {
		return &Solution{}, err
	}
	s, rho, err := c.narrowed(ctx, p, slices.Max(diag))
	if err != nil && (s == nil || !(rho > 0)) {
		return &Solution{}, err
	}
	for i := range s.Coef {
		s.Coef[i] /= rho
	}
	s.Bias, s.Stats.margin = s.Bias/rho, rho
	s.Stats.Violation, s.Stats.Objective = s.Stats.Violation/rho, s.Stats.Objective/rho/rho
	return s, err
}

// least is the least margin, relative to the largest that rows of such a K(x,x) could have.
const least = 1e-7

// narrowed solves p to a violation of Tol times the margin, which is not known before: it starts
// from Tol and continues from the solution, with less, while the margin asks for that.
func (c Config) narrowed(ctx context.Context, p *Problem, diag float64) (s *Solution, rho float64, err error) {
	floor := least * p.Half * diag
	var sum SolveStats // of the problems before
	limit := p.MaxIter
	for {
		p.MaxIter = limit - sum.Iterations
		if s, err = p.solve(ctx); s == nil {
			return nil, 0, err
		}
		rho = -s.Epsilon
		s.Stats.follow(&sum)
		switch {
		case err != nil:
			return s, rho, err
		case rho > floor && s.Stats.Violation <= c.Tol*rho:
			return s, rho, nil
		case rho > floor:
			p.Tol = .9 * c.Tol * rho
		case p.Tol > floor:
			p.Tol = max(floor, p.Tol/100)
		default:
			return nil, 0, settings.Refuse("Nu", c.nu, "more, or another kernel: with so few rows within the margin the classes overlap, and the margin is zero")
		}
		if s.Stats.Iterations >= limit {
			return s, rho, &gram.ConvergenceError{Iter: limit, Residual: s.Stats.Violation / rho, Tol: c.Tol}
		}
		p.Start, sum = s.Coef, s.Stats
	}
}

// follow adds the work of the problems before.
func (s *SolveStats) follow(before *SolveStats) {
	s.Iterations += before.Iterations
	s.Rounds += before.Rounds
	s.Rows += before.Rows
	s.KernelSeconds += before.KernelSeconds
	s.GradientSeconds += before.GradientSeconds
	s.Seconds += before.Seconds
}

// largestC returns the largest C of functions with margins, 1 if there is none.
func largestC(stats []SolveStats) float64 {
	c := 0.
	for _, s := range stats {
		if s.margin > 0 {
			c = max(c, 1/s.margin)
		}
	}
	if c == 0 {
		return 1
	}
	return c
}

// NuSVR holds the settings of ν support vector regression,
//
//	min ½‖w‖² + C·(ν·W·ε + Σ_i w_i·max(0, |y_i−⟨w,φ(x_i)⟩−b|−ε)),   W = Σ_i w_i,
//
// in which ε is found: at most the share ν of the weight lies outside the tube, and at least that
// share are support vectors. If ε is 0, both may be otherwise. A Regression with the ε that is found has the same model.
//
// A fit takes settings that are not given at their defaults.
type NuSVR struct {
	Kernel     kernel.Kernel // no default
	Nu         float64       // default 0.5
	C          float64       // default 10 standard deviations of the target
	Tol        float64       // largest violation of the optimality conditions, see Solve; default 1e-3 standard deviations of the target
	MaxIter    int           // default 10⁷, or 100·n if that is more
	CacheBytes int64         // memory for kernel rows; default 256 MiB, less if MemoryLimit requires it
	Double     bool          // compute kernel rows in float64 from the start
	gram.Run
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *NuSVR) Settings(s *settings.Fields) {
	kernel.SettingOrMatrix(s, &c.Kernel)
	nuSetting(s, &c.Nu, "largest share of rows outside the tube, least share of support vectors; the width of the tube follows")
	costInDeviations(s, &c.C)
	tolInDeviations(s, &c.Tol)
	shared(s, &c.MaxIter, &c.CacheBytes, &c.Double)
}

// machine returns the settings of the ε-SVR that is fitted.
func (c NuSVR) machine() Regression {
	return Regression{Kernel: c.Kernel, C: c.C, Epsilon: gram.Set(0.), Tol: c.Tol, MaxIter: c.MaxIter, CacheBytes: c.CacheBytes, Double: c.Double, Run: c.Run, nu: c.Nu}
}

// Plan returns the expected cost of Fit for data of shape s; see Regression.Plan.
func (c NuSVR) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.machine().Plan(s)
}

// Fit trains on the rows of x; see Config.Fit. Config of the model has the ε that was found.
func (c NuSVR) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*Regressor, error) {
	// C and Tol follow from the target in the fit.
	resolved, err := settings.Resolved(c, gram.Shape{N: len(y)})
	if err != nil {
		return nil, err
	}
	c.Nu, c.MaxIter, c.CacheBytes = resolved.Nu, resolved.MaxIter, resolved.CacheBytes
	return c.machine().FitFrom(ctx, x, y, w, nil)
}

// OneClass holds the settings of a one-class support vector machine, which learns where rows lie
// without a target,
//
//	min ½‖w‖² − ν·W·ρ + Σ_i w_i·max(0, ρ−⟨w,φ(x_i)⟩),   W = Σ_i w_i.
//
// At most the share ν of the weight lies outside, and at least that share are support vectors. The
// model is a classifier with the classes "-1" of rows outside and "1" of rows inside; its scores
// are ⟨w,φ(x)⟩−ρ, in LIBSVM's units.
//
// A fit takes settings that are not given at their defaults.
type OneClass struct {
	Kernel     kernel.Kernel // no default
	Nu         float64       // default 0.5
	Tol        float64       // largest violation of the optimality conditions, see Solve; default 1e-3
	MaxIter    int           // default 10⁷, or 100·n if that is more
	CacheBytes int64         // memory for kernel rows; default 256 MiB, less if MemoryLimit requires it
	Double     bool          // compute kernel rows in float64 from the start
	gram.Run
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *OneClass) Settings(s *settings.Fields) {
	kernel.SettingOrMatrix(s, &c.Kernel)
	nuSetting(s, &c.Nu, "largest share of rows outside, least share of support vectors")
	s.Float(&c.Tol, "tol", "violation of the optimality conditions").Default(defaultTol).Above(0)
	shared(s, &c.MaxIter, &c.CacheBytes, &c.Double)
}

// Plan returns the expected cost of Fit for data of shape s. It takes the share ν of the rows for
// support vectors.
func (c OneClass) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, _ := c.plan(s)
	return p, nil
}

// plan is Plan for resolved settings. It also returns the bytes for kernel rows.
func (c OneClass) plan(s gram.Shape) (gram.Plan, int64) {
	q := quantities{part: s.N, problems: 1, width: 1, support: min(s.N, int(c.Nu*float64(s.N))+s.N/20+1)}
	p, cache := q.plan(c.Run, s, c.CacheBytes, c.Double)
	p.Description = fmt.Sprintf("one-class support vector machine, if %d rows become support vectors", q.support)
	return p, cache
}

// Fit trains on the rows of x with weights w; nil means ones. Errors are those of Config.Fit.
func (c OneClass) Fit(ctx context.Context, x mat.Matrix, w []float64) (*Model, error) {
	if n, is, err := ofMatrix(&c.Kernel, &x); is {
		if err != nil {
			return nil, err
		}
		m, err := c.Fit(ctx, x, w)
		if m != nil {
			m.cfg.Kernel = m.onMatrix(n, c.Workers)
		}
		return m, err
	}
	begin := time.Now()
	x, _, w, kept, err := rows.Weighted(c, c.Run, x, rows.None{}, w)
	if err != nil {
		return nil, err
	}
	n, d := check.Dims(x)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if c, err = settings.Resolved(c, gram.Shape{N: n, D: d}); err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, 1)
	if err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w == nil {
		w = slices.Repeat([]float64{1}, n)
	}
	p := Problem{Kernel: c.Kernel, X: s, Target: make([]float64, n), Lower: make([]float64, n), Upper: w, Tol: c.Tol, MaxIter: c.MaxIter, Double: c.Double, Run: c.Run}
	all, _ := p.sums()
	p.Sum = c.Nu * all
	_, p.CacheBytes = c.plan(gram.ShapeOf(s, 1))
	sol, err := Solve(ctx, p)
	if sol == nil {
		return nil, err
	}
	cfg := Config{Kernel: c.Kernel, C: 1, Tol: c.Tol, MaxIter: c.MaxIter, CacheBytes: c.CacheBytes, Double: c.Double, Run: c.Run}
	m := &Model{cfg: cfg, names: oneClassNames(), machine: newMachine(c.Kernel, s, mat.NewDense(n, 1, sol.Coef), []float64{sol.Bias}, nil, 2, c.Workers)}
	m.stats = Stats{Problems: []SolveStats{sol.Stats}, Support: len(m.support), Seconds: time.Since(begin).Seconds()}
	rows.Renumber(m.support, kept)
	return m, err
}

// oneClassNames returns the classes of rows outside and inside.
func oneClassNames() []string { return []string{"-1", "1"} }
