package linear

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Solver is the method of a ridge regression.
type Solver uint8

const (
	// Auto selects Cholesky for at most 4096 features, else CG.
	Auto Solver = iota
	// Cholesky factors the matrix of the normal equations, which is summed in a Normal. It
	// takes p² numbers, n·p² flops and one pass over the features.
	Cholesky
	// CG is conjugate gradients. A step takes two products with the features.
	CG
)

// String returns the name as the command line takes it.
func (s Solver) String() string { return enum.Name(s, "auto", "cholesky", "cg") }

// Ridge holds the settings of ridge regression
//
//	min Σ w_i(y_i − ⟨w,φ_i⟩ − b)² + λ‖w‖²,
//
// where λ is Lambda or Lambda·Σw_i, depending on Penalty. The constant b is not
// penalized.
type Ridge struct {
	Lambda   gram.Opt[float64] // default 1e-3; 0: least squares, with the solution of least norm if there are several
	Penalty  solve.Penalty     // default solve.Total: λ is not multiplied by the number of rows
	NoBias   bool              // b = 0
	Solver   Solver
	Tol      float64 // for CG: relative residual; default 1e-8
	MaxIter  int     // for CG: largest number of steps; default as for solve.CG
	Given    Given   `json:"-"`
	gram.Run `json:"-"`
}

// Given holds the cut of the rows into the pieces of a fit from several files or machines.
type Given struct {
	// Items are the numbers of rows of consecutive pieces. Cholesky's method then sums each
	// piece by itself and merges the sums as a program does that adds the pieces to states
	// and calls MergeAll, so that the model has the same bits. Nil means one piece.
	Items []int
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Ridge) Settings(s *settings.Fields) {
	s.OptFloat(&c.Lambda, "lambda", "weight of the squared norm; 0: none").Default(1e-3).AtLeast(0).SearchLog(1e-6, 10)
	solve.Setting(s, &c.Penalty)
	s.Bool(&c.NoBias, "no-bias", "no constant")
	if s.Resolving() && c.Solver == Auto {
		c.Solver = CG
		if s.Shape.D <= 4096 {
			c.Solver = Cholesky
		}
	}
	settings.Choice(s, &c.Solver, "solver", "solver of the normal equations; auto: cholesky up to 4096 features, then cg", Auto, Cholesky, CG)
	s.Float(&c.Tol, "tol", "cg: relative residual").Default(1e-8).Above(0)
	s.Int(&c.MaxIter, "max-iter", "cg: steps; 0: as many as the size of the problem suggests").AtLeast(0)
}

// RidgeStats holds figures of a finished ridge regression, for reports and comparisons.
type RidgeStats struct {
	Features       int
	Stored         bool    // whether the features were kept in memory
	Lambda         float64 // the number that was added to the diagonal
	EffectiveRank  int     // rank of the normal equations; less than Features only if λ is 0, or lost in round-off, and Cholesky's method failed
	Iterations     int     // CG: number of steps
	Residual       float64 // CG: relative residual
	FeatureSeconds float64 // time to map all rows once; 0 if they are not stored
	SolveSeconds   float64
}

// Regressor holds one or several linear functions of features. It keeps the feature map
// it was trained with. It is safe for concurrent use.
type Regressor struct {
	m     gram.FeatureMap
	cfg   Ridge
	w     *mat.Dense // p×t
	bias  []float64
	use   functions
	stats RidgeStats
}

var _ gram.Regressor = (*Regressor)(nil)

// Plan returns the expected cost of Fit for data of shape s with features of m.
func (c Ridge) Plan(m gram.FeatureMap, s gram.Shape) (gram.Plan, error) {
	p, err := width(m, s.D)
	if err != nil {
		return gram.Plan{}, err
	}
	if c, err = settings.Resolved(c, gram.Shape{D: p}); err != nil {
		return gram.Plan{}, err
	}
	plan, _, err := c.plan(m, s, p, 0)
	return plan, err
}

