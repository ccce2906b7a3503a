package krr

import (
	"errors"
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
	good := Config{Kernel: kernel.Gaussian{Gamma: 1}, NoBias: true}
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Value, nil)
		return err
	}
	more := map[string][]any{"Kernel": {nil}}
	algotest.Refused(t, good, more, fit)
	algotest.Refused(t, Config{Kernel: good.Kernel, Solver: CG, NoBias: true}, map[string][]any{"Kernel": {nil}, "M": {41}}, fit)
	algotest.Names(t, "Solver", "without a penalty", fit(Config{Kernel: good.Kernel, Solver: Cholesky, Lambda: gram.Set(0.0), NoBias: true}))

	_, err := good.Plan(gram.Shape{D: 3})
	algotest.Names(t, "rows", 0, err)

	// Every target of several is looked at.
	for _, v := range []float64{math.NaN(), inf, math.Inf(-1)} {
		y := mat.NewDense(40, 2, nil)
		y.Set(7, 1, v)
		var de *gram.DataError
		if _, err := good.FitAll(t.Context(), d.X, y, nil); !errors.As(err, &de) || de.Row != 7 || de.Col != -1 {
			t.Errorf("a target of %v: %v", v, err)
		}
	}
	for _, lambda := range []float64{-1, inf, math.NaN()} {
		_, err = good.FitEach(t.Context(), d.X, mat.NewDense(40, 1, d.Value), nil, []float64{1, lambda})
		algotest.Names(t, "Lambda", lambda, err)
		_, err = Goodness(t.Context(), good.Kernel, d.X, d.Labels.Class, []float64{1, lambda}, gram.Run{})
		algotest.Names(t, "lambda", lambda, err)
		_, _, err = Solve(t.Context(), identity{}, mat.NewDense(40, 1, d.Value), SolveOptions{Lambda: lambda})
		algotest.Names(t, "Lambda", lambda, err)
	}
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{NoBias: true}) }

// identity is the 40×40 identity.
type identity struct{}

func (identity) Dim() int                { return 40 }
func (identity) Apply(dst, x *mat.Dense) { dst.Copy(x) }
