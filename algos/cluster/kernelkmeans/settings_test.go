package kernelkmeans

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
)

func TestSettings(t *testing.T) {
	x := algotest.Problem(5, 40, 3, 3).X
	algotest.Refused(t, Config{Kernel: kernel.Gaussian{Gamma: 1}, K: 4}, map[string][]any{"K": {41}, "Kernel": {nil}, "Sample": {3}}, func(c Config) error {
		_, err := c.Fit(t.Context(), x)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
