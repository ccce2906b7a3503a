package bregman

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 12, 3, 3)
	algotest.Refused(t, Config{}, map[string][]any{"Slack": {math.Inf(1)}, "Tol": {1.0, 2.0}}, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, []constraint.Linear{constraint.Distance(0, 1, constraint.AtMost, 1)})
		return err
	})
	for _, k := range []int{0, 12} {
		_, _, err := Isometry(t.Context(), d.X, d.X, k, gram.Run{})
		algotest.Names(t, "k", k, err)
	}
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}, &Features{}) }
