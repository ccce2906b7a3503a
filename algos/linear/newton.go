package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	lengths  = 8    // step lengths that a pass tries: 1, ½, …, 2⁻⁷ of the longest one
	shortest = 40   // a step is given up when its length is less than 2 to the minus this
	maxJoint = 4096 // coefficients that are searched for together
)

// Newton is Newton's method for a classifier whose rows are not in memory together. It minimizes
// the objective of SVM, with the squared hinge, or of Logistic. For more than two classes SVM has a
// function for each class against the rest, which are searched for one by one; the functions of
// Logistic depend on each other and are searched for together. It alternates between a pass over the
// rows, which adds them to the Sums, and Step. A program repeats that until Done:
//
//	for !t.Done() {
//		s := t.Sums()
//		// s.Add for all rows, or s.Merge for sums over some of them
//		err := t.Step(ctx, s)
//	}
//
// A pass takes the gradient and the Hessian at the end of the step before it, and the losses at
// shorter lengths of the step. If the step was too long it costs another pass. About ten passes
// suffice. Functions that have reached the tolerance, which is the relative duality gap for SVM
// and the norm of the gradient for Logistic, take no more part.
//
// Sums need 8(p+1)² bytes for each function, and for Logistic with k > 2 classes 8k²(p+1)², with
// k(p+1) of at most 4096. The same blocks of rows and the same order of merges
// give the same bits at one level and backend. A Newton is not safe for concurrent use, except
// that any number of goroutines may call Sums and add to their own.
type Newton struct {
	svm      *SVM
	logistic *Logistic
	p, k     int
	classes  int
	passes   int
	rows     int64
	w, step  *mat.Dense // (p+1)×k: coefficients with b in the last row, and the steps that are tried
	trials   []trial
	trace    []float64
}

// trial is where the search for the minimum of a function stands.
type trial struct {
	value  float64 // objective at w
	slope  float64 // derivative of the objective along the step
	length float64 // the longest length that is tried
	first  float64 // norm of the gradient at 0
	rest   float64 // relative gap or norm of the gradient at w
	dual   float64 // SVM: value of the dual objective
	state  int64
}

const (
	searching = iota
	reached   // the tolerance
	stuck     // round-off ends the search
)

// Newton begins Newton's method for p features and the given number of classes. Its passes over
// the rows are at most Logistic.MaxIter, or 100 for SVM.
func (c Config) Newton(p, classes int) (*Newton, error) {
	kind, err := c.kind(true)
	if err != nil {
		return nil, err
	}
	switch {
	case p < 1 || p > 1<<20:
		return nil, settings.Refuse("features", p, "1 … %d for Newton's method", 1<<20)
	case classes < 2:
		return nil, settings.Refuse("classes", classes, "at least 2")
	}
	t := &Newton{p: p, k: multiclass.Functions(classes), classes: classes}
	if size := (p + 1) * t.k; kind == LogisticRegression && t.k > 1 && size > maxJoint {
		return nil, settings.Refuse("model", kind, "svm for %d classes and %d features: the Hessian of multinomial logistic regression would be of order %d, and sums over the rows are made up to %d",
			classes, p, size, maxJoint)
	}
	if kind == SupportVectors {
		s, err := settings.Resolved(c.SVM, gram.Shape{})
		if err != nil {
			return nil, err
		}
		if s.Loss != SquaredHinge {
			return nil, settings.Refuse("Loss", s.Loss, "%v: Newton's method needs a smooth loss", SquaredHinge)
		}
		t.svm = &s
	} else {
		l, err := settings.Resolved(c.Logistic, gram.Shape{})
		if err != nil {
			return nil, err
		}
		t.logistic = &l
	}
	t.w, t.step = mat.NewDense(p+1, t.k, nil), mat.NewDense(p+1, t.k, nil)
	t.trials = make([]trial, t.searches())
	for c := range t.trials {
		t.trials[c] = trial{length: 1, rest: math.Inf(1), value: math.Inf(1)}
	}
	return t, nil
}

// joint reports whether all functions are searched for together.
func (t *Newton) joint() bool { return t.logistic != nil && t.k > 1 }

// searches returns the number of searches: one for each function, or one for all.
func (t *Newton) searches() int {
	if t.joint() {
		return 1
	}
	return t.k
}

