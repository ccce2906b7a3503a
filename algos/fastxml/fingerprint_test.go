package fastxml

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"deep":    {Trees: 3, Leaf: 2, Depth: 7},
		"shallow": {Trees: 3, Leaf: 2, Depth: 2, Keep: 2},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.MultiLabel,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					m, err := c.Fit(ctx, d.X, d.Tags)
					if m == nil {
						return nil, err
					}
					return algotest.Ranked(m, 0), err
				},
			}.Fingerprint(t)
		})
	}
}
