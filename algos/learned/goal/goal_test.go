package goal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var gauss = kernel.Gaussian{Gamma: 0.2}

func random(seed uint64, n, m int) *mat.Dense {
	r := rng.New(seed, 3)
	a := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			a.Set(i, j, r.NormFloat64())
		}
	}
	return a
}

// testProblem is an objective with weights on data of several blocks' length, and
// a state in which some rows are on the flat side of the hinge.
func testProblem(t *testing.T, kind Features, loss Loss, noBias, csr bool) (*problem, *state) {
	t.Helper()
	d := algotest.Problem(5, blockRows+200, 3, 3)
	c := Config{Kernel: gauss, Features: kind, M: 5, Loss: loss, C: 2, Lambda: gram.Set(.3), NoBias: noBias}
	c = must.Have(settings.Resolved(c, gram.Shape{N: blockRows + 200, D: 3, Outputs: 3}))(t)
	x := d.X
	if csr {
		x = sparse.FromDense(x)
	}
	p := c.problem(gram.Of(x), multiclass.Signs(d.Labels.Class, len(d.Labels.Names)), d.Weights, loss)
	u := random(6, p.d, p.m)
	p.basis = c.basis(u)
	w := random(7, p.q, p.k)
	return p, &state{u: u, w: w, s: mat.NewDense(p.n, p.k, nil)}
}

func each(t *testing.T, body func(t *testing.T, kind Features, loss Loss)) {
	for _, kind := range []Features{Nystrom, Fourier} {
		for _, loss := range []Loss{SquaredHinge, Logistic, Squared} {
			t.Run(fmt.Sprint(kind, " ", loss), func(t *testing.T) { body(t, kind, loss) })
		}
	}
}

// byDefinition is the objective from its definition.
func byDefinition(p *problem, at *state) float64 {
	var f float64
	for k := range p.k {
		for j := range p.q {
			ridge := p.ridge
			if j == p.p {
				ridge = p.ridgeBias
			}
			f += ridge / 2 * at.w.At(j, k) * at.w.At(j, k)
		}
	}
	for i := range p.n {
		row := mat.Row(nil, i, p.x)
		for k := range p.k {
			var s float64
			for j := range p.m {
				u := mat.Col(nil, j, at.u)
				if p.p == p.m {
					s += at.w.At(j, k) * gauss.Eval(row, u)
					continue
				}
				var z float64
				for c, v := range row {
					z += v * u[c]
				}
				s += (at.w.At(j, k)*math.Cos(z) + at.w.At(p.m+j, k)*math.Sin(z)) / math.Sqrt(float64(p.m))
			}
			if p.q > p.p {
				s += at.w.At(p.p, k)
			}
			y := p.y.At(i, k)
			var l float64
			switch p.loss {
			case SquaredHinge:
				l = math.Pow(math.Max(0, 1-y*s), 2)
			case Logistic:
				l = math.Log(1 + math.Exp(-y*s))
			case Squared:
				l = (y - s) * (y - s)
			}
			f += p.c * p.weight[i] * l
		}
	}
	return f
}

func TestObjective(t *testing.T) {
	each(t, func(t *testing.T, kind Features, loss Loss) {
		for _, noBias := range []bool{false, true} {
			p, at := testProblem(t, kind, loss, noBias, false)
			got, err := p.evaluate(t.Context(), at.u, at.w, at.s, nil, nil)
			if want := byDefinition(p, at); err != nil || !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("no bias %v: objective %v, by definition %v, error %v", noBias, got, want, err)
			}
		}
	})
}

// The gradient by the points agrees with central differences in every coordinate.
func TestGradient(t *testing.T) {
	algotest.Serial(t)
	each(t, func(t *testing.T, kind Features, loss Loss) {
		for _, csr := range []bool{false, true} {
			p, at := testProblem(t, kind, loss, csr, csr)
			g, s := mat.NewDense(p.d, p.m, nil), mat.NewDense(p.n, p.k, nil)
			must.Have(p.evaluate(t.Context(), at.u, at.w, s, g, nil))(t)
			size := math.Sqrt(linalg.Inner(g, g) / float64(p.d*p.m))
			for i := range p.d {
				for j := range p.m {
					const h = 1e-5
					at2 := func(step float64) float64 {
						u := mat.DenseCopyOf(at.u)
						u.Set(i, j, u.At(i, j)+step)
						v := must.Have(p.evaluate(t.Context(), u, at.w, s, nil, nil))(t)
						return v
					}
					want := (at2(h) - at2(-h)) / (2 * h)
					if !(math.Abs(g.At(i, j)-want) <= 1e-6*size) {
						t.Errorf("sparse %v, coordinate %d of point %d: %v, by differences %v", csr, i, j, g.At(i, j), want)
					}
				}
			}
		}
	})
}

