package gbml

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	more := map[string][]any{"Shrinkage": {1.5}, "Bins": {1, 257}, "ColumnSample": {1.5}}
	algotest.Refused(t, Config{Trees: 1}, more, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Tags)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
