package bka

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{}, map[string]Config{
		"clusters": {Kernel: kernel.Gaussian{Gamma: 0.3}, Partition: Partition{Clusters: 4}},
		"balanced": {Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Partition: Partition{Clusters: 4, Balance: 1.1}},
	}, func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		a, err := c.Fit(ctx, d.X)
		if err != nil {
			return nil, err
		}
		out := mat.NewDense(a.Dim(), 4, nil)
		a.Apply(out, mat.DenseCopyOf(d.X))
		return &algotest.Model{Output: func(mat.Matrix) *mat.Dense { return out }}, nil
	})
}
