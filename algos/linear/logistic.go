package linear

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Logistic holds the settings of logistic regression
//
//	min ½‖w‖² + ½b² + C·Σ w_i·log(1+exp(−y_i(⟨w,φ_i⟩ + Bias·b)))
//
// for two classes, whose score is the logarithm of the odds of class 1, and of multinomial
// logistic regression (softmax)
//
//	min ½‖W‖² + ½‖b‖² + C·Σ w_i·(log Σ_c exp f_c(φ_i) − f_{y_i}(φ_i)),  f_c(φ) = ⟨w_c,φ⟩ + Bias·b_c,
//
// for more, where the probability of class c is exp f_c / Σ exp f.
type Logistic struct {
	C        float64 // default 1
	Bias     float64 // value of the constant feature; default 1
	NoBias   bool    // the functions go through the origin
	Tol      float64 // largest norm of the gradient, divided by its norm at 0; default 1e-5
	MaxIter  int     // largest number of Newton steps; default 100
	gram.Run `json:"-"`
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Logistic) Settings(s *settings.Fields) {
	s.Float(&c.C, "c", "weight of the loss against the norm").Default(1).Above(0).SearchLog(1e-2, 1e3)
	constant(s, &c.Bias, &c.NoBias)
	s.Float(&c.Tol, "tol", "relative norm of the gradient").Default(1e-5).Above(0)
	s.Int(&c.MaxIter, "max-iter", "Newton steps").Default(100).AtLeast(1)
}

// Plan returns the expected cost of Fit for data of shape s with features of m, where
// s.Outputs is the number of classes. It assumes 10 Newton steps of 10 products each.
func (c Logistic) Plan(m gram.FeatureMap, s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, gram.Shape{})
	if err != nil {
		return gram.Plan{}, err
	}
	p, _, err := c.plan(m, s, 0)
	return p, err
}

func (c Logistic) plan(m gram.FeatureMap, s gram.Shape, extra int64) (gram.Plan, bool, error) {
	p, err := width(m, s.D)
	if err != nil {
		return gram.Plan{}, false, err
	}
	k := int64(multiclass.Functions(s.Outputs))
	return classifierPlan(c.Run, m, s, "logistic regression", 4*100, extra+16*int64(s.N)*k+64*int64(p)*k)
}

// Fit trains on the features φ_i that m computes from the rows of x; if m is nil, the
// features are x itself. w are weights of the rows; nil means ones. Fit neither keeps nor
// changes x; the model keeps m. If MaxIter steps do not suffice or ctx ends the fit, Fit
// returns the model so far with a *gram.ConvergenceError or ctx.Err().
//
// The method is Newton's with conjugate gradients and a line search ([LWK08] uses a
// trust region instead). It treats all functions at once, so that every pass over the
// features is a matrix product.
func (c Logistic) Fit(ctx context.Context, m gram.FeatureMap, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	c, err := settings.Resolved(c, gram.Shape{})
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
	model := &Classifier{m: m, names: y.Names, logistic: &c}
	model.stats = Stats{Features: src.p, Stored: store}
	if m != nil && store {
		model.stats.FeatureSeconds = time.Since(start).Seconds()
	}
	start = time.Now()
	k := multiclass.Functions(len(y.Names))
	t := &newtonSolver{c: c, ctx: ctx, src: src, class: y.Class, weight: w, k: k}
	err = t.run(meter, &model.stats)
	if t.err != nil {
		err = t.err
	}
	if t.w == nil {
		return nil, err
	}
	model.w, model.bias = mat.NewDense(src.p, k, nil), make([]float64, k)
	model.w.Copy(t.w)
	for j := range k {
		model.bias[j] = c.Bias * t.w.At(src.p, j)
	}
	model.use = through(m, model.w)
	model.stats.SolveSeconds = time.Since(start).Seconds()
	return model, err
}

