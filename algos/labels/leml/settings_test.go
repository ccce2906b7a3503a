package leml

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	algotest.Refused(t, Config{Rank: 2}, map[string][]any{"Rank": {6}, "Lambda": {math.Inf(1)}}, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Tags)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
