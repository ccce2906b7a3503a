package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/conformal"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"gonum.org/v1/gonum/mat"
)

// must takes the value and the error of a call, and returns a function that returns the value or ends the test.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return v
	}
}

// do ends the test if err is not nil.
func do(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// spy is a model of three columns that records the calls of its methods.
type spy struct {
	asked  *mat.Dense
	scores bool
	top    int
}

func (m *spy) Dim() int                         { return 3 }
func (m *spy) Encode(w *modelfile.Writer) error { return w.Header("spy", 1, 0) }
func (m *spy) rows(x mat.Matrix) int {
	m.asked = mat.DenseCopyOf(x)
	n, _ := x.Dims()
	return n
}

type classifying struct{ spy }

func (m *classifying) Classes() []string { return []string{"a", "b"} }
func (m *classifying) Predict(dst []int, x mat.Matrix) []int {
	return slices.Repeat([]int{1}, m.rows(x))
}
func (m *classifying) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	m.scores = true
	return mat.NewDense(m.rows(x), 1, nil)
}

type predicting struct{ spy }

func (m *predicting) Predict(dst []float64, x mat.Matrix) []float64 {
	return slices.Repeat([]float64{7}, m.rows(x))
}

type ranking struct{ spy }

func (m *ranking) NumLabels() int { return 4 }
func (m *ranking) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	m.top = k
	return make([][]gram.Scored, m.rows(x))
}

// A pipeline scales the rows, finds the task of its model, and returns only what was
// asked for.
func TestPredict(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	scaling, err := dataset.Standardize(mat.NewDense(3, 3, []float64{1, 2, 3, 2, 5, 1, 9, 9, 4}))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*dataset.Scaling{nil, scaling} {
		want := mat.Matrix(x)
		if s != nil {
			want = s.Apply(x)
		}
		c, v, r := &classifying{}, &predicting{}, &ranking{}
		for _, m := range []struct {
			model modelfile.Model
			asked *spy
			task  dataset.Task
		}{{c, &c.spy, dataset.Classes}, {v, &v.spy, dataset.Regression}, {r, &r.spy, dataset.MultiLabel}} {
			p, err := pipeline.New(m.model, 3, s)
			if err != nil || p.Task != m.task || p.Dim != 3 || p.Scaling != s || p.Storage != dataset.Dense || (p.Names != nil) != (p.Task == dataset.Classes) {
				t.Fatalf("%+v, %v", p, err)
			}
			for _, scores := range []bool{false, true} {
				*m.asked = spy{}
				out, err := p.Predict(x, scores, 3)
				if err != nil || !mat.Equal(m.asked.asked, want) {
					t.Errorf("%s: asked for %v, %v", p.Task, m.asked.asked, err)
				}
				if (len(out.Class) == 2) != (p.Task == dataset.Classes) || (len(out.Value) == 2) != (p.Task == dataset.Regression) || (len(out.Top) == 2) != (p.Task == dataset.MultiLabel) ||
					(out.Scores != nil) != (scores && p.Task == dataset.Classes) || m.asked.scores != (out.Scores != nil) || m.asked.top == 3 != (out.Top != nil) {
					t.Errorf("%s, scores %t: %+v", p.Task, scores, out)
				}
			}
			if _, err := p.Predict(mat.NewDense(2, 4, nil), false, 1); err == nil || err.Error() != "the data have 4 columns, the model was trained on 3" {
				t.Errorf("%s: four columns: %v", p.Task, err)
			}
			p.Model, p.Method = scaling, "scaling"
			if _, err := p.Predict(x, false, 1); err == nil || !strings.Contains(err.Error(), "scaling do not predict") {
				t.Errorf("a scaling predicts: %v", err)
			}
		}
	}
}

