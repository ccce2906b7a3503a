package gp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/learned/widths"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Approximation selects the covariance matrix of the rows.
type Approximation uint8

const (
	Exact Approximation = iota // K
	DTC                        // Q, deterministic training conditional
	FITC                       // Q with the diagonal of K, fully independent training conditional
)

// String returns the name of the approximation.
func (a Approximation) String() string { return enum.Name(a, "exact", "dtc", "fitc") }

// Config holds the settings of Gaussian process regression.
type Config struct {
	Kernel        kernel.Kernel     `json:"-"` // stored as its Spec; no default
	Lambda        gram.Opt[float64] // variance of the noise of a row of weight 1 in units of the amplitude; default that of the largest marginal likelihood; 0: none, for Exact and a kernel matrix without an eigenvalue 0
	NoBias        modelfile.Not     `json:"Bias"` // no constant; by default there is one, with a flat prior
	Approximation Approximation
	Landmarks     landmark.Selector `json:"-"` // DTC, FITC: default landmark.KMeans{}; not stored
	M             int               // DTC, FITC: number of landmarks; default 256, or the number of rows if that is less
	ARD           bool              `json:",omitempty"` // the widths of the kernel, one for each column, and for Exact a λ that is not given, are those of the largest marginal likelihood (package widths); the kernel of the model is a kernel.Scaled
	ARDRows       int               `json:"-"`          // ARD: largest number of rows that widths are learned from; default 2000; not stored
	gram.Run      `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Rows          int          // rows with a weight
	LogLikelihood float64      // the logarithm of the marginal likelihood, L of the package comment
	Evaluations   int          // number of values of λ at which it was computed
	Widths        widths.Stats // ARD: how the widths were learned
	KernelSeconds float64      // time to compute kernel values
	SolveSeconds  float64
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	if s.Resolving() && s.Shape.D > 0 {
		s.Check(kernel.Fits(c.Kernel, s.Shape.D))
	}
	s.Check(check.Rows(s.Shape.N))
	lambda := s.OptFloat(&c.Lambda, "lambda", "variance of the noise in units of the amplitude; exact: 0: none").AtLeast(0)
	if !s.Resolving() {
		lambda.DefaultRule(0, "that of the largest marginal likelihood") // the fit finds the value
	}
	settings.Switch(s, &c.NoBias, "no-bias", "no constant", true)
	settings.Choice(s, &c.Approximation, "approximation", "covariance of the rows; exact: n² numbers; dtc, fitc: that of landmarks, fitc with the exact diagonal", Exact, DTC, FITC)
	s.Require(c.Approximation == Exact || !c.Lambda.Given() || c.Lambda.Value() > 0, &c.Lambda, "above 0 with landmarks, whose covariance without noise has no inverse")
	selection.Count(s, &c.M, c.Landmarks, "landmarks", "dtc, fitc: landmarks", min(s.Shape.N, 256), "256, or the number of rows if that is less")
	widths.Setting(s, &c.ARD, &c.ARDRows, c.Kernel, &c.Lambda)
	selection.Setting(s, &c.Landmarks, "selection", "dtc, fitc: choice of the landmarks", "kmeans", "uniform", "leverage", "column-norm", "farthest")
}

// phase is what the choice of λ reports to be in.
const phase = "likelihood"

// evaluations is the number of values of λ that a plan reckons with.
const evaluations = 16

// Plan returns the expected cost of Fit for data of shape s.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.planFit(s)
	if err != nil || !c.ARD {
		return p, err
	}
	return c.widths().PlanBefore(s, p)
}

// widths is the configuration that learns the widths.
func (c Config) widths() widths.Config {
	return widths.Config{Kernel: c.Kernel, NoBias: bool(c.NoBias), Lambda: c.Lambda, Rows: c.ARDRows, Run: c.Run}
}

// planFit is the plan for widths that are given.
func (c Config) planFit(s gram.Shape) (p gram.Plan, err error) {
	n, d, times := float64(s.N), float64(s.D), 1.0
	if !c.Lambda.Given() && !(c.ARD && c.Approximation == Exact) {
		times = evaluations
	}
	if c.Approximation == Exact {
		return gram.Plan{
			Flops:       2*n*n*d + times*n*n*n/3,
			PeakBytes:   check.Bytes(8 * (2*n*n + n*n/2 + 2*n*d + 10*n)),
			ModelBytes:  check.Bytes(8 * (n*n/2 + n*(d+2))),
			FullKernel:  true,
			Description: "Gaussian process regression by Cholesky's method",
		}, nil
	}
	m := float64(c.M)
	if pl, ok := c.Landmarks.(landmark.Planner); ok {
		if p, err = pl.Plan(s, c.M, c.Run); err != nil {
			return gram.Plan{}, err
		}
	}
	p.Flops += 2*n*m*d + n*m*m + times*(n*m*m+m*m*m/3)
	p.PeakBytes = max(p.PeakBytes, check.Bytes(8*(2*n*m+4*m*m+2*m*d+n*d+10*n)))
	p.ModelBytes = check.Bytes(8 * (m*m + m*(d+2)))
	p.FullKernel = false
	p.Description = fmt.Sprintf("Gaussian process regression on %d landmarks (%v)", c.M, c.Approximation)
	return p, nil
}

// Fit trains on the rows of x with targets y and weights w; nil means ones. Rows of weight 0
// are left out. It neither keeps nor changes x; the model holds a copy of its rows or of the
// landmarks. Besides errors of settings and data, Fit returns ctx.Err() and a
// *gram.NotPDError if round-off exceeds λ.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*Model, error) {
	if _, ok := c.Kernel.(*kernel.Precomputed); ok {
		return nil, settings.Refuse("Kernel", "known by its columns", "a function of two rows: the variance of a row needs its value with itself")
	}
	start, err := rows.Begin(&c, c.Run, x, y, w, selection.Keep(&c.Landmarks))
	if err != nil {
		return nil, err
	}
	samples, y, w := start.X, start.Y, start.W
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var learning widths.Stats
	if c.ARD {
		learned, err := c.widths().Learn(ctx, samples, rows.Column(y), w)
		if err != nil {
			return nil, err
		}
		c.Kernel, learning = learned.Kernel, learned.Stats
		if c.Approximation == Exact { // the best λ of an approximation is another one
			c.Lambda = gram.Set(learned.Lambda)
		}
	}
	p, err := c.problem(ctx, samples, y, w)
	if err != nil {
		return nil, err
	}
	p.stats.Widths = learning
	begin := time.Now()
	best, err := p.choose(ctx)
	if err != nil {
		return nil, err
	}
	m := p.model(best)
	m.stats.SolveSeconds = time.Since(begin).Seconds()
	return m, nil
}

// problem is what does not depend on λ.
type problem struct {
	c      Config
	points *mat.Dense // rows of the fit or landmarks
	rhs    *mat.Dense // n×1, the targets less their mean if there is a bias, and n×2 with a column of ones then
	mean   float64
	noise  []float64      // 1/w
	k      *mat.Dense     // Exact: kernel matrix
	root   blas64.General // landmarks: the factor UᵀU of K(u,u)
	v      *mat.Dense     // landmarks: n×m, K(x,u)·U⁻¹, so that Q = V·Vᵀ
	rest   []float64      // FITC: the diagonal of K − Q; else zeros
	scale  float64        // mean of the diagonal of K
	stats  Stats
	meter  *gram.Meter
}

func (c Config) problem(ctx context.Context, x gram.Samples[float64], y, w []float64) (*problem, error) {
	begin := time.Now()
	p := &problem{c: c, meter: c.Meter()}
	var total float64
	every := make([]int, len(y))
	for i := range y {
		v := 1.0
		if w != nil {
			v = w[i]
		}
		every[i] = i
		p.noise = append(p.noise, 1/v)
		if !c.NoBias {
			p.mean += v * y[i]
			total += v
		}
	}
	n := len(y)
	p.stats.Rows = n
	columns := 1
	if !c.NoBias {
		p.mean /= total
		columns = 2
	}
	data := rows.Dense(x, every)
	p.rhs = mat.NewDense(n, columns, nil)
	diagonal := make([]float64, n)
	for i, v := range y {
		p.rhs.Set(i, 0, v-p.mean)
		if !c.NoBias {
			p.rhs.Set(i, 1, 1)
		}
	}
	kernel.Diagonal(diagonal, c.Kernel, gram.Of(data))
	for _, v := range diagonal {
		p.scale += v / float64(n)
	}
	if !(p.scale > 0) {
		p.scale = 1
	}
	var err error
	if c.Approximation == Exact {
		p.points, p.k = data, mat.NewDense(n, n, nil)
		err = p.fill(ctx, p.k, data)
	} else {
		err = p.project(ctx, data, w, diagonal)
	}
	if err != nil {
		return nil, err
	}
	p.stats.KernelSeconds = time.Since(begin).Seconds()
	return p, nil
}

// project chooses landmarks among the rows of data and sets points, root, v and rest; diagonal holds K(x,x) for the rows of data.
func (p *problem) project(ctx context.Context, data *mat.Dense, w, diagonal []float64) error {
	c, n := p.c, len(diagonal)
	chosen, err := c.Landmarks.Select(ctx, c.Kernel, data, w, min(c.M, max(n, selection.NumFixed(c.Landmarks))), c.Run)
	if err != nil {
		return err
	}
	p.points = chosen.U
	m, _ := p.points.Dims()
	core := mat.NewDense(m, m, nil)
	if err := p.fill(ctx, core, p.points); err != nil {
		return err
	}
	var trace float64
	for i := range m {
		trace += core.At(i, i)
	}
	for i := range m {
		core.Set(i, i, core.At(i, i)+1e-12*trace)
	}
	if err := solve.Cholesky(ctx, core, gram.Run{}.Meter()); err != nil {
		return err
	}
	p.root = core.RawMatrix()
	p.v = mat.NewDense(n, m, nil)
	if err := p.fill(ctx, p.v, data); err != nil {
		return err
	}
	if err := p.eachPiece(ctx, n, m, func(lo, hi int) {
		blas64.Trsm(blas.Right, blas.NoTrans, 1, upper(p.root), p.v.Slice(lo, hi, 0, m).(*mat.Dense).RawMatrix())
	}); err != nil {
		return err
	}
	p.rest = make([]float64, n)
	if c.Approximation == FITC {
		for i := range p.rest {
			row := p.v.RawRowView(i)
			p.rest[i] = max(0, diagonal[i]-linalg.Dot(row, row))
		}
	}
	return nil
}

// eachPiece calls use for pieces of n rows, each of which takes width² operations, and looks at
// ctx between them.
func (p *problem) eachPiece(ctx context.Context, n, width int, use func(lo, hi int)) error {
	piece := max(1, min(n, int(2e7/(float64(width)*float64(width)+1))))
	for lo := 0; lo < n; lo += piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		use(lo, min(lo+piece, n))
	}
	return ctx.Err()
}

// fill sets dst to the kernel values of the rows of x with the points.
func (p *problem) fill(ctx context.Context, dst, x *mat.Dense) error {
	n, d := x.Dims()
	m, _ := p.points.Dims()
	block := kernel.Against[float64](p.c.Kernel, p.points).Limit(p.c.Workers)
	piece := max(1, min(n, int(1e8/(float64(m)*float64(d+16)))))
	for lo := 0; lo < n; lo += piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+piece, n)
		block.Fill(gram.View(dst.Slice(lo, hi, 0, m).(*mat.Dense)), gram.Of(x).Slice(lo, hi))
		p.meter.Report(gram.Event{Phase: "kernel values", Done: int64(hi), Total: int64(n)})
	}
	return nil
}

// solution is what the fit needs of one λ.
type solution struct {
	lambda     float64
	likelihood float64
	amplitude  float64
	bias       float64        // of the targets less their mean
	ones       float64        // 1ᵀC⁻¹1 with a bias
	coef       *mat.Dense     // columns: C⁻¹y and C⁻¹1 as coefficients of the points
	factor     blas64.General // Exact: of C; landmarks: of I + VᵀΛ⁻¹V
}

// solve returns the solution for one λ, by the kernel matrix of all rows if there is one, otherwise by the landmarks.
func (p *problem) solve(ctx context.Context, lambda float64) (*solution, error) {
	if p.k != nil {
		return p.exact(ctx, lambda)
	}
	return p.approximate(ctx, lambda)
}

// exact solves for one λ with the kernel matrix of all rows: it factors C = K + diag(λ/w).
func (p *problem) exact(ctx context.Context, lambda float64) (*solution, error) {
	c := mat.DenseCopyOf(p.k)
	for i, v := range p.noise {
		c.Set(i, i, c.At(i, i)+lambda*v)
	}
	s := &solution{lambda: lambda, factor: c.RawMatrix(), coef: mat.DenseCopyOf(p.rhs)}
	if err := solve.Cholesky(ctx, c, gram.Run{}.Meter()); err != nil {
		return nil, err
	}
	u, z := upper(s.factor), s.coef.RawMatrix()
	blas64.Trsm(blas.Left, blas.Trans, 1, u, z)
	p.finish(s, products(s.coef, s.coef, nil), logDeterminant(s.factor))
	blas64.Trsm(blas.Left, blas.NoTrans, 1, u, z)
	return s, nil
}

// approximate factors B = I + VᵀΛ⁻¹V for C = VVᵀ + Λ: C⁻¹ = Λ⁻¹ − Λ⁻¹VB⁻¹VᵀΛ⁻¹ and |C| =
// |B|·|Λ|. The coefficients of the landmarks are U⁻¹B⁻¹VᵀΛ⁻¹rhs.
func (p *problem) approximate(ctx context.Context, lambda float64) (*solution, error) {
	n, m := p.v.Dims()
	_, columns := p.rhs.Dims()
	inverse, determinant := make([]float64, n), 0.0
	for i, v := range p.noise {
		l := lambda*v + p.rest[i]
		determinant += math.Log(l)
		inverse[i] = 1 / l
	}
	b, s := mat.NewDense(m, m, nil), &solution{lambda: lambda, coef: mat.NewDense(m, columns, nil)}
	for i := range m {
		b.Set(i, i, 1)
	}
	scaled := mat.NewDense(min(n, max(1, int(2e7/(float64(m)*float64(m)+1)))), m, nil)
	if err := p.eachPiece(ctx, n, m, func(lo, hi int) {
		part := scaled.Slice(0, hi-lo, 0, m).(*mat.Dense)
		for i := lo; i < hi; i++ {
			to := part.RawRowView(i - lo)
			for j, v := range p.v.RawRowView(i) {
				to[j] = inverse[i] * v
			}
		}
		v := p.v.Slice(lo, hi, 0, m).(*mat.Dense).RawMatrix()
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, part.RawMatrix(), v, 1, b.RawMatrix())
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, part.RawMatrix(), p.rhs.Slice(lo, hi, 0, columns).(*mat.Dense).RawMatrix(), 1, s.coef.RawMatrix())
	}); err != nil {
		return nil, err
	}
	if err := solve.Cholesky(ctx, b, gram.Run{}.Meter()); err != nil {
		return nil, err
	}
	s.factor = b.RawMatrix()
	z := s.coef.RawMatrix()
	blas64.Trsm(blas.Left, blas.Trans, 1, upper(s.factor), z)
	q := products(p.rhs, p.rhs, inverse)
	for k, v := range products(s.coef, s.coef, nil) {
		q[k] -= v
	}
	p.finish(s, q, determinant+logDeterminant(s.factor))
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upper(s.factor), z)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upper(p.root), z)
	return s, nil
}

// products returns aᵀDa for the columns of an n×1 or n×2 matrix: the elements (0,0), (0,1),
// (1,1).
func products(a, b *mat.Dense, d []float64) [3]float64 {
	var out [3]float64
	n, columns := a.Dims()
	for i := range n {
		x, y, f := a.RawRowView(i), b.RawRowView(i), 1.0
		if d != nil {
			f = d[i]
		}
		out[0] += f * x[0] * y[0]
		if columns > 1 {
			out[1] += f * x[0] * y[1]
			out[2] += f * x[1] * y[1]
		}
	}
	return out
}

// finish sets the amplitude, the constant and the likelihood from rhsᵀC⁻¹rhs and ln|C|.
func (p *problem) finish(s *solution, q [3]float64, determinant float64) {
	free := float64(p.stats.Rows)
	square := q[0]
	if !p.c.NoBias {
		s.ones, s.bias = q[2], q[1]/q[2]
		square -= q[1] * s.bias
		free--
		determinant += math.Log(q[2])
	}
	// Targets that the constant explains have no amplitude; the least number keeps logarithms finite.
	s.amplitude = max(square/max(free, 1), math.SmallestNonzeroFloat64)
	s.likelihood = -.5 * (free*math.Log(2*math.Pi*s.amplitude) + determinant + square/s.amplitude)
}

// choose returns the solution for the λ that is given, or else for that of the largest
// likelihood in units of the kernel's diagonal.
func (p *problem) choose(ctx context.Context) (*solution, error) {
	try := func(lambda float64) (*solution, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.stats.Evaluations++
		s, err := p.solve(ctx, lambda)
		e := gram.Event{Phase: phase, Done: int64(p.stats.Evaluations), Total: max(evaluations, int64(p.stats.Evaluations)+1)}
		if err == nil {
			e.Objective = s.likelihood
		}
		p.meter.Report(e)
		return s, err
	}
	if p.c.Lambda.Given() {
		return try(p.c.Lambda.Value())
	}
	var best *solution
	var none error // why there is no solution
	err := maximizeByParabolas(-8, 3, 12, func(decade float64) (float64, error) {
		s, err := try(p.scale * math.Pow(10, decade))
		var pd *gram.NotPDError
		switch {
		case errors.As(err, &pd):
			none = err
			return math.Inf(-1), nil
		case err != nil:
			return 0, err
		}
		if best == nil || s.likelihood > best.likelihood && s.lambda >= best.lambda || s.likelihood > best.likelihood+indifferent {
			best = s
		}
		return s.likelihood, nil
	})
	if err != nil {
		return nil, err
	}
	if best == nil {
		return nil, none
	}
	count := int64(p.stats.Evaluations)
	p.meter.Report(gram.Event{Phase: phase, Done: count, Total: count, Objective: best.likelihood})
	return best, nil
}

func upper(a blas64.General) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: a.Rows, Stride: a.Stride, Data: a.Data}
}

// logDeterminant returns ln|UᵀU| for an upper triangular U with a positive diagonal.
func logDeterminant(u blas64.General) float64 {
	var sum float64
	for i := range u.Rows {
		sum += 2 * math.Log(u.Data[i*u.Stride+i])
	}
	return sum
}
