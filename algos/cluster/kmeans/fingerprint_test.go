package kmeans

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"defaults":          {K: 7},
		"one iteration":     {K: 7, MaxIter: 1},
		"all rows":          {K: 30, AllRows: true, Starts: 3, Tol: 1e-12},
		"batches, balanced": {K: 6, Batch: 30, Balance: 1.1},
		"many":              {K: 110},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := c
					c.Run = run
					n, _ := d.X.Dims()
					c.K = min(c.K, n)
					return algotest.Fitted(c.FitWeighted(ctx, d.X, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
	}
}

func TestRandomFingerprint(t *testing.T) {
	algotest.Fingerprint(t, "part", Random(50, 7, 5))
}
