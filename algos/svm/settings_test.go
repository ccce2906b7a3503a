package svm

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	inf := math.Inf(1)
	algotest.Refused(t, Config{Kernel: kernel.Gaussian{Gamma: 1}}, map[string][]any{
		"Kernel": {nil}, "C": {inf}, "ClassWeights": {[]float64{1, 2}, []float64{1, 1, 0}, []float64{1, inf, 1}, []float64{math.NaN(), 1, 1}},
	}, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	})
	regression := func(c Regression) error {
		_, err := c.Fit(t.Context(), d.X, d.Value, nil)
		return err
	}
	algotest.Refused(t, Regression{Kernel: kernel.Gaussian{Gamma: 1}}, map[string][]any{"Kernel": {nil}, "C": {inf}}, regression)
	m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 1}}.Fit(t.Context(), d.X, d.Labels, nil))(t)
	_, err := m.Coefficients(3)
	algotest.Names(t, "n", 3, err)
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}, &Regression{}) }
