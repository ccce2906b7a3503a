package dcsvm

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/kernel"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	c := Config{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, ClassWeights: []float64{1, 2, 0.5}}}
	algotest.Refused(t, c, map[string][]any{
		"Branch": {1}, "Levels": {21},
		"C": {math.Inf(1)}, "ClassWeights": {[]float64{1, 2}, []float64{1, 1, 0}}, "Kernel": {nil},
	}, func(c Config) error {
		_, _, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
