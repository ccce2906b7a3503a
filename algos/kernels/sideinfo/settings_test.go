package sideinfo

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	inf := math.Inf(1)
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels)
		return err
	}
	more := map[string][]any{"Kernel": {nil}, "M": {41}, "Cut": {1.0}, "Lambda": {inf}, "Folds": {1}, "Tol": {1.0}, "Grid": {[]float64{1, 0}, []float64{inf}, []float64{math.NaN()}}}
	algotest.Refused(t, Config{Kernel: gauss, M: 6, MaxIter: 5}, more, fit)
	algotest.Refused(t, CSI{Kernel: gauss, M: 6}, map[string][]any{"Kernel": {nil}, "M": {41}, "Kappa": {1.5}}, func(c CSI) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels)
		return err
	})
	algotest.Refused(t, ClusterKernel{Kernel: gauss, Rank: 5}, map[string][]any{"Kernel": {nil}, "Rank": {41}, "Exponent": {inf}}, func(c ClusterKernel) error {
		_, err := c.Features(t.Context(), d.X)
		return err
	})
	algotest.Refused(t, Spectral{Neighbors: 5}, map[string][]any{"Neighbors": {40}, "Rank": {41}}, func(c Spectral) error {
		_, err := c.Graph(t.Context(), d.X)
		return err
	})
	algotest.Refused(t, TwoStage{}, map[string][]any{"Gammas": {[]float64{1, 0}, []float64{inf}, []float64{math.NaN()}}}, func(c TwoStage) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels)
		return err
	})
	for _, p := range []constraint.Pair{{I: -1, J: 0, Same: true}, {I: 0, J: -1, Same: true}, {I: 40, J: 0, Same: true}, {I: 0, J: 40, Same: true}, {I: 3, J: 3, Same: true}} {
		_, err := Config{Kernel: gauss, M: 6}.FitPairs(t.Context(), d.X, []constraint.Pair{{I: 0, J: 1, Same: true}, p})
		algotest.Names(t, "pairs[1]", p, err)
	}
	_, err := Config{Kernel: gauss, M: 6}.FitPairs(t.Context(), d.X, nil)
	algotest.Names(t, "pairs", "none", err)
}

func TestDescribed(t *testing.T) {
	algotest.Described(t, &Config{}, &CSI{}, &Either{}, &Spectral{}, &ClusterKernel{}, &TwoStage{})
}
