package multilabel

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/internal/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	inf := math.Inf(1)
	gimc := func(c GIMC) error {
		_, err := c.Fit(t.Context(), d.X, d.Tags)
		return err
	}
	algotest.Refused(t, GIMC{M: 3, Steps: 1}, map[string][]any{"M": {1<<20 + 1}, "Gamma": {inf}, "Lambda": {inf}, "Validation": {1.0}}, gimc)
	algotest.Names(t, "M", 41, gimc(GIMC{Map: completion.Nystrom, M: 41}))
	algotest.Names(t, "Validation", "all rows are landmarks", gimc(GIMC{Map: completion.Nystrom, M: 40, Validation: 0.5}))
	algotest.Refused(t, LEML{Rank: 2}, map[string][]any{"Rank": {6}, "Lambda": {inf}}, func(c LEML) error {
		_, err := c.Fit(t.Context(), d.X, d.Tags)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &GIMC{}, &LEML{}) }