// newtonSolver minimizes the sum of the objectives of all functions. Coefficients are (p+1)×k
// matrices with b in the last row.
type newtonSolver struct {
	c      Logistic
	ctx    context.Context
	src    *source
	class  []int
	weight []float64
	k      int
	w      *mat.Dense
	curve  *mat.Dense // at w: second derivatives of the loss, n×1; for more than two classes the n×k probabilities
	err    error      // the reason why a pass ended early
}

func (t *newtonSolver) cost(i int) float64 {
	if t.weight == nil {
		return t.c.C
	}
	return t.c.C * t.weight[i]
}

// forward sets dst = Φ·w + Bias·b for a piece of rows.
func (t *newtonSolver) forward(dst *mat.Dense, phi gram.Samples[float64], w *mat.Dense) {
	rows.Mul(dst, phi, w.Slice(0, t.src.p, 0, t.k).(*mat.Dense))
	n, _ := dst.Dims()
	b := w.RawRowView(t.src.p)
	for i := range n {
		row := dst.RawRowView(i)
		for c, v := range b {
			row[c] += t.c.Bias * v
		}
	}
}

// backward adds Φᵀ·r and Bias·1ᵀr to dst.
func (t *newtonSolver) backward(dst *mat.Dense, phi gram.Samples[float64], r *mat.Dense) {
	rows.AddMulTrans(dst.Slice(0, t.src.p, 0, t.k).(*mat.Dense), phi, r)
	n, _ := r.Dims()
	b := dst.RawRowView(t.src.p)
	for i := range n {
		for c, v := range r.RawRowView(i) {
			b[c] += t.c.Bias * v
		}
	}
}

// evaluate returns the objective at w. Unless grad is nil it also computes the gradient
// and the second derivatives of the loss.
func (t *newtonSolver) evaluate(w, grad *mat.Dense) float64 {
	f := norm2(w) / 2
	if grad != nil {
		grad.Copy(w)
	}
	buf := mat.NewDense(min(mapRows, t.src.n), t.k, nil)
	err := t.src.each(t.ctx, func(phi gram.Samples[float64], lo, hi int) {
		s := buf.Slice(0, hi-lo, 0, t.k).(*mat.Dense)
		t.forward(s, phi, w)
		for i := lo; i < hi; i++ {
			row := s.RawRowView(i - lo)
			cost := t.cost(i)
			if t.k > 1 {
				f += t.softmax(row, i, grad != nil)
				continue
			}
			y := multiclass.Sign(t.class[i], 0, 1)
			z := y * row[0]
			f += cost * softplus(-z)
			if grad != nil {
				sig := 1 / (1 + math.Exp(-z))
				row[0] = cost * y * (sig - 1)
				t.curve.Set(i, 0, cost*sig*(1-sig))
			}
		}
		if grad != nil {
			t.backward(grad, phi, s)
		}
	})
	if err != nil && t.err == nil {
		t.err = err
	}
	return f
}

// softmax returns the loss of row i, which has the given values of the functions. If derive is
// set it stores the probabilities and replaces the values by the derivatives of the loss.
func (t *newtonSolver) softmax(values []float64, i int, derive bool) float64 {
	cost, most := t.cost(i), slices.Max(values)
	own := values[t.class[i]] - most
	var sum float64
	for c, v := range values {
		values[c] = math.Exp(v - most)
		sum += values[c]
	}
	if derive {
		p := t.curve.RawRowView(i)
		for c, v := range values {
			p[c] = v / sum
			values[c] = cost * p[c]
		}
		values[t.class[i]] -= cost
	}
	return cost * (math.Log(sum) - own)
}

// softplus is log(1+exp(z)).
func softplus(z float64) float64 {
	if z > 0 {
		return z + math.Log1p(math.Exp(-z))
	}
	return math.Log1p(math.Exp(z))
}

// Dim returns the order of the Hessian of all functions, I + C·ΦᵀDΦ for two classes, which
// Apply multiplies by. The functions are stacked in one column.
func (t *newtonSolver) Dim() int { return (t.src.p + 1) * t.k }

