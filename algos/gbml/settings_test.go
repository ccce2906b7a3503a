package gbml

import (
	"math"
	"testing"

	"github.com/gramworks/gram/internal/algotest"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	more := map[string][]any{"Shrinkage": {1.5}, "Lambda": {math.Inf(1)}, "Bins": {1, 257}, "ColumnSample": {1.5}}
	algotest.Refused(t, Config{Trees: 1}, more, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Tags)
		return err
	})
	c := Config{Trees: 1, NoPenalty: true, Lambda: 1}
	_, err := c.Fit(t.Context(), d.X, d.Tags)
	algotest.Names(t, "Lambda", c.Lambda, err)
}