// The columns of each row whose text was not in training are those of the row, ascending.
func TestUnknown(t *testing.T) {
	const no = dataset.UnknownLevel
	category := dataset.Column{Kind: dataset.Category, Levels: []string{"a", "b"}}
	p := &pipeline.Model{Model: &predicting{}, Task: dataset.Regression, Dim: 3, Schema: &dataset.Schema{Columns: []dataset.Column{category, {}, category}}}
	x := mat.NewDense(4, 3, []float64{0, no, no, 1, no, 0, no, 2, no, no, no, 1})
	out, err := p.Answer(x, pipeline.Want{Unknown: true})
	if want := [][]int{{2}, nil, {0, 2}, {0}}; err != nil || !reflect.DeepEqual(out.Unknown, want) {
		t.Errorf("%v, %v, want %v", out.Unknown, err, want)
	}
}

// reading is a model whose scores or values are read from files.
type reading struct {
	classifying
	values *mat.Dense
	err    error
}

func (m *reading) Evaluate(_ *mat.Dense, x mat.Matrix) (*mat.Dense, error) { return m.values, m.err }

// A model that reads files predicts the class, or the value, of every row, and has the error of its files.
func TestEvaluate(t *testing.T) {
	x, broken := mat.NewDense(3, 3, nil), errors.New("broken")
	m := &reading{values: mat.NewDense(3, 1, []float64{-2, .5, 3})}
	p := &pipeline.Model{Model: m, Task: dataset.Classes, Names: m.Classes(), Dim: 3}
	out, err := p.Answer(x, pipeline.Want{Scores: true})
	if err != nil || len(out.Class) != 3 || out.Class[0] == out.Class[1] || out.Class[1] != out.Class[2] || !mat.Equal(out.Scores, m.values) {
		t.Errorf("classes: %+v, %v", out, err)
	}
	if out, err := p.Answer(x, pipeline.Want{Order: true}); err != nil || !mat.Equal(out.Order, m.values) || out.Scores != nil {
		t.Errorf("the order of the rows: %+v, %v", out, err)
	}
	if out, err := p.Answer(x, pipeline.Want{}); err != nil || out.Order != nil || out.Scores != nil {
		t.Errorf("more than what is wanted: %+v, %v", out, err)
	}
	// There is no map and no predictor that such a model would have computed by itself.
	p.Calibration, p.Conformal = calibration.Softmax(2), must(conformal.FitClasses(mat.NewDense(2, 2, nil), []int{0, 1}, false))(t)
	for _, w := range []pipeline.Want{{Probability: true}, {Level: .5}} {
		if out, err := p.Answer(x, w); err == nil || !strings.Contains(err.Error(), "neither probabilities nor intervals") || out.Class != nil {
			t.Errorf("%+v: %+v, %v", w, out, err)
		}
	}
	p.Calibration, p.Conformal, p.Names = nil, nil, nil
	p.Task = dataset.Regression
	if out, err := p.Answer(x, pipeline.Want{}); err != nil || !slices.Equal(out.Value, []float64{-2, .5, 3}) {
		t.Errorf("values: %+v, %v", out, err)
	}
	m.err = broken
	if _, err := p.Answer(x, pipeline.Want{}); err != broken {
		t.Errorf("files that cannot be read: %v", err)
	}
}