// Apply sets dst to the product of the Hessian with x.
func (t *newtonSolver) Apply(dst, x *mat.Dense) {
	v := mat.NewDense(t.src.p+1, t.k, x.RawMatrix().Data)
	out := mat.NewDense(t.src.p+1, t.k, dst.RawMatrix().Data)
	out.Copy(v)
	buf := mat.NewDense(min(mapRows, t.src.n), t.k, nil)
	err := t.src.each(t.ctx, func(phi gram.Samples[float64], lo, hi int) {
		s := buf.Slice(0, hi-lo, 0, t.k).(*mat.Dense)
		t.forward(s, phi, v)
		if t.k == 1 {
			s.MulElem(s, t.curve.Slice(lo, hi, 0, 1))
		}
		for i := lo; i < hi && t.k > 1; i++ { // (diag p − ppᵀ)·u
			u, p := s.RawRowView(i-lo), t.curve.RawRowView(i)
			mean, cost := linalg.Dot(u, p), t.cost(i)
			for c := range u {
				u[c] = cost * p[c] * (u[c] - mean)
			}
		}
		t.backward(out, phi, s)
	})
	if err != nil && t.err == nil {
		t.err = err
	}
}

func (t *newtonSolver) run(meter *gram.Meter, st *Stats) error {
	size := t.Dim()
	t.curve = mat.NewDense(t.src.n, t.k, nil)
	w := mat.NewDense(t.src.p+1, t.k, nil)
	grad, step := mat.NewDense(t.src.p+1, t.k, nil), mat.NewDense(size, 1, nil)
	trial := mat.NewDense(t.src.p+1, t.k, nil)
	f := t.evaluate(w, grad)
	if t.err != nil {
		return t.err
	}
	t.w = w
	first := math.Sqrt(norm2(grad))
	iter, rel := 0, 1.0
	defer func() {
		st.Iterations, st.Primal, st.Gradient = []int{iter}, []float64{f}, rel
	}()
	if first == 0 {
		rel = 0
		return nil
	}
	for rel > t.c.Tol {
		if iter == t.c.MaxIter {
			return &gram.ConvergenceError{Iter: iter, Residual: rel, Tol: t.c.Tol}
		}
		g := mat.NewDense(size, 1, grad.RawMatrix().Data)
		// The tolerance decreases with the gradient, so that the steps converge
		// faster than linearly.
		_, err := solve.CG(t.ctx, step, t, 0, g, solve.Options{Tol: min(0.1, rel), MaxIter: 500})
		if t.err != nil {
			return t.err
		}
		if err != nil && t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		slope := -blas64.Dot(linalg.Vector(step.RawMatrix().Data), linalg.Vector(grad.RawMatrix().Data))
		if !(slope < 0) {
			return &gram.ConvergenceError{Iter: iter, Residual: rel, Tol: t.c.Tol}
		}
		direction := mat.NewDense(t.src.p+1, t.k, step.RawMatrix().Data)
		length, ok := 1.0, false
		for range 40 {
			trial.Scale(-length, direction)
			trial.Add(trial, w)
			v := t.evaluate(trial, nil)
			if t.err != nil {
				return t.err
			}
			// Near the minimum the decrease is smaller than the round-off of the objective.
			if v <= f+1e-4*length*slope+1e-14*math.Abs(f) {
				ok = true
				break
			}
			length /= 2
		}
		if !ok {
			return &gram.ConvergenceError{Iter: iter, Residual: rel, Tol: t.c.Tol}
		}
		value := t.evaluate(trial, grad)
		if t.err != nil {
			return t.err
		}
		w.Copy(trial)
		f = value
		iter++
		rel = math.Sqrt(norm2(grad)) / first
		st.Trace = append(st.Trace, rel)
		e := gram.Event{Phase: "logistic regression", Done: int64(iter), Objective: f}
		if rel <= t.c.Tol {
			e.Total = e.Done
		}
		meter.Report(e)
	}
	return nil
}

func norm2(a *mat.Dense) float64 {
	v := linalg.Vector(a.RawMatrix().Data)
	return blas64.Dot(v, v)
}
