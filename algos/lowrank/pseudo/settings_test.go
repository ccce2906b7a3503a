package pseudo

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
)

func TestSettings(t *testing.T) {
	x := algotest.Problem(5, 40, 3, 3).X
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), x)
		return err
	}
	good := Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 6}
	more := map[string][]any{"Kernel": {nil}, "M": {41}, "P": {22}, "Sample": {41}, "Cut": {1.0}}
	algotest.Refused(t, good, more, fit)
	algotest.Names(t, "Kind", "for an inner product", fit(Config{Kernel: kernel.Linear{}, M: 6, Kind: Mid}))
	algotest.Names(t, "All", "of a triangle", fit(Config{Kernel: good.Kernel, M: 6, Kind: Mid, All: true}))
	algotest.Names(t, "All", "with P", fit(Config{Kernel: good.Kernel, M: 6, P: 3, All: true}))
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
