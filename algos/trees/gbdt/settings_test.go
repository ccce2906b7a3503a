package gbdt

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	more := map[string][]any{
		"Shrinkage": {1.5}, "MaxLeaves": {1}, "Lambda": {math.Inf(1)}, "Bins": {1, 1<<16 + 1}, "RowSample": {1.5}, "ColumnSample": {1.5},
		"Holdout": {1.0}, "Criterion": {DirectLoss},
	}
	algotest.Refused(t, Config{Rounds: 1}, more, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	})
	algotest.Refused(t, Config{Rounds: 1}, more, func(c Config) error {
		_, err := c.FitValues(t.Context(), d.X, d.Value, nil)
		return err
	})
	for _, c := range []Config{
		{Rounds: 1, Lambda: gram.Set(-1.)},
		{Rounds: 1, Lambda: gram.Set(0.), Criterion: DirectLoss},
	} {
		two := algotest.Problem(5, 40, 3, 2)
		_, err := c.Fit(t.Context(), two.X, two.Labels, nil)
		algotest.Names(t, "Lambda", c.Lambda, err)
	}
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