// Where the objective is least over the coefficients all its derivatives by them
// vanish, and the scores are those of the coefficients.
func TestCoefficientsAreOptimal(t *testing.T) {
	algotest.Serial(t)
	each(t, func(t *testing.T, kind Features, loss Loss) {
		p, at := testProblem(t, kind, loss, false, false)
		before, _ := p.evaluate(t.Context(), at.u, at.w, at.s, nil, nil)
		_, value, residual, err := p.solve(t.Context(), at, 1e-14, 100)
		if err != nil || !(residual <= 1e-14) || !(value < before) {
			t.Fatalf("objective %v after %v, residual %v, error %v", value, before, residual, err)
		}
		s := mat.NewDense(p.n, p.k, nil)
		again, _ := p.evaluate(t.Context(), at.u, at.w, s, nil, nil)
		if !mat.EqualApprox(s, at.s, 1e-9) || !(math.Abs(again-value) <= 1e-9*value) {
			t.Errorf("objective %v, of the coefficients %v", value, again)
		}
		for j := range p.q {
			for k := range p.k {
				const h = 1e-4
				at2 := func(step float64) float64 {
					w := mat.DenseCopyOf(at.w)
					w.Set(j, k, w.At(j, k)+step)
					v, _ := p.evaluate(t.Context(), at.u, w, s, nil, nil)
					return v
				}
				if d := (at2(h) - at2(-h)) / (2 * h); !(math.Abs(d) <= 1e-6*value) {
					t.Errorf("coefficient %d, %d: derivative %v at objective %v", j, k, d, value)
				}
			}
		}
	})
}

