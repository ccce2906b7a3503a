package gimc

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/internal/descent"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of GIMC, ridge regression on all labels in learned features:
// GIMC-LFF with Fourier features, GIMC-LNYS with Nyström ones, and with Fixed the
// same models on the features as they are drawn.
type Config struct {
	Map        completion.Kind   // completion.Fourier, the default, or completion.Nystrom
	M          int               // number of frequencies, of two features each, or of landmarks; default that of given or fixed ones, else 100; landmarks: at most the number of rows
	Gamma      float64           // γ of the Gaussian kernel that the features start from; default a tenth of one over the mean squared distance of rows: wide, as learning narrows it
	Landmarks  landmark.Selector `json:"-"` // selects the initial landmarks; default landmark.Uniform
	Lambda     gram.Opt[float64] // λ; default 1; 0: least squares, with the solution of least norm
	Fixed      bool              // learn only W
	Steps      int               // largest number of gradient steps on the features; W is computed after each; default 10
	Tol        gram.Opt[float64] // the fit ends when a step lowers the objective by less than Tol times its value; default 1e-4; 0: as long as it falls
	Validation float64           // part of the rows, from 0 to below 1, that decides how many steps are taken: a first fit without them finds where the mean of their P@1, P@3 and P@5 is largest, a second with all rows goes as far; default 0, no first fit
	NoConstant bool              // do not add a constant feature
	Given      Given             `json:"-"`
	gram.Run   `json:"-"`
}

// Given are ingredients of a fit that are drawn where they are nil.
type Given struct {
	// Points are M×D frequencies or landmarks that learning starts from, one a row. Landmarks need
	// not be rows of the data, nor fewer.
	Points *mat.Dense
	// Frequencies supplies the frequencies of random Fourier features in place of Points, as a *rff.Model does, one of Fastfood's
	// among them.
	Frequencies completion.Frequencies
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Objective []float64 // at the features as drawn and after every step
	HeldOut   []float64 // mean of P@1, P@3 and P@5 of the held-out rows, likewise, of the first fit; nil without
	Seconds   float64
}

// Model scores labels by φ_U(x)·W. As a FeatureMap it is φ_U. It is safe for
// concurrent use.
type Model struct {
	cfg   Config
	f     basis.Learnable
	w     *mat.Dense // L×features, with the constant
	stats Stats
}

var (
	_ gram.Ranker     = (*Model)(nil)
	_ gram.FeatureMap = (*Model)(nil)
)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	if c.Map == completion.Linear {
		c.Map = completion.Fourier
	}
	most := 100
	if c.Map == completion.Nystrom {
		most = max(1, min(most, s.Shape.N))
	}
	c.side().Given.Take(s, c.Map, &c.M, &c.Given.Points)
	settings.Choice(s, &c.Map, "features", "kind of features", completion.Fourier, completion.Nystrom)
	const help, rule = "frequencies, of two features each, or landmarks", "100; landmarks: at most the number of rows"
	if c.Map == completion.Nystrom && c.Given.Points == nil {
		selection.Count(s, &c.M, c.Landmarks, "m", help, most, rule)
	} else {
		s.Int(&c.M, "m", help).DefaultRule(most, rule).AtLeast(1).AtMost(1 << 20)
	}
	s.Float(&c.Gamma, "gamma", "width of the Gaussian kernel that the features start from; 0: a tenth of one over the mean squared distance of rows").AtLeast(0)
	selection.Setting(s, &c.Landmarks, "landmarks", "choice of the landmarks that learning starts from", "uniform", "kmeans")
	s.OptFloat(&c.Lambda, "lambda", "weight of the squared coefficients; 0: none").Default(1).AtLeast(0).SearchLog(1e-2, 1e2)
	s.Bool(&c.Fixed, "fixed", "features as drawn, not learned")
	if c.Fixed && s.Resolving() {
		c.Steps = 0
	} else {
		s.Int(&c.Steps, "steps", "gradient steps on the features at most").Default(10).AtLeast(1)
	}
	s.OptFloat(&c.Tol, "tol", "relative progress of a step below which it stops; 0: while there is any").Default(1e-4).AtLeast(0)
	s.Float(&c.Validation, "validation", "part of the rows that decides on the number of steps; 0: none, all steps are taken").AtLeast(0).Below(1)
	s.Bool(&c.NoConstant, "no-constant", "no constant feature")
}

