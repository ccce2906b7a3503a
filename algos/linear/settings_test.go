package linear

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	inf := math.Inf(1)
	svm := func(c SVM) error {
		_, err := c.Fit(t.Context(), nil, d.X, d.Labels, nil)
		return err
	}
	more := map[string][]any{"C": {inf}, "Bias": {inf}}
	algotest.Refused(t, SVM{}, more, svm)
	algotest.Names(t, "Bias", "with NoBias", svm(SVM{NoBias: true, Bias: 1}))
	logistic := func(c Logistic) error {
		_, err := c.Fit(t.Context(), nil, d.X, d.Labels, nil)
		return err
	}
	algotest.Refused(t, Logistic{}, more, logistic)
	algotest.Names(t, "Bias", "with NoBias", logistic(Logistic{NoBias: true, Bias: 1}))
	ridge := func(c Ridge) error {
		_, err := c.Fit(t.Context(), nil, d.X, d.Value, nil)
		return err
	}
	algotest.Refused(t, Ridge{}, map[string][]any{"Lambda": {inf}}, ridge)
	_, err := SVM{}.Fit(t.Context(), newCosines(4, 5), d.X, d.Labels, nil)
	algotest.Names(t, "feature map", "for 4 columns", err)
}

func TestDescribed(t *testing.T) { algotest.Described(t, &SVM{}, &Logistic{}, &Ridge{}, &Config{}) }
