package gbdt

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
)

// Direct losses know two classes only.
func TestFingerprints(t *testing.T) {
	base := Config{Rounds: 5, MaxLeaves: 5, MinRows: 3}
	change := func(f func(*Config)) Config { c := base; f(&c); return c }
	for name, c := range map[string]Config{
		"direct":        change(func(c *Config) { c.Criterion = DirectLoss }),
		"direct, exact": change(func(c *Config) { c.Criterion, c.Exact, c.Rounds = DirectLoss, true, 2 }),
		"bins, depth":   change(func(c *Config) { c.Bins, c.MaxDepth, c.Lambda = 7, 2, gram.Set(3.) }),
		"from zero":     change(func(c *Config) { c.FromZero, c.Lambda, c.Shrinkage = true, gram.Set(0.), .3 }),
		"huber":         change(func(c *Config) { c.Loss = Huber }),
		"held out":      change(func(c *Config) { c.Holdout, c.Patience, c.Rounds = .3, 2, 40 }),
	} {
		t.Run(name+"/classes", func(t *testing.T) {
			if c.Loss != Squared {
				return
			}
			algotest.Subject{
				Kind: algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					if c.Criterion == DirectLoss && len(d.Labels.Names) > 2 {
						d.Labels.Names = d.Labels.Names[:2]
						two := make([]int, len(d.Labels.Class))
						for i, k := range d.Labels.Class {
							two[i] = min(k, 1)
						}
						d.Labels.Class = two
					}
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
		if c.Criterion == DirectLoss {
			continue
		}
		values := algotest.Subject{Kind: algotest.Regression, Weighted: true}
		algotest.Fingerprints(t, values, map[string]Config{name + "/values": c}, algotest.Values(Config.FitValues))
	}
}