// size returns the number of coefficients of a search.
func (t *Newton) size() int { return (t.p + 1) * t.k / t.searches() }

// vector returns the coefficients of search c in a, one function after the other.
func (t *Newton) vector(a *mat.Dense, c int) []float64 {
	if !t.joint() {
		return mat.Col(nil, c, a)
	}
	var v []float64
	for c := range t.k {
		v = append(v, mat.Col(nil, c, a)...)
	}
	return v
}

// put sets the coefficients of search c in a to v, which is in the order of vector.
func (t *Newton) put(a *mat.Dense, c int, v []float64) {
	if !t.joint() {
		a.SetCol(c, v)
		return
	}
	for c := range t.k {
		a.SetCol(c, v[c*(t.p+1):(c+1)*(t.p+1)])
	}
}

// Done reports whether no function is searched for any more.
func (t *Newton) Done() bool { return len(t.active()) == 0 }

// Passes returns the number of passes over the rows that were made.
func (t *Newton) Passes() int { return t.passes }

// rest returns the largest relative gap, or norm of the gradient, of all functions: what Step
// brings below the tolerance.
func (t *Newton) rest() float64 {
	worst := 0.0
	for _, f := range t.trials {
		worst = max(worst, f.rest)
	}
	return worst
}

// active returns the searches that go on, which are the numbers of functions, or 0 for all of them.
func (t *Newton) active() []int {
	var active []int
	for c, f := range t.trials {
		if f.state == searching && t.passes < t.most() {
			active = append(active, c)
		}
	}
	return active
}

func (t *Newton) most() int {
	if t.svm != nil {
		return newtonSteps
	}
	return t.logistic.MaxIter
}

func (t *Newton) tol() float64 {
	if t.svm != nil {
		return t.svm.Tol
	}
	return t.logistic.Tol
}

// constants returns C and the value of the constant feature.
func (t *Newton) constants() (c, bias float64) {
	if t.svm != nil {
		return t.svm.C, t.svm.Bias
	}
	return t.logistic.C, t.logistic.Bias
}

// loss returns the loss at the margin z and its first two derivatives.
func (t *Newton) loss(z float64) (value, slope, curve float64) {
	if t.svm == nil {
		sigma := 1 / (1 + math.Exp(-z))
		return softplus(-z), sigma - 1, sigma * (1 - sigma)
	}
	if short := 1 - z; short > 0 {
		return short * short, -2 * short, 2
	}
	return 0, 0, 0
}

// value returns the loss at the margin z without its derivatives.
func (t *Newton) value(z float64) float64 {
	if t.svm == nil {
		return softplus(-z)
	}
	short := max(0, 1-z)
	return short * short
}

// NewtonSums holds what Step has to know of some rows.
type NewtonSums struct {
	t      *Newton
	passes int // that were made before this one
	active []int
	rows   int64
	losses *mat.Dense  // active×lengths
	dual   []float64   // SVM: Σ cost·(α − α²/4) for α = 2·max(0, 1−z)
	grad   *mat.Dense  // (p+1)×functions
	hess   [][]float64 // the upper triangles; a single one in the first pass, where w = 0
}

// Sums returns sums over no rows for the next pass.
func (t *Newton) Sums() *NewtonSums {
	s := &NewtonSums{t: t, passes: t.passes, active: t.active()}
	a := len(s.active)
	if a == 0 {
		panic("linear: Newton's method is done")
	}
	s.losses, s.dual, s.grad = mat.NewDense(a, lengths, nil), make([]float64, a), mat.NewDense(t.p+1, s.functions(), nil)
	s.hess = make([][]float64, s.matrices())
	for c := range s.hess {
		s.hess[c] = make([]float64, t.size()*t.size())
	}
	return s
}

// functions returns the number of functions that are searched for.
func (s *NewtonSums) functions() int {
	if s.t.joint() {
		return s.t.k
	}
	return len(s.active)
}

// matrices returns the number of different Hessians: one for each active search, but only one in the first pass.
func (s *NewtonSums) matrices() int {
	if s.passes == 0 { // the curvature at margin 0 is that of all classes
		return 1
	}
	return len(s.active)
}

