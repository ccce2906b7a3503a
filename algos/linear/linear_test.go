package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func random(seed uint64, n, d int) *mat.Dense {
	r := rng.New(seed, 0)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

// overlapping returns rows of k classes that no linear function separates.
func overlapping(seed uint64, n, d, k int) (*mat.Dense, gram.Labels) {
	x := random(seed, n, d)
	y := gram.Labels{Class: make([]int, n), Names: []string{"a", "b", "c", "d"}[:k]}
	for i := range n {
		y.Class[i] = i % k
		x.Set(i, y.Class[i]%d, x.At(i, y.Class[i]%d)+1.5)
	}
	return x, y
}

func TestSVMReachesItsGap(t *testing.T) {
	for _, k := range []int{2, 4} {
		if testing.Short() && k > 2 {
			break
		}
		x, y := overlapping(1, 120, 4, k)
		for _, loss := range []Loss{SquaredHinge, Hinge} {
			for _, c := range []SVM{{C: 0.01}, {C: 1}, {C: 10}, {C: 1, NoBias: true}} {
				c.Loss, c.Tol, c.MaxIter = loss, 1e-6, 100000
				m, err := c.Fit(context.Background(), nil, x, y, nil)
				if err != nil {
					t.Fatalf("%d classes, %+v: %v", k, c, err)
				}
				for f := range multiclass.Functions(k) {
					s := m.Stats()
					if !(s.Gap[f] <= 1e-6 && s.Gap[f] >= -1e-12) {
						t.Errorf("%d classes, %+v: gap %g", k, c, s.Gap[f])
					}
					want := objective(m, x, y, nil, f, func(v float64) float64 {
						h := math.Max(0, 1-v)
						if loss == SquaredHinge {
							return h * h
						}
						return h
					}, c.C)
					if !(math.Abs(s.Primal[f]-want) <= 1e-9*want) {
						t.Errorf("%d classes, %+v: primal %g, by definition %g", k, c, s.Primal[f], want)
					}
				}
			}
		}
	}
}

// Columns of very different scales: coordinate descent alone is far from the gap
// after 1000 passes. With the features mapped again, sparse, and with weights the
// functions are the same.
func TestSVMIllConditioned(t *testing.T) {
	const n, d = 400, 6
	for _, k := range []int{2, 3} {
		x, y := overlapping(5, n, d, k)
		w := make([]float64, n)
		for i := range n {
			x.Set(i, 0, 1e3*x.At(i, 0))
			x.Set(i, 1, 1e-2*x.At(i, 1))
			w[i] = float64(i % 3)
		}
		c := SVM{C: 100, Tol: 1e-9}
		m := must.Have(c.Fit(t.Context(), nil, x, y, w))(t)
		for f := range multiclass.Functions(k) {
			if s := m.Stats(); !(s.Gap[f] <= 1e-9 && s.Gap[f] >= -1e-12) || s.Iterations[f] > 200 {
				t.Errorf("%d classes: gap %g after %d passes", k, s.Gap[f], s.Iterations[f])
			}
			square := func(v float64) float64 { return math.Pow(max(0, 1-v), 2) }
			if want := objective(m, x, y, w, f, square, c.C); !(math.Abs(m.Stats().Primal[f]-want) <= 1e-9*want) {
				t.Errorf("%d classes: primal %g, by definition %g", k, m.Stats().Primal[f], want)
			}
		}
		s := must.Have(c.Fit(t.Context(), nil, sparse.FromDense(x), y, w))(t)
		a, _ := m.Weights()
		b, _ := s.Weights()
		for f := range multiclass.Functions(k) {
			for j := range d {
				if !(math.Abs(a.At(j, f)-b.At(j, f)) <= 1e-4*math.Abs(a.At(j, f))) {
					t.Errorf("%d classes: coefficient %d is %g, of sparse rows %g", k, j, a.At(j, f), b.At(j, f))
				}
			}
		}
	}
}

// The Hessian that follows the margins is that of its definition.
func TestFiniteHessian(t *testing.T) {
	const n, d = 900, 5
	x, labels := overlapping(6, n, d, 2)
	src := must.Have(newSource(t.Context(), nil, gram.Of(x), true, SVM{}.Meter()))(t)
	c := must.Have(settings.Resolved(SVM{C: 3}, gram.Shape{}))(t)
	tr := must.Have(c.newTrainer(t.Context(), src, labels, nil))(t)
	s := tr.newFinite()
	s.enter, s.leave = mat.NewDense(7, d+1, nil), mat.NewDense(7, d+1, nil) // several pieces
	s.forget()
	r := rng.New(7, 0)
	for _, flips := range []float64{1, 0.1, 0.02, 0.9, 0} {
		for i := range s.margin {
			if r.Float64() < flips {
				s.margin[i] = 2 * r.Float64()
			}
		}
		v := must.Have(s.terms(t.Context()))(t)
		h := mat.NewDense(d+1, d+1, nil)
		sum := make([]float64, d+1)
		for j := range d + 1 {
			h.Set(j, j, 1)
		}
		for i, m := range s.margin {
			if m < 1 {
				row := append(mat.Row(nil, i, x), 1)
				h.RankOne(h, 2*3, mat.NewVecDense(d+1, row), mat.NewVecDense(d+1, row))
				for j, u := range row {
					sum[j] += 2 * 3 * (1 - m) * multiclass.Sign(labels.Class[i], 0, 1) * u
				}
			}
		}
		for j := range d + 1 {
			if !(math.Abs(v[j]-sum[j]) <= 1e-9*(1+math.Abs(sum[j]))) {
				t.Errorf("share %v changed: Σ αyφ is %v at %d, want %v", flips, v[j], j, sum[j])
			}
			for l := range d + 1 {
				if !(math.Abs(s.h.At(j, l)-h.At(j, l)) <= 1e-9*(1+math.Abs(h.At(j, l)))) {
					t.Errorf("share %v changed: Hessian %v at (%d, %d), want %v", flips, s.h.At(j, l), j, l, h.At(j, l))
				}
			}
		}
	}
}

// Where the Hessian is out of range Newton steps leave a function as it was. Fit refuses
// such data.
func TestSVMBeyondRange(t *testing.T) {
	x, y := overlapping(8, 60, 3, 2)
	x.Scale(1e160, x)
	src := must.Have(newSource(t.Context(), nil, gram.Of(x), true, SVM{}.Meter()))(t)
	c := must.Have(settings.Resolved(SVM{MaxIter: 40}, gram.Shape{}))(t)
	tr := must.Have(c.newTrainer(t.Context(), src, y, nil))(t)
	before := []float64{1e-161, 2e-161, -1e-161, 0.5}
	copy(tr.f[0].w, before)
	must.Do(t, tr.newton(t.Context(), c.Meter()))
	if f := tr.f[0]; f.done || f.iter != 0 || !slices.Equal(f.w, before) {
		t.Errorf("done %v after %d passes with %v, was %v", f.done, f.iter, f.w, before)
	}
	m, err := c.Fit(t.Context(), nil, x, y, nil)
	var de *gram.DataError
	if !errors.As(err, &de) || m != nil {
		t.Errorf("error %v", err)
	}
}

// split is the map x·a by Map, and by Factor in two parts.
type split struct {
	a      *mat.Dense
	mapped *int
}

func (s split) Dims() (d, m int) { return s.a.Dims() }

func (s split) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	*s.mapped++
	if dst == nil {
		dst = &mat.Dense{}
	}
	dst.Mul(x, s.a)
	return dst
}

