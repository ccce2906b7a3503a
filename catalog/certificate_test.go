package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
)

// Every method but clusters says how far its fit has come, and which of them have a tolerance;
// one that stops before it says what to set.
func TestCertificates(t *testing.T) {
	p := algotest.Problem(3, 90, 4, 2)
	rounds := []string{"dcpred", "fastxml", "gbdt", "gbml", "gimc-lff", "goal-nys", "goal-rff", "leml", "sleec"}
	for _, m := range Methods() {
		if m.Clusters || testing.Short() && !slices.Contains([]string{"svm", "linear", "krr", "gbdt"}, m.Name) {
			continue
		}
		for _, kind := range []algotest.Kind{algotest.Classification, algotest.Regression, algotest.MultiLabel} {
			d := set(p, kind)
			if m.check(d) != nil {
				continue
			}
			model, err := Train(t.Context(), m, trainable(t, m), d, NoScale, gram.Run{Seed: 1})
			if model == nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			text, tol := Certificate(model.Model)
			if text == "" || strings.Contains(text, "NaN") || tol == slices.Contains(rounds, m.Name) {
				t.Errorf("%s, %v: %q, a tolerance: %v", m.Name, kind, text, tol)
			}
		}
	}
	d := set(p, algotest.Classification)
	_, err := Train(t.Context(), svmMethod, trainable(t, svmMethod, "max-iter=1"), d, NoScale, gram.Run{})
	if got := Advice(svmMethod, err); !strings.HasPrefix(got, "set a larger max-iter or tol (tol is 0.001)") {
		t.Errorf("advice %q about %v", got, err)
	}
	if got := Advice(svmMethod, gram.Refuse("x", 1, "another")); got != "" {
		t.Errorf("advice %q about a mistake", got)
	}
}
