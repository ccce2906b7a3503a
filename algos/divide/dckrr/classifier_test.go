package dckrr

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// A file names the method that the functions were fitted by.
func TestNamed(t *testing.T) {
	d := algotest.Problem(3, 60, 4, 3)
	c := krr.Config{Kernel: gauss, NoBias: true}
	random := must.Have(Random{Local: c, Parts: 2}.FitClasses(t.Context(), d.X, d.Labels, nil))(t)
	clusters := must.Have(Config{Local: c, Parts: 2}.FitClasses(t.Context(), d.X, d.Labels, nil))(t)
	values := must.Have(Config{Local: c, Parts: 2}.Fit(t.Context(), d.X, d.Value, nil))(t)
	if _, err := clusters.Function(); err == nil {
		t.Error("parts have one function")
	}
	if _, ok := clusters.Model().(*Model); !ok || clusters.Dim() != 4 {
		t.Errorf("%T of %d columns", clusters.Model(), clusters.Dim())
	}
	for _, c := range []struct {
		method string
		m      modelfile.Model
		same   func(back any) bool
	}{
		{"dc-krr", random, func(back any) bool {
			m, ok := back.(*krr.Classifier)
			return ok && slices.Equal(m.Classes(), d.Labels.Names) && mat.Equal(m.Scores(nil, d.X), random.Scores(nil, d.X))
		}},
		{"dc-krr", clusters, func(back any) bool {
			m, ok := back.(*krr.Classifier)
			return ok && slices.Equal(m.Classes(), d.Labels.Names) && mat.Equal(m.Scores(nil, d.X), clusters.Scores(nil, d.X))
		}},
		{"dc-krr", krr.NewRegressor(values, Method), func(back any) bool {
			m, ok := back.(*krr.Regressor)
			return ok && slices.Equal(m.Predict(nil, d.X), values.Predict(nil, d.X))
		}},
		{"krr.divided", clusters.Model(), func(back any) bool {
			m, ok := back.(*Model)
			return ok && mat.Equal(m.PredictAll(nil, d.X), clusters.Scores(nil, d.X))
		}},
		{"krr", random.Model(), func(back any) bool {
			m, ok := back.(*krr.Model)
			return ok && mat.Equal(m.PredictAll(nil, d.X), random.Scores(nil, d.X))
		}},
	} {
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, c.m))
		f := must.Have(modelfile.Read(&b))(t)
		if f.Method() != c.method {
			t.Errorf("method %q, want %q", f.Method(), c.method)
		}
		if back, err := DecodeAny(f); err != nil || !c.same(back) {
			t.Errorf("%T of method %q: %T is read: %v", c.m, c.method, back, err)
		}
	}
}