type same struct{ d int }

func (s same) Dims() (d, m int) { return s.d, s.d }

func (s same) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if dst == nil {
		return mat.DenseCopyOf(x)
	}
	dst.Copy(x)
	return dst
}

func (s split) Factor() (gram.FeatureMap, *mat.Dense) { return same{s.a.RawMatrix().Rows}, s.a }

// Predictions leave out the second part of a map that has two.
func TestFactoredMaps(t *testing.T) {
	x, y := overlapping(9, 80, 4, 3)
	s := split{random(10, 4, 6), new(int)}
	c := must.Have(SVM{}.Fit(t.Context(), s, x, y, nil))(t)
	l := must.Have(Logistic{}.Fit(t.Context(), s, x, y, nil))(t)
	r := must.Have(Ridge{}.Fit(t.Context(), s, x, mat.Col(nil, 0, x), nil))(t)
	mapped := *s.mapped
	for _, m := range []struct {
		name   string
		got    *mat.Dense
		linear interface {
			Weights() (*mat.Dense, []float64)
		}
	}{{"SVM", c.Scores(nil, x), c}, {"logistic", l.Scores(nil, x), l}, {"ridge", r.PredictAll(nil, x), r}} {
		w, bias := m.linear.Weights()
		var want mat.Dense
		want.Product(x, s.a, w)
		want.Apply(func(_, k int, v float64) float64 { return v + bias[k] }, &want)
		if !mat.EqualApprox(m.got, &want, 1e-12) {
			t.Errorf("%s: wrong scores", m.name)
		}
	}
	if *s.mapped != mapped {
		t.Error("predictions mapped rows")
	}
}

