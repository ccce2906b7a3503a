package itml

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
)

// Learned metrics and neighbors in them end with the error of their context at whichever look it ends.
func TestLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	m := must.Have(Config{Kernel: kernel.Linear{}}.Fit(t.Context(), d.X, constraint.FromPairs([]constraint.Pair{{I: 0, J: 1}, {I: 2, J: 5, Same: true}}, constraint.Bounds{Low: 1, High: 4})))(t)
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"Mahalanobis": func(ctx context.Context) (any, error) {
			m, err := m.Kernel().Mahalanobis(ctx)
			return looktest.Unless(err, func() any { return m.A() })
		},
		"FitStatements": func(ctx context.Context) (any, error) {
			m, err := KNN{Config: Config{Kernel: kernel.Gaussian{Gamma: .5}}}.FitStatements(ctx, d.X, d.Labels, nil, []constraint.Statement{{Pair: constraint.Pair{I: 0, J: 1}}, {Pair: constraint.Pair{I: 2, J: 5, Same: true}}})
			return looktest.Unless(err, func() any { return m.Scores(nil, d.X) })
		},
	})
}
