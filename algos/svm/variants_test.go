package svm

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

var gauss = kernel.Gaussian{Gamma: 0.5}

// Of classes with as many votes the first is predicted; a value of exactly 0 is a
// vote for the first of its pair, and NaN for none.
func TestTies(t *testing.T) {
	names := []string{"a", "b", "c"}
	x, nan := mat.NewDense(1, 1, []float64{1}), math.NaN()
	for _, c := range []struct {
		multi  Multi
		values []float64
		want   int
	}{
		{OneVsOne, []float64{-1, 1, -1}, 0}, // a, c, b
		{OneVsOne, []float64{1, -1, 1}, 0},  // b, a, c
		{OneVsOne, []float64{1, 1, 1}, 2},
		{OneVsOne, []float64{0, 1, 0}, 0}, // a, c, b
		{OneVsOne, []float64{1, -1, 0}, 1},
		{OneVsOne, []float64{1, nan, 1}, -1},
		{OneVsRest, []float64{2, 2, 1}, 0},
		{OneVsRest, []float64{-2, -1, -1}, 1},
		{OneVsRest, []float64{1, 5, nan}, -1},
	} {
		// Functions that are constant: coefficients 0, and the value as constant.
		m := must.Have(NewModel(Config{Kernel: gauss, Multi: c.multi}, names, x, mat.NewDense(1, 3, nil), c.values))(t)
		if got, one := m.Predict(nil, x)[0], m.Decide(c.values); got != c.want || one != c.want {
			t.Errorf("multi %d, values %v: class %d, by Decide %d, want %d", c.multi, c.values, got, one, c.want)
		}
	}
	for v, want := range map[float64]int{0: 0, math.Copysign(0, -1): 0, 1e-300: 1, -1e-300: 0} {
		m := must.Have(NewModel(Config{Kernel: gauss}, names[:2], x, mat.NewDense(1, 1, nil), []float64{v}))(t)
		if got := m.Predict(nil, x)[0]; got != want || m.Decide([]float64{v}) != want {
			t.Errorf("value %g: class %d, want %d", v, got, want)
		}
	}
}