// objective computes the primal value of function f from its definition, for
// Bias 1 or none.
func objective(m *Classifier, x mat.Matrix, y gram.Labels, w []float64, f int, loss func(float64) float64, c float64) float64 {
	coef, bias := m.Weights()
	p, k := coef.Dims()
	s := bias[f] * bias[f] / 2
	for j := range p {
		s += coef.At(j, f) * coef.At(j, f) / 2
	}
	for i, class := range y.Class {
		v := bias[f]
		for j := range p {
			v += x.At(i, j) * coef.At(j, f)
		}
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		s += c * wi * loss(multiclass.Sign(class, f, k)*v)
	}
	return s
}

// At the optimum of the squared hinge the gradient of the primal vanishes; for
// the hinge no direction lowers the primal by more than the gap.
func TestSVMIsOptimal(t *testing.T) {
	x, y := overlapping(2, 150, 4, 2)
	w := make([]float64, 150)
	r := rng.New(3, 0)
	for i := range w {
		w[i] = float64(r.IntN(3))
	}
	const c = 2
	m := must.Have(SVM{C: c, Tol: 1e-12, MaxIter: 1e6}.Fit(context.Background(), nil, x, y, w))(t)
	coef, bias := m.Weights()
	grad := append(mat.Col(nil, 0, coef), bias[0])
	for i, class := range y.Class {
		f := bias[0]
		for j := range 4 {
			f += x.At(i, j) * coef.At(j, 0)
		}
		s := multiclass.Sign(class, 0, 1)
		g := -2 * c * w[i] * math.Max(0, 1-s*f) * s
		for j := range 4 {
			grad[j] += g * x.At(i, j)
		}
		grad[4] += g
	}
	for j, g := range grad {
		if !(math.Abs(g) < 1e-3) {
			t.Errorf("component %d of the gradient is %g", j, g)
		}
	}

	h := must.Have(SVM{C: c, Loss: Hinge, Tol: 1e-9, MaxIter: 1e6}.Fit(context.Background(), nil, x, y, w))(t)
	hinge := func(v float64) float64 { return math.Max(0, 1-v) }
	best := objective(h, x, y, w, 0, hinge, c)
	for range 200 {
		moved := *h
		moved.w, moved.bias = mat.DenseCopyOf(h.w), []float64{h.bias[0] + 0.01*r.NormFloat64()}
		for j := range 4 {
			moved.w.Set(j, 0, moved.w.At(j, 0)+0.01*r.NormFloat64())
		}
		if v := objective(&moved, x, y, w, 0, hinge, c); !(v >= best*(1-1e-9)) {
			t.Fatalf("another point has objective %g, the solution has %g", v, best)
		}
	}
}

