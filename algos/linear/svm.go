package linear

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Loss selects the loss of a support vector machine, a function of the margin
// t = y·f(x).
type Loss uint8

const (
	// SquaredHinge is max(0, 1−t)².
	SquaredHinge Loss = iota
	// Hinge is max(0, 1−t).
	Hinge
)

// String returns the name as the command line takes it.
func (l Loss) String() string { return enum.Name(l, "squared-hinge", "hinge") }

// SVM holds the settings of a linear support vector machine
//
//	min ½‖w‖² + ½b² + C·Σ w_i·loss(y_i(⟨w,φ_i⟩ + Bias·b)),
//
// with one function for each class against the rest if there are more than two classes.
// As in LIBLINEAR, the constant is a feature of value Bias whose coefficient is
// penalized like the others.
type SVM struct {
	C        float64 // default 1
	Loss     Loss    // default SquaredHinge
	Bias     float64 // value of the constant feature; default 1
	NoBias   bool    // the functions go through the origin
	Tol      float64 // largest relative duality gap (Primal−Dual)/Primal; default 1e-3
	MaxIter  int     // largest number of passes of coordinate descent over the rows; default 1000
	gram.Run `json:"-"`
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *SVM) Settings(s *settings.Fields) {
	s.Float(&c.C, "c", "weight of the loss against the norm").Default(1).Above(0).SearchLog(1e-2, 1e3)
	settings.Choice(s, &c.Loss, "loss", "loss of a row", SquaredHinge, Hinge)
	constant(s, &c.Bias, &c.NoBias)
	s.Float(&c.Tol, "tol", "relative duality gap").Default(1e-3).Above(0)
	s.Int(&c.MaxIter, "max-iter", "passes over the rows").Default(1000).AtLeast(1)
}

// constant adds the settings of the constant feature to s: its value and whether it is left out.
func constant(s *settings.Fields, bias *float64, none *bool) {
	if s.Resolving() && *none {
		s.Require(*bias == 0, bias, "0 without a constant")
	} else {
		s.Float(bias, "bias", "value of the constant feature").Default(1).Above(0)
	}
	s.Bool(none, "no-bias", "no constant")
}

// Plan returns the expected cost of Fit for data of shape s with features of m, where
// s.Outputs is the number of classes. It assumes 50 passes of coordinate descent.
func (c SVM) Plan(m gram.FeatureMap, s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, gram.Shape{})
	if err != nil {
		return gram.Plan{}, err
	}
	p, _, err := c.plan(m, s, 0)
	return p, err
}

func (c SVM) plan(m gram.FeatureMap, s gram.Shape, extra int64) (gram.Plan, bool, error) {
	k := int64(multiclass.Functions(s.Outputs))
	if p, err := width(m, s.D); err == nil && c.newton(s.N, p) {
		extra += newtonBytes(s.N, p)
	}
	return classifierPlan(c.Run, m, s, "linear SVM", 4*50, extra+int64(s.N)*(9*k+16))
}

// classifierPlan returns the plan of a classifier that takes flops operations for each
// feature, row and function, and bytes of memory besides features and functions. store
// reports whether the features are stored.
func classifierPlan(run gram.Run, m gram.FeatureMap, s gram.Shape, name string, flops float64, bytes int64) (gram.Plan, bool, error) {
	p, err := width(m, s.D)
	if err != nil {
		return gram.Plan{}, false, err
	}
	k := multiclass.Functions(s.Outputs)
	entries := float64(s.N) * float64(p)
	if m == nil && s.NNZ > 0 {
		entries = float64(s.NNZ)
	}
	functions := 8 * int64(p) * int64(k)
	plan := gram.Plan{
		Flops:       flops * entries * float64(k),
		PeakBytes:   bytes + 3*functions,
		ModelBytes:  functions,
		Description: fmt.Sprintf("%s on the %d columns of the data, %d linear function(s)", name, p, k),
	}
	how, store := addFeatures(run, &plan, m, s.N, p)
	if m != nil {
		plan.Description = fmt.Sprintf("%s on %d features, %d linear function(s), %s", name, p, k, how)
	}
	return plan, store, nil
}

