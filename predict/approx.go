package predict

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// compiler holds one call of Compile.
type compiler struct {
	ctx   context.Context
	o     Options
	exact *form
	names []string // nil: values
	pairs bool

	fit, held   mat.Matrix // rows to fit to, and rows to judge by
	want, judge *mat.Dense // the model's outputs for them
}

// prepare splits the rows and computes the model's outputs.
func (c *compiler) prepare() error {
	x := c.o.Points
	if x == nil {
		x = c.exact.points
	}
	x = rows.Of(x)
	n, _ := x.Dims()
	if n < 5*leastHeld {
		return &gram.ConfigError{Field: "Points", Value: n, Want: "100 rows at least for an approximation"}
	}
	pick := rng.New(rng.Derive(c.o.Seed, "points"), 0).Perm(n)[:min(n, pointLimit)]
	cut := len(pick) / 5
	c.held, c.fit = rows.Select(x, pick[:cut]), rows.Select(x, pick[cut:])
	p := newProgram[float64](c.exact)
	var err error
	if c.judge, err = evaluate(c.ctx, c.o.Workers, p, c.held); err != nil {
		return err
	}
	c.want, err = evaluate(c.ctx, c.o.Workers, p, c.fit)
	return err
}

// approximate returns the form of a method.
func (c *compiler) approximate(o Options) (*form, Stats, error) {
	run := c.o.Run
	run.Seed = rng.Derive(c.o.Seed, o.Method.String())
	var phi gram.FeatureMap
	var err error
	switch o.Method {
	case RFF:
		phi, err = rff.Config{Kernel: c.exact.kernel, M: o.M, Run: run}.Fit(c.ctx, c.exact.points)
	case FastNys:
		d, _ := c.exact.dims()
		cfg := fastnys.Config{Kernel: c.exact.kernel, M: o.M, Rows: perSeed(d), Sample: seedSample, Cut: c.cut(), Run: run}
		phi, err = cfg.FitWeighted(c.ctx, c.exact.points, c.mass())
	case DCPred:
		cfg := pseudo.Config{Kernel: c.exact.kernel, M: o.M, P: products(o.M), Run: run}
		if c.o.Precision == Float32 {
			cfg.Cut = 1e-4
		}
		phi, err = cfg.FitWeighted(c.ctx, c.exact.points, c.mass())
	default:
		phi, err = c.nystrom(o.M, run)
	}
	if err != nil {
		return nil, Stats{}, err
	}
	w, bias, stats, err := c.correct(phi, run)
	if err != nil {
		return nil, Stats{}, err
	}
	f, err := formOf(weights{phi, w, bias})
	return f, stats, err
}

// weights is a linear model on features.
type weights struct {
	phi  gram.FeatureMap
	w    *mat.Dense
	bias []float64
}

func (m weights) Weights() (*mat.Dense, []float64) { return m.w, m.bias }
func (m weights) Map() gram.FeatureMap             { return m.phi }

// mass returns ‖coef_j‖² for every point of the machine.
func (c *compiler) mass() []float64 {
	mass := make([]float64, c.exact.size())
	for j := range mass {
		for _, v := range c.exact.coef.RawRowView(j) {
			mass[j] += v * v
		}
	}
	return mass
}

// cut is where the eigenvalues of W end, relative to the largest: smaller ones
// would make coefficients that cancel, and cost what digits there are.
func (c *compiler) cut() float64 {
	if c.o.Precision == Float32 {
		return 1e-6
	}
	return 1e-10
}

// nystrom returns features of landmarks among the machine's points.
func (c *compiler) nystrom(m int, run gram.Run) (*nystrom.Model, error) {
	cfg := nystrom.Config{Kernel: c.exact.kernel, Landmarks: landmark.KMeans{}, M: m, Cut: c.cut(), Run: run}
	if m == c.exact.size() {
		cfg.Landmarks = landmark.Fixed{U: c.exact.points}
	}
	return cfg.FitWeighted(c.ctx, c.exact.points, c.mass())
}

// penalties are tried for the correction, per row and in units of the mean
// squared length of the features.
var penalties = []float64{1e-2, 1e-4, 1e-6, 1e-8}

