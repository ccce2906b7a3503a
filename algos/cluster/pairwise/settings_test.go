package pairwise

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/internal/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	fit := func(pairs []Pair) func(c Config) error {
		return func(c Config) error {
			_, err := c.Fit(t.Context(), d.X, pairs)
			return err
		}
	}
	good := Config{K: 3, Lambda: []float64{1}, Rounds: 2, Steps: 1, Starts: 1, Map: completion.Side{Map: completion.Fourier, M: 4, Gamma: 1, Learn: true}}
	more := map[string][]any{"K": {41}, "M": {1<<28 + 1}, "Gamma": {math.Inf(1)}, "Lambda": {[]float64{}, []float64{1, 0}, []float64{math.Inf(1)}, []float64{math.NaN()}}}
	algotest.Refused(t, good, more, fit(Sample(d.Labels.Class, 90, 1)))
	algotest.Names(t, "pairs", "none", fit(nil)(good))
	algotest.Names(t, "pairs", "opposites", fit([]Pair{{0, 1, true}, {1, 0, false}})(good))
	for _, p := range []Pair{{-1, 0, true}, {0, -1, true}, {40, 0, true}, {0, 40, true}, {3, 3, true}} {
		algotest.Names(t, "pairs[1]", p, fit([]Pair{{0, 1, true}, p})(good))
	}
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
