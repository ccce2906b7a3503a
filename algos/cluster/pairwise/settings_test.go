package pairwise

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/learned/completion"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	fit := func(pairs []constraint.Pair) func(c Config) error {
		return func(c Config) error {
			_, err := c.Fit(t.Context(), d.X, pairs)
			return err
		}
	}
	good := Config{K: 3, Lambda: []float64{1}, Rounds: 2, Steps: 1, Starts: 1, Map: completion.Side{Map: completion.Fourier, M: 4, Gamma: 1, Learn: true}}
	more := map[string][]any{"K": {41}, "M": {1<<28 + 1}, "Gamma": {math.Inf(1)}, "Lambda": {[]float64{}, []float64{1, -1}, []float64{math.Inf(1)}, []float64{math.NaN()}}}
	algotest.Refused(t, good, more, fit(constraint.Sample(d.Labels.Class, 90, 1)))
	algotest.Names(t, "pairs", "none", fit(nil)(good))
	algotest.Names(t, "pairs", "opposites", fit([]constraint.Pair{{I: 0, J: 1, Same: true}, {I: 1, J: 0, Same: false}})(good))
	for _, p := range []constraint.Pair{{I: -1, J: 0, Same: true}, {I: 0, J: -1, Same: true}, {I: 40, J: 0, Same: true}, {I: 0, J: 40, Same: true}, {I: 3, J: 3, Same: true}} {
		algotest.Names(t, "pairs[1]", p, fit([]constraint.Pair{{I: 0, J: 1, Same: true}, p})(good))
	}
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