func TestWeightsAreRepetitions(t *testing.T) {
	x, y := overlapping(4, 60, 3, 3)
	r := rng.New(5, 0)
	w, value := make([]float64, 60), make([]float64, 60)
	var rep []int
	for i := range w {
		w[i], value[i] = float64(r.IntN(4)), r.NormFloat64()
		for range int(w[i]) {
			rep = append(rep, i)
		}
	}
	long := mat.NewDense(len(rep), 3, nil)
	labels := gram.Labels{Names: y.Names}
	var values []float64
	for k, i := range rep {
		long.SetRow(k, x.RawRowView(i))
		labels.Class = append(labels.Class, y.Class[i])
		values = append(values, value[i])
	}
	ctx := context.Background()
	near := func(what string, a, b *mat.Dense, err1, err2 error) {
		t.Helper()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if !mat.EqualApprox(a, b, 1e-4) {
			t.Errorf("%s: scores with weights differ from those with repeated rows", what)
		}
	}
	for _, loss := range []Loss{SquaredHinge, Hinge} {
		c := SVM{Loss: loss, Tol: 1e-9, MaxIter: 1e6}
		a, e1 := c.Fit(ctx, nil, x, y, w)
		b, e2 := c.Fit(ctx, nil, long, labels, nil)
		near("SVM", a.Scores(nil, x), b.Scores(nil, x), e1, e2)
	}
	a, e1 := Logistic{Tol: 1e-9}.Fit(ctx, nil, x, y, w)
	b, e2 := Logistic{Tol: 1e-9}.Fit(ctx, nil, long, labels, nil)
	near("logistic", a.Scores(nil, x), b.Scores(nil, x), e1, e2)
	for _, s := range []Solver{Cholesky, CG} {
		c := Ridge{Lambda: gram.Set(0.2), Penalty: solve.PerRow, Solver: s}
		a, e1 := c.Fit(ctx, nil, x, value, w)
		b, e2 := c.Fit(ctx, nil, long, values, nil)
		near("ridge", a.PredictAll(nil, x), b.PredictAll(nil, x), e1, e2)
	}
}

// Features that are mapped again in every pass give the bits of stored ones.
func TestMappingAgainChangesNothing(t *testing.T) {
	x, y := overlapping(6, 1100, 3, 4)
	f := newCosines(3, 30)
	ctx := context.Background()
	value := mat.Col(nil, 0, random(7, 1100, 1))
	s := gram.Shape{N: 1100, D: 3, Outputs: 4}
	least := func(plan gram.Plan, err error) gram.Run {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return gram.Run{MemoryLimit: plan.PeakBytes}
	}
	one := gram.Run{MemoryLimit: 1} // its plan is that of mapping again
	classifier := func(m *Classifier, err error) *Classifier {
		t.Helper()
		var ve *gram.ConvergenceError
		if err != nil && !errors.As(err, &ve) {
			t.Fatal(err)
		}
		return m
	}
	a := classifier(SVM{MaxIter: 10}.Fit(ctx, f, x, y, nil))
	b := classifier(SVM{MaxIter: 10, Run: least(SVM{Run: one}.Plan(f, s))}.Fit(ctx, f, x, y, nil))
	if !a.Stats().Stored || b.Stats().Stored || !mat.Equal(a.w, b.w) {
		t.Error("SVM: mapping again gives another model")
	}
	a = classifier(Logistic{}.Fit(ctx, f, x, y, nil))
	b = classifier(Logistic{Run: least(Logistic{Run: one}.Plan(f, s))}.Fit(ctx, f, x, y, nil))
	if !a.Stats().Stored || b.Stats().Stored || !mat.Equal(a.w, b.w) {
		t.Error("logistic regression: mapping again gives another model")
	}
	s.Outputs = 1
	for _, solver := range []Solver{Cholesky, CG} {
		a := must.Have(Ridge{Solver: solver}.Fit(ctx, f, x, value, nil))(t)
		b := must.Have(Ridge{Solver: solver, Run: least(Ridge{Solver: solver, Run: one}.Plan(f, s))}.Fit(ctx, f, x, value, nil))(t)
		if !a.Stats().Stored || b.Stats().Stored || !mat.Equal(a.w, b.w) {
			t.Errorf("ridge, solver %d: mapping again gives another model", solver)
		}
	}
}

