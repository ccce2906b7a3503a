package fastnys

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
)

func TestSettings(t *testing.T) {
	x := algotest.Problem(5, 60, 6, 3).X
	good := Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 16, Rows: 2}
	more := map[string][]any{
		"Kernel": {nil, kernel.Laplacian{Gamma: 1}}, "M": {121}, "Rows": {3, 16}, "Rank": {17}, "Cut": {1.0},
	}
	algotest.Refused(t, good, more, func(c Config) error {
		_, err := c.Fit(t.Context(), x)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