// Bytes returns the memory for the sums of a pass, without that for the rows.
func (t *Newton) Bytes() int64 {
	q, matrices := int64(t.size()), int64(len(t.active()))
	if t.passes == 0 {
		matrices = 1
	}
	return 8 * (matrices*q*q + int64(t.p+1)*int64(t.k))
}

// Rows returns the number of rows that the sums hold.
func (s *NewtonSums) Rows() int64 { return s.rows }

// Add adds n rows: the n×p features phi, the classes and the weights w, nil for ones. It changes
// none of them. It takes at most n·p² flops for each function, and work memory for two copies of
// the block. It panics if the shapes do not fit.
func (s *NewtonSums) Add(phi mat.Matrix, class []int, w []float64) {
	n, p := phi.Dims()
	if p != s.t.p || len(class) != n || (w != nil && len(w) != n) {
		panic("linear: the rows have another shape than the sums")
	}
	if n == 0 {
		return
	}
	if s.t.joint() {
		s.addJoint(gram.Of(phi), class, w)
		return
	}
	t, a, x := s.t, len(s.active), gram.Of(phi)
	unit, bias := t.constants()
	cost := func(i int) float64 {
		if w == nil {
			return unit
		}
		return unit * w[i]
	}
	s.rows += int64(n)
	// Columns 0 … a−1 of value are the functions at w, columns a … 2a−1 their change by a step.
	coef := mat.NewDense(p, 2*a, nil)
	constant := make([]float64, 2*a)
	for j, c := range s.active {
		for i := range p {
			coef.Set(i, j, t.w.At(i, c))
			coef.Set(i, a+j, t.step.At(i, c))
		}
		constant[j], constant[a+j] = bias*t.w.At(p, c), bias*t.step.At(p, c)
	}
	value, slope, curve := rows.Borrow(n, 2*a), rows.Borrow(n, a), rows.Borrow(n, a)
	defer rows.Return(value)
	defer rows.Return(slope)
	defer rows.Return(curve)
	rows.Mul(value, x, coef)
	rows.AddToAll(value, constant)
	for i := range n {
		row, c := value.RawRowView(i), cost(i)
		for j, f := range s.active {
			y := multiclass.Sign(class[i], f, t.k)
			length := t.trials[f].length
			z, dz := y*row[j], y*row[a+j]
			at := z + length*dz
			v, first, second := t.loss(at)
			losses := s.losses.RawRowView(j)
			losses[0] += float64(c * v)
			for l := 1; l < lengths && t.trials[f].slope != 0; l++ {
				length /= 2
				losses[l] += float64(c * t.value(z+length*dz))
			}
			slope.Set(i, j, c*y*first)
			curve.Set(i, j, c*second)
			if short := 1 - at; t.svm != nil && short > 0 {
				s.dual[j] += float64(c * short * (2 - short))
			}
		}
	}
	rows.AddMulTrans(s.grad.Slice(0, p, 0, a).(*mat.Dense), x, slope)
	last := s.grad.RawRowView(p)
	for i := range n {
		blas64.Axpy(bias, linalg.Vector(slope.RawRowView(i)), linalg.Vector(last))
	}
	terms := rows.Borrow(n, p+1)
	defer rows.Return(terms)
	for m, h := range s.hess {
		count := 0
		for i := range n {
			root := math.Sqrt(curve.At(i, m))
			if root == 0 {
				continue
			}
			row := terms.RawRowView(count)
			x.CopyRow(row[:p], i)
			row[p] = bias
			blas64.Scal(root, linalg.Vector(row))
			count++
		}
		if count > 0 {
			part := terms.RawMatrix()
			part.Rows = count
			blas64.Syrk(blas.Trans, 1, part, 1, blas64.Symmetric{Uplo: blas.Upper, N: p + 1, Stride: p + 1, Data: h})
		}
	}
}