// Weights of classes are weights of their rows, with the same bits, for every way
// to more than two classes.
func TestClassWeights(t *testing.T) {
	x, y := gen.Blobs(90, 2, 3, 2, 3)
	weights := []float64{0.5, 2, 3}
	w := make([]float64, 90)
	for i, c := range y.Class {
		w[i] = weights[c]
	}
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		c := Config{Kernel: gauss, C: 1.5, Multi: multi}
		rows := must.Have(c.Fit(context.Background(), x, y, w))(t)
		plain := must.Have(c.Fit(context.Background(), x, y, nil))(t)
		c.ClassWeights = weights
		classes := must.Have(c.Fit(context.Background(), x, y, nil))(t)
		if a, b := rows.Values(nil, x), classes.Values(nil, x); !mat.Equal(a, b) || mat.Equal(a, plain.Values(nil, x)) {
			t.Errorf("multi %d: class weights differ from those of rows, or do nothing", multi)
		}
	}
	for _, bad := range [][]float64{{1, 2}, {1, 2, 3, 4}, {1, -1, 1}, {1, 0, 1}, {1, 1, math.NaN()}, {math.Inf(1), 1, 1}} {
		var ce *gram.ConfigError
		if _, err := (Config{Kernel: gauss, ClassWeights: bad}).Fit(context.Background(), x, y, nil); !errors.As(err, &ce) || ce.Field != "ClassWeights" {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

// A class that is named but has no rows is never predicted.
func TestClassWithoutRows(t *testing.T) {
	x, y := gen.Blobs(60, 2, 2, 2, 3)
	for missing := range 3 {
		l := gram.Labels{Class: slices.Clone(y.Class), Names: []string{"a", "b", "c"}}
		for i, c := range l.Class {
			if c >= missing {
				l.Class[i]++
			}
		}
		for _, multi := range []Multi{OneVsOne, OneVsRest} {
			m := must.Have(Config{Kernel: gauss, Multi: multi}.Fit(context.Background(), x, l, nil))(t)
			far := mat.NewDense(2, 2, []float64{100, 100, -100, 3})
			for _, c := range append(m.Predict(nil, x), m.Predict(nil, far)...) {
				if c == missing {
					t.Fatalf("multi %d: class %d, which has no rows, is predicted", multi, c)
				}
			}
		}
	}
}

// What a model says of its fit: the support vectors are the rows with a
// coefficient, which Coefficients puts back, and the functions without a
// constant have none.
func TestModelTells(t *testing.T) {
	x, y := gen.Blobs(80, 2, 3, 2, 3)
	for _, c := range []Config{{Kernel: gauss, Multi: OneVsRest}, {Kernel: gauss, NoBias: true}} {
		m := must.Have(c.Fit(context.Background(), x, y, nil))(t)
		all := must.Have(m.Coefficients(80))(t)
		var support []int
		for i := range 80 {
			if slices.ContainsFunc(all.RawRowView(i), func(v float64) bool { return v != 0 }) {
				support = append(support, i)
			}
		}
		s := m.Stats()
		got := slices.Clone(m.Support())
		if m.Pairs() { // class by class, else ascending
			slices.Sort(got)
		}
		if !slices.Equal(got, support) || s.Support != len(support) || len(s.Problems) != 3 {
			t.Errorf("support %v of %v, %d problems", m.Support(), support, len(s.Problems))
		}
		for f, p := range s.Problems {
			var own int
			for i := range 80 {
				if all.At(i, f) != 0 {
					own++
				}
			}
			if p.Support != own || !(p.Violation <= m.Config().Tol) || p.Iterations < 1 || p.Rounds < 1 {
				t.Errorf("function %d with %d coefficients: %+v", f, own, p)
			}
		}
		_, _, bias := m.Expand()
		if constant := slices.ContainsFunc(bias, func(b float64) bool { return b != 0 }); constant == c.NoBias {
			t.Errorf("constants %v, NoBias %v", bias, c.NoBias)
		}
		var ce *gram.ConfigError
		if _, err := m.Coefficients(support[len(support)-1]); !errors.As(err, &ce) {
			t.Errorf("coefficients of too few rows: error %v", err)
		}
	}
}

// Starts that cannot be used: of another shape, or not finite.
func TestBadStarts(t *testing.T) {
	x, y := gen.Blobs(30, 2, 3, 2, 3)
	c := Config{Kernel: gauss}
	for _, shape := range [][2]int{{29, 3}, {31, 3}, {30, 2}} {
		if must.Recovered(func() { c.FitFrom(context.Background(), x, y, nil, mat.NewDense(shape[0], shape[1], nil)) }) == nil {
			t.Errorf("no panic for coefficients %d×%d", shape[0], shape[1])
		}
	}
	start := mat.NewDense(30, 3, nil)
	start.Set(7, 1, math.NaN())
	var de *gram.DataError
	if m, err := c.FitFrom(context.Background(), x, y, nil, start); !errors.As(err, &de) || de.Row != 7 || de.Col != 1 || m != nil {
		t.Errorf("NaN: error %v", err)
	}
	// A regression starts from a coefficient for each row; from its solution it has nothing left to do.
	value := mat.Col(nil, 0, x)
	r := Regression{Kernel: gauss, C: 2}
	for _, n := range []int{29, 31} {
		if must.Recovered(func() { r.FitFrom(t.Context(), x, value, nil, make([]float64, n)) }) == nil {
			t.Errorf("no panic for %d coefficients of a regression", n)
		}
	}
	one := make([]float64, 30)
	one[7] = math.Inf(1)
	if m, err := r.FitFrom(t.Context(), x, value, nil, one); !errors.As(err, &de) || de.Row != 7 || m != nil {
		t.Errorf("Inf: error %v of a regression", err)
	}
	w := slices.Repeat([]float64{1}, 30)
	w[3], w[20] = 0, 0
	for _, weights := range [][]float64{nil, w} {
		m := must.Have(r.Fit(t.Context(), x, value, weights))(t)
		clear(one)
		_, coef, _ := m.Expand()
		for k, i := range m.Support() {
			one[i] = coef.Row(k)[0]
		}
		again := must.Have(r.FitFrom(t.Context(), x, value, weights, one))(t)
		if s := again.Stats().Problems[0]; s.Iterations != 0 || !slices.Equal(again.Support(), m.Support()) {
			t.Errorf("weights %v: %d iterations of a regression from its solution", weights != nil, s.Iterations)
		}
	}
}

// Problems whose parts do not fit each other, and those without a solution.
func TestBadProblems(t *testing.T) {
	good := func() Problem {
		return Problem{Kernel: gauss, X: gen.Normal(3, 2, 1), Target: []float64{1, 2, 3}, Lower: []float64{-1, -1, -1}, Upper: []float64{1, 2, 1}}
	}
	for what, change := range map[string]func(p *Problem){
		"targets":           func(p *Problem) { p.Target = p.Target[:2] },
		"lower bounds":      func(p *Problem) { p.Lower = p.Lower[:2] },
		"upper bounds":      func(p *Problem) { p.Upper = p.Upper[:2] },
		"a start":           func(p *Problem) { p.Start = make([]float64, 2) },
		"a sum, no bias":    func(p *Problem) { p.Sum, p.NoBias = 1, true },
		"a half, no bias":   func(p *Problem) { p.Half, p.NoBias = 1, true },
		"a half and a tube": func(p *Problem) { p.Half, p.Epsilon = 1, .1 },
		"a half and a sum":  func(p *Problem) { p.Half, p.Sum = 1, 1 },
	} {
		p := good()
		change(&p)
		if must.Recovered(func() { _, _ = Solve(t.Context(), p) }) == nil {
			t.Errorf("no panic for %s", what)
		}
	}
	// Coefficients sum to −3 to 4, halves to 0 to 3.
	for _, c := range []struct {
		sum, half float64
		field     string
	}{{3.9, 0, ""}, {4.1, 0, "Sum"}, {-2.9, 0, ""}, {-3.1, 0, "Sum"}, {0, 2.9, ""}, {0, 3.1, "Half"}} {
		p := good()
		p.Sum, p.Half = c.sum, c.half
		s, err := Solve(t.Context(), p)
		var ce *gram.ConfigError
		if c.field == "" && (err != nil || s == nil) || c.field != "" && (!errors.As(err, &ce) || ce.Field != c.field || s != nil) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Errors of the data of a fit name the rows of x, whether or not some rows have no weight.
func TestBadData(t *testing.T) {
	x, y := gen.Blobs(30, 2, 2, 2, 3)
	value := mat.Col(nil, 0, x)
	thin := slices.Repeat([]float64{1}, 30)
	thin[2] = 0
	fits := map[string]func(x mat.Matrix, w []float64) error{
		"classes": func(x mat.Matrix, w []float64) error {
			_, err := Config{Kernel: gauss}.Fit(t.Context(), x, y, w)
			return err
		},
		"nu classes": func(x mat.Matrix, w []float64) error {
			_, err := NuSVC{Kernel: gauss, Nu: .1}.Fit(t.Context(), x, y, w)
			return err
		},
		"values": func(x mat.Matrix, w []float64) error {
			_, err := Regression{Kernel: gauss}.Fit(t.Context(), x, value, w)
			return err
		},
		"nu values": func(x mat.Matrix, w []float64) error {
			_, err := NuSVR{Kernel: gauss}.Fit(t.Context(), x, value, w)
			return err
		},
		"one class": func(x mat.Matrix, w []float64) error {
			_, err := OneClass{Kernel: gauss}.Fit(t.Context(), x, w)
			return err
		},
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(11, 1, math.NaN())
	for name, fit := range fits {
		for _, w := range [][]float64{nil, thin} {
			must.Do(t, fit(x, w))
			var de *gram.DataError
			if err := fit(bad, w); !errors.As(err, &de) || de.Row != 11 || de.Col != 1 {
				t.Errorf("%s: a row with NaN: %v", name, err)
			}
			minus := slices.Repeat([]float64{1}, 30)
			if minus[9] = -1; w != nil {
				minus[2] = 0
			}
			if err := fit(x, minus); !errors.As(err, &de) || de.Row != 9 {
				t.Errorf("%s: a weight of −1: %v", name, err)
			}
		}
		for what, w := range map[string][]float64{"none": make([]float64, 30), "too few": thin[:29], "too few of ones": thin[5:]} {
			if fit(x, w) == nil {
				t.Errorf("%s: %s as weights", name, what)
			}
		}
		if fit(&mat.Dense{}, nil) == nil {
			t.Errorf("%s: a fit to no rows", name)
		}
	}
	if _, err := (Config{Kernel: gauss}).FitRows(t.Context(), x, gram.Labels{Class: y.Class[:20], Names: y.Names}, nil, []int{1, 2, 25}); err == nil {
		t.Error("labels of other rows")
	}
	index, heavy := []int{1, 2, 4, 7, 8, 11, 14, 17, 21, 25, 26, 29}, []float64{3, 1, 1, 1, .5, 1, 1, 0, 1, 1, 2, 1}
	some := must.Have(Config{Kernel: gauss}.FitRows(t.Context(), x, y, heavy, index))(t)
	own := must.Have(Config{Kernel: gauss}.Fit(t.Context(), rows.Dense(gram.Of(x), index), gram.Labels{Class: rows.Pick(y.Class, index), Names: y.Names}, heavy))(t)
	if !mat.Equal(some.Scores(nil, x), own.Scores(nil, x)) {
		t.Error("a fit to some rows with weights is not that to these rows alone")
	}
	c := Config{Kernel: gauss, NoBias: true}
	coef := mat.NewDense(30, 1, nil)
	if _, err := NewModel(Config{Kernel: gauss, C: -1}, y.Names, x, coef, []float64{0}); err == nil {
		t.Error("a model of the weight −1")
	}
	for what, f := range map[string]func(){
		"one class":           func() { _, _ = NewModel(c, y.Names[:1], x, coef, []float64{0}) },
		"other rows":          func() { _, _ = NewModel(c, y.Names, x, mat.NewDense(29, 1, nil), []float64{0}) },
		"two constants":       func() { _, _ = NewModel(c, y.Names, x, coef, []float64{0, 0}) },
		"two functions":       func() { _, _ = NewModel(c, y.Names, x, mat.NewDense(30, 2, nil), []float64{0, 0}) },
		"a function of three": func() { _, _ = NewModel(c, []string{"a", "b", "c"}, x, coef, []float64{0}) },
	} {
		if must.Recovered(f) == nil {
			t.Errorf("no panic for a model of %s", what)
		}
	}
}

// Kernel values so large that coefficients cannot come near their bounds end after some
// thousands of iterations, not after MaxIter of them.
func TestHopeless(t *testing.T) {
	x, y := gen.Blobs(20, 2, 2, 2, 3)
	for i := range y.Class {
		y.Class[i] = i / 2 % 2 // not to be told apart
	}
	x.Scale(0x1p120, x)
	var ce *gram.ConvergenceError
	m, err := Config{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}}.Fit(context.Background(), x, y, nil)
	if !errors.As(err, &ce) || m == nil || ce.Iter > 2*maxCoarse*lookEvery {
		t.Errorf("error %v", err)
	}
}

// An iteration that is cut short returns the model so far and says how far it
// is from the end.
func TestMaxIter(t *testing.T) {
	x, y := gen.Blobs(60, 2, 2, 2, 3)
	var ce *gram.ConvergenceError
	m, err := Config{Kernel: gauss, MaxIter: 3}.Fit(context.Background(), x, y, nil)
	if !errors.As(err, &ce) || m == nil || ce.Iter != 3 || !(ce.Residual > ce.Tol) || ce.Tol != m.Config().Tol {
		t.Fatalf("error %v", err)
	}
	if s := m.Stats().Problems[0]; s.Iterations != 3 || s.Violation != ce.Residual {
		t.Errorf("%+v, the error says %v", s, ce)
	}
	d := algotest.Problem(1, 40, 3, 2)
	r, err := Regression{Kernel: gauss, MaxIter: 2}.Fit(context.Background(), d.X, d.Value, nil)
	if !errors.As(err, &ce) || r == nil || ce.Iter != 2 {
		t.Errorf("regression: error %v", err)
	}
}
