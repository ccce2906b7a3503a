package linear

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// What models tell: their settings with defaults, their map, and the functions of their features. A map that is no basis has neither
// functions of one nor a program.
func TestModelsTell(t *testing.T) {
	x, y := overlapping(60, 30, 3, 2)
	value := make([]float64, 30)
	for i, c := range y.Class {
		value[i] = float64(c) + x.At(i, 0)
	}
	plain := times{mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7})}
	type model interface {
		gram.Compiler
		Map() gram.FeatureMap
		Function() (basis.Function, error)
		Weights() (*mat.Dense, []float64)
	}
	for name, m := range map[string]gram.FeatureMap{"data": nil, "basis": basis.Identity(3), "no basis": plain} {
		c := must.Have(SVM{Tol: 1e-2}.Fit(t.Context(), m, x, y, nil))(t)
		l := must.Have(Logistic{C: 2}.Fit(t.Context(), m, x, y, nil))(t)
		r := must.Have(Ridge{}.Fit(t.Context(), m, x, value, nil))(t)
		if s, is := c.Config().(SVM); !is || s.Tol != 1e-2 || s.C != 1 {
			t.Errorf("%s: settings %+v", name, c.Config())
		}
		if s, is := l.Config().(Logistic); !is || s.C != 2 || s.Tol == 0 {
			t.Errorf("%s: settings %+v", name, l.Config())
		}
		if s := r.Config(); !s.Lambda.Given() || s.Tol == 0 {
			t.Errorf("%s: settings %+v", name, s)
		}
		for _, v := range []model{c, l, r} {
			if v.Map() != m {
				t.Errorf("%s, %T: the map is %v", name, v, v.Map())
			}
			_, err := v.Program64()
			_, single := v.Program32()
			f, none := v.Function()
			if name == "no basis" {
				if err == nil || single == nil || none == nil {
					t.Errorf("%T: a program or functions of a basis of %T", v, m)
				}
				continue
			}
			w, bias := v.Weights()
			if err != nil || single != nil || none != nil || f.Coef != w || &f.Bias[0] != &bias[0] {
				t.Fatalf("%s, %T: %v, %v, %v, or other coefficients", name, v, err, single, none)
			}
			if d, features := f.Basis.Dims(); d != 3 || features != 3 || !mat.Equal(f.Basis.Map(nil, x), x) {
				t.Errorf("%s, %T: a basis of %d columns and %d features", name, v, d, features)
			}
			algotest.Compiled(t, v, x, 1e-4)
		}
	}
	d := algotest.Problem(3, 40, 3, 2)
	ranker := must.Have(Config{}.FitTags(t.Context(), d.X, d.Tags))(t)
	w, bias := ranker.Weights()
	f, err := ranker.Function()
	if rows, columns := w.Dims(); err != nil || f.Coef != w || rows != 3 || columns != d.Tags.D || len(bias) != d.Tags.D || len(f.Bias) != d.Tags.D {
		t.Errorf("%d×%d weights and %d constants of %d labels: %v", rows, columns, len(bias), d.Tags.D, err)
	}
	want := mat.NewDense(40, d.Tags.D, nil)
	want.Mul(d.X, w)
	for i := range 40 {
		for j, b := range bias {
			want.Set(i, j, want.At(i, j)+b)
		}
	}
	if !mat.EqualApprox(ranker.Scores(nil, d.X), want, 1e-12) {
		t.Error("the scores are not those of the weights")
	}
}

// Predict is the first of several functions, into exactly as many numbers as there are rows.
func TestPredictFirst(t *testing.T) {
	const n = 5000 // more than a block
	x, y, w := regression(n, 3)
	m := must.Have(Ridge{}.FitAll(t.Context(), nil, x, y, w))(t)
	all := m.PredictAll(nil, x)
	for _, dst := range [][]float64{nil, make([]float64, n)} {
		for i, v := range m.Predict(dst, x) {
			if v != all.At(i, 0) {
				t.Fatalf("row %d is %v, want %v", i, v, all.At(i, 0))
			}
		}
	}
	if got := m.Predict(nil, &mat.Dense{}); len(got) != 0 {
		t.Errorf("%d values of no rows", len(got))
	}
	for _, k := range []int{0, n - 1, n + 1} {
		if p := must.Recovered(func() { m.Predict(make([]float64, k), x) }); p != "linear: the destination has the wrong length" {
			t.Errorf("%d numbers for %d rows: panic %v", k, n, p)
		}
	}
}