func (c Ridge) plan(m gram.FeatureMap, s gram.Shape, p int, extra int64) (gram.Plan, bool, error) {
	t := int64(max(1, s.Outputs))
	n, pp := int64(s.N), int64(p)
	plan := gram.Plan{ModelBytes: 8 * pp * t, PeakBytes: extra + 8*n*t}
	var name string
	if c.Solver == Cholesky {
		name = "ridge regression by Cholesky's method"
		plan.Flops = float64(n)*float64(pp)*float64(pp+2*t) + float64(pp*pp)*float64(pp)/3
		plan.PeakBytes += 8 * (2*pp*pp + 2*int64(min(s.N, mapRows))*pp + 2*pp*t)
	} else {
		name = "ridge regression by conjugate gradients"
		entries := float64(n) * float64(pp)
		if m == nil && s.NNZ > 0 {
			entries = float64(s.NNZ)
		}
		plan.Flops = 4 * entries * float64(t) * 100
		plan.PeakBytes += 8 * 6 * pp * t
	}
	how, store := addFeatures(c.Run, &plan, m, s.N, p)
	plan.Description = fmt.Sprintf("%s on %d features", name, p)
	if m != nil {
		plan.Description += ", " + how
	}
	return plan, store, nil
}

// check returns an error unless the items are n rows together.
func (g Given) check(n int) error {
	total := 0
	for _, k := range g.Items {
		if k < 1 || k > n-total {
			return settings.Refuse("Given.Items", k, "positive numbers whose sum is the number of rows, %d", n)
		}
		total += k
	}
	if g.Items != nil && total != n {
		return settings.Refuse("Given.Items", fmt.Sprintf("numbers with the sum %d", total), "numbers whose sum is the number of rows, %d", n)
	}
	return nil
}

// Fit trains on the features that m computes from the rows of x; if m is nil, the
// features are x itself. w are weights of the rows; nil means ones. Fit neither keeps nor
// changes x; the model keeps m. If CG does not reach the residual, or ctx ends the fit
// after the first pass of CG, Fit returns the model so far with a *gram.ConvergenceError
// or ctx.Err().
func (c Ridge) Fit(ctx context.Context, m gram.FeatureMap, x mat.Matrix, y, w []float64) (*Regressor, error) {
	n, _ := check.Dims(x)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if len(y) != n {
		return nil, check.Target(y, n)
	}
	return c.FitAll(ctx, m, x, mat.NewDense(n, 1, y), w)
}

// FitAll is Fit for several targets at once, the columns of the n×t matrix y.
func (c Ridge) FitAll(ctx context.Context, m gram.FeatureMap, x mat.Matrix, y *mat.Dense, w []float64) (*Regressor, error) {
	n, d := check.Dims(x)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	p, err := width(m, d)
	if err != nil {
		return nil, err
	}
	if c, err = settings.Resolved(c, gram.Shape{D: p}); err != nil {
		return nil, err
	}
	_, outputs := check.Dims(y)
	s, store, err := samples(c.Run, x, outputs, func(s gram.Shape, extra int64) (gram.Plan, bool, error) { return c.plan(m, s, p, extra) })
	if err != nil {
		return nil, err
	}
	if err := check.Targets(y, n); err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	if err := c.Given.check(n); err != nil {
		return nil, err
	}
	start := time.Now()
	src, err := newSource(ctx, m, s, store, c.Meter())
	if err != nil {
		return nil, err
	}
	model := &Regressor{m: m, cfg: c, stats: RidgeStats{Features: p, Stored: store, EffectiveRank: p}}
	if m != nil && store {
		model.stats.FeatureSeconds = time.Since(start).Seconds()
	}
	start = time.Now()
	if c.Solver == Cholesky {
		sums, err := c.sums(ctx, src, y, w)
		if err != nil {
			return nil, err
		}
		err = model.solve(ctx, sums)
		model.stats.SolveSeconds = time.Since(start).Seconds()
		if err != nil {
			return nil, err
		}
		return model, nil
	}
	q := &quadratic{src: src, y: y, w: w, outputs: outputs, bias: !c.NoBias}
	if err := q.means(ctx); err != nil {
		return nil, err
	}
	model.stats.Lambda = c.Penalty.Scale(c.Lambda.Value(), q.total)
	if model.w, err = q.cg(ctx, c, &model.stats); model.w == nil {
		return nil, err
	}
	model.finish(q.mean, q.yMean)
	model.stats.SolveSeconds = time.Since(start).Seconds()
	return model, err
}