// addJoint is Add for multinomial logistic regression. The Hessian of a row is diag(q) − qqᵀ for the
// probabilities q of the classes, times φ̃φ̃ᵀ for each pair of classes.
func (s *NewtonSums) addJoint(x gram.Samples[float64], class []int, w []float64) {
	t, n, k := s.t, x.N(), s.t.k
	p := t.p
	unit, bias := t.constants()
	s.rows += int64(n)
	at, change := mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
	for _, v := range []struct{ dst, coef *mat.Dense }{{at, t.w}, {change, t.step}} {
		rows.Mul(v.dst, x, v.coef.Slice(0, p, 0, k).(*mat.Dense))
		constant := slices.Clone(v.coef.RawRowView(p))
		blas64.Scal(bias, linalg.Vector(constant))
		rows.AddToAll(v.dst, constant)
	}
	f := t.trials[0]
	losses := s.losses.RawRowView(0)
	values := make([]float64, k)
	loss := func(c float64, i int, length float64) (sum float64) {
		for j, v := range at.RawRowView(i) {
			values[j] = v + length*change.At(i, j)
		}
		most := slices.Max(values)
		own := values[class[i]] - most
		for j, v := range values {
			values[j] = math.Exp(v - most)
			sum += values[j]
		}
		for j := range values {
			values[j] /= sum
		}
		return c * (math.Log(sum) - own)
	}
	slope, cost := mat.NewDense(n, k, nil), make([]float64, n)
	prob := mat.NewDense(n, k, nil)
	for i := range n {
		cost[i] = unit
		if w != nil {
			cost[i] *= w[i]
		}
		length := f.length
		for l := 1; l < lengths && f.slope != 0; l++ {
			length /= 2
			losses[l] += loss(cost[i], i, length)
		}
		losses[0] += loss(cost[i], i, f.length)
		prob.SetRow(i, values)
		row := slope.RawRowView(i)
		for j, q := range values {
			row[j] = cost[i] * q
		}
		row[class[i]] -= cost[i]
	}
	rows.AddMulTrans(s.grad.Slice(0, p, 0, k).(*mat.Dense), x, slope)
	last := s.grad.RawRowView(p)
	for i := range n {
		blas64.Axpy(bias, linalg.Vector(slope.RawRowView(i)), linalg.Vector(last))
	}
	terms, scaled := mat.NewDense(n, p+1, nil), mat.NewDense(n, p+1, nil)
	for i := range n {
		row := terms.RawRowView(i)
		x.CopyRow(row[:p], i)
		row[p] = bias
	}
	size := t.size()
	for a := range k {
		for b := a; b < k; b++ {
			for i := range n {
				q := -prob.At(i, a) * prob.At(i, b)
				if a == b {
					q += prob.At(i, a)
				}
				row := scaled.RawRowView(i)
				copy(row, terms.RawRowView(i))
				blas64.Scal(cost[i]*q, linalg.Vector(row))
			}
			block := blas64.General{Rows: p + 1, Cols: p + 1, Stride: size, Data: s.hess[0][a*(p+1)*size+b*(p+1):]}
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, terms.RawMatrix(), scaled.RawMatrix(), 1, block)
		}
	}
}

// Merge adds the rows of o, which stays as it is. The error says that the sums are of another
// pass or problem.
func (s *NewtonSums) Merge(o *NewtonSums) error {
	if s.t.p != o.t.p || s.passes != o.passes || !slices.Equal(s.active, o.active) || s.functions() != o.functions() || (s.t.svm == nil) != (o.t.svm == nil) {
		return fmt.Errorf("linear: sums of pass %d over %d features for %d functions do not go with sums of pass %d over %d features for %d functions, or are of another loss",
			o.passes, o.t.p, o.functions(), s.passes, s.t.p, s.functions())
	}
	s.rows += o.rows
	s.losses.Add(s.losses, o.losses)
	blas64.Axpy(1, linalg.Vector(o.dual), linalg.Vector(s.dual))
	s.grad.Add(s.grad, o.grad)
	for m, h := range o.hess {
		blas64.Axpy(1, linalg.Vector(h), linalg.Vector(s.hess[m]))
	}
	return nil
}

