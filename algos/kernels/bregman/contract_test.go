package bregman

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	for name, d := range both {
		t.Run(name, func(t *testing.T) {
			config := func(run gram.Run) Config { return Config{Divergence: d, Slack: 1, Run: run} }
			subject := algotest.Subject{
				Kind: algotest.Unsupervised,
				Fit: func(ctx context.Context, data algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := data.X.Dims()
					var cs []constraint.Linear
					for i := range n {
						if j := (i*7 + 1) % n; j != i && len(cs) < 60 {
							relation := constraint.AtMost
							if i%3 != j%3 {
								relation = constraint.AtLeast
							}
							cs = append(cs, constraint.Distance(i, j, relation, 3))
						}
					}
					return algotest.Fitted(config(run).Fit(ctx, data.X, cs))
				},
				Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return config(run).Plan(s) },
				Decode: func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Golden: map[bool]string{true: "bregman.v2.gram"}[d == Burg],
				Older:  map[bool][]string{true: {"bregman.v1.gram"}}[d == Burg],
				Long:   gram.Shape{N: 2000, D: 150},
				Share:  1, // the decomposition of the start
				Random: []string{"order of constraints"},
			}
			algotest.Check(t, subject)
		})
	}
}

func TestStartDraws(t *testing.T) {
	algotest.Draws(t, "start and pairs", []string{"pairs", "random start"}, nil, func(run gram.Run) {
		class := make([]int, 20)
		for i := range class {
			class[i] = i % 3
		}
		if _, err := constraint.FromLabels(Random(20, 4, run.Seed), class, 10, 0, run.Seed); err != nil {
			t.Error(err)
		}
	})
}
