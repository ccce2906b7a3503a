package plt

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 30, 3, 3)
	algotest.Refused(t, Config{}, map[string][]any{"C": {math.Inf(1)}, "Cut": {-1., math.NaN()}}, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Tags)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
