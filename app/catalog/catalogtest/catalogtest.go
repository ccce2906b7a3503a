// Package catalogtest has what tests of the methods of the catalog, of their training and of the search share.
package catalogtest

import (
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// Set is the data of a test as a data set of the given kind.
func Set(d algotest.Data, kind algotest.Kind) *dataset.Set {
	s := &dataset.Set{Name: "test", X: d.X}
	switch kind {
	case algotest.Regression:
		s.Value = d.Value
	case algotest.Classification:
		s.Labels = d.Labels
	case algotest.MultiLabel:
		s.Tags = d.Tags
	}
	return s
}

// Trainable is a Fitter of the method with the settings.
func Trainable(t *testing.T, m catalog.Method, settings ...string) catalog.Fitter {
	t.Helper()
	f := m.New()
	if err := f.Settings().Set(settings...); err != nil {
		t.Fatal(err)
	}
	return f
}

// Quick returns settings with which a fit of the method takes little time.
func Quick(m catalog.Method) []string {
	var out []string
	for _, small := range []string{"m=8", "trees=8", "rounds=8", "learners=2", "steps=4"} {
		if name, _, _ := strings.Cut(small, "="); m.New().Settings().Lookup(name) != nil {
			out = append(out, small)
		}
	}
	switch m.Name {
	case "bregman":
		out = append(out, "pairs=40")
	case "goal-nys", "goal-rff":
		out = append(out, "max-iter=5")
	}
	return out
}

// output returns what a model says about the rows of x: the scores of a classifier or a ranker, the values of a regressor as one
// column.
func output(t *testing.T, f *pipeline.Model, x mat.Matrix) *mat.Dense {
	x, err := f.Scaled(x)
	if err != nil {
		panic(err) // a wrong number of columns: tests expect a panic of a model
	}
	switch m := f.Model.(type) {
	case gram.Classifier:
		return m.Scores(nil, x)
	case gram.Regressor:
		n, _ := x.Dims()
		return mat.NewDense(n, 1, m.Predict(nil, x))
	case gram.Ranker:
		return algotest.Scores(m, x, 0)
	}
	t.Fatalf("a model of type %T", f.Model)
	return nil
}

// Wrap is the whole model as the tests of algotest take it.
func Wrap(t *testing.T, f *pipeline.Model) *algotest.Model {
	if f == nil {
		return nil
	}
	return &algotest.Model{Public: f.Model, Output: func(x mat.Matrix) *mat.Dense { return output(t, f, x) }, Encode: f.Encode}
}