// Step takes the sums over all rows and makes a step of each function. s is destroyed. The error
// is ctx.Err(), that of sums of another pass, or that features are not finite.
func (t *Newton) Step(ctx context.Context, s *NewtonSums) error {
	if s.passes != t.passes || s.t.p != t.p || !slices.Equal(s.active, t.active()) {
		return errors.New("linear: the sums are of another pass")
	}
	if s.rows == 0 {
		return check.Rows(0)
	}
	if t.passes > 0 && s.rows != t.rows {
		return fmt.Errorf("linear: %d rows, but %d in the passes before", s.rows, t.rows)
	}
	for _, v := range s.losses.RawMatrix().Data {
		if math.IsNaN(v) {
			return errors.New("linear: the features have numbers that are not finite")
		}
	}
	t.rows = s.rows
	var chol mat.Cholesky
	factored, shared := false, t.passes == 0 && len(s.active) > 1
	for j, c := range s.active {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !t.accept(s, j, c) {
			continue
		}
		h := mat.NewSymDense(t.size(), s.hess[min(j, len(s.hess)-1)])
		if !shared || j == 0 {
			for i := range t.size() {
				h.SetSym(i, i, h.At(i, i)+1)
			}
			factored = chol.Factorize(h)
		}
		t.direct(s, j, c, &chol, factored)
	}
	t.passes++
	t.trace = append(t.trace, t.rest())
	return nil
}

// accept moves function c, number j of the sums, by the length of the step that is short enough.
// It reports whether the sums hold the derivatives there and the tolerance is not reached.
func (t *Newton) accept(s *NewtonSums, j, c int) bool {
	f := &t.trials[c]
	w, step := t.vector(t.w, c), t.vector(t.step, c)
	first := t.passes == 0 || f.slope == 0 // the step is 0: the losses are those at w
	length := f.length
	for l := range lengths {
		at := slices.Clone(w)
		blas64.Axpy(length, linalg.Vector(step), linalg.Vector(at))
		value := square(at)/2 + s.losses.At(j, l)
		// Near the minimum the decrease is smaller than the round-off of the objective.
		if !first && !(value <= f.value+1e-4*length*f.slope+1e-14*math.Abs(f.value)) {
			length /= 2
			continue
		}
		f.value = value
		t.put(t.w, c, at)
		t.put(t.step, c, make([]float64, t.size()))
		f.slope, f.length = 0, 1
		return l == 0 && !t.converged(s, j, c)
	}
	if f.length = length; length < math.Ldexp(1, -shortest) {
		f.state = stuck
	}
	return false
}

// converged computes the gradient of function c in the sums and how far the function is from
// its minimum.
func (t *Newton) converged(s *NewtonSums, j, c int) bool {
	f := &t.trials[c]
	w, grad := t.vector(t.w, c), t.vector(s.grad, j)
	if t.svm != nil {
		// The gradient is w − Σ α·y·φ̃, so that the sum needs no room of its own.
		f.dual = s.dual[j] - square(grad)/2
		f.rest = 0
		if f.value > 0 {
			f.rest = max(0, (f.value-f.dual)/f.value)
		}
	}
	blas64.Axpy(1, linalg.Vector(w), linalg.Vector(grad))
	t.put(s.grad, j, grad)
	if t.svm == nil {
		norm := math.Sqrt(square(grad))
		if t.passes == 0 {
			f.first = norm
		}
		f.rest = 0
		if f.first > 0 {
			f.rest = norm / f.first
		}
	}
	if f.rest <= t.tol() {
		f.state = reached
	}
	return f.state != searching
}

// direct sets the step of function c to −H⁻¹·gradient.
func (t *Newton) direct(s *NewtonSums, j, c int, chol *mat.Cholesky, factored bool) {
	f := &t.trials[c]
	grad := t.vector(s.grad, j)
	step := mat.NewVecDense(t.size(), slices.Clone(grad))
	if factored {
		var bad mat.Condition
		if err := chol.SolveVecTo(step, step); err != nil && !errors.As(err, &bad) {
			factored = false
		}
	}
	step.ScaleVec(-1, step)
	f.slope = blas64.Dot(linalg.Vector(grad), step.RawVector())
	if !factored || !(f.slope < 0) {
		f.slope, f.state = 0, stuck
		return
	}
	t.put(t.step, c, step.RawVector().Data)
}

