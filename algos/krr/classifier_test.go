package krr

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// The scores are those of the regressions on one class against the rest, and a class is
// that of the largest; of two classes the sign decides.
func TestClassifierIsRegression(t *testing.T) {
	c := Config{Kernel: kernel.Gaussian{Gamma: .3}, Lambda: gram.Set(.1)}
	for _, k := range []int{2, 3} {
		d := algotest.Problem(3, 90, 4, k)
		m := must.Have(c.FitClasses(t.Context(), d.X, d.Labels, d.Weights))(t)
		scores, class := m.Scores(nil, d.X), m.Predict(nil, d.X)
		if _, functions := scores.Dims(); functions != map[int]int{2: 1, 3: 3}[k] {
			t.Fatalf("%d scores for %d classes", functions, k)
		}
		for f := range scores.RawMatrix().Cols {
			y := make([]float64, 90)
			for i, v := range d.Labels.Class {
				if y[i] = -1; v == f && k > 2 || v == 1 && k == 2 {
					y[i] = 1
				}
			}
			one := must.Have(c.Fit(t.Context(), d.X, y, d.Weights))(t)
			for i, v := range one.Predict(nil, d.X) {
				if !(math.Abs(v-scores.At(i, f)) <= 1e-10) {
					t.Fatalf("function %d of row %d is %g, the regression says %g", f, i, scores.At(i, f), v)
				}
			}
		}
		for i, v := range class {
			row := scores.RawRowView(i)
			want := 0
			for f, s := range row {
				if s > row[want] {
					want = f
				}
			}
			if k == 2 && row[0] > 0 {
				want = 1
			}
			if v != want {
				t.Errorf("row %d with the scores %v is of class %d", i, row, v)
			}
		}
		x := mat.DenseCopyOf(d.X)
		x.Set(4, 1, math.NaN())
		if m.Predict(nil, x)[4] != -1 {
			t.Error("a row with NaN has a class")
		}
	}
}

// The classifiers of several λ are those of single fits.
func TestFitClassesEach(t *testing.T) {
	d := algotest.Problem(3, 60, 4, 3)
	c := Config{Kernel: kernel.Gaussian{Gamma: .3}, NoBias: true}
	lambda := []float64{.01, 1}
	models, err := c.FitClassesEach(t.Context(), d.X, d.Labels, nil, lambda)
	if err != nil || len(models) != 2 {
		t.Fatal(models, err)
	}
	for i, m := range models {
		c.Lambda = gram.Set(lambda[i])
		one := must.Have(c.FitClasses(t.Context(), d.X, d.Labels, nil))(t)
		if !mat.EqualApprox(m.Scores(nil, d.X), one.Scores(nil, d.X), 1e-9) {
			t.Errorf("λ %g: other scores", lambda[i])
		}
	}
	one := gram.Labels{Class: make([]int, 60), Names: []string{"a", "b"}}
	models, err = c.FitClassesEach(t.Context(), d.X, one, nil, lambda)
	if err != nil || slices.Max(models[0].Predict(nil, d.X)) != 0 {
		t.Errorf("rows of one class: %v", err)
	}
	one.Names = one.Names[:1]
	if _, err := c.FitClassesEach(t.Context(), d.X, one, nil, lambda); err == nil {
		t.Error("one name of a class is enough")
	}
}

// The planned cost is that of as many functions as the classes have, and errors of the data name no model.
func TestClassErrors(t *testing.T) {
	d := algotest.Problem(3, 60, 4, 3)
	c := Config{Kernel: kernel.Gaussian{Gamma: .3}, Lambda: gram.Set(.1)}
	for k, functions := range map[int]int{2: 1, 3: 3} {
		got, want := must.Have(c.PlanClasses(gram.Shape{N: 60, D: 4, Outputs: k}))(t), must.Have(c.Plan(gram.Shape{N: 60, D: 4, Outputs: functions}))(t)
		if got != want {
			t.Errorf("the plan of %d classes is %+v, of %d functions %+v", k, got, functions, want)
		}
	}
	for what, y := range map[string]gram.Labels{
		"too few":      {Class: d.Labels.Class[:50], Names: d.Labels.Names},
		"out of range": {Class: d.Labels.Class, Names: d.Labels.Names[:2]},
	} {
		if m, err := c.FitClasses(t.Context(), d.X, y, nil); err == nil || m != nil {
			t.Errorf("classes that are %s: %v", what, err)
		}
		if _, err := c.ChooseLambdaClasses(t.Context(), d.X, y, nil); err == nil {
			t.Errorf("a choice of λ for classes that are %s", what)
		}
	}
	// A fit that does not converge returns a classifier, one that fails does not.
	early := Config{Kernel: c.Kernel, Lambda: gram.Set(1e-4), Solver: CG, MaxIter: 1, NoPreconditioner: true}
	var ce *gram.ConvergenceError
	if m, err := early.FitClasses(t.Context(), d.X, d.Labels, nil); !errors.As(err, &ce) || m == nil {
		t.Errorf("CG that ends early: %v", err)
	}
	if m, err := (Config{Kernel: kernel.Linear{}, Lambda: gram.Set(1e-19), Solver: Cholesky}).FitClasses(t.Context(), d.X, d.Labels, nil); err == nil || m != nil {
		t.Errorf("a singular matrix: %v", err)
	}
	// The λ of classes is that of the signs.
	signs := must.Have(signsOf(d.X, d.Labels, d.Weights))(t)
	a, b := must.Have(c.ChooseLambdaClasses(t.Context(), d.X, d.Labels, d.Weights))(t), must.Have(c.ChooseLambda(t.Context(), d.X, signs, d.Weights))(t)
	if a != b {
		t.Errorf("λ of the classes is %v, of their signs %v", a, b)
	}
}

