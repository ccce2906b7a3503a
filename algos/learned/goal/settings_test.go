package goal

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	inf := math.Inf(1)
	good := Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 3, MaxIter: gram.Set(1), Steps: 1}
	more := map[string][]any{
		"Kernel": {nil, kernel.Laplacian{Gamma: 1}}, "M": {41}, "Points": {mat.NewDense(2, 3, nil), mat.NewDense(3, 4, nil)},
		"C": {inf}, "Lambda": {inf}, "Tol": {inf}, "Holdout": {1.0}, "Folds": {6},
	}
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	}
	algotest.Refused(t, good, more, fit)
	algotest.Refused(t, good, more, func(c Config) error {
		_, err := c.Plan(gram.Shape{N: 40, D: 3, Outputs: 3})
		return err
	})
	fourier := good
	fourier.Features = Fourier
	more["Kernel"], more["M"] = []any{nil, kernel.Linear{}}, []any{1<<24 + 1}
	algotest.Refused(t, fourier, more, fit)
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}, &Config{Features: Fourier}) }
