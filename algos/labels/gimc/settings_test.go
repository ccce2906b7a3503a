package gimc

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/learned/completion"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	inf := math.Inf(1)
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Tags)
		return err
	}
	algotest.Refused(t, Config{M: 3, Steps: 1}, map[string][]any{"M": {1<<20 + 1}, "Gamma": {inf}, "Lambda": {inf}, "Validation": {1.0}}, fit)
	algotest.Names(t, "M", 41, fit(Config{Map: completion.Nystrom, M: 41}))
	algotest.Names(t, "Validation", "all rows are landmarks", fit(Config{Map: completion.Nystrom, M: 40, Validation: 0.5}))
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