// side holds the settings of the features as those of a completion's rows.
func (c *Config) side() completion.Side {
	return completion.Side{Map: c.Map, M: c.M, Gamma: c.Gamma, Landmarks: c.Landmarks, Given: completion.Given{Points: c.Given.Points, Frequencies: c.Given.Frequencies}}
}

// features is the number of columns of Φ.
func (c Config) features() int {
	k := c.M
	if c.Map == completion.Fourier {
		k *= 2
	}
	if !c.NoConstant {
		k++
	}
	return k
}

// few says whether labels are so few that rows of ΦWᵀ−Y, in blocks, cost less than
// WᵀW and its products with ΦᵀΦ and Φ.
func (c Config) few(labels int) bool { return 2*labels <= c.features() }

// residualRows is the number of rows of ΦWᵀ−Y at a time.
const residualRows = 512

// Plan returns what a fit will cost; s.Outputs is the number of labels. Labels
// are taken to be as many as the rows' entries, at most ten a row.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d, l, m, p := float64(s.N), float64(s.D), float64(s.Outputs), float64(c.M), float64(c.features())
	entries, params := n*d, m*d
	if s.NNZ > 0 {
		entries = float64(s.NNZ)
	}
	if c.Map == completion.Nystrom {
		params *= 2 // the landmarks, and packed ones
	}
	labels := min(10*n, n*l)
	tries := 1.5 // maps made for a step
	solveFlops := n*p*p + 2*labels*p + 2*l*p*p
	step := (2+2*tries)*entries*m + solveFlops + (1+tries)*n*p*p + 2*labels*p + l*p*p
	if c.few(s.Outputs) {
		step = (2+2*tries)*entries*m + solveFlops + (4+2*tries)*n*l*p
	}
	plan := gram.Plan{
		Flops:       2*entries*m + solveFlops + float64(c.Steps)*step,
		ModelBytes:  check.Bytes(8 * (params + l*p)),
		Description: fmt.Sprintf("ridge regression on %d labels in %d features, %d steps", s.Outputs, c.features(), c.Steps),
	}
	const pack = 8 // products pack their operands into slivers of about this width
	peak := 8*(params+2*l*p+n*p+2*n*max(p, pack)+3*p*p) + 12*labels
	if c.Steps > 0 {
		peak += 8 * (2*n*p + 2*n*max(m, pack) + 3*params)
		if c.few(s.Outputs) {
			peak += 8 * l * min(n, residualRows)
		} else {
			peak += 8 * n * p
		}
	}
	if s.NNZ > 0 {
		peak += 12 * entries
	}
	if c.Validation > 0 {
		plan.Flops *= 2 - c.Validation
		peak += (1 - c.Validation) * (8*entries + 12*labels)
	}
	plan.PeakBytes = int64(peak)
	return plan, nil
}

// Fit trains on rows x with the label sets y, n×L, whose values are not looked
// at. It neither keeps nor changes x and y. If ctx ends the fit once there is a W
// the model so far is returned with ctx.Err().
func (c Config) Fit(ctx context.Context, x mat.Matrix, y *sparse.CSR) (*Model, error) {
	c, s, y, err := c.begin(x, y)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	var heldOut []float64
	steps := c.Steps
	if c.Validation > 0 && c.Steps > 0 {
		if heldOut, err = c.validate(ctx, s, y); err != nil {
			return nil, err
		}
		steps = max(0, crossval.Choose(heldOut, true))
	}
	l := &learner{c: c}
	err = l.run(ctx, s, y, steps, nil)
	if l.w == nil {
		return nil, err
	}
	m := l.model()
	m.stats.HeldOut = heldOut
	m.stats.Seconds = time.Since(begin).Seconds()
	return m, err
}

