package rff

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestSettings(t *testing.T) {
	x := algotest.Problem(5, 40, 3, 3).X
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), x)
		return err
	}
	algotest.Refused(t, Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 4}, map[string][]any{"Kernel": {nil, kernel.Linear{}}, "M": {1<<28 + 1}}, fit)
	algotest.Refused(t, Config{Kernel: kernel.Laplacian{Gamma: 1}, M: 4}, map[string][]any{"Kernel": {nil}, "Frequencies": {Orthogonal, Fastfood}}, fit)
	_, err := Config{Kernel: kernel.Gaussian{Gamma: 1}, Frequencies: Halton}.Fit(t.Context(), mat.NewDense(2, maxHalton+1, nil))
	algotest.Names(t, "Frequencies", Halton, err)
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
