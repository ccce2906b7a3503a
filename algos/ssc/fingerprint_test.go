package ssc

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/imc"
	"github.com/gramworks/gram/internal/algotest"
	"gonum.org/v1/gonum/mat"
)

func TestFingerprints(t *testing.T) {
	for name, side := range map[string]imc.Side{
		"linear":  {},
		"nystrom": {Map: imc.Nystrom, M: 6, Learn: true},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := Config{K: 3, Map: side, Lambda: []float64{.1, 1}, Rounds: 3, Steps: 2, Run: run}
					m, err := c.Fit(ctx, d.X, Sample(d.Labels.Class, 200, 5))
					if m == nil {
						return nil, err
					}
					return &algotest.Model{Public: m, Output: func(x mat.Matrix) *mat.Dense {
						n, _ := x.Dims()
						out := mat.NewDense(n, 1, nil)
						for i, k := range m.Assign(nil, x) {
							out.Set(i, 0, float64(k))
						}
						return out
					}, Encode: m.Encode}, err
				},
			}.Fingerprint(t)
		})
	}
}