// Path is Fit with a look at every model on the way: the one with the features as
// drawn and the one after every step. They may be kept. Validation is ignored.
func (c Config) Path(ctx context.Context, x mat.Matrix, y *sparse.CSR, each func(*Model)) error {
	c.Validation = 0
	c, s, y, err := c.begin(x, y)
	if err != nil {
		return err
	}
	l := &learner{c: c}
	return l.run(ctx, s, y, c.Steps, func() { each(l.model()) })
}

// begin checks the settings and the data before the work of the fit, and reports the first mistake.
func (c Config) begin(x mat.Matrix, y *sparse.CSR) (Config, gram.Samples[float64], *sparse.CSR, error) {
	n, d := check.Dims(x)
	if err := check.Tags(y, n); err != nil {
		return c, gram.Samples[float64]{}, nil, err
	}
	c, err := settings.Resolved(c, gram.Shape{N: n, D: d})
	if err != nil {
		return c, gram.Samples[float64]{}, nil, err
	}
	s, err := c.Run.Samples(c, x, y.D)
	if err != nil {
		return c, s, nil, err
	}
	if n == 0 {
		return c, s, nil, &gram.DataError{Row: 0, Col: -1, Value: math.NaN(), Reason: "there are no rows"}
	}
	if c.Gamma == 0 {
		c.Gamma = kernel.MeanGamma(s) / 10
	}
	return c, s, &sparse.CSR{N: y.N, D: y.D, Ptr: y.Ptr, Col: y.Col}, nil
}

// validate fits without a part of the rows and returns what their labels were
// found with before the first step and after every one.
func (c Config) validate(ctx context.Context, x gram.Samples[float64], y *sparse.CSR) ([]float64, error) {
	n := x.N()
	held := min(n-1, int(math.Ceil(c.Validation*float64(n))))
	if c.Map == completion.Nystrom && c.Given.Points == nil {
		held = min(held, n-c.M)
	}
	if held < 1 {
		return nil, settings.Refuse("Validation", c.Validation, "0 for so few rows")
	}
	split := crossval.Cut(crossval.Order(n, c.Seed), 0, held)
	tx, ty := x.Select(split.Held), y.Select(split.Held)
	var scores []float64
	err := c.Path(ctx, x.Select(split.Train), y.Select(split.Train), func(m *Model) {
		p := metric.PrecisionAt([]int{1, 3, 5}, m.Top(nil, tx, 5), ty)
		scores = append(scores, (p[0]+p[1]+p[2])/3)
	})
	return scores, err
}

// learner is the state of a fit, which alternates between W for given features and a step of the features.
type learner struct {
	c      Config
	ctx    context.Context
	x      *rows.Products
	y, yt  *sparse.CSR
	f      basis.Learnable
	k      int        // features without the constant
	phi    *mat.Dense // n×p: φ_U(X), and ones
	g      *mat.Dense // p×p, upper half: ΦᵀΦ
	w      *mat.Dense // L×p
	search descent.Search
	stats  Stats

	// For steps on the features.
	few       bool       // labels
	next, e   *mat.Dense // n×p: Φ of a trial, ∂f/∂Φ
	nextG     *mat.Dense // p×p: ΦᵀΦ of a trial, with few labels when it has been accepted
	t, ww     *mat.Dense // not for few labels: YW, n×p, and WᵀW, p×p
	residuals *mat.Dense // for few labels: a block of rows of ΦWᵀ−Y
}

func (l *learner) model() *Model {
	m := &Model{cfg: l.c, f: l.f, w: l.w, stats: l.stats}
	m.cfg.Given = Given{}
	return m
}

// prepare takes the rows and their labels, and transposes the labels for products by column.
func (l *learner) prepare(ctx context.Context, x gram.Samples[float64], y *sparse.CSR) {
	l.ctx, l.x, l.y, l.yt = ctx, rows.NewProducts(x, l.c.Workers), y, y.Transpose()
}