// Gradient and Hessian of the logistic objective against central differences, for two classes
// and for three.
func TestLogisticDerivatives(t *testing.T) {
	for _, k := range []int{1, 3} {
		x, y := overlapping(8, 40, 3, max(2, k))
		w := mat.Col(nil, 0, random(9, 40, 1))
		for i := range w {
			w[i] *= w[i]
		}
		src := must.Have(newSource(context.Background(), nil, gram.Of(x), false, gram.Run{}.Meter()))(t)
		n := &newtonSolver{c: Logistic{C: 0.7, Bias: 2}, ctx: context.Background(), src: src, class: y.Class, weight: w, k: k, curve: mat.NewDense(40, k, nil)}
		at, grad := random(10, 4, k), mat.NewDense(4, k, nil)
		if value := n.evaluate(at, nil); value != n.evaluate(at, grad) {
			t.Error("the objective depends on whether there is a gradient")
		}
		size := 4 * k
		hessian := mat.NewDense(size, size, nil)
		for c := range size {
			in, out := mat.NewDense(size, 1, nil), mat.NewDense(size, 1, nil)
			in.Set(c, 0, 1)
			n.Apply(out, in)
			hessian.SetCol(c, mat.Col(nil, 0, out))
		}
		const h = 1e-5
		for c := range size {
			move := func(step float64) (float64, *mat.Dense) {
				p, g := mat.DenseCopyOf(at), mat.NewDense(4, k, nil)
				p.Set(c/k, c%k, p.At(c/k, c%k)+step)
				return n.evaluate(p, g), g
			}
			up, gu := move(h)
			down, gd := move(-h)
			if d := (up - down) / (2 * h); !(math.Abs(d-grad.At(c/k, c%k)) < 1e-6*(1+math.Abs(d))) {
				t.Errorf("component %d of the gradient is %g, by differences %g", c, grad.At(c/k, c%k), d)
			}
			for r := range size {
				if d := (gu.At(r/k, r%k) - gd.At(r/k, r%k)) / (2 * h); !(math.Abs(d-hessian.At(r, c)) < 1e-6*(1+math.Abs(d))) {
					t.Errorf("entry %d, %d of the Hessian is %g, by differences %g", r, c, hessian.At(r, c), d)
				}
			}
		}
	}
}

// Probabilities of logistic regression come with the model: their mean log loss is the
// objective without the norm. A file of version 1, with functions of classes against the rest,
// has none for more than two classes.
func TestLogisticProbabilities(t *testing.T) {
	for _, k := range []int{2, 4} {
		x, y := overlapping(11, 300, 5, k)
		m := must.Have(Logistic{C: .5}.Fit(context.Background(), nil, x, y, nil))(t)
		w, bias := m.Weights()
		p := m.Calibration().Probabilities(nil, m.Scores(nil, x))
		want := (norm2(w) + floats.Dot(bias, bias)) / 2
		for i, c := range y.Class {
			want -= .5 * math.Log(p.At(i, c))
		}
		if got := m.Stats().Primal[0]; !(math.Abs(got-want) < 1e-9*want) {
			t.Errorf("%d classes: the objective is %g, by the probabilities %g", k, got, want)
		}
	}
	f := must.Have(modelfile.ReadFile("testdata/logistic.v1.gram"))(t)
	part := must.Have(f.Sub("model"))(t)
	old, err := DecodeClassifier(part, nil)
	if err != nil || len(old.Classes()) < 3 || old.Calibration() != nil {
		t.Errorf("version 1: %v", err)
	}
	if svm, _ := (SVM{}).Fit(context.Background(), nil, random(1, 4, 2), gram.NewLabels([]string{"a", "b", "a", "b"}), nil); svm.Calibration() != nil {
		t.Error("a support vector machine has probabilities")
	}
}

func TestLogisticConverges(t *testing.T) {
	for _, k := range []int{2, 4} {
		x, y := overlapping(11, 300, 5, k)
		for _, c := range []float64{1e-3, 1, 1e4} {
			m, err := Logistic{C: c, Tol: 1e-8}.Fit(context.Background(), nil, x, y, nil)
			if err != nil {
				t.Fatalf("C=%g: %v", c, err)
			}
			if s := m.Stats(); !(s.Gradient <= 1e-8) || s.Iterations[0] > 40 {
				t.Errorf("C=%g: gradient %g after %d steps", c, s.Gradient, s.Iterations[0])
			}
		}
	}
}

