package completion

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Both sides have features; every third entry is not observed.
func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{}, map[string]Config{
		"linear":          {Lambda: gram.Set(.01), Tol: gram.Set(1e-9)},
		"drawn":           {Rows: Side{Map: Fourier, M: 5, Gamma: .1}, Columns: Side{Map: Nystrom, M: 4}, Rounds: 4},
		"learned":         {Rows: Side{Map: Nystrom, M: 5, Learn: true, Landmarks: landmark.KMeans{}}, Columns: Side{Map: Fourier, M: 4, Learn: true}, Rounds: 2, Steps: 3},
		"logistic":        {Loss: Logistic, Columns: Side{Map: Nystrom, M: 4, Learn: true}, Rounds: 2, Steps: 2},
		"held out":        {Loss: Logistic, Validation: .2, Rounds: 5},
		"held out, learn": {Rows: Side{Map: Fourier, M: 5, Learn: true}, Validation: .3, Rounds: 2, Steps: 4},
	}, func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		z := algotest.Problem(25, 20, 3, 3)
		a := observed(d, z)
		c.Rank = 2
		m, err := c.Fit(ctx, a, d.X, z.X)
		if m == nil {
			return nil, err
		}
		return &algotest.Model{Public: m, Output: func(x mat.Matrix) *mat.Dense { return m.Predict(nil, x, z.X) }, Encode: m.Encode}, err
	})
}

// observed says whether the classes of rows and columns are the same.
func observed(rows, columns algotest.Data) *sparse.CSR {
	n, m := len(rows.Value), len(columns.Value)
	a := &sparse.CSR{N: n, D: m, Ptr: []int{0}}
	for i := range n {
		for j := range m {
			if (i+2*j)%3 == 0 {
				continue
			}
			same := 0.
			if rows.Labels.Class[i] == columns.Labels.Class[j] {
				same = 1
			}
			a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, same)
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}
