package kmeans

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
)

func TestSettings(t *testing.T) {
	x := algotest.Problem(5, 40, 3, 3).X
	algotest.Refused(t, Config{K: 4}, map[string][]any{"K": {41}, "Sample": {3}, "Balance": {0.5}}, func(c Config) error {
		_, err := c.Fit(t.Context(), x)
		return err
	})
	algotest.Refused(t, Tree{Branch: 2, Leaf: 10}, map[string][]any{"K": {}, "Branch": {1}, "Balance": {0.5}}, func(c Tree) error {
		_, err := c.Fit(t.Context(), x)
		return err
	})
	algotest.Refused(t, Voronoi{}, map[string][]any{"Alpha": {1.5}}, func(c Voronoi) error {
		_, err := c.Fit(t.Context(), x)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}, &Voronoi{}, &Tree{}) }