// ridgeOf solves the problem with an explicit constant column.
func ridgeOf(x *mat.Dense, y, w []float64, lambda float64, bias bool) []float64 {
	n, d := x.Dims()
	cols := d
	if bias {
		cols++
	}
	a, b := mat.NewDense(cols, cols, nil), mat.NewVecDense(cols, nil)
	row := make([]float64, cols)
	for i := range n {
		copy(row, x.RawRowView(i))
		if bias {
			row[d] = 1
		}
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		for p := range cols {
			b.SetVec(p, b.AtVec(p)+wi*row[p]*y[i])
			for q := range cols {
				a.Set(p, q, a.At(p, q)+wi*row[p]*row[q])
			}
		}
	}
	for j := range d {
		a.Set(j, j, a.At(j, j)+lambda)
	}
	var s mat.VecDense
	if err := s.SolveVec(a, b); err != nil {
		panic(err)
	}
	return s.RawVector().Data
}

func TestRidgeAgainstNormalEquations(t *testing.T) {
	const n, d = 80, 6
	x := random(12, n, d)
	y, w := mat.Col(nil, 0, random(13, n, 1)), mat.Col(nil, 0, random(14, n, 1))
	var total float64
	for i := range n {
		y[i] += 3 + x.At(i, 1)
		w[i] *= w[i]
		total += w[i]
	}
	for _, s := range []Solver{Cholesky, CG} {
		for _, noBias := range []bool{false, true} {
			for _, weights := range [][]float64{nil, w} {
				for _, pen := range []solve.Penalty{solve.Total, solve.PerRow} {
					c := Ridge{Lambda: gram.Set(0.3), Penalty: pen, NoBias: noBias, Solver: s, Tol: 1e-12}
					lambda := 0.3
					if pen == solve.PerRow {
						lambda *= map[bool]float64{true: n, false: total}[weights == nil]
					}
					want := ridgeOf(x, y, weights, lambda, !noBias)
					for _, z := range []mat.Matrix{x, sparse.FromDense(x)} {
						m := must.Have(c.Fit(context.Background(), nil, z, y, weights))(t)
						coef, bias := m.Weights()
						for j := range d {
							if !(math.Abs(coef.At(j, 0)-want[j]) < 1e-8) {
								t.Errorf("%+v, %T: coefficient %d is %g, want %g", c, z, j, coef.At(j, 0), want[j])
							}
						}
						if !noBias && !(math.Abs(bias[0]-want[d]) < 1e-8) || noBias && bias[0] != 0 {
							t.Errorf("%+v, %T: constant %g", c, z, bias[0])
						}
					}
				}
			}
		}
	}
}

// A large common offset of the features costs no digits, as they are centered.
func TestRidgeWithLargeOffsets(t *testing.T) {
	x := random(15, 100, 3)
	shifted := mat.DenseCopyOf(x)
	y := make([]float64, 100)
	for i := range 100 {
		y[i] = 2*x.At(i, 0) - x.At(i, 2)
		for j := range 3 {
			shifted.Set(i, j, x.At(i, j)+1e7)
		}
	}
	for _, s := range []Solver{Cholesky, CG} {
		m := must.Have(Ridge{Lambda: gram.Set(1e-9), Solver: s}.Fit(context.Background(), nil, shifted, y, nil))(t)
		for i, p := range m.Predict(nil, shifted) {
			if !(math.Abs(p-y[i]) < 1e-5) {
				t.Fatalf("solver %d: prediction of row %d is %g, want %g", s, i, p, y[i])
			}
		}
	}
}

func TestRidgeWithoutPenalty(t *testing.T) {
	x := random(16, 30, 3)
	y := mat.Col(nil, 0, random(17, 30, 1))
	twice := mat.NewDense(30, 6, nil) // every column twice: singular
	for i := range 30 {
		for j := range 3 {
			twice.Set(i, j, x.At(i, j))
			twice.Set(i, 3+j, x.At(i, j))
		}
	}
	want := ridgeOf(x, y, nil, 0, true)
	for _, s := range []Solver{Cholesky, CG} {
		m := must.Have(Ridge{Lambda: gram.Set(0.0), Solver: s}.Fit(context.Background(), nil, twice, y, nil))(t)
		coef, bias := m.Weights()
		for j := range 6 {
			if !(math.Abs(coef.At(j, 0)-want[j%3]/2) < 1e-6) {
				t.Errorf("solver %d: coefficient %d is %g, least norm is %g", s, j, coef.At(j, 0), want[j%3]/2)
			}
		}
		if !(math.Abs(bias[0]-want[3]) < 1e-6) {
			t.Errorf("solver %d: constant %g, want %g", s, bias[0], want[3])
		}
		if s == Cholesky && m.Stats().EffectiveRank != 3 {
			t.Errorf("effective rank %d, want 3", m.Stats().EffectiveRank)
		}
	}
}

