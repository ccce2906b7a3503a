package rfm

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	for name, c := range map[string]Config{
		"full":      {Metric: Full, Lambda: gram.Set(.1), Rounds: gram.Set(2)},
		"tree":      {Metric: Full, Length: gram.Set(2.), Lambda: gram.Set(.1), Rounds: gram.Set(1), Leaf: gram.Set(50)},
		"manhattan": {Metric: Manhattan, Lambda: gram.Set(.1), Rounds: gram.Set(2)},
	} {
		t.Run(name, func(t *testing.T) {
			at := func(run gram.Run) Config { c := c; c.Run = run; return c }
			s := algotest.Subject{
				Kind: algotest.Regression,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					return algotest.Fitted(at(run).Fit(ctx, d.X, d.Value, d.Weights))
				},
				Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := at(run)
					c.Holdout, c.Absolute, c.Length = gram.Set(0.), true, gram.Set(2.)
					return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
				},
				Random: []string{"held"},
				Memory: gram.Shape{N: 1200, D: 8, Outputs: 1},
				Share:  .5,
			}
			if name == "tree" {
				s.Exact, s.Unequal = nil, "the medians of the nodes count rows"
			}
			if name == "full" {
				s.Golden = "rfm.v1.gram"
			}
			algotest.Check(t, s)
		})
	}
}
