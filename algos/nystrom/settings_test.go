package nystrom

import (
	"testing"

	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/kernel"
)

// All rows are landmarks, up to 256.
func TestLandmarks(t *testing.T) {
	for _, n := range []int{1, 255, 256, 257, 1000} {
		if c, err := (Config{Kernel: kernel.Gaussian{Gamma: 1}}).resolve(n); err != nil || c.M != min(n, 256) {
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
	algotest.Names(t, "Power", "with NoPower", fit(Config{Kernel: good.Kernel, M: 8, NoPower: true, Power: 1}))
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