// run solves for W at the features as drawn and after each of the steps, calling
// each after that.
func (l *learner) run(ctx context.Context, x gram.Samples[float64], y *sparse.CSR, steps int, each func()) error {
	c := l.c
	l.prepare(ctx, x, y)
	n := x.N()
	var err error
	l.f, err = completion.Draw(ctx, c.side(), x, gram.Run{Seed: rng.Derive(c.Seed, "features"), Workers: c.Workers})
	if err != nil {
		return err
	}
	_, l.k = l.f.Dims()
	p := c.features()
	l.phi, l.g = l.features(n), mat.NewDense(p, p, nil)
	if err := l.fill(l.phi, l.f); err != nil {
		return err
	}
	if err := product(ctx, l.g, l.phi); err != nil {
		return err
	}
	objective, err := l.solve()
	if err != nil {
		return err
	}
	if steps > 0 {
		l.next, l.e, l.nextG = l.features(n), mat.NewDense(n, p, nil), mat.NewDense(p, p, nil)
		l.trade(c.few(y.D))
	}
	meter := c.Meter()
	for step := 0; ; step++ {
		before := math.Inf(1)
		if step > 0 {
			before = l.stats.Objective[step-1]
		}
		l.stats.Objective = append(l.stats.Objective, objective)
		if each != nil {
			each()
		}
		done := step == steps || before-objective <= c.Tol.Value()*objective
		e := gram.Event{Phase: "GIMC", Done: int64(step + 1), Total: int64(steps + 1), Objective: objective}
		if done {
			e.Total = e.Done
		}
		meter.Report(e)
		if done {
			return nil
		}
		moved, err := l.step(objective)
		if err != nil || !moved {
			return err
		}
		if objective, err = l.solve(); err != nil {
			return err
		}
	}
}

// features returns n×p numbers whose last column, if there is a constant, is one.
func (l *learner) features(n int) *mat.Dense {
	p := l.c.features()
	phi := mat.NewDense(n, p, nil)
	if p > l.k {
		for i := range n {
			phi.Set(i, p-1, 1)
		}
	}
	return phi
}

// trade sets up one of the two ways to make gradients and values.
func (l *learner) trade(few bool) {
	n, p := l.phi.Dims()
	if l.few = few; few {
		return
	}
	l.t, l.ww = mat.NewDense(n, p, nil), mat.NewDense(p, p, nil)
}

// fill sets phi to the features that f makes of X.
func (l *learner) fill(phi *mat.Dense, f basis.Learnable) error {
	n, _ := phi.Dims()
	return f.Fill(l.ctx, l.c.Workers, phi.Slice(0, n, 0, l.k).(*mat.Dense), l.x.X)
}

// product sets the upper half of g to aᵀa.
func product(ctx context.Context, g, a *mat.Dense) error {
	n, p := a.Dims()
	sym := blas64.Symmetric{N: p, Stride: p, Data: g.RawMatrix().Data, Uplo: blas.Upper}
	g.Zero()
	step := max(64, 1<<27/(p*p))
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		blas64.Syrk(blas.Trans, 1, a.Slice(lo, min(lo+step, n), 0, p).(*mat.Dense).RawMatrix(), 1, sym)
	}
	return ctx.Err()
}

