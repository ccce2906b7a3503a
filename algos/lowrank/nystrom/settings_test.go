package nystrom

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
)

// All rows are landmarks, up to 256.
func TestLandmarks(t *testing.T) {
	for _, n := range []int{1, 255, 256, 257, 1000} {
		if c, err := settings.Resolved(Config{Kernel: kernel.Gaussian{Gamma: 1}}, gram.Shape{N: n}); err != nil || c.M != min(n, 256) {
			t.Errorf("%d rows: %d landmarks, %v", n, c.M, err)
		}
	}
}

func TestSettings(t *testing.T) {
	x := algotest.Problem(5, 40, 3, 3).X
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), x)
		return err
	}
	good := Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 8}
	more := map[string][]any{"Kernel": {nil}, "M": {41}, "Rank": {9}, "Cut": {1.0}}
	algotest.Refused(t, good, more, fit)
	ensemble := func(c Ensemble) error {
		_, err := c.Fit(t.Context(), x)
		return err
	}
	more["M"] = []any{21}
	algotest.Refused(t, Ensemble{Config: good, Experts: 2, Fitted: true}, more, ensemble)
	all := good
	all.M, all.Landmarks = 20, landmark.Uniform{}
	algotest.Names(t, "M", "all rows are landmarks", ensemble(Ensemble{Config: all, Experts: 2, Fitted: true}))
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}, &Ensemble{}) }