// A file names the method that the functions were fitted by, and functions and classes
// must fit each other.
func TestNamed(t *testing.T) {
	d := algotest.Problem(3, 60, 4, 3)
	c := Config{Kernel: kernel.Gaussian{Gamma: .3}, NoBias: true}
	whole := must.Have(c.Fit(t.Context(), d.X, d.Value, nil))(t)
	three := must.Have(c.FitClasses(t.Context(), d.X, d.Labels, nil))(t)
	for _, m := range []modelfile.Model{NewRegressor(whole, Method), three, three.Model()} {
		f := read(t, m)
		if f.Method() != "krr" {
			t.Errorf("method %q of %T", f.Method(), m)
		}
		back := must.Have(DecodeAny(f))(t)
		switch back := back.(type) {
		case *Regressor:
			if !slices.Equal(back.Predict(nil, d.X), whole.Predict(nil, d.X)) {
				t.Error("other values")
			}
		case *Model:
			if !mat.Equal(back.PredictAll(nil, d.X), three.Scores(nil, d.X)) {
				t.Error("other functions")
			}
		case *Classifier:
			if !slices.Equal(back.Classes(), d.Labels.Names) || !mat.Equal(back.Scores(nil, d.X), three.Scores(nil, d.X)) {
				t.Error("other classes")
			}
		}
	}
	functions := three.Model()
	for what, m := range map[string]modelfile.Model{
		"two classes for three functions": &Classifier{named{functions, "krr"}, []string{"a", "b"}},
		"one class":                       &Classifier{named{whole, "krr"}, []string{"a"}},
		"three functions for values":      &Regressor{named{functions, "krr"}},
		"another method":                  &Regressor{named{whole, "svm"}},
	} {
		if _, err := DecodeAny(read(t, m)); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if must.Recovered(func() { NewRegressor(functions, Method) }) == nil {
		t.Error("a regressor of three outputs")
	}
	for _, names := range [][]string{{"a", "b"}, {"a", "b", "c", "d"}} {
		if must.Recovered(func() { NewClassifier(functions, Method, names) }) == nil {
			t.Errorf("a classifier of three outputs and the classes %v", names)
		}
	}
	names := slices.Clone(d.Labels.Names)
	made := NewClassifier(functions, Method, names)
	names[0] = "another"
	if !slices.Equal(made.Classes(), d.Labels.Names) || !slices.Equal(made.Predict(nil, d.X), three.Predict(nil, d.X)) {
		t.Error("a classifier of the same functions has other classes")
	}
	if made.Dim() != 4 || whole.Dim() != 4 {
		t.Errorf("rows of %d and %d columns", made.Dim(), whole.Dim())
	}
	f := must.Have(made.Function())(t)
	if _, outputs := f.Coef.Dims(); outputs != 3 {
		t.Errorf("%d functions of kernel values", outputs)
	}
	if _, err := (&named{struct{ Functions }{functions}, Method}).Function(); err == nil {
		t.Error("functions that have no kernel values in common have them")
	}
	for what, m := range map[string][2]*mat.Dense{
		"coefficients of other points": {mat.NewDense(3, 4, nil), mat.NewDense(2, 1, nil)},
		"constants of other functions": {mat.NewDense(3, 4, nil), mat.NewDense(3, 2, nil)},
	} {
		if must.Recovered(func() { NewModel(c, m[0], m[1], []float64{0}, Stats{}) }) == nil {
			t.Errorf("a model with %s", what)
		}
	}
}

// read returns the file of a model.
func read(t *testing.T, m modelfile.Model) *modelfile.File {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	f := must.Have(modelfile.Read(&b))(t)
	return f
}
