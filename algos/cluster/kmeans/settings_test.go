package kmeans

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
)

// Fits refuse what is out of range, and so do plans.
func TestSettings(t *testing.T) {
	x := algotest.Problem(5, 40, 3, 3).X
	planned := func(c interface {
		Plan(s gram.Shape) (gram.Plan, error)
	}, err error) error {
		if p, refused := c.Plan(gram.Shape{N: 40, D: 3}); (refused == nil) != (err == nil) || err != nil && p != (gram.Plan{}) {
			t.Errorf("the plan of %+v is %+v (%v), the fit says %v", c, p, refused, err)
		}
		return err
	}
	algotest.Refused(t, Config{K: 4}, map[string][]any{"K": {41}, "Sample": {3}, "Balance": {0.5}}, func(c Config) error {
		_, err := c.Fit(t.Context(), x)
		return planned(c, err)
	})
	algotest.Refused(t, Tree{Branch: 2, Leaf: 10}, map[string][]any{"K": {}, "Branch": {1}, "Balance": {0.5}}, func(c Tree) error {
		_, err := c.Fit(t.Context(), x)
		return planned(c, err)
	})
	algotest.Refused(t, Voronoi{}, map[string][]any{"Alpha": {1.5}}, func(c Voronoi) error {
		_, err := c.Fit(t.Context(), x)
		return planned(c, err)
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}, &Voronoi{}, &Tree{}) }
