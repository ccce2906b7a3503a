package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/settings"
)

// Every method but clusters says how far its fit has come, and which of them have a tolerance;
// one that stops before it says what to set.
func TestCertificates(t *testing.T) {
	p := algotest.Problem(3, 90, 4, 2)
	rounds := []string{"dcpred", "fastxml", "gbdt", "gbml", "gimc-lff", "goal-nys", "goal-rff", "leml", "plt", "sleec"}
	for _, m := range catalog.Methods() {
		if m.Clusters || testing.Short() && !slices.Contains([]string{"svm", "linear", "krr", "gbdt"}, m.Name) {
			continue
		}
		for _, kind := range []algotest.Kind{algotest.Classification, algotest.Regression, algotest.MultiLabel} {
			d := catalogtest.Set(p, kind)
			if m.Check(d) != nil {
				continue
			}
			model, err := training.Train(t.Context(), m, catalogtest.Trainable(t, m, catalogtest.Quick(m)...), d, training.NoScale, gram.Run{Seed: 1})
			if model == nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			text, tol := catalog.Certificate(model.Model)
			if text == "" || strings.Contains(text, "NaN") || tol == slices.Contains(rounds, m.Name) {
				t.Errorf("%s, %v: %q, a tolerance: %v", m.Name, kind, text, tol)
			}
		}
	}
	d := catalogtest.Set(p, algotest.Classification)
	boosted, err := gbdt.Config{Rounds: 60, Shrinkage: 1, Holdout: .4, Patience: 3}.Fit(t.Context(), p.X, p.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := boosted.Stats()
	if text, _ := catalog.Certificate(boosted); s.Rounds >= len(s.Objective)-1 || !strings.HasPrefix(text, fmt.Sprintf("%d rounds, mean training loss %.4g,", s.Rounds, s.Objective[s.Rounds])) {
		t.Errorf("%q of boosted trees, of which %d of %d rounds are kept with the loss %v", text, s.Rounds, len(s.Objective)-1, s.Objective)
	}
	_, err = training.Train(t.Context(), catalog.Must("svm"), catalogtest.Trainable(t, catalog.Must("svm"), "max-iter=1"), d, training.NoScale, gram.Run{})
	if got := catalog.Advice(catalog.Must("svm"), err); !strings.HasPrefix(got, "set a larger max-iter or tol (tol is 0.001)") {
		t.Errorf("advice %q about %v", got, err)
	}
	if got := catalog.Advice(catalog.Must("svm"), settings.Refuse("x", 1, "another")); got != "" {
		t.Errorf("advice %q about a mistake", got)
	}
}

// The iterations of a fit are those that its certificate speaks of; a fit without iterations has none.
func TestIterations(t *testing.T) {
	p := algotest.Problem(3, 90, 4, 2)
	for _, c := range []struct {
		method, settings, of string
		kind                 algotest.Kind
	}{
		{"svm", "gamma=1", "iterations", algotest.Classification},
		{"one-class", "gamma=1", "iterations", algotest.Unsupervised},
		{"gbdt", "rounds=7", "rounds", algotest.Regression},
		{"linear", "model=logistic", "Newton steps", algotest.Classification},
		{"linear", "model=svm", "passes", algotest.Classification},
		{"linear", "solver=cg", "steps of conjugate gradients", algotest.MultiLabel},
		{"falkon", "m=20", "products", algotest.Regression},
		{"krr", "gamma=1", "", algotest.Classification},
		{"gp", "gamma=1", "", algotest.Regression},
	} {
		m := catalog.Must(c.method)
		model, err := training.Train(t.Context(), m, catalogtest.Trainable(t, m, c.settings), catalogtest.Set(p, c.kind), training.NoScale, gram.Run{Seed: 1})
		if err != nil {
			t.Fatalf("%s: %v", c.method, err)
		}
		got, text := catalog.Iterations(model.Model), ""
		text, _ = catalog.Certificate(model.Model)
		if c.of == "" {
			if got != nil {
				t.Errorf("%s: %v iterations", c.method, got)
			}
		} else if len(got) != 1 || got[0] < 1 || !strings.Contains(text, fmt.Sprint(got[0], " ", c.of)) {
			t.Errorf("%s: %v iterations, %q", c.method, got, text)
		}
	}
}
