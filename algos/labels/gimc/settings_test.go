package gimc

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/settings"
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

// There are 100 frequencies or landmarks, of few rows as many landmarks, and no more landmarks than rows.
func TestNumberOfFeatures(t *testing.T) {
	for _, c := range []struct {
		kind       completion.Kind
		n, m, want int
	}{
		{completion.Fourier, 50, 0, 100}, {completion.Nystrom, 200, 0, 100}, {completion.Nystrom, 50, 0, 50}, {completion.Nystrom, 50, 50, 50},
		{completion.Nystrom, 50, 51, 0}, {completion.Fourier, 50, 51, 51}, {completion.Nystrom, 50, -1, 0},
	} {
		got, err := settings.Resolved(Config{Map: c.kind, M: c.m}, gram.Shape{N: c.n, D: 3, Outputs: 4})
		var refused *gram.ConfigError
		if bad := errors.As(err, &refused); bad != (c.want == 0) || !bad && (err != nil || got.M != c.want) || bad && refused.Field != "M" {
			t.Errorf("%v, %d rows, m %d: %d, %v", c.kind, c.n, c.m, got.M, err)
		}
	}
}
