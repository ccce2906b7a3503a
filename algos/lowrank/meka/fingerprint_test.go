package meka

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{}, map[string]Config{
		"proportional": {Kernel: kernel.Gaussian{Gamma: 0.3}, Clusters: 3, Rank: 4, Ranks: Proportional},
		"columns":      {Kernel: kernel.Gaussian{Gamma: 0.3}, Clusters: 3, Rank: 4, Columns: 3, Certificate: 30},
	}, algotest.Rows(Config.Fit))
}

// The matrix that is approximated, as its product with the rows of the fit.
func TestOperatorFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{}, map[string]Config{
		"repaired": {Kernel: kernel.Gaussian{Gamma: 0.3}, Clusters: 3, Rank: 4},
		"links":    {Kernel: kernel.Gaussian{Gamma: 0.3}, Clusters: 4, Rank: 4, NoRepair: true},
	}, func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		m, err := c.Fit(ctx, d.X)
		if err != nil {
			return nil, err
		}
		at, err := m.At(ctx, d.X)
		if err != nil {
			return nil, err
		}
		n := at.Dim()
		values, err := at.Eigenvalues(ctx)
		if err != nil {
			return nil, err
		}
		out := mat.NewDense(n, 6, nil)
		at.Apply(out.Slice(0, n, 0, 4).(*mat.Dense), mat.DenseCopyOf(d.X))
		column := mat.NewDense(1, n, nil)
		at.Rows(column, []int{7})
		out.SetCol(4, column.RawRowView(0))
		for i, v := range values {
			out.Set(i%n, 5, v)
		}
		return &algotest.Model{Public: m, Output: func(mat.Matrix) *mat.Dense { return out }, Encode: m.Encode}, nil
	})
}
