package alacarte

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	for _, factors := range []Factors{FSARD, FSGBARD} {
		t.Run(factors.String(), func(t *testing.T) {
			if testing.Short() && factors == FSARD {
				t.Skip("the other is enough")
			}
			at := func(n int, run gram.Run) Config {
				c := Config{Kernel: kernel.Gaussian{Gamma: .3}, Factors: factors, M: 6, MaxIter: gram.Set(8), Run: run}
				if n > 1000 {
					c.M, c.MaxIter = 100, gram.Set(1)
				}
				return c
			}
			subject := algotest.Subject{
				Kind: algotest.Regression,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).Fit(ctx, d.X, d.Value, d.Weights))
				},
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Unequal:  "a row of weight 2 is one value with half the noise, whose likelihood is not that of two values",
				Random:   []string{"factors"},
				Share:    .4, // a product is one piece
			}
			if factors == FSGBARD {
				subject.Golden = "alacarte.v1.gram"
				subject.Plan = func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) }
				subject.Memory = gram.Shape{N: 4000, D: 16, Outputs: 1}
			}
			algotest.Check(t, subject)
		})
	}
}

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 60, 3, 3)
	good := Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 4, MaxIter: gram.Set(1)}
	algotest.Refused(t, good, map[string][]any{"Noise": {math.Inf(1)}, "Tol": {math.Inf(1)}, "Kernel": {nil, kernel.Linear{}}, "M": {1 << 15}}, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Value, nil)
		var rough *gram.ConvergenceError
		if errors.As(err, &rough) {
			return nil
		}
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