// finish computes the constants from the means of the features and of the targets.
func (m *Regressor) finish(mean, target []float64) {
	m.use = through(m.m, m.w)
	m.bias = make([]float64, len(target))
	if m.cfg.NoBias {
		return
	}
	for t := range m.bias {
		m.bias[t] = target[t]
		for j, v := range mean {
			m.bias[t] -= v * m.w.At(j, t)
		}
	}
}

// quadratic is the problem with features and targets centered at their weighted means,
// which eliminates the constant. In a problem without a constant the means are zero.
type quadratic struct {
	src     *source
	y       *mat.Dense
	w       []float64
	outputs int
	bias    bool
	total   float64 // sum of the weights
	mean    []float64
	yMean   []float64
}

func (q *quadratic) weight(i int) float64 {
	if q.w == nil {
		return 1
	}
	return q.w[i]
}

// means computes the means. Those of the features take a pass of their own,
// because subtracting them afterwards from sums of products would cost digits.
func (q *quadratic) means(ctx context.Context) error {
	q.mean, q.yMean = make([]float64, q.src.p), make([]float64, q.outputs)
	for i := range q.src.n {
		w := q.weight(i)
		q.total += w
		for t, v := range q.y.RawRowView(i) {
			q.yMean[t] += w * v
		}
	}
	if !q.bias {
		clear(q.yMean)
		return nil
	}
	for t := range q.yMean {
		q.yMean[t] /= q.total
	}
	err := q.src.each(ctx, func(phi gram.Samples[float64], lo, hi int) {
		for i := lo; i < hi; i++ {
			rows.Add(q.mean, q.weight(i), phi, i-lo)
		}
	})
	blas64.Scal(1/q.total, linalg.Vector(q.mean))
	return err
}

// sums returns the sums over all rows, in blocks and, if items are given, in their tree.
func (c Ridge) sums(ctx context.Context, src *source, y *mat.Dense, w []float64) (*Normal, error) {
	_, outputs := y.Dims()
	meter, items := c.Meter(), c.Given.Items
	if items == nil {
		items = []int{src.n}
	}
	tree := num.Tree[*Normal]{Merge: mergeNormals}
	first := 0
	for _, n := range items {
		s := NewNormal(src.p, outputs, c.NoBias)
		err := src.eachOf(ctx, first, first+n, func(phi gram.Samples[float64], lo, hi int) {
			var weights []float64
			if w != nil {
				weights = w[lo:hi]
			}
			s.add(phi, y.Slice(lo, hi, 0, outputs).(*mat.Dense), weights)
			meter.Report(gram.Event{Phase: "normal equations", Done: int64(hi), Total: int64(src.n)})
		})
		if err != nil {
			return nil, err
		}
		if err := tree.Add(s); err != nil {
			return nil, err
		}
		first += n
	}
	return tree.Result()
}

// Solve returns the ridge regression of the rows that were added to s, whose features m has
// computed; nil means that the features are the data. It solves by Cholesky's method
// regardless of the number of features, and the setting CG is an error. With the rows added
// as Fit does, in blocks of BlockRows, the model has the bits of Fit. s is destroyed, which
// saves memory for p² numbers.
func (c Ridge) Solve(ctx context.Context, m gram.FeatureMap, s *Normal) (*Regressor, error) {
	if s.rows == 0 {
		return nil, check.Rows(0)
	}
	d := s.p
	if m != nil {
		d, _ = m.Dims()
	}
	p, err := width(m, d)
	if err != nil {
		return nil, err
	}
	switch {
	case p != s.p:
		return nil, settings.Refuse("feature map", fmt.Sprintf("of %d features", p), "one of %d, as the sums have", s.p)
	case c.NoBias != s.noBias:
		return nil, settings.Refuse("NoBias", c.NoBias, "%v, as the sums have it", s.noBias)
	case c.Solver == CG:
		return nil, settings.Refuse("Solver", c.Solver, "auto or cholesky for sums over the rows")
	}
	c.Solver = Cholesky
	c.Given = Given{}
	if c, err = settings.Resolved(c, gram.Shape{D: p}); err != nil {
		return nil, err
	}
	model := &Regressor{m: m, cfg: c, stats: RidgeStats{Features: p, EffectiveRank: p}}
	start := time.Now()
	err = model.solve(ctx, s)
	model.stats.SolveSeconds = time.Since(start).Seconds()
	if err != nil {
		return nil, err
	}
	return model, nil
}

