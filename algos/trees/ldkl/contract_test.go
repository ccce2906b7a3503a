package ldkl

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	at := func(n int, run gram.Run) Config {
		c := Config{Depth: 3, C: 2, Passes: 3, Batch: 16, Run: run}
		if n > 1000 {
			c.Passes, c.Batch, c.Tol = 1, 64, .1
		}
		return c
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Classification,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			n, _ := d.X.Dims()
			return algotest.Fitted(at(n, run).Fit(ctx, d.X, d.Labels, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
		Weighted: true,
		Unequal:  "gradient steps take batches of rows",
		Halved: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := at(90, run)
			c.C /= 2
			return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
		},
		Golden: "ldkl.v1.gram",
		Random: []string{"coefficients", "batches", "order of rows"},
		Memory: gram.Shape{N: 5000, D: 16, Outputs: 3},
	})
}

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 60, 3, 3)
	more := map[string][]any{"Depth": {21}, "C": {math.Inf(1)}, "Ridge": {math.Inf(1)}, "Sigma": {math.Inf(1)}, "Soft": {math.Inf(1)}, "Step": {math.Inf(1)}, "Tol": {math.Inf(1)}}
	algotest.Refused(t, Config{Depth: 2, Passes: 1}, more, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }
