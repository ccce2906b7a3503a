package pairwise

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/learned/completion"
)

func TestFingerprints(t *testing.T) {
	for name, side := range map[string]completion.Side{
		"linear":  {},
		"nystrom": {Map: completion.Nystrom, M: 6, Learn: true},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := Config{K: 3, Map: side, Lambda: []float64{.1, 1}, Rounds: 3, Steps: 2, Run: run}
					return assigned(c.Fit(ctx, d.X, constraint.Sample(d.Labels.Class, 200, 5)))
				},
			}.Fingerprint(t)
		})
	}
}