// Model returns the classifier on the features of m, or on the data themselves if m is nil; names are the names of the classes.
// As long as the tolerance is not reached, Model returns the classifier with a *gram.ConvergenceError, also when more passes can
// be made.
func (t *Newton) Model(m gram.FeatureMap, names []string) (*Classifier, error) {
	if len(names) != t.classes {
		return nil, settings.Refuse("classes", len(names), "%d", t.classes)
	}
	if m != nil {
		if _, p := m.Dims(); p != t.p {
			return nil, settings.Refuse("feature map", fmt.Sprintf("of %d features", p), "one of %d", t.p)
		}
	}
	_, bias := t.constants()
	model := &Classifier{m: m, names: names, svm: t.svm, logistic: t.logistic, stats: Stats{Features: t.p, Trace: slices.Clone(t.trace)}}
	model.w, model.bias = mat.DenseCopyOf(t.w.Slice(0, t.p, 0, t.k)), make([]float64, t.k)
	for c := range t.k {
		model.bias[c] = bias * t.w.At(t.p, c)
	}
	for _, f := range t.trials {
		model.stats.Iterations = append(model.stats.Iterations, t.passes)
		model.stats.Primal = append(model.stats.Primal, f.value)
		if t.svm != nil {
			model.stats.Dual, model.stats.Gap = append(model.stats.Dual, f.dual), append(model.stats.Gap, f.rest)
		} else {
			model.stats.Gradient = max(model.stats.Gradient, f.rest)
		}
	}
	model.use = through(m, model.w)
	if rest := t.rest(); !(rest <= t.tol()) {
		return model, &gram.ConvergenceError{Iter: t.passes, Residual: rest, Tol: t.tol()}
	}
	return model, nil
}

// Exchange describes where the method stands in a file.
func (t *Newton) Exchange(x *modelfile.Exchange) {
	head := struct {
		SVM                       *SVM      `json:",omitempty"`
		Logistic                  *Logistic `json:",omitempty"`
		Features, Classes, Passes int
		Rows                      int64
	}{t.svm, t.logistic, t.p, t.classes, t.passes, t.rows}
	x.Header("linear.newton", 1, &head)
	x.Require((head.SVM == nil) != (head.Logistic == nil), "", "the settings are not of one method")
	x.Require(head.Features > 0 && head.Features <= 1<<20 && head.Classes > 1 && head.Passes >= 0, "",
		"%d features, %d classes, %d passes", head.Features, head.Classes, head.Passes)
	t.svm, t.logistic, t.p, t.classes, t.passes, t.rows = head.SVM, head.Logistic, head.Features, head.Classes, head.Passes, head.Rows
	t.k = multiclass.Functions(t.classes)
	x.Require(t.logistic == nil || t.k == 1 || t.k <= maxJoint/(t.p+1), "", "%d coefficients that are searched for together", t.k*(t.p+1))
	x.Dense("weights", &t.w, t.p+1, t.k)
	x.Dense("step", &t.step, t.p+1, t.k)
	x.Float64("trace", &t.trace, t.passes)
	searches := t.searches()
	var figures []float64
	var states []int64
	for _, f := range t.trials {
		figures = append(figures, f.value, f.slope, f.length, f.first, f.rest, f.dual)
		states = append(states, f.state)
	}
	x.AnyFloat64("figures", &figures, 6*searches) // infinite before the first pass
	x.Int64("states", &states, searches)
	if x.Reading() {
		t.trials = make([]trial, searches)
		for c := range t.trials {
			v := figures[6*c:]
			t.trials[c] = trial{v[0], v[1], v[2], v[3], v[4], v[5], states[c]}
			x.Require(states[c] >= searching && states[c] <= stuck, "states", "state %d", states[c])
		}
	}
}

// Exchange describes the sums in a file. They are read into the Sums of the same pass.
func (s *NewtonSums) Exchange(x *modelfile.Exchange) {
	head := struct {
		Features, Passes int
		Active           []int
		Rows             int64
	}{s.t.p, s.passes, s.active, s.rows}
	x.Header("linear.newton-sums", 1, &head)
	x.Require(head.Features == s.t.p && head.Passes == s.passes && slices.Equal(head.Active, s.active), "",
		"sums of another pass or problem")
	x.Require(head.Rows >= 0, "", "%d rows", head.Rows)
	s.rows = head.Rows
	x.Dense("losses", &s.losses, len(s.active), lengths)
	x.Float64("dual", &s.dual, len(s.active))
	x.Dense("gradient", &s.grad, s.t.p+1, s.functions())
	for m := range s.hess {
		exchangeUpper(x, fmt.Sprintf("hessian%d", m), &s.hess[m], s.t.size())
	}
}
