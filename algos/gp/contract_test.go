package gp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

func TestContract(t *testing.T) {
	for _, c := range []Config{
		{Kernel: kernel.Gaussian{Gamma: .3}},
		{Kernel: kernel.Gaussian{Gamma: .3}, Approximation: FITC, M: 9, Landmarks: landmark.Uniform{}},
		{Kernel: kernel.Matern{Nu: 1.5, Length: 1}, ARD: true, ARDRows: 60},
	} {
		name := c.Approximation.String()
		if c.ARD {
			name = "ard"
		}
		t.Run(name, func(t *testing.T) {
			at := func(run gram.Run) Config {
				c := c
				c.Run = run
				return c
			}
			s := algotest.Subject{
				Kind: algotest.Regression,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := at(run)
					if n, _ := d.X.Dims(); c.M > n {
						c.M = 0
					}
					return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
				},
				Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Golden:   "gp-" + name + ".v1.gram",
				Memory:   gram.Shape{N: 700, D: 8, Outputs: 1},
				Share:    1, // a factor
				RowBytes: 24,
			}
			switch {
			case c.ARD:
				s.Unequal = "a row of weight 2 is one value with half the noise, whose likelihood is not that of two values"
				s.Random = []string{"median", "widths"}
			case c.Approximation == Exact:
				s.Exact = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := at(run)
					c.Lambda = gram.Set(.1)
					return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
				}
				s.WeightTol = 1e-5
			default:
				s.Unequal = "what FITC adds to the diagonal is that of a row, whatever its weight"
				s.Memory.N = 4000
				s.Random = []string{algotest.AnyStage}
			}
			algotest.Check(t, s)
		})
	}
}

func TestFingerprints(t *testing.T) {
	d := algotest.Problem(24, 60, 3, 2)
	algotest.AtGeneric(t, func() {
		var items []any
		for _, a := range []Approximation{Exact, DTC, FITC} {
			m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: .3}, Approximation: a, M: 10, Lambda: gram.Set(.1)}.Fit(t.Context(), d.X, d.Value, d.Weights))(t)
			items = append(items, a.String()+".mean", m.Predict(nil, d.X), a.String()+".variance", m.Variance(nil, d.X), a.String()+".likelihood", []float64{m.Stats().LogLikelihood})
		}
		algotest.Fingerprint(t, items...)
	})
}

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Value, nil)
		return err
	}
	algotest.Refused(t, Config{Kernel: kernel.Gaussian{Gamma: 1}, NoBias: true}, map[string][]any{"Kernel": {nil}, "M": {41}}, fit)
	_, err := Config{Kernel: kernel.Gaussian{Gamma: 1}, NoBias: true}.Plan(gram.Shape{D: 3})
	algotest.Names(t, "rows", 0, err)
	table := kernel.Columns(func(dst []float64, j int) { dst[j] = 1 }, 40)
	algotest.Names(t, "Kernel", "columns", fit(Config{Kernel: table, Lambda: gram.Set(1.)}))
}

// unplanned is a selector whose plan fails.
type unplanned struct{ landmark.Uniform }

var errUnplanned = errors.New("no plan")

func (unplanned) Plan(gram.Shape, int, gram.Run) (gram.Plan, error) { return gram.Plan{}, errUnplanned }

// A plan counts one factor for a λ that is given or learned with the widths, and sixteen for one that is chosen; with landmarks that
// of their choice, whose error it returns.
func TestPlan(t *testing.T) {
	s := gram.Shape{N: 1000, D: 10, Outputs: 1}
	c := Config{Kernel: kernel.Gaussian{Gamma: 1}, Landmarks: landmark.Uniform{}, M: 50}
	const n, m = 1000., 50.
	for _, test := range []struct {
		a     Approximation
		given bool
		ard   bool
		flops float64
	}{
		{Exact, true, false, 2*n*n*10 + n*n*n/3},
		{Exact, false, false, 2*n*n*10 + 16*n*n*n/3},
		{Exact, false, true, 2*n*n*10 + n*n*n/3},
		{DTC, true, false, 2*n*m*10 + 2*n*m*m + m*m*m/3},
		{FITC, false, false, 2*n*m*10 + n*m*m + 16*(n*m*m+m*m*m/3)},
		{FITC, false, true, 2*n*m*10 + n*m*m + 16*(n*m*m+m*m*m/3)},
	} {
		c := c
		c.Approximation, c.ARD = test.a, test.ard
		if test.given {
			c.Lambda = gram.Set(.1)
		}
		want := gram.Plan{Flops: test.flops}
		if test.ard {
			want = must.Have(must.Have(settings.Resolved(c, s))(t).widths().PlanBefore(s, want))(t)
		}
		if got := must.Have(c.Plan(s))(t); !(math.Abs(got.Flops-want.Flops) <= 1e-9*want.Flops) || got.FullKernel != (test.a == Exact) {
			t.Errorf("%+v: %+v, want %g flops", test, got, want.Flops)
		}
	}
	c.Approximation, c.Landmarks = FITC, unplanned{}
	if p, err := c.Plan(s); err != errUnplanned || p != (gram.Plan{}) {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{NoBias: true}) }

func ExampleConfig_Fit() {
	x := mat.NewDense(5, 1, []float64{-2, -1, 0, 1, 2})
	y := []float64{4, 1, 0, 1, 4}
	m, err := Config{Kernel: kernel.Gaussian{Gamma: .5}, Lambda: gram.Set(1e-3)}.Fit(context.Background(), x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	at := mat.NewDense(2, 1, []float64{.5, 6})
	mean, variance := m.Predict(nil, at), m.Variance(nil, at)
	fmt.Printf("near the rows %.2f, variance %.2f\n", mean[0], variance[0])
	fmt.Printf("far from them %.2f, variance %.2f\n", mean[1], variance[1])
	// Output:
	// near the rows 0.20, variance 0.05
	// far from them 2.86, variance 7.17
}
