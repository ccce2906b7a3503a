package crossval_test

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
)

// Choices of settings, by folds, by leave-one-out and by a part of the rows, end with the error of their context at whichever look it ends.
func TestChoiceLooks(t *testing.T) {
	d := algotest.Problem(3, 240, 3, 2)
	trees := gbdt.Config{Rounds: 2, Bins: 8, Run: gram.Run{Workers: 1}}
	choice := crossval.Choice{Class: d.Labels.Class, Outputs: 2, Losses: func(ctx context.Context, settings []string, train, held []int, _ gram.Run) ([]float64, error) {
		losses := make([]float64, len(held))
		for i, k := range held {
			losses[i] = float64((k + len(settings)) % 3)
		}
		return losses, ctx.Err()
	}}
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"Choice.Choose": func(ctx context.Context) (any, error) {
			return choice.Choose(ctx, settings.Bind(&trees), 240, 240)
		},
		"Choice.Loss": func(ctx context.Context) (any, error) {
			return choice.Loss(ctx, []string{"c=1"}, crossval.Folds(240, 3, d.Labels.Class, 1))
		},
		"ByPart": func(ctx context.Context) (any, error) {
			return crossval.ByPart(ctx, []float64{1, 3, 2}, 240, d.Labels.Class, 1, func(v float64, _ uint64, _ crossval.Split) (float64, error) {
				return v, ctx.Err()
			})
		},
		"Tuned.Choose": func(ctx context.Context) (any, error) {
			return crossval.Tune(trees, gbdt.Config.Fit).Choose(ctx, d.X, d.Labels, nil)
		},
		"Settled": func(ctx context.Context) (any, error) {
			c, err := crossval.Settled(ctx, krr.Config{Kernel: kernel.Gaussian{Gamma: .5}}, d.X, d.Value, nil, krr.Config.Fit)
			return c.Lambda, err
		},
	})
}
