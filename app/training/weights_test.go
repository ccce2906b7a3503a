package training

import (
	"context"
	"slices"
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