// correct returns the linear function of the features that stands for the
// machine: its expansion in the features and the correction that does best on
// the rows kept out.
func (c *compiler) correct(phi gram.FeatureMap, run gram.Run) (*mat.Dense, []float64, Stats, error) {
	_, p := phi.Dims()
	_, k := c.exact.dims()
	fitted, _ := c.fit.Dims()
	held, _ := c.held.Dims()
	need := 8 * (int64(p)*int64(fitted+held+3*p+2*k) + 4*int64(k)*int64(fitted+held))
	if err := run.Check(gram.Plan{PeakBytes: need}); err != nil {
		return nil, nil, Stats{}, err
	}
	w := mat.NewDense(p, k, nil)
	const block = 1024
	for lo := 0; lo < c.exact.size(); lo += block {
		if err := c.ctx.Err(); err != nil {
			return nil, nil, Stats{}, err
		}
		hi := min(lo+block, c.exact.size())
		part := phi.Map(nil, rows.Slice(c.exact.points, lo, hi))
		rows.AddMulTrans(w, part, c.exact.coef.Slice(lo, hi, 0, k).(*mat.Dense))
	}
	onFit, err := solve.Features(c.ctx, phi, c.fit)
	if err != nil {
		return nil, nil, Stats{}, err
	}
	onHeld, err := solve.Features(c.ctx, phi, c.held)
	if err != nil {
		return nil, nil, Stats{}, err
	}
	rest, left := residual(c.want, onFit, w, c.exact.bias), residual(c.judge, onHeld, w, c.exact.bias)
	var size float64
	for i := range fitted {
		size += rows.SumSquares(onFit, i)
	}
	size /= float64(fitted)
	bias := append([]float64(nil), c.exact.bias...)
	best, penalty := mat.Norm(left, 2), math.Inf(1)
	var model *linear.Regressor
	for _, lambda := range penalties {
		if !(size*lambda > 0) {
			continue
		}
		r, err := linear.Ridge{Lambda: size * lambda, Penalty: solve.PerRow, Solver: linear.Cholesky, Run: run}.FitAll(c.ctx, nil, onFit, rest, nil)
		if err != nil {
			return nil, nil, Stats{}, err
		}
		var e mat.Dense
		e.Sub(left, r.PredictAll(nil, onHeld))
		if norm := mat.Norm(&e, 2); norm < best {
			best, penalty, model = norm, size*lambda, r
		}
	}
	if model != nil {
		dw, db := model.Weights()
		w.Add(w, dw)
		for t, b := range db {
			bias[t] += b
		}
		left.Sub(left, model.PredictAll(nil, onHeld))
	}
	return w, bias, c.figures(left, fitted, penalty), nil
}

// residual is y − Φw − b.
func residual(y, phi, w *mat.Dense, bias []float64) *mat.Dense {
	var r mat.Dense
	r.Mul(phi, w)
	r.Sub(y, &r)
	n, _ := r.Dims()
	for i := range n {
		row := r.RawRowView(i)
		for t, b := range bias {
			row[t] -= b
		}
	}
	return &r
}

// figures compares the approximation, which leaves what is in left, with the
// model on the rows kept out.
func (c *compiler) figures(left *mat.Dense, fitted int, penalty float64) Stats {
	n, k := left.Dims()
	s := Stats{Rows: fitted, Held: n, Agreement: 1, Penalty: penalty}
	var total float64
	for t := range k {
		var mean, spread float64
		for i := range n {
			mean += c.judge.At(i, t) / float64(n)
		}
		for i := range n {
			v := c.judge.At(i, t) - mean
			spread += v * v
		}
		total += spread
	}
	if e := mat.Norm(left, 2); e > 0 {
		s.Error = e / math.Sqrt(total)
	}
	if c.names == nil {
		return s
	}
	equal := 0
	got, votes := make([]float64, k), space(c.names, c.pairs)
	for i := range n {
		for t := range got {
			got[t] = c.judge.At(i, t) - left.At(i, t)
		}
		if classOf(got, votes) == classOf(c.judge.RawRowView(i), votes) {
			equal++
		}
	}
	s.Agreement = float64(equal) / float64(n)
	return s
}