func TestSeveralTargets(t *testing.T) {
	x, y := random(18, 50, 4), random(19, 50, 3)
	all := must.Have(Ridge{}.FitAll(context.Background(), nil, x, y, nil))(t)
	p := all.PredictAll(nil, x)
	for c := range 3 {
		one := must.Have(Ridge{}.Fit(context.Background(), nil, x, mat.Col(nil, c, y), nil))(t)
		for i, v := range one.Predict(nil, x) {
			if !(math.Abs(v-p.At(i, c)) < 1e-10) {
				t.Fatalf("target %d alone differs in row %d", c, i)
			}
		}
	}
}

func TestPredictions(t *testing.T) {
	if multiclass.Decide([]float64{0}) != 0 || multiclass.Decide([]float64{0.1}) != 1 || multiclass.Decide([]float64{math.NaN()}) != -1 {
		t.Error("two classes")
	}
	if multiclass.Decide([]float64{1, 3, 3}) != 1 || multiclass.Decide([]float64{1, math.NaN(), 0}) != -1 || multiclass.Decide([]float64{math.Inf(-1), math.Inf(-1)}) != 0 {
		t.Error("three classes")
	}
	// For labels −1 and +1 a positive score means +1.
	x := mat.NewDense(4, 1, []float64{-2, -1, 1, 2})
	y := gram.NewLabels([]string{"-1", "-1", "+1", "+1"})
	m := must.Have(SVM{}.Fit(context.Background(), nil, x, y, nil))(t)
	if s := m.Scores(nil, x); !(s.At(0, 0) < 0 && s.At(3, 0) > 0) || !slices.Equal(m.Predict(nil, x), y.Class) || m.Classes()[1] != "+1" {
		t.Errorf("scores %v", mat.Formatted(s))
	}
}

func TestConfigErrors(t *testing.T) {
	x, y := overlapping(20, 20, 3, 2)
	v := make([]float64, 20)
	var ce *gram.ConfigError
	for _, c := range []SVM{{C: -1}, {C: math.Inf(1)}, {Loss: 9}, {Bias: -1}, {Bias: 1, NoBias: true}, {Tol: -1}, {MaxIter: -1}} {
		if _, err := c.Fit(context.Background(), nil, x, y, nil); !errors.As(err, &ce) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	for _, c := range []Logistic{{C: -1}, {Bias: -1}, {Tol: math.NaN()}, {MaxIter: -1}} {
		if _, err := c.Fit(context.Background(), nil, x, y, nil); !errors.As(err, &ce) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	for _, c := range []Ridge{{Lambda: gram.Set(-1.)}, {Penalty: 7}, {Solver: 9}, {Tol: -1}, {MaxIter: -1}} {
		if _, err := c.Fit(context.Background(), nil, x, v, nil); !errors.As(err, &ce) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	if _, err := (SVM{}).Fit(context.Background(), newCosines(2, 5), x, y, nil); !errors.As(err, &ce) {
		t.Errorf("a map for other columns: error %v", err)
	}
	var ve *gram.ConvergenceError
	m, err := SVM{MaxIter: 1, Tol: 1e-12}.Fit(context.Background(), nil, x, y, nil)
	if !errors.As(err, &ve) || m == nil || ve.Iter != 1 {
		t.Errorf("one pass: error %v", err)
	}
}

// times is the features x·a.
type times struct{ a *mat.Dense }

func (f times) Dims() (d, m int) { return f.a.Dims() }

func (f times) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if dst == nil {
		dst = new(mat.Dense)
	}
	dst.Mul(x, f.a)
	return dst
}

// A model on features that are linear functions of others is one on the others.
func TestOn(t *testing.T) {
	d := algotest.Problem(9, 80, 5, 3)
	a := mat.NewDense(5, 2, []float64{1, 2, -1, 0, 3, 1, 0, 1, 2, -2})
	eye := mat.NewDense(5, 5, nil)
	for i := range 5 {
		eye.Set(i, i, 1)
	}
	c := must.Have(SVM{}.Fit(context.Background(), times{a}, d.X, d.Labels, nil))(t)
	if !mat.EqualApprox(c.Scores(nil, d.X), c.On(times{eye}, a).Scores(nil, d.X), 1e-12) {
		t.Error("the classifier gives other scores on the other features")
	}
	r := must.Have(Ridge{}.Fit(context.Background(), times{a}, d.X, d.Value, nil))(t)
	got, want := r.On(times{eye}, a).Predict(nil, d.X), r.Predict(nil, d.X)
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-12) {
			t.Fatalf("row %d: %g on the other features, want %g", i, got[i], want[i])
		}
	}
	if must.Recovered(func() { c.On(times{a}, a) }) == nil {
		t.Error("a matrix of the wrong shape is accepted")
	}
}

