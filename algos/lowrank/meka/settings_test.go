package meka

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
)

func TestSettings(t *testing.T) {
	x := algotest.Problem(5, 60, 3, 3).X
	more := map[string][]any{
		"Kernel": {nil, kernel.Columns(func(dst []float64, j int) {}, 60)}, "Clusters": {61}, "Rank": {61}, "Columns": {1001}, "Rho": {1001.0},
		"Epsilon": {math.Inf(1)}, "Cut": {1.0}, "Balance": {0.5},
	}
	algotest.Refused(t, Config{Kernel: kernel.Gaussian{Gamma: 1}, Clusters: 2, Rank: 4}, more, func(c Config) error {
		_, err := c.Fit(t.Context(), x)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
