package bka

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"clusters": {Kernel: kernel.Gaussian{Gamma: 0.3}, Partition: Partition{Clusters: 4}},
		"balanced": {Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Partition: Partition{Clusters: 4, Balance: 1.1}},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c.Run = run
					a, err := c.Fit(ctx, d.X)
					if err != nil {
						return nil, err
					}
					out := mat.NewDense(a.Dim(), 4, nil)
					a.Apply(out, mat.DenseCopyOf(d.X))
					return &algotest.Model{Output: func(mat.Matrix) *mat.Dense { return out }}, nil
				},
			}.Fingerprint(t)
		})
	}
}