// A linear model keeps its feature map: the same model on other features, its columns,
// and its stored form.
func TestLinearModels(t *testing.T) {
	d := algotest.Problem(1, 80, 4, 3)
	phi, err := nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 9}.Fit(t.Context(), d.X)
	if err != nil {
		t.Fatal(err)
	}
	a := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 2, 1, 0, 3})
	narrow := mat.NewDense(80, 2, nil)
	narrow.Mul(d.X.(*mat.Dense), a)
	classes := func(m gram.FeatureMap, x mat.Matrix) modelfile.Model {
		c, err := linear.SVM{}.Fit(t.Context(), m, x, d.Labels, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	values := func(m gram.FeatureMap, x mat.Matrix) modelfile.Model {
		r, err := linear.Ridge{}.Fit(t.Context(), m, x, d.Value, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for name, fit := range map[string]func(m gram.FeatureMap, x mat.Matrix) modelfile.Model{"classes": classes, "values": values} {
		for _, m := range []pipeline.Map{nil, phi, squares(4)} {
			var features gram.FeatureMap
			if m != nil {
				features = m
			}
			on := pipeline.On("some method", m, fit(features, d.X))
			has := on.(interface {
				FeatureMap() pipeline.Map
				Dim() int
			})
			if has.FeatureMap() != m || has.Dim() != 4 {
				t.Errorf("%s: a map %T for %d columns, want %T", name, has.FeatureMap(), has.Dim(), m)
			}
			// The method says how the map is read, so that no registry needs to have it.
			var b bytes.Buffer
			if err := modelfile.Write(&b, on); err != nil {
				t.Errorf("%s on %T: %v", name, m, err)
			}
			p, err := pipeline.New(on, 4, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			q, err := pipeline.New(fit(features, d.X), 4, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			one, err := p.Predict(d.X, true, 1)
			if err != nil {
				t.Fatal(err)
			}
			// What is written with the method of the map can be read again.
			for _, precise := range []bool{true, false} {
				var b bytes.Buffer
				if err := modelfile.Write(&b, written(func(w *modelfile.Writer) error { return q.Encode(w.With(registry())) })); err != nil {
					t.Fatal(err)
				}
				f, err := modelfile.Read(&b)
				if err != nil || !pipeline.Is(f) {
					t.Fatal(err)
				}
				r := registry()
				if !precise {
					delete(r.Bases, "squares")
				}
				back, err := pipeline.Decode(f, r)
				if _, own := m.(squares); own && !precise {
					if err == nil {
						t.Errorf("%s: a feature map that is not known is read", name)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s on %T: %v", name, m, err)
				}
				wantMethod := "linear"
				if m != nil {
					wantMethod = "linear.map"
				}
				two, err := back.Predict(d.X, true, 1)
				if err != nil || !same(one, two) || back.Method != wantMethod || back.Dim != 4 {
					t.Errorf("%s on %T: after reading the method is %q for %d columns, %v", name, m, back.Method, back.Dim, err)
				}
			}
		}
		// The features are x·a; Onto gives the same model for x.
		raw := basis.Identity(4)
		onto := pipeline.Onto(pipeline.On("some method", nil, fit(nil, narrow)), raw, a)
		p, err := pipeline.New(onto, 4, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m := onto.(interface{ FeatureMap() pipeline.Map }).FeatureMap(); m != pipeline.Map(raw) {
			t.Errorf("%s: the map is %v", name, m)
		}
		got, err := p.Predict(d.X, true, 1)
		if err != nil {
			t.Fatal(err)
		}
		small, err := pipeline.New(fit(nil, narrow), 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := small.Predict(narrow, true, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Class, want.Class) || want.Scores != nil && !mat.EqualApprox(got.Scores, want.Scores, 1e-9) ||
			want.Value != nil && !mat.EqualApprox(mat.NewVecDense(80, got.Value), mat.NewVecDense(80, want.Value), 1e-9) {
			t.Errorf("%s: the same model on other features predicts otherwise", name)
		}
		var b bytes.Buffer
		if err := modelfile.Write(&b, onto); err != nil {
			t.Fatal(err)
		}
		f, err := modelfile.Read(&b)
		if err != nil || f.Method() != "some method" {
			t.Errorf("%s: written as %q, %v", name, f.Method(), err)
		}
	}
	other := &predicting{}
	if pipeline.Onto(other, squares(4), a) != modelfile.Model(other) {
		t.Error("what is no linear model is put on other features")
	}
	defer func() {
		if p := recover(); p != "pipeline: *pipeline_test.predicting is no linear model" {
			t.Errorf("panic %v", p)
		}
	}()
	pipeline.On("x", nil, other)
}

func same(a, b pipeline.Predictions) bool {
	return slices.Equal(a.Class, b.Class) && slices.Equal(a.Value, b.Value) && (a.Scores == nil) == (b.Scores == nil) && (a.Scores == nil || mat.Equal(a.Scores, b.Scores))
}

// written is a model that is written by a function.
type written func(w *modelfile.Writer) error

func (f written) Encode(w *modelfile.Writer) error { return f(w) }

// A file has the task, the columns, the classes, the scaling and the storage. Parts that
// do not fit together are refused with their names.
func TestDecode(t *testing.T) {
	d := algotest.Problem(1, 80, 4, 3)
	c, err := linear.SVM{}.Fit(t.Context(), nil, d.X, d.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	scaling, err := dataset.Standardize(d.X)
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := dataset.Standardize(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.New(c, 4, scaling)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "m.gram")
	for _, storage := range []dataset.Storage{dataset.Dense, dataset.Sparse} {
		for _, s := range []*dataset.Scaling{nil, scaling} {
			p.Storage, p.Scaling = storage, s
			if err := pipeline.Save(path, p, nil); err != nil {
				t.Fatal(err)
			}
			back, err := pipeline.Load(path, catalog.Registry())
			if err != nil {
				t.Fatal(err)
			}
			if back.Storage != storage || (back.Scaling != nil) != (s != nil) || back.Task != dataset.Classes || back.Dim != 4 || !slices.Equal(back.Names, c.Classes()) || back.Method != "linear" {
				t.Errorf("%+v", back)
			}
			a, err := p.Predict(d.X, true, 1)
			if err != nil {
				t.Fatal(err)
			}
			b, err := back.Predict(d.X, true, 1)
			if err != nil || !mat.Equal(a.Scores, b.Scores) || !slices.Equal(a.Class, b.Class) {
				t.Errorf("after reading other scores, %v", err)
			}
		}
	}
	one := algotest.Problem(3, 80, 1, 2)
	if c, err = (linear.SVM{}).Fit(t.Context(), nil, one.X, one.Labels, nil); err != nil {
		t.Fatal(err)
	}
	if q, err := pipeline.New(c, 1, nil); err != nil {
		t.Errorf("a single column: %v", err)
	} else if err := pipeline.Save(path, q, nil); err != nil {
		t.Error(err)
	} else if back, err := pipeline.Load(path, catalog.Registry()); err != nil || back.Dim != 1 {
		t.Errorf("a single column: %v", err)
	}
	for want, change := range map[string]func(q *pipeline.Model){
		`task "Classes" with 0 columns`:                  func(q *pipeline.Model) { q.Dim = 0 },
		"the classes are not those of the model":         func(q *pipeline.Model) { q.Names = []string{"other"} },
		"the scaling is for 2 columns, not 4":            func(q *pipeline.Model) { q.Scaling = narrow },
		"the model is for 4 columns, not 5":              func(q *pipeline.Model) { q.Dim, q.Scaling = 5, nil },
		`method "linear" is not for the task regression`: func(q *pipeline.Model) { q.Task = dataset.Regression },
		`method "linear" is not for the task multilabel`: func(q *pipeline.Model) { q.Task = dataset.MultiLabel },
	} {
		q := *p
		change(&q)
		if err := pipeline.Save(path, &q, catalog.Registry()); err != nil {
			t.Fatal(err)
		}
		_, err := pipeline.Load(path, catalog.Registry())
		var fe *modelfile.FormatError
		if !errors.As(err, &fe) || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) {
			t.Errorf("want %s: %v", want, err)
		}
		if strings.Contains(want, "classes are") != strings.Contains(fmt.Sprint(err), `"names"`) {
			t.Errorf("the array that is wrong is not named, or one that is not: %v", err)
		}
	}
	if _, err := pipeline.Load(filepath.Join(dir, "none.gram"), nil); err == nil {
		t.Error("there is no such file")
	}
	// Unknown methods are refused, with and without a registry.
	if err := pipeline.Save(path, p, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*pipeline.Registry{nil, {}} {
		if _, err := pipeline.Load(path, r); err == nil || !strings.Contains(err.Error(), `a model of method "linear", which this version does not know`) {
			t.Errorf("%v", err)
		}
	}
	if _, err := pipeline.New(&spy{}, 3, nil); err == nil || !strings.Contains(err.Error(), "neither classifies nor predicts values nor ranks labels") {
		t.Errorf("a model that does nothing: %v", err)
	}
	// A model that cannot be written is an error.
	q := *p
	fails := errors.New("not to be written")
	q.Model = written(func(w *modelfile.Writer) error { return fails })
	if err := pipeline.Save(path, &q, nil); !errors.Is(err, fails) {
		t.Errorf("%v", err)
	}
}

// Compile scales the points and takes the approximations of the module unless others are
// named. The pipeline that it returns differs only in the model.
func TestCompile(t *testing.T) {
	for name, p := range fitted(t) {
		if name != "krr of a kernel" {
			continue
		}
		var got predict.Problem
		one := approx.Candidates()[0]
		fit := one.Fit
		one.Method = "one"
		one.Fit = func(ctx context.Context, q predict.Problem, size int) (basis.Function, float64, error) {
			got = q
			return fit(ctx, q, size)
		}
		x := algotest.Problem(5, 120, 4, 3).X
		out, c, err := p.Compile(t.Context(), predict.Options{Method: "one", M: 20, Points: x, Candidates: []predict.Candidate{one}})
		if err != nil {
			t.Fatal(err)
		}
		if out.Method != predict.FileMethod || out.Model != modelfile.Model(c) || out.Scaling != p.Scaling || out.Dim != p.Dim || out.Task != p.Task || p.Method == out.Method {
			t.Errorf("%+v of %+v", out, p)
		}
		seen := map[[4]float64]bool{}
		scaled := mat.DenseCopyOf(p.Scaling.Apply(x))
		for i := range 120 {
			seen[[4]float64(scaled.RawRowView(i))] = true
		}
		for i := range got.X.N() {
			if !seen[[4]float64(got.X.Row(make([]float64, 4), i))] {
				t.Fatal("the points are not scaled")
			}
		}
		if _, c, err := p.Compile(t.Context(), predict.Options{Method: approx.Nystrom, M: 20, Points: x}); err != nil || c.Options().Method != approx.Nystrom {
			t.Errorf("the approximations of the module: %v", err)
		}
		if _, _, err := p.Compile(t.Context(), predict.Options{Points: mat.NewDense(3, 3, nil)}); err == nil || !strings.Contains(err.Error(), "3 columns") {
			t.Errorf("points of three columns: %v", err)
		}
		if _, _, err := p.Compile(t.Context(), predict.Options{Method: "what"}); err == nil {
			t.Error("there is no such method")
		}
	}
}

// A predictor that cannot be fitted leaves the model the intervals that it had.
func TestConformErrorChangesNothing(t *testing.T) {
	p := algotest.Problem(1, 60, 4, 3)
	m, err := linear.Ridge{}.Fit(t.Context(), nil, p.X, p.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	model, err := pipeline.New(m, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	model.Band = []modelfile.Model{m, m}
	d := &dataset.Set{X: p.X, Value: p.Value}
	if err := model.Conform(d, true, 0); err != nil {
		t.Fatal(err)
	}
	fitted := model.Conformal
	d.Value[7] = math.NaN()
	var de *gram.DataError
	if err := model.Conform(d, false, 0); !errors.As(err, &de) || model.Conformal != fitted || model.Band == nil {
		t.Errorf("error %v, the predictor stays: %v, the band stays: %v", err, model.Conformal == fitted, model.Band != nil)
	}
}
