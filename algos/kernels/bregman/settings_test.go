package bregman

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 12, 3, 3)
	algotest.Refused(t, Config{}, map[string][]any{"Slack": {math.Inf(1)}, "Tol": {1.0, 2.0}}, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, []Constraint{Distance(0, 1, AtMost, 1)})
		return err
	})
	for _, k := range []int{0, 12} {
		_, _, err := Isometry(t.Context(), d.X, d.X, k, gram.Run{})
		algotest.Names(t, "k", k, err)
	}
	for _, margin := range []float64{-1, 1, math.NaN()} {
		_, err := FromLabels(d.X, d.Labels.Class, 3, margin, 1)
		algotest.Names(t, "margin", margin, err)
	}
	_, err := FromLabels(d.X, d.Labels.Class, 0, 0, 1)
	algotest.Names(t, "count", 0, err)
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