// solve sets W to the minimum at the features and returns the objective there:
// with ΦᵀΦ+λI = RᵀR it is ½(‖Y‖² − ‖YᵀΦR⁻¹‖²), and without λ the same with the pseudo-inverse.
func (l *learner) solve() (float64, error) {
	_, p := l.phi.Dims()
	w := mat.NewDense(l.y.D, p, nil)
	if err := l.yt.Mul(l.ctx, l.c.Workers, w, l.phi); err != nil {
		return 0, err
	}
	if l.c.Lambda.Value() == 0 { // the solution of least norm: features may be dependent
		g := mat.NewSymDense(p, nil)
		for i := range p {
			copy(g.RawSymmetric().Data[i*p+i:i*p+p], l.g.RawRowView(i)[i:])
		}
		root, _, err := solve.InvSqrt(l.ctx, g, 0, 0)
		if err != nil {
			return 0, err
		}
		var part mat.Dense
		part.Mul(w, root)
		w.Mul(&part, root.T())
		l.w = w
		if l.c.few(l.y.D) { // the difference below cancels where the fit is close
			var sum float64
			err := l.residual(l.phi, func(_ int, r *mat.Dense) { sum += rows.Squares(r) })
			return sum / 2, err
		}
		return max(0, float64(l.y.NNZ())-rows.Squares(&part)) / 2, nil
	}
	a := mat.DenseCopyOf(l.g)
	for i := range p {
		a.Set(i, i, a.At(i, i)+l.c.Lambda.Value())
	}
	factor, ok := lapack64.Potrf(blas64.Symmetric{N: p, Stride: p, Data: a.RawMatrix().Data, Uplo: blas.Upper})
	if !ok {
		return 0, &gram.NotPDError{}
	}
	var taken float64
	step := max(64, 1<<27/(p*p))
	for lo := 0; lo < l.y.D; lo += step {
		if err := l.ctx.Err(); err != nil {
			return 0, err
		}
		part := w.Slice(lo, min(lo+step, l.y.D), 0, p).(*mat.Dense)
		blas64.Trsm(blas.Right, blas.NoTrans, 1, factor, part.RawMatrix())
		taken += rows.Squares(part)
		blas64.Trsm(blas.Right, blas.Trans, 1, factor, part.RawMatrix())
	}
	l.w = w
	return (float64(l.y.NNZ()) - taken) / 2, nil
}

// residual calls body for blocks of rows lo, …, of ΦWᵀ−Y with Φ = phi.
func (l *learner) residual(phi *mat.Dense, body func(lo int, r *mat.Dense)) error {
	n, p := phi.Dims()
	if l.residuals == nil {
		l.residuals = mat.NewDense(min(n, residualRows), l.y.D, nil)
	}
	step, _ := l.residuals.Dims()
	for lo := 0; lo < n; lo += step {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, n)
		r := l.residuals.Slice(0, hi-lo, 0, l.y.D).(*mat.Dense)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, phi.Slice(lo, hi, 0, p).(*mat.Dense).RawMatrix(), l.w.RawMatrix(), 0, r.RawMatrix())
		for i := lo; i < hi; i++ {
			row := r.RawRowView(i - lo)
			labels, _ := l.y.Row(i)
			for _, j := range labels {
				row[j]--
			}
		}
		body(lo, r)
	}
	return l.ctx.Err()
}

// gradient returns ∂f/∂U from E = ∂f/∂Φ = (ΦWᵀ−Y)·W, with many labels as
// Φ·WᵀW − YW, for which it sets t = YW and ww = WᵀW.
func (l *learner) gradient() (*mat.Dense, error) {
	n, _ := l.phi.Dims()
	if err := l.slopes(); err != nil {
		return nil, err
	}
	return descent.Pull(l.ctx, l.c.Workers, l.f, l.e.Slice(0, n, 0, l.k).(*mat.Dense), l.phi.Slice(0, n, 0, l.k).(*mat.Dense), l.x)
}

// slopes sets e to the derivative of the loss by the features, E = R·W for the residuals R.
func (l *learner) slopes() error {
	if l.few {
		_, p := l.e.Dims()
		return l.residual(l.phi, func(lo int, r *mat.Dense) {
			n, _ := r.Dims()
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, r.RawMatrix(), l.w.RawMatrix(), 0, l.e.Slice(lo, lo+n, 0, p).(*mat.Dense).RawMatrix())
		})
	}
	if err := l.y.Mul(l.ctx, l.c.Workers, l.t, l.w); err != nil {
		return err
	}
	if err := product(l.ctx, l.ww, l.w); err != nil {
		return err
	}
	_, p := l.phi.Dims()
	for i := range p {
		for j := range i {
			l.ww.Set(i, j, l.ww.At(j, i))
		}
	}
	if err := rows.NewProducts(gram.Of(l.phi), l.c.Workers).Mul(l.ctx, l.e, l.ww); err != nil {
		return err
	}
	l.e.Sub(l.e, l.t)
	return nil
}