// Each kind learns classes or values, but not both; the default is that of the data. The run is that of the whole.
func TestKinds(t *testing.T) {
	x, y := overlapping(60, 30, 3, 2)
	value := mat.Col(nil, 1, x)
	two, one := gram.Shape{N: 30, D: 3, Outputs: 2}, gram.Shape{N: 30, D: 3, Outputs: 1}
	for _, kind := range []Kind{Any, SupportVectors, LogisticRegression, RidgeRegression} {
		c := Config{Kind: kind, Run: gram.Run{Seed: 5}}
		m, err := c.Fit(t.Context(), nil, x, y, nil)
		p, planned := c.Plan(nil, two)
		if kind == RidgeRegression {
			algotest.Names(t, "Kind", kind, err)
			algotest.Names(t, "Kind", kind, planned)
		} else {
			_, logistic := m.Config().(Logistic)
			want, _ := SVM{}.Plan(nil, two)
			if logistic {
				want, _ = Logistic{}.Plan(nil, two)
			}
			if err != nil || planned != nil || logistic != (kind == LogisticRegression) || p != want {
				t.Errorf("%v: %v, %v; a plan %+v, want %+v", kind, err, planned, p, want)
			}
		}
		r, err := c.FitValues(t.Context(), nil, x, value, nil)
		if kind == Any || kind == RidgeRegression {
			p, planned = c.Plan(nil, one)
			if want, _ := (Ridge{}).Plan(nil, one); err != nil || planned != nil || r.Config().Seed != 5 || p != want {
				t.Errorf("%v of values: %v, %v; a plan %+v, want %+v", kind, err, planned, p, want)
			}
		} else {
			_, planned = c.Values()
			algotest.Names(t, "Kind", kind, err)
			algotest.Names(t, "Kind", kind, planned)
		}
	}
	for _, c := range []Config{{Ridge: Ridge{Lambda: gram.Set(1.)}}, {Kind: 9}} {
		if _, err := c.Fit(t.Context(), nil, x, y, nil); err == nil {
			t.Errorf("%+v learns classes", c)
		}
	}
	if _, err := (Config{SVM: SVM{C: 2}}).FitValues(t.Context(), nil, x, value, nil); err == nil {
		t.Error("the weight of the loss of classes is used for values")
	}
	var ce *gram.ConfigError
	if _, err := (Ridge{}).Fit(t.Context(), nil, &mat.Dense{}, nil, nil); !errors.As(err, &ce) {
		t.Errorf("no rows: %v", err)
	}
}

