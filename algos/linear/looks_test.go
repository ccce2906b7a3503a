package linear

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// Solutions from sums over rows end with the error of their context at whichever look it ends.
func TestSumsLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	x := d.X.(*mat.Dense)
	t.Run("Solve", func(t *testing.T) {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			m, err := Ridge{}.Solve(ctx, nil, sumsOf(x, mat.NewDense(60, 1, d.Value), d.Weights, 0, 60, 60, false))
			return looktest.Unless(err, func() any { return m.Predict(nil, x) })
		})
	})
	t.Run("Step", func(t *testing.T) {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			n := must.Have(Config{Kind: LogisticRegression}.Newton(3, len(d.Labels.Names)))(t)
			for !n.Done() {
				sums := n.Sums()
				sums.Add(x, d.Labels.Class, d.Weights)
				if err := n.Step(ctx, sums); err != nil {
					return nil, err
				}
			}
			m := must.Have(n.Model(nil, d.Labels.Names))(t)
			return m.Scores(nil, x), nil
		})
	})
}

// Ridge regression on several targets, and that of the settings of all machines, end with the error of their context at whichever look it ends.
func TestValuesLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"FitAll": func(ctx context.Context) (any, error) {
			m, err := Ridge{Lambda: gram.Set(.1)}.FitAll(ctx, nil, d.X, mat.NewDense(60, 1, d.Value), d.Weights)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
		"FitValues": func(ctx context.Context) (any, error) {
			m, err := Config{}.FitValues(ctx, nil, d.X, d.Value, d.Weights)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
	})
}