// value returns the objective ½‖ΦWᵀ−Y‖² + ½λ‖W‖² at Φ = phi with the W that
// gradient has seen. With many labels that is
// ½‖Y‖² − ⟨YW, Φ⟩ + ½⟨WᵀW, ΦᵀΦ⟩ + ½λ‖W‖², with ΦᵀΦ = g.
func (l *learner) value(phi, g *mat.Dense) (float64, error) {
	n, p := phi.Dims()
	if l.few {
		var sum float64
		err := l.residual(phi, func(_ int, r *mat.Dense) { sum += rows.Squares(r) })
		return sum/2 + l.c.Lambda.Value()/2*rows.Squares(l.w), err
	}
	cross, err := par.Sum(l.ctx, l.c.Workers, n, 1024, func(lo, hi int) float64 {
		var s float64
		for i := lo; i < hi; i++ {
			s += linalg.Dot(l.t.RawRowView(i), phi.RawRowView(i))
		}
		return s
	}, func(a, b float64) float64 { return a + b })
	if err != nil {
		return 0, err
	}
	var both, norm float64
	for i := range p {
		u, v := l.ww.RawRowView(i), g.RawRowView(i)
		both += u[i] * v[i]
		for j := i + 1; j < p; j++ {
			both += 2 * u[j] * v[j]
		}
		norm += u[i]
	}
	return float64(l.y.NNZ())/2 - cross + both/2 + l.c.Lambda.Value()/2*norm, nil
}

// step takes a gradient step on the features. It reports whether there was one
// that lowers the objective.
func (l *learner) step(objective float64) (bool, error) {
	g, err := l.gradient()
	if err != nil {
		return false, err
	}
	now, err := l.value(l.phi, l.g)
	if err != nil {
		return false, err
	}
	f, _, err := l.search.Step(l.f, g, now, func(f basis.Learnable) (float64, error) {
		if err := l.fill(l.next, f); err != nil {
			return 0, err
		}
		if !l.few {
			if err := product(l.ctx, l.nextG, l.next); err != nil {
				return 0, err
			}
		}
		return l.value(l.next, l.nextG)
	})
	if f == nil || err != nil {
		return false, err
	}
	if l.few {
		if err := product(l.ctx, l.nextG, l.next); err != nil {
			return false, err
		}
	}
	l.f = f
	l.phi, l.next = l.next, l.phi
	l.g, l.nextG = l.nextG, l.g
	return true, nil
}

// Config returns the settings, with defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Dim is the number of columns of the rows.
func (m *Model) Dim() int { d, _ := m.f.Dims(); return d }

// NumLabels returns the number L of labels that the model ranks.
func (m *Model) NumLabels() int { l, _ := m.w.Dims(); return l }

// Dims returns the number of columns of rows and of features, without the
// constant.
func (m *Model) Dims() (d, k int) { return m.f.Dims() }

// Map returns φ_U(x), n×k without the constant.
func (m *Model) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.f.Map(dst, x) }

// Features returns φ_U: *basis.Values or *basis.Fourier.
func (m *Model) Features() basis.Learnable { return m.f }

// Top returns the k labels of largest φ_U(x)·W for each row, best first; none for
// a row with NaN. 2·(nnz·m + L·features) flops a row, never n×L numbers.
func (m *Model) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	return m.ranking().Top(dst, x, k)
}

// Scores returns the scores φ_U(x)·W of all labels, n×L; those of a row with NaN are NaN.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.ranking().Scores(dst, x) }

// Weights returns Wᵀ, L×features, with a last column for the constant unless NoConstant. It is
// the model's own and must not be changed.
func (m *Model) Weights() *mat.Dense { return m.w }

func (m *Model) ranking() program.Scorer {
	d, features := m.f.Dims()
	_, p := m.w.Dims()
	return program.Scorer{Name: "gimc", D: d, Labels: m.w, Workers: m.cfg.Workers, Features: func(part gram.Samples[float64]) *mat.Dense {
		n := part.N()
		z := rows.Borrow(n, p)
		_ = m.f.Fill(context.Background(), 1, z.Slice(0, n, 0, features).(*mat.Dense), part)
		if p > features {
			for i := range n {
				z.Set(i, features, 1)
			}
		}
		return z
	}}
}