func ExampleSVM() {
	x := mat.NewDense(6, 2, []float64{0, 0, 1, 0, 0, 1, 3, 3, 4, 3, 3, 4})
	y := gram.NewLabels([]string{"low", "low", "low", "high", "high", "high"})
	m, err := SVM{C: 10}.Fit(context.Background(), nil, x, y, nil)
	if err != nil {
		panic(err)
	}
	for _, c := range m.Predict(nil, mat.NewDense(2, 2, []float64{5, 5, -1, 0})) {
		fmt.Println(m.Classes()[c])
	}
	// Output:
	// high
	// low
}

func ExampleLogistic() {
	x := mat.NewDense(4, 1, []float64{-2, -1, 1, 2})
	y := gram.NewLabels([]string{"0", "0", "1", "1"})
	m, err := Logistic{}.Fit(context.Background(), nil, x, y, nil)
	if err != nil {
		panic(err)
	}
	odds := m.Scores(nil, mat.NewDense(1, 1, []float64{0})).At(0, 0)
	fmt.Printf("probability of 1 at 0: %.2f\n", 1/(1+math.Exp(-odds)))
	// Output: probability of 1 at 0: 0.50
}

func ExampleRidge() {
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	m, err := Ridge{Lambda: gram.Set(1e-9)}.Fit(context.Background(), nil, x, []float64{1, 3, 5, 7}, nil)
	if err != nil {
		panic(err)
	}
	w, b := m.Weights()
	fmt.Printf("y = %.2f·x + %.2f\n", w.At(0, 0), b[0])
	// Output: y = 2.00·x + 1.00
}

// Rows of weight 0 leave all figures numbers, for the squared loss as well.
func TestFiguresWithoutWeight(t *testing.T) {
	d := algotest.Problem(9, 80, 5, 3)
	d.Weights[3], d.Weights[7] = 0, 0
	for _, loss := range []Loss{Hinge, SquaredHinge} {
		c := must.Have(SVM{Loss: loss}.Fit(context.Background(), nil, d.X, d.Labels, d.Weights))(t)
		s := c.Stats()
		for k, v := range s.Dual {
			if !(v > 0 && v <= s.Primal[k]*(1+1e-14) && s.Gap[k] >= -1e-14 && s.Gap[k] <= 1e-3) {
				t.Errorf("%v: function %d has dual value %v, primal value %v, gap %v", loss, k, v, s.Primal[k], s.Gap[k])
			}
		}
	}
}

// Rows are mapped with looks at the context in between, once or again and again.
func TestMappingObeys(t *testing.T) {
	x := random(3, 4*mapRows, 2)
	var meter gram.Meter
	for _, store := range []bool{true, false} {
		algotest.Obeys(t, func(ctx context.Context) error {
			s, err := newSource(ctx, times{mat.NewDense(2, 2, []float64{1, 2, 3, 4})}, gram.Of(x), store, &meter)
			if err != nil {
				return err
			}
			return s.each(ctx, func(gram.Samples[float64], int, int) {})
		})
	}
}
