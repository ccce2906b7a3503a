package kmeans

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Weighted: true}, map[string]Config{
		"defaults":          {K: 7},
		"one iteration":     {K: 7, MaxIter: 1},
		"all rows":          {K: 30, AllRows: true, Starts: 3, Tol: 1e-12},
		"batches, balanced": {K: 6, Batch: 30, Balance: 1.1},
		"many":              {K: 110},
	}, func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		n, _ := d.X.Dims()
		c.K = min(c.K, n)
		return algotest.Fitted(c.FitWeighted(ctx, d.X, d.Weights))
	})
}

func TestRandomFingerprint(t *testing.T) {
	algotest.Fingerprint(t, "part", Random(50, 7, 5))
}
