package pairwise

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/learned/completion"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{}, map[string]Config{
		"linear":  {},
		"nystrom": {Map: completion.Side{Map: completion.Nystrom, M: 6, Learn: true}},
	}, func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		c.K, c.Lambda, c.Rounds, c.Steps = 3, []float64{.1, 1}, 3, 2
		return assigned(c.Fit(ctx, d.X, constraint.Sample(d.Labels.Class, 200, 5)))
	})
}