// The factor is that of the matrix, with a raised diagonal where there is none.
func TestFactor(t *testing.T) {
	for name, c := range map[string]struct {
		a   []float64
		tol float64
	}{
		"definite": {[]float64{4, 2, 2, 2, 5, 3, 2, 3, 6}, 1e-14},
		"singular": {[]float64{0, 0, 0, 0, 1, 1, 0, 1, 1}, 1e-12},
	} {
		a := mat.NewSymDense(3, c.a)
		f, err := factor(a)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		u := mat.NewTriDense(3, mat.Upper, nil)
		for i := range 3 {
			for j := i; j < 3; j++ {
				u.SetTri(i, j, f.Data[i*f.Stride+j])
			}
		}
		var got mat.Dense
		got.Mul(u.T(), u)
		if !mat.EqualApprox(&got, a, c.tol) || !(u.At(0, 0) > 0) {
			t.Errorf("%s: the factor is that of %v", name, mat.Formatted(&got))
		}
	}
	var e *gram.NotPDError
	for _, v := range []float64{-1, math.Inf(1), math.NaN()} {
		if _, err := factor(mat.NewSymDense(2, []float64{v, 0, 0, -1})); !errors.As(err, &e) {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// Hessians in several groups give the same coefficients as all at once.
func TestGroups(t *testing.T) {
	if g := Logistic.group(2000, 100); g != 8 {
		t.Errorf("%d Hessians of 2000×2000 at a time", g)
	}
	if g := Squared.group(2000, 100); g != 100 {
		t.Errorf("%d functions that share a Hessian", g)
	}
}

// With points that stay, the models are those of package linear on the same
// features.
func TestNoLearningIsLinear(t *testing.T) {
	algotest.Serial(t)
	ctx := t.Context()
	for _, classes := range []int{2, 3} {
		d := algotest.Problem(3, 300, 4, classes)
		for _, kind := range []Features{Nystrom, Fourier} {
			c := Config{Kernel: gauss, Features: kind, M: 9, MaxIter: gram.Set(0), C: 3, Lambda: gram.Set(.5)}
			check := func(name string, got, want *mat.Dense, tol float64) {
				t.Helper()
				if !mat.EqualApprox(got, want, tol) {
					var diff mat.Dense
					diff.Sub(got, want)
					t.Errorf("%v, %d classes, %s: scores differ by %v", kind, classes, name, mat.Norm(&diff, math.Inf(1)))
				}
			}
			c.Loss = SquaredHinge
			m := must.Have(c.Fit(ctx, d.X, d.Labels, d.Weights))(t)
			svm := must.Have(linear.SVM{C: 3, Tol: 1e-10, MaxIter: 1e6}.Fit(ctx, m.Map(), d.X, d.Labels, d.Weights))(t)
			check("squared hinge", m.Scores(nil, d.X), svm.Scores(nil, d.X), 1e-4)
			c.Loss = Logistic
			m = must.Have(c.Fit(ctx, d.X, d.Labels, d.Weights))(t)
			want := mat.NewDense(300, multiclass.Functions(classes), nil)
			for f := range multiclass.Functions(classes) {
				one := gram.Labels{Names: []string{"others", "one"}} // the class of function f against the rest
				for _, class := range d.Labels.Class {
					one.Class = append(one.Class, (1+int(multiclass.Sign(class, f, multiclass.Functions(classes))))/2)
				}
				logistic := must.Have(linear.Logistic{C: 3, Tol: 1e-9}.Fit(ctx, m.Map(), d.X, one, d.Weights))(t)
				want.SetCol(f, mat.Col(nil, 0, logistic.Scores(nil, d.X)))
			}
			check("logistic", m.Scores(nil, d.X), want, 1e-4)
			r := must.Have(c.FitValues(ctx, d.X, d.Value, d.Weights))(t)
			ridge := must.Have(linear.Ridge{Lambda: gram.Set(.5)}.Fit(ctx, r.Map(), d.X, d.Value, d.Weights))(t)
			check("squared", r.PredictAll(nil, d.X), ridge.PredictAll(nil, d.X), 1e-7)
		}
	}
}

// The objective never rises, whatever the loss, and falls far below that of the
// first points.
func TestObjectiveFalls(t *testing.T) {
	algotest.Serial(t)
	d := algotest.Problem(4, 400, 3, 3)
	each(t, func(t *testing.T, kind Features, loss Loss) {
		c := Config{Kernel: gauss, Features: kind, Loss: loss, M: 6, C: 10, Holdout: gram.Set(0.), MaxIter: gram.Set(15), Steps: 5, Tol: gram.Set(1e-12), Landmarks: landmark.Uniform{}}
		m := must.Have(c.Fit(t.Context(), d.X, d.Labels, nil))(t)
		st := m.Stats()
		for i := 1; i < len(st.Objective); i++ {
			if !(st.Objective[i] <= st.Objective[i-1]) {
				t.Errorf("turn %d: the objective rises from %v to %v", i, st.Objective[i-1], st.Objective[i])
			}
		}
		if first := st.Objective[0]; !(st.Final < .95*first) || !(st.Final <= st.Objective[st.Iter]*(1+1e-12)) {
			t.Errorf("objective %v after %d turns, at first %v", st.Final, st.Iter, first)
		}
	})
}

// Gradient steps lower the objective and leave the state consistent.
func TestDescend(t *testing.T) {
	algotest.Serial(t)
	each(t, func(t *testing.T, kind Features, loss Loss) {
		p, at := testProblem(t, kind, loss, false, false)
		_, before, _, err := p.solve(t.Context(), at, 1e-12, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, steps := range []int{1, 4} {
			value, made, err := p.descend(t.Context(), at, steps)
			if err != nil || made != steps || !(value < before) {
				t.Fatalf("%d steps: %d made, objective from %v to %v, error %v", steps, made, before, value, err)
			}
			s := mat.NewDense(p.n, p.k, nil)
			if again, _ := p.evaluate(t.Context(), at.u, at.w, s, nil, nil); again != value || !mat.Equal(s, at.s) {
				t.Errorf("%d steps: objective %v, of the points %v", steps, value, again)
			}
			before = value
		}
	})
}

// A start from another model's points goes on from there.
func TestWarmStart(t *testing.T) {
	algotest.Serial(t)
	d := algotest.Problem(4, 300, 3, 2)
	for _, kind := range []Features{Nystrom, Fourier} {
		c := Config{Kernel: gauss, Features: kind, M: 6, Holdout: gram.Set(0.), MaxIter: gram.Set(10)}
		first := must.Have(c.FitValues(t.Context(), d.X, d.Value, nil))(t)
		c.Given.Points = first.Points()
		kept := mat.DenseCopyOf(c.Given.Points)
		second := must.Have(c.FitValues(t.Context(), d.X, d.Value, nil))(t)
		if a, b := first.Stats().Final, second.Stats().Objective[0]; !(math.Abs(a-b) <= 1e-8*a) {
			t.Errorf("%v: objective %v at the end of one fit, %v at the start of the next", kind, a, b)
		}
		if !mat.Equal(c.Given.Points, kept) {
			t.Errorf("%v: the points passed in have changed", kind)
		}
		if second.Config().Given.Points != nil {
			t.Errorf("%v: the model holds on to the points it started from", kind)
		}
	}
}

// As many turns are made as the held-out rows want: with targets without any
// meaning few or none.
func TestHoldout(t *testing.T) {
	algotest.Serial(t)
	d := algotest.Problem(4, 300, 3, 2)
	c := Config{Kernel: gauss, M: 20, Lambda: gram.Set(1e-3), Patience: 4}
	m := must.Have(c.FitValues(t.Context(), d.X, d.Value, nil))(t)
	st := m.Stats()
	best := 0
	for i, v := range st.Validation {
		if v < st.Validation[best] {
			best = i
		}
	}
	if st.Iter != best || best == 0 || len(st.Objective) != best+1 || len(st.Validation) > best+5 {
		t.Errorf("%d turns on all rows and %d figures of them, %d without the held-out ones, of which %d was the best", st.Iter, len(st.Objective), len(st.Validation)-1, best)
	}
	noise := make([]float64, 300)
	r := rng.New(1, 1)
	for i := range noise {
		noise[i] = r.NormFloat64()
	}
	m = must.Have(c.FitValues(t.Context(), d.X, noise, nil))(t)
	c.Holdout = gram.Set(0.)
	over := must.Have(c.FitValues(t.Context(), d.X, noise, nil))(t)
	size := func(r *Regressor) float64 {
		v := r.Predict(nil, random(9, 500, 3))
		return linalg.Inner(mat.NewDense(500, 1, v), mat.NewDense(500, 1, v))
	}
	if a, b := size(m), size(over); !(a < b) {
		t.Errorf("fitted to noise, the squares of new values sum to %v with held-out rows and %v without", a, b)
	}
}

func TestMeanOfCurves(t *testing.T) {
	algotest.Serial(t)
	d := algotest.Problem(4, 200, 3, 2)
	c := Config{Kernel: gauss, M: 8, Folds: 5, MaxIter: gram.Set(5)}
	m := must.Have(c.FitValues(t.Context(), d.X, d.Value, nil))(t)
	if st := m.Stats(); len(st.Validation) == 0 || st.Iter == 0 || st.Iter != slices.Index(st.Validation, slices.Min(st.Validation)) {
		t.Errorf("%d turns for losses %v", st.Iter, st.Validation)
	}
}

func TestErrors(t *testing.T) {
	d := algotest.Problem(8, 30, 3, 3)
	for name, c := range map[string]Config{
		"Kernel":       {M: 3},
		"Kernel.Gamma": {Kernel: kernel.Gaussian{Gamma: -1}},
		"M":            {Kernel: gauss, M: 31},
		"Features":     {Kernel: gauss, Features: 2},
		"Loss":         {Kernel: gauss, Loss: 3},
		"C":            {Kernel: gauss, C: -1},
		"Lambda":       {Kernel: gauss, Lambda: gram.Set(math.Inf(1))},
		"Tol":          {Kernel: gauss, Tol: gram.Set(-1.)},
		"MaxIter":      {Kernel: gauss, MaxIter: gram.Set(-1)},
		"Steps":        {Kernel: gauss, Steps: -1},
		"Holdout":      {Kernel: gauss, Holdout: gram.Set(1.)},
		"Folds":        {Kernel: gauss, Folds: 6},
		"Patience":     {Kernel: gauss, Patience: -1},
		"Given.Points": {Kernel: gauss, Given: Given{Points: mat.NewDense(2, 4, nil)}},
	} {
		_, err := c.Fit(context.Background(), d.X, d.Labels, nil)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != name {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := c.Plan(gram.Shape{N: 30, D: 3, Outputs: 3}); !errors.As(err, &ce) || ce.Field != name {
			t.Errorf("%s: error %v of the plan", name, err)
		}
	}
	var ce *gram.ConfigError
	if o, err := (Config{M: 3}).Objective(d.X, d.Labels, nil); o != nil || !errors.As(err, &ce) || ce.Field != "Kernel" {
		t.Errorf("an objective without a kernel: error %v", err)
	}
	for _, c := range []Config{{Kernel: kernel.Laplacian{Gamma: 1}}, {Kernel: kernel.Linear{}, Features: Fourier}} {
		if _, err := c.FitValues(t.Context(), d.X, d.Value, nil); !errors.As(err, &ce) || ce.Field != "Kernel" {
			t.Errorf("kernel %s: error %v", c.Kernel.Spec().Name, err)
		}
	}
	bad := mat.NewDense(2, 3, nil)
	bad.Set(1, 2, math.NaN())
	var de *gram.DataError
	if _, err := (Config{Kernel: gauss, Given: Given{Points: bad}}).FitValues(t.Context(), d.X, d.Value, nil); !errors.As(err, &de) || de.Row != 1 || de.Col != 2 {
		t.Errorf("NaN among the points: error %v", err)
	}
}
