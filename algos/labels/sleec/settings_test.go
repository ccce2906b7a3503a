package sleec

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	algotest.Refused(t, Config{Learners: 1, Rank: 3, Neighbors: 5, Steps: 2}, map[string][]any{"Lambda": {math.Inf(1)}}, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Tags)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