// solve solves the normal equations and destroys s. If they are singular, because λ is 0 or
// lost in round-off, it computes the solution of least norm.
func (m *Regressor) solve(ctx context.Context, s *Normal) error {
	m.stats.Lambda = m.cfg.Penalty.Scale(m.cfg.Lambda.Value(), s.total)
	a, b := mat.NewSymDense(s.p, s.a), s.right()
	for i := range s.p {
		a.SetSym(i, i, a.At(i, i)+m.stats.Lambda)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var chol mat.Cholesky
	m.w = mat.NewDense(s.p, s.t, nil)
	factored := chol.Factorize(a) && chol.Cond() < 1e15
	if err := ctx.Err(); err != nil {
		return err
	}
	if factored {
		err := chol.SolveTo(m.w, b)
		if c := mat.Condition(0); err != nil && !errors.As(err, &c) {
			return err
		}
		m.finish(s.mean, s.target)
		return nil
	}
	root, values, err := solve.InvSqrt(ctx, a, 0, 0)
	if large := (*gram.DataError)(nil); errors.As(err, &large) { // an entry of a, not a cell
		return fmt.Errorf("the sum of products of columns %d and %d is %v: their numbers are too large, scale the columns", large.Row+1, large.Col+1, large.Value)
	}
	if err != nil {
		return err
	}
	m.stats.EffectiveRank = len(values)
	var t mat.Dense
	t.Mul(root.T(), b)
	m.w.Mul(root, &t)
	m.finish(s.mean, s.target)
	return nil
}

// cg solves the normal equations by conjugate gradients without forming them.
func (q *quadratic) cg(ctx context.Context, c Ridge, st *RidgeStats) (*mat.Dense, error) {
	p, outputs := q.src.p, q.outputs
	b, w := mat.NewDense(p, outputs, nil), mat.NewDense(p, outputs, nil)
	buf := mat.NewDense(min(mapRows, q.src.n), outputs, nil)
	err := q.src.each(ctx, func(phi gram.Samples[float64], lo, hi int) {
		r := buf.Slice(0, hi-lo, 0, outputs).(*mat.Dense)
		for i := lo; i < hi; i++ {
			for t, v := range q.y.RawRowView(i) {
				r.Set(i-lo, t, q.weight(i)*(v-q.yMean[t]))
			}
		}
		q.back(b, phi, r)
	})
	if err != nil {
		return nil, err
	}
	meter := c.Meter()
	op := &normalMatrix{q: q, ctx: ctx}
	res, err := solve.CG(ctx, w, op, st.Lambda, b, solve.Options{Tol: c.Tol, MaxIter: c.MaxIter, Progress: meter.Report})
	st.Iterations = res.Iter
	for _, v := range res.Residual {
		st.Residual = max(st.Residual, v)
	}
	if op.err != nil {
		err = op.err
	}
	var pd *gram.NotPDError
	if errors.As(err, &pd) { // without a penalty the last directions may consist of round-off
		err = &gram.ConvergenceError{Iter: res.Iter, Residual: st.Residual, Tol: c.Tol}
	}
	return w, err
}

// back adds Φ_cᵀ·r to dst, where Φ_c are the centered features.
func (q *quadratic) back(dst *mat.Dense, phi gram.Samples[float64], r *mat.Dense) {
	rows.AddMulTrans(dst, phi, r)
	if !q.bias {
		return
	}
	n, outputs := r.Dims()
	for t := range outputs {
		var s float64
		for i := range n {
			s += r.At(i, t)
		}
		for j, v := range q.mean {
			dst.Set(j, t, dst.At(j, t)-s*v)
		}
	}
}

// normalMatrix is the matrix Φ_cᵀ·S·Φ_c for centered features Φ_c.
type normalMatrix struct {
	q   *quadratic
	ctx context.Context
	err error
}

// Dim is the number of features.
func (o *normalMatrix) Dim() int { return o.q.src.p }

// Apply sets dst to the product of the matrix with x.
func (o *normalMatrix) Apply(dst, x *mat.Dense) {
	q := o.q
	dst.Zero()
	_, k := x.Dims()
	shift := make([]float64, k)
	if q.bias {
		for j, v := range q.mean {
			for t, u := range x.RawRowView(j) {
				shift[t] += v * u
			}
		}
	}
	buf := mat.NewDense(min(mapRows, q.src.n), k, nil)
	err := q.src.each(o.ctx, func(phi gram.Samples[float64], lo, hi int) {
		r := buf.Slice(0, hi-lo, 0, k).(*mat.Dense)
		rows.Mul(r, phi, x)
		for i := lo; i < hi; i++ {
			row := r.RawRowView(i - lo)
			for t, v := range row {
				row[t] = q.weight(i) * (v - shift[t])
			}
		}
		q.back(dst, phi, r)
	})
	if err != nil && o.err == nil {
		o.err = err
	}
}

// Predict returns the value of the first function for every row.
func (m *Regressor) Predict(dst []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, n)
	}
	if len(dst) != n {
		panic("linear: the destination has the wrong length")
	}
	if n == 0 {
		return dst
	}
	t := len(m.bias)
	if t == 1 {
		m.PredictAll(mat.NewDense(n, 1, dst), x)
		return dst
	}
	all, step := gram.Of(x), rows.BlockRows(n, t)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		block := rows.Borrow(hi-lo, t)
		m.PredictAll(block, all.Slice(lo, hi))
		for i := lo; i < hi; i++ {
			dst[i] = block.At(i-lo, 0)
		}
		rows.Return(block)
	}
	return dst
}