// addFeatures adds the memory of features to a plan: that of all features if it keeps
// within the limit, otherwise that of a block of rows.
func addFeatures(run gram.Run, plan *gram.Plan, m gram.FeatureMap, n, p int) (how string, store bool) {
	stored, mapped := featureBytes(m, n, p)
	if run.MemoryLimit > 0 && plan.PeakBytes+stored > run.MemoryLimit {
		plan.PeakBytes += mapped
		return "features mapped again in every pass", false
	}
	plan.PeakBytes += stored
	return "features stored", true
}

// Fit trains on the features that m computes from the rows of x; if m is nil, the
// features are x itself. w are weights of the rows; nil means ones. Fit neither keeps nor
// changes x; the model keeps m. If MaxIter passes do not reach the gap, or ctx ends the
// fit after the first pass, Fit returns the model so far with a *gram.ConvergenceError or
// ctx.Err().
//
// The method is dual coordinate descent over random permutations of all rows, with
// shrinking ([HCLKS08]). If the features are not stored, every pass computes the features
// of the rows that are not shrunk again. (Visiting the rows block by block as in [YHCL12]
// takes many times as many passes on ill-conditioned problems.)
//
// Coordinate descent is slow on ill-conditioned problems. If the loss is squared, and
// there are fewer than 4096 features and more rows than features, the primal Newton method
// of [KD05] takes over once coordinate descent has cost about as much as Newton's method
// will. A step takes two passes and O(n·p²) operations, fewer if few margins cross 1.
// About ten steps suffice for any C and any scaling of the features. The factorization of
// the Hessian of order p cannot be interrupted.
func (c SVM) Fit(ctx context.Context, m gram.FeatureMap, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	x, y, w, _, err := rows.Weighted(planner(func(s gram.Shape) (gram.Plan, error) { return c.Plan(m, s) }), c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	c, err = settings.Resolved(c, gram.Shape{})
	if err != nil {
		return nil, err
	}
	s, store, err := samples(c.Run, x, len(y.Names), func(s gram.Shape, extra int64) (gram.Plan, bool, error) { return c.plan(m, s, extra) })
	if err != nil {
		return nil, err
	}
	if err := check.Labeled(y, w, s.N()); err != nil {
		return nil, err
	}
	start := time.Now()
	meter := c.Meter()
	src, err := newSource(ctx, m, s, store, meter)
	if err != nil {
		return nil, err
	}
	model := &Classifier{m: m, names: y.Names, svm: &c}
	model.stats = Stats{Features: src.p, Stored: store}
	if m != nil && store {
		model.stats.FeatureSeconds = time.Since(start).Seconds()
	}
	start = time.Now()
	t, err := c.newTrainer(ctx, src, y, w)
	if err != nil {
		return nil, err
	}
	err = t.run(ctx, meter)
	if err != nil && t.passes == 0 {
		return nil, err
	}
	model.w, model.bias = t.functions()
	model.use = through(m, model.w)
	t.report(&model.stats)
	model.stats.SolveSeconds = time.Since(start).Seconds()
	return model, err
}

// trainer is the state of dual coordinate descent for all functions:
//
//	max_α Σα_i − ½‖Σ α_i y_i φ_i‖² − ½Σ α_i²·diag_i,   0 ≤ α_i ≤ upper_i
//
// with upper = C·w_i and diag = 0 for the hinge, and upper = ∞ and diag = 1/(2C·w_i) for
// the squared hinge.
type trainer struct {
	c      SVM
	src    *source
	class  []int
	weight []float64
	sq     []float64 // ‖φ_i‖²+Bias²
	f      []*function
	k      int
	passes int
	tried  bool // whether newton has run
	trace  []float64
}

// function is the state of coordinate descent for one linear function, which separates one class from the others.
type function struct {
	w           []float64 // p coefficients, then b
	alpha       []float64
	active      []bool  // rows that are not shrunk
	high, low   float64 // largest and smallest projected gradient of this pass
	top, bottom float64 // shrinking thresholds from the previous pass
	eps         float64 // violation at which the gap is computed
	shrunk      bool
	done        bool
	iter        int
	primal      float64
	dual        float64
	gap         float64
}

func (c SVM) newTrainer(ctx context.Context, src *source, y gram.Labels, w []float64) (*trainer, error) {
	t := &trainer{c: c, src: src, class: y.Class, weight: w, k: multiclass.Functions(len(y.Names)), sq: make([]float64, src.n)}
	err := src.each(ctx, func(phi gram.Samples[float64], lo, hi int) {
		for i := lo; i < hi; i++ {
			t.sq[i] = rows.SumSquares(phi, i-lo) + c.Bias*c.Bias
		}
	})
	if err != nil {
		return nil, err
	}
	t.f = make([]*function, t.k)
	for k := range t.f {
		f := &function{w: make([]float64, src.p+1), alpha: make([]float64, src.n), eps: 0.1, gap: math.Inf(1)}
		f.active = make([]bool, src.n)
		f.reset()
		t.f[k] = f
	}
	return t, nil
}

// reset makes all rows active again and removes the thresholds of shrinking.
func (f *function) reset() {
	for i := range f.active {
		f.active[i] = true
	}
	f.top, f.bottom, f.shrunk = math.Inf(1), math.Inf(-1), false
}

// cost returns C times the weight of row i.
func (t *trainer) cost(i int) float64 {
	if t.weight == nil {
		return t.c.C
	}
	return t.c.C * t.weight[i]
}

// run makes passes until every function has reached the gap.
func (t *trainer) run(ctx context.Context, meter *gram.Meter) error {
	for {
		todo := 0
		for _, f := range t.f {
			if !f.done {
				todo++
			}
		}
		if todo == 0 {
			end := int64(max(1, t.passes))
			meter.Report(gram.Event{Phase: "linear SVM", Done: end, Total: end, Gap: t.worst()})
			return nil
		}
		if t.passes == t.c.MaxIter {
			if err := t.gaps(ctx, func(f *function) bool { return !f.done }); err != nil {
				return err
			}
			worst := t.worst()
			if worst <= t.c.Tol {
				return nil
			}
			return &gram.ConvergenceError{Iter: t.passes, Residual: worst, Tol: t.c.Tol}
		}
		for _, f := range t.f {
			f.high, f.low = math.Inf(-1), math.Inf(1)
		}
		if !t.tried && t.passes >= t.newtonAfter() && t.c.newton(t.src.n, t.src.p) {
			t.tried = true
			if err := t.newton(ctx, meter); err != nil {
				return err
			}
			continue
		}
		// All functions use the same order, so that each block of rows is mapped
		// once for all of them.
		order := rng.New(rng.Derive(t.c.Seed, "order of rows"), uint64(t.passes)).Perm(t.src.n)
		for lo := 0; lo < len(order); lo += mapRows {
			index := order[lo:min(lo+mapRows, len(order))]
			if t.src.buf != nil {
				index = slices.DeleteFunc(index, func(i int) bool {
					return !slices.ContainsFunc(t.f, func(f *function) bool { return !f.done && f.active[i] })
				})
			}
			phi, at := t.src.pick(index)
			err := par.For(ctx, t.c.Workers, t.k, 1, func(lo, hi int) {
				for k := lo; k < hi; k++ {
					if !t.f[k].done {
						t.pass(k, index, phi, at)
					}
				}
			})
			if err != nil {
				return err
			}
		}
		t.passes++
		due := make([]bool, t.k)
		someDue := false
		for k, f := range t.f {
			if f.done {
				continue
			}
			f.iter++
			switch {
			case f.high-f.low <= f.eps && f.shrunk:
				f.reset()
			case f.high-f.low <= f.eps:
				due[k], someDue = true, true
			default:
				f.top, f.bottom = f.high, f.low
				if f.top <= 0 {
					f.top = math.Inf(1)
				}
				if f.bottom >= 0 {
					f.bottom = math.Inf(-1)
				}
			}
		}
		if someDue {
			k := 0
			err := t.gaps(ctx, func(*function) bool { k++; return due[k-1] })
			if err != nil {
				return err
			}
			for k, f := range t.f {
				if due[k] {
					f.done = f.gap <= t.c.Tol
					f.eps /= 4
					f.top, f.bottom = math.Inf(1), math.Inf(-1)
				}
			}
			t.trace = append(t.trace, t.worst())
		}
		meter.Report(gram.Event{Phase: "linear SVM", Done: int64(t.passes), Gap: t.worst()})
	}
}

// worst returns the largest gap of all functions.
func (t *trainer) worst() float64 {
	worst := 0.0
	for _, f := range t.f {
		worst = max(worst, f.gap)
	}
	return worst
}

// pass visits those of the given rows that are active in function k.
func (t *trainer) pass(k int, index []int, phi gram.Samples[float64], at func(j int) int) {
	f := t.f[k]
	p := t.src.p
	w := f.w[:p]
	dense, isDense := phi.Dense()
	wv := linalg.Vector(w)
	for j, i := range index {
		if !f.active[i] {
			continue
		}
		cost := t.cost(i)
		if cost == 0 {
			f.active[i] = false
			continue
		}
		y := multiclass.Sign(t.class[i], k, t.k)
		upper, diag := cost, 0.0
		if t.c.Loss == SquaredHinge {
			upper, diag = math.Inf(1), 0.5/cost
		}
		if t.sq[i]+diag == 0 { // the row affects only its own term of the dual
			f.alpha[i] = upper
			continue
		}
		row := at(j)
		a := f.alpha[i]
		var x blas64.Vector // dense
		var value float64
		if isDense {
			x = linalg.Vector(dense.Row(row))
			value = blas64.Dot(x, wv)
		} else {
			value = rows.Dot(phi, row, w)
		}
		g := y*(value+t.c.Bias*f.w[p]) - 1 + a*diag
		pg := g
		switch {
		case a == 0:
			if g > f.top {
				f.active[i], f.shrunk = false, true
				continue
			}
			pg = min(g, 0)
		case a == upper:
			if g < f.bottom {
				f.active[i], f.shrunk = false, true
				continue
			}
			pg = max(g, 0)
		}
		f.high, f.low = max(f.high, pg), min(f.low, pg)
		if math.Abs(pg) > 1e-14 {
			next := min(max(a-g/(t.sq[i]+diag), 0), upper)
			f.alpha[i] = next
			step := (next - a) * y
			if isDense {
				blas64.Axpy(step, x, wv)
			} else {
				rows.Add(w, step, phi, row)
			}
			f.w[p] += step * t.c.Bias
		}
	}
}

// gaps computes the primal and the dual objective of the chosen functions.
func (t *trainer) gaps(ctx context.Context, chosen func(*function) bool) error {
	var fs []*function
	var ks []int
	for k, f := range t.f {
		if chosen(f) {
			fs, ks = append(fs, f), append(ks, k)
		}
	}
	if len(fs) == 0 {
		return nil
	}
	p := t.src.p
	w := mat.NewDense(p, len(fs), nil)
	loss := make([]float64, len(fs))
	for c, f := range fs {
		for j, v := range f.w[:p] {
			w.Set(j, c, v)
		}
	}
	out := mat.NewDense(min(mapRows, t.src.n), len(fs), nil)
	err := t.src.each(ctx, func(phi gram.Samples[float64], lo, hi int) {
		s := out.Slice(0, hi-lo, 0, len(fs)).(*mat.Dense)
		rows.Mul(s, phi, w)
		for i := lo; i < hi; i++ {
			row := s.RawRowView(i - lo)
			for c, v := range row {
				xi := max(0, 1-multiclass.Sign(t.class[i], ks[c], t.k)*(v+t.c.Bias*fs[c].w[p]))
				if t.c.Loss == SquaredHinge {
					xi *= xi
				}
				loss[c] += t.cost(i) * xi
			}
		}
	})
	if err != nil {
		return err
	}
	for c, f := range fs {
		v := linalg.Vector(f.w)
		half := blas64.Dot(v, v) / 2
		f.primal = half + loss[c]
		f.dual = -half
		for i, a := range f.alpha {
			f.dual += a
			if t.c.Loss == SquaredHinge && a > 0 {
				f.dual -= a * a / (4 * t.cost(i))
			}
		}
		f.gap = (f.primal - f.dual) / f.primal
		if f.primal <= 0 {
			f.gap = 0
		}
	}
	return nil
}

// functions returns the coefficients and the constants of all functions.
func (t *trainer) functions() (*mat.Dense, []float64) {
	w, bias := mat.NewDense(t.src.p, t.k, nil), make([]float64, t.k)
	for k, f := range t.f {
		for j, v := range f.w[:t.src.p] {
			w.Set(j, k, v)
		}
		bias[k] = t.c.Bias * f.w[t.src.p]
	}
	return w, bias
}

func (t *trainer) report(s *Stats) {
	for _, f := range t.f {
		support := 0
		for _, a := range f.alpha {
			if a > 0 {
				support++
			}
		}
		s.Iterations = append(s.Iterations, f.iter)
		s.Primal = append(s.Primal, f.primal)
		s.Dual = append(s.Dual, f.dual)
		s.Gap = append(s.Gap, f.gap)
		s.Support = append(s.Support, support)
	}
	s.Trace = t.trace
}
