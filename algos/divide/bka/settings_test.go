package bka

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/kernel"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	machine := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, ClassWeights: []float64{1, 2, 0.5}}
	algotest.Refused(t, Config{Kernel: machine.Kernel}, map[string][]any{"Clusters": {41}, "Balance": {0.5}, "Kernel": {nil}}, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X)
		return err
	})
	more := map[string][]any{
		"Clusters": {41}, "Balance": {0.5},
		"C": {math.Inf(1)}, "ClassWeights": {[]float64{1, 2}, []float64{1, 1, 0}}, "Kernel": {nil},
	}
	algotest.Refused(t, SVM{Machine: machine}, more, func(c SVM) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	})
	_, err := SVM{Machine: machine, Whole: true}.Fit(t.Context(), d.X, d.Labels, nil)
	algotest.Names(t, "NoBias", false, err)
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}, &Partition{}, &SVM{}) }