// PredictAll returns the n×t values of all functions.
func (m *Regressor) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	p, t := m.w.Dims()
	dst = rows.Destination("linear", dst, x, inputs(m.m, p), t)
	scores(dst, m.use, x, m.bias)
	return dst
}

// Weights returns the p×t matrix of coefficients and the t constants. They are
// the model's own and must not be changed.
func (m *Regressor) Weights() (w *mat.Dense, bias []float64) { return m.w, m.bias }

// On returns the same functions on the features of raw; see Classifier.On.
func (m *Regressor) On(raw gram.FeatureMap, a *mat.Dense) *Regressor {
	c := *m
	c.m, c.w = raw, folded(raw, a, m.w)
	c.use = through(c.m, c.w)
	return &c
}

// Map returns the feature map the model was trained with, nil if it has none.
func (m *Regressor) Map() gram.FeatureMap { return m.m }

// Config returns the settings with all defaults filled in.
func (m *Regressor) Config() Ridge { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Regressor) Stats() RidgeStats { return m.stats }

// Encode writes the settings and the linear functions. It does not write the feature
// map, which the caller must store separately.
func (m *Regressor) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// DecodeRegressor reads what Regressor.Encode wrote. m is the feature map the model was
// trained with, nil if it had none.
func DecodeRegressor(f *modelfile.File, m gram.FeatureMap) (*Regressor, error) {
	return modelfile.Get(f, &Regressor{m: m}, (*Regressor).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Regressor) form(x *modelfile.Exchange) {
	x.Header("linear.ridge", 1, &m.cfg, modelfile.Retired("NoPenalty"))
	exchange(x, m.m, &m.w, &m.bias, -1)
	if x.Reading() {
		_, k := m.w.Dims()
		x.Require(len(m.bias) == k, "bias", "%d constants of %d functions", len(m.bias), k)
		m.use = through(m.m, m.w)
	}
}
