package training

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// weightless trains without the weights of the rows.
type weightless struct{ catalog.Fitter }

func (f weightless) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	without := *d
	without.Weight = nil
	return f.Fitter.Fit(ctx, &without, run)
}

// Weights reach the fit of probabilities itself: they change it for a method that does not look at them.
func TestWeightsReachTheProbabilities(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(4, 120, 3, 2), algotest.Classification)
	for i := range d.Labels.Class {
		if i%5 == 0 {
			d.Labels.Class[i] = 1 - d.Labels.Class[i]
		}
	}
	m := catalog.Must("linear")
	linear := m.New
	m.New = func() catalog.Fitter { return weightless{linear()} }
	for kind := calibration.Platt; kind <= calibration.Temperature; kind++ {
		var models []*pipeline.Model
		for _, weights := range [][]float64{nil, slices.Repeat([]float64{1}, 120), slices.Repeat([]float64{1, 5, 1}, 40)} {
			of := *d
			of.Weight = weights
			p, err := Trust{Proba: &kind}.Train(t.Context(), m, nil, &of, NoScale, gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			models = append(models, p)
		}
		probabilities := func(p *pipeline.Model) *mat.Dense {
			return p.Probabilities().Probabilities(nil, calibration.Scores(p.Model.(gram.Classifier), d.X))
		}
		none, ones, others := probabilities(models[0]), probabilities(models[1]), probabilities(models[2])
		if !mat.EqualApprox(none, ones, 1e-12) || mat.EqualApprox(none, others, 1e-3) {
			t.Errorf("%v: weights of one change the probabilities, or other weights do not", kind)
		}
	}
}

// Weights reach a fit that goes on from a model.
func TestWeightsReachAFitThatGoesOn(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(4, 120, 3, 2), algotest.Regression)
	m := catalog.Must("gbdt")
	first, err := Train(t.Context(), m, catalogtest.Trainable(t, m, "rounds=2"), d, NoScale, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	values := func(weights []float64) []float64 {
		of := *d
		of.Weight = weights
		p, err := Continue(t.Context(), first, []string{"rounds=2"}, &of, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Model.(gram.Regressor).Predict(nil, d.X)
	}
	if slices.Equal(values(nil), values(slices.Repeat([]float64{1, 5, 1}, 40))) {
		t.Error("weights do not change the model")
	}
}

// Weights are those of classes or the lines of a file. The error of a file names it, and the line that is no weight.
func TestWeigh(t *testing.T) {
	classes := &dataset.Set{X: mat.NewDense(4, 1, nil), Labels: gram.Labels{Class: []int{0, 1, 1, 1}, Names: []string{"a", "b"}}}
	if err := Weigh(classes, true, ""); err != nil || !slices.EqualFunc(classes.Weight, []float64{2, 2. / 3, 2. / 3, 2. / 3}, near) {
		t.Errorf("balanced weights %v: %v", classes.Weight, err)
	}
	before := slices.Clone(classes.Weight)
	if err := Weigh(classes, false, ""); err != nil || !slices.Equal(classes.Weight, before) {
		t.Errorf("weights that nobody asks for: %v, %v", classes.Weight, err)
	}
	values := func() *dataset.Set { return &dataset.Set{X: mat.NewDense(3, 1, nil), Value: make([]float64, 3)} }
	var refused *gram.ConfigError
	if err := Weigh(values(), true, ""); !errors.As(err, &refused) || refused.Field != "task" {
		t.Errorf("weights of the classes of values: %v", err)
	}
	path := filepath.Join(t.TempDir(), "w.txt")
	if err := Weigh(values(), false, path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for text, line := range map[string]int{
		"2\n0\n.5\n": 0, "\n 2\t\n\n0\n  \n.5": 0, // line 0: it is right, -1: another error that names the file
		"1\n2\n": -1, "1\n2\n3\n4\n": -1, "": -1, "1\n2\n3\n" + strings.Repeat(" ", 1<<17): -1,
		"1\n-1\n1\n": 2, "\n\nNaN\n1\n1\n": 3, "Inf\n1\n1\n": 1, "1\n1\n\none\n": 4,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		d := values()
		err := Weigh(d, false, path)
		parse, is := errors.AsType[*dataset.ParseError](err)
		switch {
		case line == 0 && (err != nil || !slices.Equal(d.Weight, []float64{2, 0, .5})):
			t.Errorf("%q: the weights are %v: %v", text, d.Weight, err)
		case line < 0 && (err == nil || is):
			t.Errorf("%.20q: %v", text, err)
		case line > 0 && (!is || parse.Line != line || parse.File != path):
			t.Errorf("%q: %v, want line %d", text, err, line)
		}
	}
}

// near reports whether two numbers are the same up to rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-15 }
