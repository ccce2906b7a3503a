package completion

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 30, 3, 3)
	inf := math.Inf(1)
	good := Config{Rank: 2, Rounds: 1, Rows: Side{Map: Fourier, M: 4, Gamma: 1, Learn: true}, Columns: Side{Map: Fourier, M: 4, Gamma: 1}}
	more := map[string][]any{"Lambda": {inf}, "Validation": {1.0}, "M": {1<<28 + 1}, "Gamma": {inf}}
	side := algotest.Problem(6, 5, 2, 3).X
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.Tags, d.X, side)
		return err
	}
	algotest.Refused(t, good, more, fit)
	many := good
	many.Columns.Map, many.Columns.M = Nystrom, 6
	algotest.Names(t, "M", 6, fit(many))
	plain := good
	plain.Rows = Side{Learn: true}
	algotest.Names(t, "Learn", true, fit(plain))
	// What a side without side information would do is still a setting.
	bare := Config{Rank: 2, Rows: Side{Map: Nystrom + 1}}
	_, err := bare.Fit(t.Context(), d.Tags, nil, side)
	algotest.Names(t, "Map", Nystrom+1, err)
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Side{}, &Config{}) }