// What a row is without itself: on features, of the row that alone determines a coefficient, and of data that do not fit.
func TestLeftOutOfFeatures(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1, 0, 2, 0, 3, 0, 0, .3})
	y := mat.NewDense(4, 1, []float64{1, 2, 6, 4})
	plain := times{mat.NewDense(2, 2, []float64{1, 0, 0, 1})}
	for _, f := range []gram.FeatureMap{nil, plain} {
		m := must.Have(Ridge{Lambda: gram.Set(0.), NoBias: true}.FitAll(t.Context(), f, x, y, nil))(t)
		got := must.Have(m.LeftOut(x, y, nil))(t)
		// Σ x·y/Σ x² without the row, times its x; the last row alone has the second column.
		for i, want := range []float64{22. / 13, 2 * 19. / 10, 3 * 5. / 5, math.NaN()} {
			if v := got.At(i, 0); !(math.Abs(v-want) < 1e-10) && !(math.IsNaN(v) && math.IsNaN(want)) {
				t.Errorf("%v: row %d is %v, want %v", f, i, v, want)
			}
		}
		// It is NaN however the leverage is rounded.
		for k := range 20 {
			lone := mat.DenseCopyOf(x)
			lone.Set(3, 1, .1+.3*float64(k))
			m := must.Have(Ridge{Lambda: gram.Set(0.), NoBias: true}.FitAll(t.Context(), f, lone, y, nil))(t)
			if v := must.Have(m.LeftOut(lone, y, nil))(t).At(3, 0); !math.IsNaN(v) {
				t.Errorf("%v: the row with %v alone is %v", f, lone.At(3, 1), v)
			}
		}
		// With λ = 4, and features that are twice the data, it is Σ 2x·y/(Σ 4x² + 4).
		if f != nil {
			f = times{mat.NewDense(2, 2, []float64{2, 0, 0, 2})}
			m := must.Have(Ridge{Lambda: gram.Set(4.), NoBias: true}.FitAll(t.Context(), f, x, y, nil))(t)
			got := must.Have(m.LeftOut(x, y, nil))(t)
			for i, want := range []float64{4 * 22. / (4*13 + 4), 8 * 19. / (4*10 + 4), 12 * 5. / (4*5 + 4), 0} {
				if v := got.At(i, 0); !(math.Abs(v-want) < 1e-10) {
					t.Errorf("λ = 4: row %d is %v, want %v", i, v, want)
				}
			}
		}
		if _, err := m.LeftOut(x, mat.NewDense(3, 1, nil), nil); err == nil {
			t.Error("targets of other rows")
		}
		var de *gram.DataError
		if _, err := m.LeftOut(x, y, []float64{1, 1, -1, 1}); !errors.As(err, &de) || de.Row != 2 {
			t.Errorf("a weight of −1: %v", err)
		}
		var pd *gram.NotPDError
		if _, err := m.LeftOut(mat.NewDense(4, 2, nil), y, nil); !errors.As(err, &pd) {
			t.Errorf("features that are dependent: %v", err)
		}
	}
}

// Sums of Newton's method have the rows that were added, take the memory that they state, and refuse others.
func TestNewtonSums(t *testing.T) {
	x, y, w := labeled(50, 3, 3)
	s := must.Have(Config{}.Newton(3, 3))(t)
	if got := s.Bytes(); got != 8*(4*4+4*3) { // in the first pass one matrix serves all functions
		t.Errorf("%d bytes of the first pass", got)
	}
	sums := s.Sums()
	sums.Add(x, y.Class, w)
	sums.Add(gram.Of(x).Slice(0, 0), nil, nil)
	sums.Add(block(x, 0, 7), y.Class[:7], nil)
	if sums.Rows() != 57 {
		t.Errorf("%d rows of 57", sums.Rows())
	}
	for what, f := range map[string]func(){
		"columns": func() { sums.Add(mat.NewDense(2, 4, nil), []int{0, 1}, nil) },
		"classes": func() { sums.Add(mat.NewDense(2, 3, nil), []int{0}, nil) },
		"weights": func() { sums.Add(mat.NewDense(2, 3, nil), []int{0, 1}, []float64{1}) },
	} {
		if must.Recovered(f) == nil {
			t.Errorf("no panic for rows with other %s", what)
		}
	}
	must.Do(t, s.Step(t.Context(), sums))
	if got := s.Bytes(); got != 8*(3*4*4+4*3) {
		t.Errorf("%d bytes of the second pass", got)
	}
	done := search(t, Config{}, x, y, w, 20)
	if must.Recovered(func() { done.Sums() }) == nil {
		t.Error("no panic for sums of another pass after the last")
	}
	if _, err := done.Model(newCosines(3, 5), y.Names); err == nil {
		t.Error("a model on a map of 5 features")
	}
	if m, err := done.Model(newCosines(7, 3), y.Names); err != nil || m.Map() == nil {
		t.Errorf("a model on a map of 3 features: %v", err)
	}
	for _, shape := range [][2]int{{0, 1}, {1, 0}} {
		if must.Recovered(func() { NewNormal(shape[0], shape[1], false) }) == nil {
			t.Errorf("no panic for a regression of %d features and %d targets", shape[0], shape[1])
		}
	}
}
