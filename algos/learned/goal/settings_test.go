package goal

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/must"
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

// planned is a selector with a plan of its own; alone has none.
type planned struct{ landmark.Selector }

func (planned) Plan(gram.Shape, int, gram.Run) (gram.Plan, error) {
	return gram.Plan{PeakBytes: 1 << 50, Flops: 1e30}, nil
}

type alone struct{ landmark.Selector }

// The plan counts the selection of landmarks if landmarks are selected: for Nyström features whose points
// are not given, and where the selector says what it costs.
func TestPlanOfSelection(t *testing.T) {
	base := Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 3}
	plan := func(c Config) gram.Plan {
		p := must.Have(c.Plan(gram.Shape{N: 40, D: 3, Outputs: 3}))(t)
		return p
	}
	at := base
	at.Landmarks = planned{landmark.Uniform{}}
	if p := plan(at); !(p.PeakBytes >= 1<<50 && p.Flops >= 1e30) {
		t.Errorf("the selection is not in %d bytes, %g flops", p.PeakBytes, p.Flops)
	}
	given, fourier, silent := at, at, base
	given.Given.Points = mat.NewDense(3, 3, nil)
	fourier.Features = Fourier
	silent.Landmarks = alone{landmark.Uniform{}}
	for what, c := range map[string]Config{"given points": given, "frequencies": fourier, "a selector without a plan": silent} {
		if p := plan(c); p.PeakBytes >= 1<<50 || !(p.PeakBytes > 0) {
			t.Errorf("%s: %d bytes", what, p.PeakBytes)
		}
	}
}
